public import PlaygroundKit

/// Every scenario and every exercise there is, in the order of their numbers.
public enum Catalogue {
  /// What `faultline list` shows; a new scenario gets its line here and its row in `Package.swift`.
  public static let all: [any Scenario.Type] = [
    ReadingSomeoneElsesObject.self,
    PerformAndWaitOnMain.self,
    TwoQueuesWaiting.self,
    FivePolicies.self,
    TheLostUpdate.self,
    WriteSkew.self,
    FindOrCreateRaces.self,
    ChildSaveNotOnDisk.self,
    TheChildWaitsForItsParent.self,
    ResetInLoops.self,
    TheLostTail.self,
  ]

  /// What has orders that can be explored and replayed: the scenarios, and those of the matrix,
  /// which no list shows.
  public static let everything: [any Scenario.Type] = all + Matrix.scenarios

  /// What `faultline start` hands out.
  public static let exercises: [Exercise] = [
    Exercise(
      of: PerformAndWaitOnMain.card, file: "ImportArticles.swift", size: 100_000,
      requirements: [
        .framesDropped(atMost: 1), .allStored(entity: "Article"),
        .returnsWhatIsStored(entity: "Article"), .noSleep,
      ])
  ]
}
