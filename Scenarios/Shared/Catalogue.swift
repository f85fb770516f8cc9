import PlaygroundKit

/// Every scenario there is, in the order of their numbers.
public enum Catalogue {
  /// What `faultline list` shows; a new scenario gets its line here and its row in `Package.swift`.
  public static let all: [any Scenario.Type] = [
    ReadingSomeoneElsesObject.self,
    PerformAndWaitOnMain.self,
    FivePolicies.self,
    ChildSaveNotOnDisk.self,
    ResetInLoops.self,
    TheLostTail.self,
  ]
}
