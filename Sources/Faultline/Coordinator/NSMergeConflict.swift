import Foundation

/// One object that somebody else changed since the saving context read it.
open class NSMergeConflict: NSObject {
  /// The object whose save failed the version check.
  open var sourceObject: NSManagedObject
  /// The row that the saving context had read; nil if the other side wrote past this coordinator.
  /// The current values are those of `sourceObject`.
  open var objectSnapshot: [String: Any]?
  /// The row in the row cache: the other side if another context of this coordinator saved it.
  open var cachedSnapshot: [String: Any]?
  /// The row in the store: the other side if somebody past this coordinator saved it.
  open var persistedSnapshot: [String: Any]?
  /// The version of the other side; 0 if the row was deleted.
  open var newVersionNumber: Int
  /// The version that the saving context had read.
  open var oldVersionNumber: Int
  /// The other side's row; nil if it was deleted.
  let external: Snapshot?

  /// Describes a conflict whose snapshots the caller knows.
  public convenience init(
    source: NSManagedObject, newVersion: Int, oldVersion: Int, cachedSnapshot: [String: Any]?,
    persistedSnapshot: [String: Any]?
  ) {
    self.init(source: source, external: nil, isCached: true)
    newVersionNumber = newVersion
    oldVersionNumber = oldVersion
    self.cachedSnapshot = cachedSnapshot
    self.persistedSnapshot = persistedSnapshot
    if persistedSnapshot != nil { objectSnapshot = nil }
  }

  /// Describes a conflict of an object with the row that somebody else wrote, or deleted.
  init(source: NSManagedObject, external: Snapshot?, isCached: Bool) {
    sourceObject = source
    self.external = external
    oldVersionNumber = Int(source.snapshot?.version ?? 0)
    newVersionNumber = Int(external?.version ?? 0)
    let read = source.snapshot.map { source.dictionary(of: $0) }
    let other = external.map { source.dictionary(of: $0) }
    objectSnapshot = isCached ? read : nil
    cachedSnapshot = isCached ? other : read
    persistedSnapshot = isCached ? nil : other
  }

  /// The object, the versions and the snapshots, one to a line.
  open override var description: String {
    let isCached = objectSnapshot != nil
    let other = persistedSnapshot ?? (newVersionNumber == 0 ? nil : cachedSnapshot)
    let (old, new) = isCached ? ("object snapshot", "cached row") : ("cached row", "database row")
    return
      "NSMergeConflict for \(sourceObject.shortDescription) with oldVersion = \(oldVersionNumber) "
      + "and newVersion = \(newVersionNumber == 0 ? "<deleted>" : "\(newVersionNumber)")\n"
      + "  old \(old) = \(Self.text(objectSnapshot ?? cachedSnapshot))\n"
      + "  new \(new) = \(Self.text(other))"
  }

  private static func text(_ snapshot: [String: Any]?) -> String {
    guard let snapshot else { return "<deleted>" }
    return "{"
      + snapshot.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" }
      .joined(separator: "; ") + "}"
  }
}

extension NSManagedObject {
  /// The current attributes and to-one ids by name, nil as `NSNull`.
  var currentSnapshot: [String: Any] {
    dictionary { current($0) }
  }

  /// A row's attributes and to-one ids by name, nil as `NSNull`.
  func dictionary(of row: Snapshot) -> [String: Any] { dictionary { row[$0] } }

  private func dictionary(_ value: (Int) -> Value) -> [String: Any] {
    var result: [String: Any] = [:]
    for (number, slot) in layout.slots.enumerated() where slot.isColumn {
      switch slot.kind {
      case .attribute(let type): result[slot.name] = slot.any(value(number), type) ?? NSNull()
      case .toOne:
        let reference = value(number)
        let destination =
          reference.isNull ? nil : registry?.owner?.destination(reference, slot: slot)
        result[slot.name] = destination?.objectID ?? NSNull()
      case .toMany: break
      }
    }
    return result
  }
}
