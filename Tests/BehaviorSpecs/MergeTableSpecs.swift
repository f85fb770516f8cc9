import CoreData
import Foundation
import Testing

/// The worked table of optimistic-lock conflicts, cell by cell: every situation, each policy,
/// on one coordinator and on two, whichever context was made first.
///
/// The row at load: name A, born 1, version 1. L saves second, S first.
///
///     L: ── reads row ───────────── changes ── save ──▶ what the cell says
///     S: ── reads row ── changes ── save ─────────────▶
@Suite struct MergeTableSpecs {
  @Test("T1: both changed the same property", arguments: Cell.all)
  func bothChangedTheSameProperty(_ cell: Cell) throws {
    try cell.cross(
      local: { $0.name = "L1" }, external: { $0.name = "S1" },
      expected: [
        .error: .refused(Row("S1", 1)), .storeTrump: .saved(Row("S1", 1)),
        .objectTrump: .saved(Row("L1", 1)), .overwrite: .saved(Row("L1", 1)),
        .rollback: .saved(Row("S1", 1)),
      ])
  }

  @Test("T2, L1: each changed another property", arguments: Cell.all)
  func eachChangedAnotherProperty(_ cell: Cell) throws {
    try cell.cross(
      local: { $0.name = "L1" }, external: { $0.born = 2 },
      expected: [
        .error: .refused(Row("A", 2)), .storeTrump: .saved(Row("L1", 2)),
        .objectTrump: .saved(Row("L1", 2)), .overwrite: .saved(Row("L1", 1)),
        .rollback: .saved(Row("A", 2)),
      ])
  }

  @Test("T3: both changed the same property to the same value", arguments: Cell.all)
  func bothChangedTheSamePropertyToTheSameValue(_ cell: Cell) throws {
    var expected = Dictionary(
      uniqueKeysWithValues: Policy.allCases.map { ($0, Outcome.saved(Row("Z", 1))) })
    expected[.error] = .refused(Row("Z", 1))
    try cell.cross(
      local: { $0.name = "Z" }, external: { $0.name = "Z" }, expected: expected)
  }

  @Test("T4: the other side changed another object only", arguments: Cell.all)
  func theOtherSideChangedAnotherObjectOnly(_ cell: Cell) throws {
    try cell.run { crossing in
      let (mine, theirs) = try crossing.givenAuthor()
      let profile = Profile(context: crossing.external)
      profile.name = "S1"
      try crossing.external.save()
      mine.name = "L1"
      try crossing.local.save()
      #expect(try stored(crossing) == Row("L1", 1))
      #expect(theirs.name == "A")
    }
  }

  @Test("T6, K9: the row was deleted under an update", arguments: Cell.all)
  func theRowWasDeletedUnderAnUpdate(_ cell: Cell) throws {
    try cell.cross(
      local: { $0.name = "L1" }, external: { $0.managedObjectContext?.delete($0) },
      expected: [
        .error: .refused(nil), .storeTrump: .saved(nil), .objectTrump: .saved(Row("L1", 1)),
        .overwrite: .saved(Row("L1", 1)), .rollback: .saved(nil),
      ])
  }

  @Test("T7, K9: the row was changed under a deletion", arguments: Cell.all)
  func theRowWasChangedUnderADeletion(_ cell: Cell) throws {
    try cell.cross(
      local: { $0.managedObjectContext?.delete($0) }, external: { $0.name = "S1" },
      expected: [
        .error: .refused(Row("S1", 1)), .storeTrump: .saved(Row("S1", 1)),
        .objectTrump: .saved(nil), .overwrite: .saved(nil), .rollback: .saved(Row("S1", 1)),
      ])
  }

  @Test("T8, K9: both deleted the row", arguments: Cell.all)
  func bothDeletedTheRow(_ cell: Cell) throws {
    try cell.cross(
      local: { $0.managedObjectContext?.delete($0) },
      external: { $0.managedObjectContext?.delete($0) },
      expected: Dictionary(uniqueKeysWithValues: Policy.allCases.map { ($0, .saved(nil)) }))
  }

  @Test("T5, K8: both changed only a to-many relationship of the row", arguments: Cell.all)
  func bothChangedAToManyRelationship(_ cell: Cell) throws {
    try cell.run { crossing in
      let (mine, theirs) = try crossing.givenAuthor()
      theirs.name = "S1"
      Draft(context: crossing.external).owner = theirs
      try crossing.external.save()
      let draft = Draft(context: crossing.local)
      draft.name = "L"
      draft.owner = mine
      if cell.policy == .error {
        #expect(errorCode { try crossing.local.save() } == 133020)
        #expect(draft.owner === mine)
        return
      }
      try crossing.local.save()
      #expect(try stored(crossing)?.name == (cell.policy == .overwrite ? "A" : "S1"))
      #expect(try draftsOfTheAuthor(crossing) == (cell.policy == .rollback ? 1 : 2))
      #expect(!crossing.local.hasChanges)
    }
  }

  @Test("T9: after a merge the next save finds nothing", arguments: Cell.all)
  func afterAMergeTheNextSaveFindsNothing(_ cell: Cell) throws {
    guard cell.policy != .error else { return }
    try cell.run { crossing in
      let (mine, theirs) = try crossing.givenAuthor()
      theirs.name = "S1"
      try crossing.external.save()
      mine.name = "L1"
      try crossing.local.save()
      crossing.local.mergePolicy = NSMergePolicy.error
      mine.name = "L2"
      try crossing.local.save()
      #expect(try stored(crossing)?.name == "L2")
    }
  }

