import Foundation

/// Looks, inside a transaction and before it writes, for objects that a uniqueness constraint keeps
/// apart.
///
/// A save does this only after SQLite has refused one of its rows: the index finds that there is a
/// conflict, and this finds all of them.
///
/// 1. Objects that are new, or changed in a constrained property, are grouped by constraint and
///    values.
/// 2. The row that has those values now is looked up. It is in the way unless this save deletes it
///    or gives it other values.
/// 3. In the way: one conflict for each object of the group. No row: one conflict of them all, if
///    they are several.
/// 4. Without any conflict, rows that make way are emptied of the values, because SQLite compares
///    after each row, not at the end.
struct DuplicateSearch {
  private let context: NSManagedObjectContext
  private let pending: [NSManagedObject]
  private let transaction: Transaction
  private var groups: [Group] = []
  private var numbers: [Key: Int] = [:]

  /// Objects that want the same values.
  private struct Group {
    let constraint: UniquenessConstraint
    let values: [UniquenessConstraint.Exact]
    var objects: [NSManagedObject]
  }

  private struct Key: Hashable {
    let entity: Int
    let names: [String]
    let values: [UniquenessConstraint.Exact]
  }

  /// Prepares a search among those of a context's unsaved changes that go into one store.
  init(
    _ context: NSManagedObjectContext, _ pending: [NSManagedObject], _ transaction: Transaction
  ) {
    self.context = context
    self.pending = pending.filter { !$0.isDeleted }
    self.transaction = transaction
  }

  /// Throws `DuplicatesFound`, or makes sure that the rows can be written one after the other.
  mutating func run() throws {
    // A stored object comes before a new one, so that it is the one that stays.
    for object in pending where !object.isInserted && object.isUpdated { enter(object) }
    for object in pending where object.isInserted { enter(object) }
    var found: [DuplicatesFound.Duplicate] = []
    var leaving: [(row: Snapshot, slot: Int, constraint: UniquenessConstraint)] = []
    for group in groups {
      let first = group.objects[0]
      let row = try transaction.holder(
        of: first.row(key: first.key, version: 0), under: group.constraint)
      if let row, let slot = slotGivenUp(row, group.constraint) {
        leaving.append((row, slot, group.constraint))
      } else if let row {
        found += group.objects.map { .init(group.constraint.names, group.values, row, [$0]) }
        continue
      }
      if group.objects.count > 1 {
        found.append(.init(group.constraint.names, group.values, nil, group.objects))
      }
    }
    if !found.isEmpty { throw DuplicatesFound(duplicates: found) }
    for (row, slot, constraint) in leaving {
      try transaction.vacate(row, slot: slot, of: constraint)
    }
  }

  private mutating func enter(_ object: NSManagedObject) {
    for constraint in object.layout.constraints {
      let isWritten = object.isInserted || object.state.contains(.reinserted)
      guard isWritten || constraint.slots.contains(where: object.isChanged),
        let values = constraint.values(of: object)
      else { continue }
      let key = Key(entity: constraint.entity.number, names: constraint.names, values: values)
      if let number = numbers[key] {
        groups[number].objects.append(object)
      } else {
        numbers[key] = groups.count
        groups.append(Group(constraint: constraint, values: values, objects: [object]))
      }
    }
  }

  /// The constrained slot whose value this save takes from a row, or nil if the row keeps all.
  private func slotGivenUp(_ row: Snapshot, _ constraint: UniquenessConstraint) -> Int? {
    guard let object = context.registered(row.layout, row.key) else { return nil }
    if object.isDeleted { return constraint.slots[0] }
    return constraint.slots.first(where: object.isChanged)
  }
}

/// Thrown out of a transaction that would violate uniqueness constraints, so that it is rolled
/// back.
struct DuplicatesFound: Error, @unchecked Sendable {
  /// One constraint, and who wants the same values.
  struct Duplicate {
    let constraint: [String]
    let values: [UniquenessConstraint.Exact]
    let row: Snapshot?
    let objects: [NSManagedObject]

    init(
      _ constraint: [String], _ values: [UniquenessConstraint.Exact], _ row: Snapshot?,
      _ objects: [NSManagedObject]
    ) {
      self.constraint = constraint
      self.values = values
      self.row = row
      self.objects = objects
    }
  }

  /// All that was found.
  let duplicates: [Duplicate]
}

/// How far a save has come with its uniqueness constraints.
struct DuplicateRounds {
  /// Whether the next attempt searches before it writes.
  var isSearching = false
  private var seen: Set<Seen> = []

  private struct Seen: Hashable {
    let constraint: [String]
    let values: [UniquenessConstraint.Exact]
    let objects: [NSManagedObject]
  }

  /// Whether SQLite has just found that there are duplicates, which a search would tell apart.
  func asksForSearch(_ error: CocoaError) -> Bool {
    !isSearching && error.code.rawValue == NSManagedObjectConstraintValidationError
  }

  /// Notes what was found; false if it, or part of it, was found before.
  mutating func note(_ found: DuplicatesFound) -> Bool {
    isSearching = false
    return found.duplicates.allSatisfy {
      seen.insert(Seen(constraint: $0.constraint, values: $0.values, objects: $0.objects)).inserted
    }
  }
}

extension NSManagedObjectContext {
  /// Has the merge policy resolve what the constraints keep apart.
  func resolve(_ found: DuplicatesFound, _ rounds: inout DuplicateRounds) throws {
    EngineCounters.add(.conflicts, found.duplicates.count)
    let list = found.duplicates.map { duplicate in
      NSConstraintConflict(
        constraint: duplicate.constraint, database: duplicate.row.map(holder),
        conflicting: duplicate.objects)
    }
    // The same conflict twice means that the policy resolved nothing.
    guard rounds.note(found) else {
      throw NSMergePolicy.constraintError(list, isUnresolved: true)
    }
    try policy.resolve(mergeConflicts: list)
  }

  /// The object of a row that is in the way, as the row is now.
  private func holder(_ row: Snapshot) -> NSManagedObject {
    let object = register(row)
    if !object.isRealised {
      realise(object, row)
    } else if object.snapshot?.version != row.version {
      refresh(object, to: row)
    }
    return object
  }
}
