// swift-tools-version: 6.2
import PackageDescription

/// Every scenario, by the name of its folder in `Scenarios`, with the file that tells it.
let scenarios: [(folder: String, file: String)] = [
  ("01-reading-someone-elses-object", "ReadingSomeoneElsesObject.swift"),
  ("07-perform-returns-first", "PerformReturnsFirst.swift"),
  ("08-perform-and-wait-on-main", "PerformAndWaitOnMain.swift"),
  ("09-two-queues-waiting-for-each-other", "TwoQueuesWaiting.swift"),
  ("10-nested-perform-and-wait", "NestedPerformAndWait.swift"),
  ("11-the-coordinator-is-a-lock", "TheCoordinatorIsALock.swift"),
  ("12-first-launch-import", "FirstLaunchImport.swift"),
  ("26-five-policies", "FivePolicies.swift"),
  ("27-the-lost-update", "TheLostUpdate.swift"),
  ("28-write-skew", "WriteSkew.swift"),
  ("29-find-or-create-races", "FindOrCreateRaces.swift"),
  ("31-child-save-not-on-disk", "ChildSaveNotOnDisk.swift"),
  ("35-the-child-waits-for-its-parent", "TheChildWaitsForItsParent.swift"),
  ("37-reset-in-loops", "ResetInLoops.swift"),
  ("38-the-lost-tail", "TheLostTail.swift"),
]

/// The scenarios with an exercise, which is declared in a file of its own beside the scenario's. What
/// learners start from is compiled by `faultline check`, not by the package.
let exercises: Set = [
  "01-reading-someone-elses-object", "07-perform-returns-first", "08-perform-and-wait-on-main",
  "09-two-queues-waiting-for-each-other", "10-nested-perform-and-wait",
  "11-the-coordinator-is-a-lock", "12-first-launch-import", "26-five-policies",
  "27-the-lost-update",
  "28-write-skew", "29-find-or-create-races", "31-child-save-not-on-disk",
  "35-the-child-waits-for-its-parent", "37-reset-in-loops", "38-the-lost-tail",
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
      exclude: scenarios.map { "\($0.folder)/README.md" }
        + exercises.flatMap { exercise in
          ["Exercise", "Solution", "NearMisses"].map { "\(exercise)/\($0)" }
        },
      sources: ["Shared", "Matrix", "Template"]
        + scenarios.flatMap { folder, file in
          let exercise = "\(file.dropLast(".swift".count))+Exercise.swift"
          return (exercises.contains(folder) ? [file, exercise] : [file]).map { "\(folder)/\($0)" }
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