  @Test("T10: a refresh that keeps changes clears the conflict", arguments: Cell.under(.error))
  func aRefreshThatKeepsChangesClearsTheConflict(_ cell: Cell) throws {
    try cell.run { crossing in
      let (mine, theirs) = try crossing.givenAuthor()
      theirs.name = "S1"
      theirs.born = 2
      try crossing.external.save()
      mine.name = "L1"
      #expect(errorCode { try crossing.local.save() } == 133020)
      crossing.local.refresh(mine, mergeChanges: true)
      #expect(mine.name == "L1")
      #expect(mine.born == 2)
      try crossing.local.save()
      #expect(try stored(crossing) == Row("L1", 2))
    }
  }

  @Test("T11: saving again without a refresh fails again", arguments: Cell.under(.error))
  func savingAgainWithoutARefreshFailsAgain(_ cell: Cell) throws {
    try cell.run { crossing in
      let (mine, theirs) = try crossing.givenAuthor()
      theirs.name = "S1"
      try crossing.external.save()
      mine.name = "L1"
      for _ in 0..<3 { #expect(errorCode { try crossing.local.save() } == 133020) }
      #expect(try stored(crossing) == Row("S1", 1))
    }
  }
}

/// The author's row in the file, or nil if it is gone.
private func stored(_ crossing: Crossing) throws -> Row? {
  let reader = try crossing.reread()
  return try reader.performAndWait {
    try reader.all(Author.self).first.map { Row($0.name, $0.born) }
  }
}

/// How many drafts the author in the file has.
private func draftsOfTheAuthor(_ crossing: Crossing) throws -> Int? {
  let reader = try crossing.reread()
  return try reader.performAndWait { try reader.all(Author.self).first?.drafts.count }
}

/// The two columns that matter.
struct Row: Equatable, Sendable {
  /// The name.
  let name: String?
  /// The year of birth.
  let born: Int64

  /// A row of these values.
  init(_ name: String?, _ born: Int64) {
    self.name = name
    self.born = born
  }
}

/// How a save must end, and what the file must hold then.
enum Outcome: Sendable {
  /// Error 133020; L keeps its change.
  case refused(Row?)
  /// No error; L shows what the file holds.
  case saved(Row?)
}

/// The policy that the saving context has.
enum Policy: String, CaseIterable, Sendable {
  case error
  case storeTrump
  case objectTrump
  case overwrite
  case rollback

  /// The engine's own policy.
  var policy: NSMergePolicy {
    switch self {
    case .error: .error
    case .storeTrump: .mergeByPropertyStoreTrump
    case .objectTrump: .mergeByPropertyObjectTrump
    case .overwrite: .overwrite
    case .rollback: .rollback
    }
  }
}

/// One cell of the table, in one arrangement of the two parties.
struct Cell: Sendable, CustomTestStringConvertible {
  /// L's policy.
  let policy: Policy
  /// Where S works.
  let place: Crossing.Place
  /// Whether L was made before S.
  let localFirst: Bool

  /// Every policy in every arrangement.
  static let all = Policy.allCases.flatMap(under)

  /// One policy in every arrangement.
  static func under(_ policy: Policy) -> [Cell] {
    Crossing.Place.allCases.flatMap { place in
      [true, false].map { Cell(policy: policy, place: place, localFirst: $0) }
    }
  }

  var testDescription: String {
    "\(policy), \(place), \(localFirst ? "L" : "S") made first"
  }

  /// Runs the body with two parties on a store of their own, inside the queues of both contexts.
  func run(_ body: (Crossing) throws -> Void) throws {
    let directory = try makeSpecDirectory()
    let kept = Kept()
    defer {
      withExtendedLifetime(kept) {}
      try? FileManager.default.removeItem(at: directory)
    }
    let crossing = try Crossing(
      at: directory.appendingPathComponent("Library.sqlite"), place: place, localFirst: localFirst,
      type: .privateQueueConcurrencyType
    ) { kept.objects.append($0) }
    crossing.local.mergePolicy = policy.policy
    try crossing.local.performOnThisThread {
      try crossing.external.performOnThisThread { try body(crossing) }
    }
  }

  /// S changes and saves, L changes and saves; then error, file, object and context are compared.
  func cross(
    local: (Author) -> Void, external: (Author) -> Void, expected: [Policy: Outcome]
  ) throws {
    try run { crossing in
      let (mine, theirs) = try crossing.givenAuthor()
      external(theirs)
      try crossing.external.save()
      local(mine)
      let before = mine.isDeleted ? nil : Row(mine.name, mine.born)
      let code = errorCode { try crossing.local.save() }
      switch try #require(expected[policy]) {
      case .refused(let row):
        #expect(code == 133020)
        #expect(try stored(crossing) == row)
        #expect(crossing.local.hasChanges)
        #expect((mine.isDeleted ? nil : Row(mine.name, mine.born)) == before)
      case .saved(let row):
        #expect(code == nil)
        #expect(try stored(crossing) == row)
        #expect(!crossing.local.hasChanges)
        #expect(!mine.isUpdated)
        if let row {
          #expect(Row(mine.name, mine.born) == row)
        } else {
          #expect(mine.managedObjectContext == nil)
        }
      }
    }
  }

  private final class Kept {
    var objects: [AnyObject] = []
  }
}
