import CoreData
import Foundation
import XCTest

/// What the five policies, and one of one's own, make of conflicts (section D.5).
final class MergePolicySpecs: SpecCase {
  private func crossed(
    _ policy: NSMergePolicy, _ place: Crossing.Place = .sameCoordinator
  ) throws -> (crossing: Crossing, mine: Author, theirs: Author) {
    let crossing = try makeCrossing(place)
    crossing.local.mergePolicy = policy
    let (mine, theirs) = try crossing.givenAuthor()
    return (crossing, mine, theirs)
  }

  func testD45_theDefaultIsTheErrorPolicyAndTheRawValuesAreApples() throws {
    let container = try makeContainer()
    for context in [container.viewContext, container.newBackgroundContext()] {
      XCTAssertEqual((context.mergePolicy as? NSMergePolicy)?.mergeType, .errorMergePolicyType)
    }
    let types: [NSMergePolicyType] = [
      .errorMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType,
      .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType,
      .rollbackMergePolicyType,
    ]
    XCTAssertEqual(types.map(\.rawValue), [0, 1, 2, 3, 4])
    let policies: [NSMergePolicy] = [
      .error, .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
    ]
    XCTAssertEqual(policies.map(\.mergeType), types)
  }

  func testD46_objectMeansTheSavingContextAndStoreMeansTheOthers() throws {
    for (policy, expected) in [
      (NSMergePolicy.mergeByPropertyObjectTrump, "L1"),
      (NSMergePolicy.mergeByPropertyStoreTrump, "S1"),
    ] {
      let name = "\(policy.mergeType.rawValue)"
      let crossing = try Crossing(at: storeURL(name), place: .sameCoordinator) { self.keep($0) }
      crossing.local.mergePolicy = policy
      let (mine, theirs) = try crossing.givenAuthor()
      theirs.name = "S1"
      try crossing.external.save()
      mine.name = "L1"
      try crossing.local.save()
      XCTAssertEqual(try crossing.reread().only(Author.self).name, expected)
    }
  }

  func testD47_onlyWhatBothSidesChangedIsDecidedByTheTrump() throws {
    let (crossing, mine, theirs) = try crossed(.mergeByPropertyStoreTrump)
    theirs.name = "S1"
    try crossing.external.save()
    mine.name = "L1"
    mine.born = 2
    try crossing.local.save()
    let stored = try crossing.reread().only(Author.self)
    XCTAssertEqual(stored.name, "S1")
    XCTAssertEqual(stored.born, 2)
  }

  func testD48_overwriteLosesTheOthersChangeOfAnUntouchedProperty() throws {
    let (crossing, mine, theirs) = try crossed(.overwrite)
    theirs.born = 2
    try crossing.external.save()
    mine.name = "L1"
    try crossing.local.save()
    let stored = try crossing.reread().only(Author.self)
    XCTAssertEqual(stored.name, "L1")
    XCTAssertEqual(stored.born, 1)
  }

  func testD49_rollbackDropsTheConflictingObjectOnlyAndWritesTheRest() throws {
    let (crossing, mine, theirs) = try crossed(.rollback)
    let bystander = try crossing.local.savedAuthor("bystander")
    theirs.name = "S1"
    try crossing.external.save()
    mine.name = "L1"
    bystander.name = "changed"
    Author(context: crossing.local).name = "new"
    try crossing.local.save()
    XCTAssertEqual(mine.name, "S1")
    XCTAssertEqual(
      try crossing.reread().all(Author.self, by: "name").map(\.name), ["S1", "changed", "new"])
  }

  func testD50_anyOtherPolicyLetsTheSaveSucceedInSilence() throws {
    for policy in [
      NSMergePolicy.mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
    ] {
      let name = "\(policy.mergeType.rawValue)"
      let crossing = try Crossing(at: storeURL(name), place: .otherCoordinator) { self.keep($0) }
      crossing.local.mergePolicy = policy
      let (mine, theirs) = try crossing.givenAuthor()
      theirs.name = "S1"
      try crossing.external.save()
      mine.name = "L1"
      XCTAssertNoThrow(try crossing.local.save(), "\(policy.mergeType)")
      XCTAssertFalse(crossing.local.hasChanges, "\(policy.mergeType)")
    }
  }

  func testD51_aPolicyOfAChildDoesNothingForTheRoot() throws {
    let crossing = try makeCrossing()
    let (mine, theirs) = try crossing.givenAuthor()
    let child = makeMainChild(of: crossing.local)
    child.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    let inChild = try XCTUnwrap(try child.existingObject(with: mine.objectID) as? Author)
    theirs.name = "S1"
    try crossing.external.save()
    inChild.name = "L1"
    XCTAssertNoThrow(try child.save())
    cocoaError(133020) { try crossing.local.save() }
  }

  func testD52_aPolicyOfOnesOwnSeesTheConflictsBeforeSuperResolvesThem() throws {
    let policy = CountingPolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
    let (crossing, mine, theirs) = try crossed(policy)
    theirs.name = "S1"
    theirs.born = 2
    try crossing.external.save()
    mine.name = "L1"
    try crossing.local.save()
    XCTAssertEqual(policy.seen.value, ["L1 over S1"])
    let stored = try crossing.reread().only(Author.self)
    XCTAssertEqual(stored.name, "L1")
    XCTAssertEqual(stored.born, 2)
  }

  func testD52_aPolicyOfOnesOwnIsNotAskedWithoutAConflict() throws {
    let policy = CountingPolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
    let (crossing, mine, _) = try crossed(policy)
    mine.name = "L1"
    try crossing.local.save()
    XCTAssertEqual(policy.seen.value, [])
  }

