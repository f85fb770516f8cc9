// A second engine, done with pen and paper: what the rules say, in dictionaries, slow and obvious.
// It shares nothing with the engine but the vocabulary. `ProgramRunner` holds the two together.

/// An id as it stands on paper: which record, and whether the id is still temporary.
struct PaperID: Hashable {
  /// The record's entity.
  let entity: String
  /// The record's number, which it keeps for life.
  let record: Int
  /// Whether this is the record's temporary id.
  var isTemporary = false
  /// Whether it stands for an instance that lost its context, in a set that still holds it (A63).
  var isDead = false

  /// What stands for an id that nobody has heard of.
  static let unknown = PaperID(entity: "Nothing", record: -1)

  /// The record's other id, the one that lasts.
  var permanent: PaperID { PaperID(entity: entity, record: record) }

  /// The id of the record itself, by which other contexts know it.
  var alive: PaperID {
    var id = self
    id.isDead = false
    return id
  }
}

extension PaperID: CustomStringConvertible {
  var description: String { "\(entity.lowercased())\(record)\(isTemporary ? "?" : "")" }
}

/// A value of a row: of an attribute, or the id that a to-one relationship leads to.
enum PaperValue: Hashable {
  /// Nil.
  case nothing
  /// A string.
  case text(String)
  /// An integer.
  case number(Int)
  /// Another record.
  case record(PaperID)

  /// The record this leads to.
  var id: PaperID? {
    if case .record(let id) = self { return id }
    return nil
  }
}

/// What is committed of a record: attributes and to-one ids, never members, and the version.
struct PaperRow {
  /// The record.
  let id: PaperID
  /// The values by name.
  var values: [String: PaperValue]
  /// One more with each save that changed the row.
  var version: Int

  /// The value of this name.
  subscript(_ name: String) -> PaperValue { values[name] ?? .nothing }
}

/// A to-many relationship of one object (D54, and the deviation about unread relationships).
struct PaperSet {
  /// The members, or nil before anybody has asked for them.
  var members: Set<PaperID>?
  /// What this context added since its last save.
  var added: Set<PaperID> = []
  /// What this context removed since its last save.
  var removed: Set<PaperID> = []

  /// Whether there is anything to save.
  var isChanged: Bool { !added.isEmpty || !removed.isEmpty }

  /// Whether a record is a member; nil if only the parent store knows.
  private func contains(_ id: PaperID) -> Bool? {
    if let members { return members.contains(id) }
    if added.contains(id) { return true }
    return removed.contains(id) ? false : nil
  }

  /// Takes a member in; false if it was one. Of one that nobody knows the last word counts.
  mutating func add(_ id: PaperID) -> Bool {
    if contains(id) == true { return false }
    members?.insert(id)
    if removed.remove(id) == nil || members == nil { added.insert(id) }
    return true
  }

  /// Takes a member out; false if it was none. What is new is nobody's member in a parent store.
  mutating func remove(_ id: PaperID, isNew: Bool) -> Bool {
    if contains(id) == false { return false }
    members?.remove(id)
    if added.remove(id) == nil || members == nil && !isNew { removed.insert(id) }
    return true
  }

  /// Reads the members; what `isGone` hides from the parent store was there all the same.
  mutating func load(_ stored: Set<PaperID>, isGone: (PaperID) -> Bool) {
    members = stored.subtracting(removed).union(added)
    added.subtract(stored)
    removed = removed.filter { stored.contains($0) || isGone($0) }
  }

  /// The same set after an id changed.
  mutating func rename(_ old: PaperID, _ new: PaperID) {
    if members?.remove(old) != nil { members?.insert(new) }
    if added.remove(old) != nil { added.insert(new) }
    if removed.remove(old) != nil { removed.insert(new) }
  }
}

