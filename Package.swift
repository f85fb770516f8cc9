// swift-tools-version: 6.2
import PackageDescription

/// Every scenario, by the name of its folder in `Scenarios`, with the file that tells it; its
/// exercise is declared in a file beside that one.
let scenarios: [(folder: String, file: String)] = [
  ("01-reading-someone-elses-object", "ReadingSomeoneElsesObject.swift"),
  ("02-writing-from-the-wrong-queue", "WritingFromTheWrongQueue.swift"),
  ("03-creating-an-object-outside-perform", "CreatingOutsidePerform.swift"),
  ("04-saving-the-view-context-from-a-global-queue", "SavingTheViewContext.swift"),
  ("05-the-id-not-the-object-through-a-closure", "TheIDThroughAClosure.swift"),
  ("06-the-screen-from-the-background", "TheScreenFromTheBackground.swift"),
  ("07-perform-returns-first", "PerformReturnsFirst.swift"),
  ("08-perform-and-wait-on-main", "PerformAndWaitOnMain.swift"),
  ("09-two-queues-waiting-for-each-other", "TwoQueuesWaiting.swift"),
  ("10-nested-perform-and-wait", "NestedPerformAndWait.swift"),
  ("11-the-coordinator-is-a-lock", "TheCoordinatorIsALock.swift"),
  ("12-first-launch-import", "FirstLaunchImport.swift"),
  ("13-object-with-or-existing-object", "ObjectWithOrExistingObject.swift"),
  ("14-a-temporary-id-in-another-context", "ATemporaryID.swift"),
  ("15-values-instead-of-objects", "ValuesInsteadOfObjects.swift"),
  ("16-the-async-fetch-that-leaks-objects", "TheAsyncFetch.swift"),
  ("17-deleted-while-you-held-it", "DeletedWhileYouHeldIt.swift"),
  ("18-the-save-that-was-not-heard", "TheSaveThatWasNotHeard.swift"),
  ("19-merging-on-the-wrong-queue", "MergingOnTheWrongQueue.swift"),
  ("20-automatic-merging-and-merging-twice", "AutomaticMergingAndMergingTwice.swift"),
  ("21-two-containers-by-accident", "TwoContainers.swift"),
  ("22-the-observer-that-never-leaves", "TheObserverThatNeverLeaves.swift"),
  ("23-merging-while-editing", "MergingWhileEditing.swift"),
  ("24-the-batch-delete-that-leaves-ghosts", "TheBatchDeleteThatLeavesGhosts.swift"),
  ("25-the-default-policy-says-no", "TheDefaultPolicySaysNo.swift"),
  ("26-five-policies", "FivePolicies.swift"),
  ("27-the-lost-update", "TheLostUpdate.swift"),
  ("28-write-skew", "WriteSkew.swift"),
  ("29-find-or-create-races", "FindOrCreateRaces.swift"),
  ("30-one-failed-save-poisons-the-context", "OneFailedSave.swift"),
  ("31-child-save-not-on-disk", "ChildSaveNotOnDisk.swift"),
  ("32-siblings-do-not-see-each-other", "Siblings.swift"),
  ("33-three-stacks-one-import", "ThreeStacksOneImport.swift"),
  ("34-a-form-you-can-throw-away", "AFormYouCanThrowAway.swift"),
  ("35-the-child-waits-for-its-parent", "TheChildWaitsForItsParent.swift"),
  ("36-how-often-to-save", "HowOftenToSave.swift"),
  ("37-reset-in-loops", "ResetInLoops.swift"),
  ("38-the-lost-tail", "TheLostTail.swift"),
  ("39-reset-under-your-feet", "ResetUnderYourFeet.swift"),
  ("40-one-fault-at-a-time", "OneFaultAtATime.swift"),
  ("41-a-new-context-for-every-touch", "ANewContext.swift"),
  ("42-the-store-that-was-not-there-yet", "TheStoreThatWasNotThereYet.swift"),
  ("43-isolation-the-compiler-can-see", "IsolationTheCompilerCanSee.swift"),
  ("44-the-executor-that-blocks", "TheExecutorThatBlocks.swift"),
  ("45-an-operation-you-can-stop", "AnOperationYouCanStop.swift"),
  ("48-the-list-that-meets-a-deleted-row", "ListAndDeletedRow.swift"),
]

/// Lets a target say `import CoreData` and get the engine; on Apple's platforms it gets Apple's.
#if os(macOS)
  let importsCoreData: [SwiftSetting] = []
#else
  let importsCoreData: [SwiftSetting] = [
    .unsafeFlags(["-module-alias", "CoreData=Faultline"]), .define("FAULTLINE"),
  ]
#endif

let package = Package(
  name: "faultline",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "Faultline", targets: ["Faultline"]),
    .library(name: "PlaygroundKit", targets: ["PlaygroundKit"]),
    .executable(name: "faultline", targets: ["FaultlineCLI"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0")
  ],
  targets: [
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CSwiftRuntime"),
    .target(name: "CInterposition", publicHeadersPath: "include"),
    .target(name: "SQLiteConnection", dependencies: ["CSQLite"]),
    .target(name: "Faultline", dependencies: ["SQLiteConnection", "CSwiftRuntime"]),
    .target(
      name: "PlaygroundKit",
      dependencies: [
        "Faultline", "SQLiteConnection", "CSwiftRuntime", "CInterposition",
      ]
    ),
    .target(
      name: "Scenarios", dependencies: ["Faultline", "PlaygroundKit"], path: "Scenarios",
      // What learners start from is compiled by `faultline check`, not by the package.
      exclude: scenarios.flatMap { folder, _ in
        ["README.md", "Exercise", "Solution", "NearMisses"].map { "\(folder)/\($0)" }
      },
      sources: ["Shared", "Matrix", "Template"]
        + scenarios.flatMap { folder, file in
          [file, "\(file.dropLast(".swift".count))+Exercise.swift"].map { "\(folder)/\($0)" }
        },
      swiftSettings: importsCoreData),
    .executableTarget(
      name: "FaultlineCLI",
      dependencies: [
        "Scenarios", "PlaygroundKit",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),

    .target(name: "TestSupport", dependencies: ["Faultline"], path: "Tests/TestSupport"),
    .testTarget(name: "SQLiteConnectionTests", dependencies: ["SQLiteConnection"]),
    .testTarget(
      name: "FaultlineTests", dependencies: ["Faultline", "SQLiteConnection", "TestSupport"]),
    .testTarget(
      name: "BehaviorSpecs", dependencies: ["Faultline"], swiftSettings: importsCoreData),
    .testTarget(
      name: "CompileFail", dependencies: ["Faultline"],
      exclude: ["Refused", "Warned", "Accepted"]),
    .executableTarget(
      name: "ProbeSides", dependencies: ["Faultline", "PlaygroundKit"], path: "Tests/ProbeSides",
      swiftSettings: importsCoreData),
    .testTarget(
      name: "PlaygroundKitTests", dependencies: ["PlaygroundKit", "ProbeSides"],
      exclude: ["Golden"]),
    .testTarget(
      name: "ScenarioTests", dependencies: ["FaultlineCLI", "Scenarios", "PlaygroundKit"]),
    .testTarget(name: "TidyTests", dependencies: ["PlaygroundKit"]),
  ],
  swiftLanguageModes: [.v6]
)