  func testD52_anErrorOfAPolicyOfOnesOwnIsTheErrorOfTheSave() throws {
    let (crossing, mine, theirs) = try crossed(RefusingPolicy(merge: .overwriteMergePolicyType))
    theirs.name = "S1"
    try crossing.external.save()
    mine.name = "L1"
    XCTAssertThrowsError(try crossing.local.save()) { XCTAssertTrue($0 is RefusingPolicy.No) }
    XCTAssertEqual(mine.name, "L1")
    XCTAssertTrue(crossing.local.hasChanges)
  }

  func testD52_aPolicyMayComputeAValueFromBothSides() throws {
    let (crossing, mine, theirs) = try crossed(
      AddingPolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType))
    theirs.born = 11
    try crossing.external.save()
    mine.born = 101
    try crossing.local.save()
    XCTAssertEqual(try crossing.reread().only(Author.self).born, 111, "1 + 10 + 100")
  }

  func testD53_aPolicyThatResolvesNothingFailsTheSave() throws {
    let (crossing, mine, theirs) = try crossed(IdlePolicy(merge: .overwriteMergePolicyType))
    theirs.name = "S1"
    try crossing.external.save()
    mine.name = "L1"
    XCTAssertThrowsError(try crossing.local.save()) { error in
      XCTAssertTrue(
        "\(error)".contains("unable to recover from optimistic locking failure"), "\(error)")
    }
    XCTAssertEqual(try crossing.reread().only(Author.self).name, "S1")
  }

  func testD54_K8_membershipIsMergedByAddingAndRemovingWhatWasChangedHere() throws {
    for place in Crossing.Place.allCases {
      let crossing = try Crossing(at: storeURL(place.rawValue), place: place) { self.keep($0) }
      crossing.local.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      let tags = ["both", "mine", "theirs", "removed"].map { name in
        let tag = Tag(context: crossing.local)
        tag.name = name
        return tag
      }
      let mine = try crossing.local.savedArticle()
      mine.tags = [tags[0], tags[3]]
      try crossing.local.save()
      let theirs = try XCTUnwrap(
        try crossing.external.existingObject(with: mine.objectID) as? Article)
      let theirTag = try XCTUnwrap(
        try crossing.external.existingObject(with: tags[2].objectID) as? Tag)
      theirs.tags.insert(theirTag)
      theirs.title = "S1"
      try crossing.external.save()
      mine.tags = [tags[0], tags[1]]
      try crossing.local.save()
      let stored = try crossing.reread().only(Article.self)
      XCTAssertEqual(
        stored.tags.compactMap(\.name).sorted(), ["both", "mine", "theirs"], "\(place)")
      XCTAssertEqual(mine.tags.compactMap(\.name).sorted(), ["both", "mine", "theirs"], "\(place)")
    }
  }

  func testD55_observersSeeTheMergedObject() throws {
    let (crossing, mine, theirs) = try crossed(.mergeByPropertyStoreTrump)
    theirs.name = "S1"
    try crossing.external.save()
    mine.name = "L1"
    crossing.local.processPendingChanges()
    let log = NotificationLog(
      [NSManagedObjectContext.didChangeObjectsNotification], from: crossing.local)
    try crossing.local.save()
    crossing.local.processPendingChanges()
    let seen = log.entries.contains { entry in
      [NSRefreshedObjectsKey, NSUpdatedObjectsKey].contains { key in
        entry.ids[key]?.contains(mine.objectID) == true
      }
    }
    XCTAssertTrue(seen, "\(log.entries)")
    XCTAssertFalse(mine.isUpdated)
  }

  func testD56_objectTrumpBringsADeletedRowBackUnderItsOwnKey() throws {
    let (crossing, mine, theirs) = try crossed(.mergeByPropertyObjectTrump)
    let id = mine.objectID
    crossing.external.delete(theirs)
    try crossing.external.save()
    mine.name = "L1"
    try crossing.local.save()
    XCTAssertEqual(mine.objectID, id)
    let stored = try crossing.reread().only(Author.self)
    XCTAssertEqual(stored.objectID, id)
    XCTAssertEqual(stored.name, "L1")
    XCTAssertEqual(stored.born, 1, "all values are written, not only the changed one")
  }
}

/// Writes down every conflict and leaves it to its type.
private final class CountingPolicy: NSMergePolicy, @unchecked Sendable {
  /// What was seen, mine over theirs.
  let seen = Box<[String]>([])

  override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
    for conflict in list {
      let mine = conflict.sourceObject.value(forKey: "name") ?? "nothing"
      let theirs = (conflict.persistedSnapshot ?? conflict.cachedSnapshot)?["name"] ?? "nothing"
      seen.update { $0.append("\(mine) over \(theirs)") }
    }
    try super.resolve(optimisticLockingConflicts: list)
  }
}

/// Refuses with an error of its own.
private final class RefusingPolicy: NSMergePolicy, @unchecked Sendable {
  /// The refusal.
  struct No: Error {}

  override func resolve(mergeConflicts list: [Any]) throws { throw No() }
}

/// Adds up what both sides added to `born`.
private final class AddingPolicy: NSMergePolicy, @unchecked Sendable {
  override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
    let sums = list.map { conflict -> (Author?, Int64) in
      let author = conflict.sourceObject as? Author
      let base = author?.committedValues(forKeys: ["born"])["born"] as? Int64 ?? 0
      let theirs = (conflict.persistedSnapshot ?? conflict.cachedSnapshot)?["born"] as? Int64 ?? 0
      return (author, theirs + (author?.born ?? 0) - base)
    }
    try super.resolve(optimisticLockingConflicts: list)
    for (author, sum) in sums { author?.born = sum }
  }
}

/// Does nothing at all.
private final class IdlePolicy: NSMergePolicy, @unchecked Sendable {
  override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {}
}
