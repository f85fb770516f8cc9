public import PlaygroundKit

/// Every scenario and every exercise, in the order of their numbers.
public enum Catalogue {
  /// The numbered scenarios; a new one gets its line here and its row in `Package.swift`.
  public static let all: [any Scenario.Type] = [
    ReadingSomeoneElsesObject.self,
    WritingFromTheWrongQueue.self,
    CreatingOutsidePerform.self,
    SavingTheViewContext.self,
    TheIDThroughAClosure.self,
    TheScreenFromTheBackground.self,
    PerformReturnsFirst.self,
    PerformAndWaitOnMain.self,
    TwoQueuesWaiting.self,
    NestedPerformAndWait.self,
    TheCoordinatorIsALock.self,
    FirstLaunchImport.self,
    ObjectWithOrExistingObject.self,
    ATemporaryID.self,
    TheAsyncFetch.self,
    DeletedWhileYouHeldIt.self,
    MergingOnTheWrongQueue.self,
    AutomaticMergingAndMergingTwice.self,
    TwoContainers.self,
    MergingWhileEditing.self,
    TheBatchDeleteThatLeavesGhosts.self,
    TheDefaultPolicySaysNo.self,
    FivePolicies.self,
    TheLostUpdate.self,
    WriteSkew.self,
    FindOrCreateRaces.self,
    ChildSaveNotOnDisk.self,
    TheChildWaitsForItsParent.self,
    ResetInLoops.self,
    TheLostTail.self,
    ListAndDeletedRow.self,
  ]

  /// Everything that can be explored and replayed: the numbered scenarios and those of the matrix.
  public static let everything: [any Scenario.Type] = all + Matrix.scenarios

  /// The exercises that `faultline start` hands out.
  public static let exercises: [Exercise] = [
    ReadingSomeoneElsesObject.exercise,
    WritingFromTheWrongQueue.exercise,
    CreatingOutsidePerform.exercise,
    SavingTheViewContext.exercise,
    TheIDThroughAClosure.exercise,
    TheScreenFromTheBackground.exercise,
    PerformReturnsFirst.exercise,
    PerformAndWaitOnMain.exercise,
    TwoQueuesWaiting.exercise,
    NestedPerformAndWait.exercise,
    TheCoordinatorIsALock.exercise,
    FirstLaunchImport.exercise,
    ObjectWithOrExistingObject.exercise,
    ATemporaryID.exercise,
    TheAsyncFetch.exercise,
    DeletedWhileYouHeldIt.exercise,
    MergingOnTheWrongQueue.exercise,
    AutomaticMergingAndMergingTwice.exercise,
    TwoContainers.exercise,
    MergingWhileEditing.exercise,
    TheBatchDeleteThatLeavesGhosts.exercise,
    TheDefaultPolicySaysNo.exercise,
    FivePolicies.exercise,
    TheLostUpdate.exercise,
    WriteSkew.exercise,
    FindOrCreateRaces.exercise,
    ChildSaveNotOnDisk.exercise,
    TheChildWaitsForItsParent.exercise,
    ResetInLoops.exercise,
    TheLostTail.exercise,
    ListAndDeletedRow.exercise,
  ]
}