/// A record in one context.
final class PaperObject {
  /// The id it goes by in this context now.
  var id: PaperID
  /// Whether its values were never loaded, or were given up.
  var isFault = true
  /// New, and not saved.
  var isInserted = false
  /// Changed, and not saved.
  var isUpdated = false
  /// To be deleted by the next save.
  var isDeleted = false
  /// Its row is gone already (A43, E31): a save has nothing to write and nothing to check.
  var isGone = false
  /// Its deletion was saved and is just being announced; it has no row any more.
  var isLeaving = false
  /// Its row was deleted elsewhere and will be written anew (T6).
  var isWrittenAnew = false
  /// Delete rules were applied.
  var isPropagated = false
  /// The row last read or written; a fault may have been handed one too.
  var base: PaperRow?
  /// The values now.
  var values: [String: PaperValue] = [:]
  /// The to-many relationships that anything was done with.
  var sets: [String: PaperSet] = [:]
  /// What was assigned since the last save.
  var assigned: Set<String> = []
  /// The same record in the engine, for whoever compares the two.
  var counterpart: AnyObject?

  /// A fault.
  init(_ id: PaperID) { self.id = id }

  /// The entity, on paper.
  var entity: PaperEntity { PaperEntity.named(id.entity) }
  /// A52.
  var hasChanges: Bool { isInserted || isUpdated || isDeleted }
  /// Whether no parent store ever had it.
  var isNeverSaved: Bool { base == nil && !isGone }

  /// Whether a property differs from what is committed.
  func isChanged(_ name: String) -> Bool {
    if let set = sets[name] { return set.isChanged }
    return base.map { $0[name] != value(name) } ?? isInserted
  }

  /// The value of an attribute or a to-one relationship.
  func value(_ name: String) -> PaperValue { values[name] ?? .nothing }

  /// What the next save writes: assigned, and really different (D38).
  var changesToStore: Set<String> { assigned.filter { isChanged($0) } }

  /// The current values as a row.
  func row(version: Int) -> PaperRow { PaperRow(id: id, values: values, version: version) }

  /// Nothing is pending any more.
  func becomeClean() {
    (isInserted, isUpdated, isWrittenAnew) = (false, false, false)
    assigned = []
    for name in sets.keys {
      sets[name]?.added = []
      sets[name]?.removed = []
    }
  }
}

/// Whom a context reads from: the store, or the parent context.
protocol PaperParent: AnyObject {
  /// The row of a record; nil if there is none, or no more.
  func row(_ id: PaperID) -> PaperRow?
  /// The members of a to-many relationship.
  func members(of id: PaperID, _ relation: PaperRelation) -> [PaperID]
  /// The rows of an entity and its subentities, of one name if a name is given.
  func rows(_ entity: String, named name: String?) -> [PaperRow]
}

/// The file.
final class PaperStore: PaperParent {
  /// The rows.
  var rows: [PaperID: PaperRow] = [:]
  /// The pairs of the many-to-many relationship, article first.
  var pairs: Set<[PaperID]> = []
  /// More versions than a row has between its insertion and its deletion.
  static let lifetime = 1 << 32
  private var lives = 0

  /// The version before the first of a row that comes back.
  func nextLife() -> Int {
    lives += 1
    return lives * Self.lifetime
  }

  func row(_ id: PaperID) -> PaperRow? { rows[id] }

  func members(of id: PaperID, _ relation: PaperRelation) -> [PaperID] {
    if relation.isManyToMany {
      let (own, other) = relation.name == "tags" ? (0, 1) : (1, 0)
      return pairs.filter { $0[own] == id }.map { $0[other] }.filter { rows[$0] != nil }
    }
    return rows.values.filter { row in
      PaperEntity.named(row.id.entity).isKind(of: relation.destination)
        && row[relation.inverse] == .record(id)
    }.map(\.id)
  }

  func rows(_ entity: String, named name: String?) -> [PaperRow] {
    rows.values.filter { row in
      let own = PaperEntity.named(row.id.entity)
      return own.isKind(of: entity) && (name == nil || row[own.label] == .text(name!))
    }
  }
}
