public import PlaygroundKit

/// Every scenario there is, in the order of their numbers.
///
/// A new scenario gets its line here and its row in `Package.swift`.
public let catalogue: [any Scenario.Type] = [
  ReadingSomeoneElsesObject.self,
  PerformAndWaitOnMain.self,
  FivePolicies.self,
  ChildSaveNotOnDisk.self,
  ResetInLoops.self,
  TheLostTail.self,
]

/// Every exercise there is, in the order of their numbers.
public let exercises: [Exercise] = [
  Exercise(
    of: PerformAndWaitOnMain.card, file: "ImportArticles.swift", size: 100_000,
    requirements: [
      .framesDropped(atMost: 1), .allStored(entity: "Article"),
      .returnsWhatIsStored(entity: "Article"), .noSleep,
    ])
]
