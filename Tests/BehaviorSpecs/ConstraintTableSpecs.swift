import CoreData
import Foundation
import Testing

/// The worked table of uniqueness conflicts, cell by cell: every situation, each policy, whatever
/// the saving context L knew of the row E and whoever wrote it.
///
/// E has key k, name Old, note N, tag t1, stands on shelf s1, and p1 points to it. What L adds has
/// key k too, name New and tag t2, no note and no shelf; p2 and the bookmark b point to it.
///
/// A line such as `E k Old N [t1] s1` is a product, `p1→E` somebody who points to one; `-` is nil.
@Suite struct ConstraintTableSpecs {
  @Test("U1, K10: a new object has the key of a row", arguments: ConstraintCell.all)
  func aNewObjectHasTheKeyOfARow(_ cell: ConstraintCell) throws {
    let stored = ["E k Old N [t1] s1", "p1→E"]
    try cell.run { scene in
      try scene.givenRow("E", key: "k", "Old", "N", tag: "t1", shelf: "s1", pointer: "p1")
      let new = scene.insert("I", "New", nil, tag: "t2", shelf: nil, pointer: "p2")
      scene.bookmark("b", new)
      try scene.saveAndCompare(
        [
          .error: .refused(
            file: stored, context: stored + ["I k New - [t2] -", "b→I", "p2→I"],
            pending: Pending(inserted: 4, updated: 0)),
          .storeTrump: .saved(["E k Old N [t1 t2] s1", "b→E", "p1→E", "p2→E"]),
          .objectTrump: .saved(["E k New - [t1 t2] -", "b→E", "p1→E", "p2→E"]),
          .overwrite: .saved(["E k New - [t2] -", "b→E", "p1→-", "p2→E"]),
          .rollback: .saved(["E k Old N [t1] s1", "b→-", "p1→E", "p2→-"]),
        ], loser: new)
    }
  }

  @Test("U2, K10: two new objects have one key", arguments: ConstraintCell.all)
  func twoNewObjectsHaveOneKey(_ cell: ConstraintCell) throws {
    try cell.run { scene in
      scene.insert("I1", "First", "F", tag: "t1", shelf: "s1", pointer: "p1")
      let later = scene.insert("I2", "New", nil, tag: "t2", shelf: nil, pointer: "p2")
      scene.bookmark("b", later)
      let united = ["b→I1", "p1→I1", "p2→I1"]
      try scene.saveAndCompare(
        [
          .error: .refused(
            file: [],
            context: [
              "I1 k First F [t1] s1", "I2 k New - [t2] -", "b→I2", "p1→I1", "p2→I2",
            ], pending: Pending(inserted: 8, updated: 0)),
          .storeTrump: .saved(["I1 k First F [t1 t2] s1"] + united),
          .objectTrump: .saved(["I1 k New - [t1 t2] -"] + united),
          .overwrite: .saved(["I1 k New - [t1 t2] -"] + united),
          .rollback: .saved(["I1 k First F [t1] s1", "b→-", "p1→I1", "p2→-"]),
        ], loser: later)
    }
  }

  @Test("U3, K10: a stored object takes the key of another row", arguments: ConstraintCell.all)
  func aStoredObjectTakesTheKeyOfAnotherRow(_ cell: ConstraintCell) throws {
    let stored = ["E k Old N [t1] s1", "E2 o Other M [t2] s2", "p1→E", "p2→E2"]
    let united = ["b→E", "p1→E", "p2→E"]
    try cell.run { scene in
      try scene.givenRow("E", key: "k", "Old", "N", tag: "t1", shelf: "s1", pointer: "p1")
      try scene.givenRow("E2", key: "o", "Other", "M", tag: "t2", shelf: "s2", pointer: "p2")
      let second = try scene.stored("E2")
      second.key = "k"
      second.name = "New"
      scene.bookmark("b", second)
      try scene.saveAndCompare(
        [
          .error: .refused(
            file: stored,
            context: [
              "E k Old N [t1] s1", "E2 k New M [t2] s2", "b→E2", "p1→E", "p2→E2",
            ], pending: Pending(inserted: 1, updated: 1)),
          .storeTrump: .saved(["E k Old N [t1 t2] s1"] + united),
          .objectTrump: .saved(["E k New N [t1 t2] s1"] + united),
          .overwrite: .saved(["E k New N [t1 t2] s1"] + united),
          .rollback: .saved(stored + ["b→E2"]),
        ], loser: cell.policy == .rollback ? nil : second)
    }
  }

  @Test("U4: a store in memory checks nothing", arguments: Policy.allCases)
  func aStoreInMemoryChecksNothing(_ policy: Policy) throws {
    let cell = ConstraintCell(policy: policy, knowledge: .nothing, place: .sameCoordinator)
    let everything = ["I1 k First F [t1] s1", "I2 k New - [t2] -", "p1→I1", "p2→I2"]
    try cell.run(type: NSInMemoryStoreType) { scene in
      scene.insert("I1", "First", "F", tag: "t1", shelf: "s1", pointer: "p1")
      scene.insert("I2", "New", nil, tag: "t2", shelf: nil, pointer: "p2")
      let expected = Policy.allCases.map { ($0, ConstraintOutcome.saved(everything)) }
      try scene.saveAndCompare(Dictionary(uniqueKeysWithValues: expected), loser: nil)
    }
  }

  @Test("U5: a policy of the child alone does not help the root", arguments: ConstraintCell.all)
  func aPolicyOfTheChildAloneDoesNotHelpTheRoot(_ cell: ConstraintCell) throws {
    let stored = ["E k Old N [t1] s1", "p1→E"]
    try cell.run { scene in
      try scene.givenRow("E", key: "k", "Old", "N", tag: "t1", shelf: "s1", pointer: "p1")
      scene.local.mergePolicy = NSMergePolicy.error
      let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      child.parent = scene.local
      child.mergePolicy = cell.policy.policy
      try child.performAndWait {
        child.product("k", "New")
        try child.save()
        #expect(!child.hasChanges)
      }
      for _ in 0..<2 { #expect(errorCode { try scene.local.save() } == 133021) }
      #expect(try scene.lines(in: scene.local) == ["? k New - [] -"] + stored)
      #expect(Pending(scene.local) == Pending(inserted: 1, updated: 0))
      #expect(try scene.lines(in: scene.reread()) == stored)
    }
  }
}

/// How a save must end: the lines that file and context must show then.
enum ConstraintOutcome: Sendable {
  /// Error 133021; the file is as before, the context as before the save.
  case refused(file: [String], context: [String], pending: Pending)
  /// No error; file and context show the same, and nothing is pending.
  case saved([String])
}

/// How much a context has yet to save.
struct Pending: Equatable, Sendable {
  /// New objects.
  var inserted = 0
  /// Changed objects.
  var updated = 0
  /// Deleted objects.
  var deleted = 0

  /// So many of each.
  init(inserted: Int, updated: Int) {
    self.inserted = inserted
    self.updated = updated
  }

  /// What the context has yet to save.
  init(_ context: NSManagedObjectContext) {
    inserted = context.insertedObjects.count
    updated = context.updatedObjects.count
    deleted = context.deletedObjects.count
  }
}

/// One cell of the table, in one arrangement.
struct ConstraintCell: Sendable, CustomTestStringConvertible {
  /// What L knows of the row that is in its way.
  enum Knowledge: String, CaseIterable, Sendable {
    case nothing
    case aFault
    case itsValues
    case olderValues
  }

  /// L's policy.
  let policy: Policy
  /// What L knows of E.
  let knowledge: Knowledge
  /// Where E was written.
  let place: Crossing.Place

  /// Every policy in every arrangement.
  static let all = Policy.allCases.flatMap { policy in
    Knowledge.allCases.flatMap { knowledge in
      Crossing.Place.allCases.map {
        ConstraintCell(policy: policy, knowledge: knowledge, place: $0)
      }
    }
  }

  var testDescription: String { "\(policy), L knows \(knowledge) of E, \(place)" }

  /// Runs the body with a store of its own, inside the queues of the contexts.
  func run(type: String = NSSQLiteStoreType, _ body: (ConstraintScene) throws -> Void) throws {
    let directory = try makeSpecDirectory()
    let scene = try ConstraintScene(
      self, at: directory.appendingPathComponent("Catalogue.sqlite"), type: type)
    defer {
      withExtendedLifetime(scene) {}
      try? FileManager.default.removeItem(at: directory)
    }
    scene.local.mergePolicy = policy.policy
    try scene.local.performOnThisThread {
      try scene.writer.performOnThisThread { try body(scene) }
    }
  }
}
