/// What a controlled scheduler is told of a context's objects; without one nothing here does
/// anything.
extension NSManagedObjectContext {
  /// A child was answered with an object of this context.
  @inline(__always)
  func tellAnswer(_ layout: EntityLayout, key: Int64, _ row: Snapshot?) {
    guard Scheduling.hook != nil, let row else { return }
    tell(
      layout, key: key, isWrite: false, version: row.version > 0 ? row.version : nil,
      Scheduling.wantsValues ? row.told() : [])
  }

  /// A child's save changes an object of this context; the version is told of one that has unsaved
  /// changes.
  @inline(__always)
  func tellReceived(_ layout: EntityLayout, key: Int64, over object: NSManagedObject) {
    guard Scheduling.hook != nil else { return }
    let version = object.hasChanges ? object.snapshot?.version : nil
    tell(layout, key: key, isWrite: true, version: version)
  }

  /// A newer row comes under the unsaved changes of an object of this context.
  @inline(__always)
  func tellMerged(_ object: NSManagedObject, _ row: Snapshot) {
    guard Scheduling.hook != nil, row.version != object.snapshot?.version else { return }
    tell(
      object.layout, key: object.key, isWrite: true, version: row.version,
      Scheduling.wantsValues ? row.told() : [])
  }

  private func tell(
    _ layout: EntityLayout, key: Int64, isWrite: Bool, version: Int64?, _ values: [ToldValue] = []
  ) {
    let store = persistentStoreCoordinator?.store(forKey: key)
    Scheduling.touch(
      .object(
        of: layout.name, key: store?.database.schema.row(key) ?? key, in: queue.number),
      isWrite: isWrite, version: version, values: values)
  }

  /// A save begins: what it is to write, object by object; fires no fault.
  func tellPending() {
    guard Scheduling.wantsValues else { return }
    for object in changes.prefix(Self.toldMax) {
      guard let kind = object.toldKind else { continue }
      let fields = kind == .deleted || !object.isRealised ? [] : object.toldFields
      if kind == .updated, fields.isEmpty { continue }
      Scheduling.hook?.note(
        ToldChange(row: object.layout.told(object.key), kind: kind, fields: fields))
    }
  }

  /// How many objects of a save are told.
  private static let toldMax = 20
}

extension NSManagedObject {
  /// What the context did to the object; nil if nothing.
  fileprivate var toldKind: ToldChange.Kind? {
    if state.contains(.deleted) { return .deleted }
    if state.contains(.inserted) { return .inserted }
    return state.contains(.updated) ? .updated : nil
  }

  /// The stored properties that differ from the last saved row, before and now.
  fileprivate var toldFields: [ToldChange.Field] {
    let changed = storedChanges
    return layout.slots.indices.compactMap { slot in
      guard layout.slots[slot].isColumn, changed.contains(slot) else { return nil }
      return ToldChange.Field(
        name: layout.slots[slot].name, read: snapshot?[slot].told(layout.slots[slot]),
        own: current(slot).told(layout.slots[slot]))
    }
  }
}

/// What the objects of some conflicts were before a merge policy decided, to tell what it made of
/// them; holds nothing unless a scheduler wants values.
struct ConflictTelling {
  private struct Before {
    let conflict: NSMergeConflict
    let kind: ToldChange.Kind
    let base: Snapshot?
    let own: [Int: Value]
  }

  private var all: [Before] = []

  /// Remembers the objects as they are.
  init(_ conflicts: [NSMergeConflict]) {
    guard Scheduling.wantsValues else { return }
    for conflict in conflicts {
      let object = conflict.sourceObject
      let kind = object.toldKind ?? .updated
      var own: [Int: Value] = [:]
      if kind != .deleted, object.isRealised {
        let changed = object.storedChanges
        for slot in object.layout.slots.indices
        where object.layout.slots[slot].isColumn && changed.contains(slot) {
          own[slot] = object.current(slot)
        }
      }
      all.append(Before(conflict: conflict, kind: kind, base: object.snapshot, own: own))
    }
  }

  /// Tells what the policy made of them, or that it refused.
  func tell(_ policy: NSMergePolicy, refused: Bool) {
    for before in all {
      let external = before.conflict.external
      let object = before.conflict.sourceObject
      let result: ToldChange.Decision.Result =
        if refused { .refused } else if external != nil { .merged } else if object.isLiving {
          .reinserted
        } else { .deleted }
      let layout = object.layout
      let fields = layout.slots.indices.compactMap { slot -> ToldChange.Field? in
        guard layout.slots[slot].isColumn else { return nil }
        let own = before.own[slot]
        let isForeign = external.map { $0[slot] != before.base?[slot] ?? .null } ?? false
        guard own != nil || isForeign else { return nil }
        let isKept = !refused && object.isLiving && object.isRealised
        func told(_ value: Value?) -> String? { value.map { $0.told(layout.slots[slot]) } }
        return ToldChange.Field(
          name: layout.slots[slot].name, read: told(before.base?[slot]), own: told(own),
          stored: told(external?[slot]), kept: isKept ? told(object.current(slot)) : nil)
      }
      Scheduling.hook?.note(
        ToldChange(
          row: layout.told(object.key), kind: before.kind, fields: fields,
          decision: .init(
            policy: policy.toldName, read: before.conflict.oldVersionNumber,
            stored: external.map { Int($0.version) }, result: result)))
    }
  }
}

extension NSMergePolicy {
  /// The name of the policy in Swift, or of its class if that is another.
  fileprivate var toldName: String {
    guard type(of: self) == NSMergePolicy.self else { return "\(type(of: self))" }
    return switch mergeType {
    case .errorMergePolicyType: "error"
    case .mergeByPropertyStoreTrumpMergePolicyType: "mergeByPropertyStoreTrump"
    case .mergeByPropertyObjectTrumpMergePolicyType: "mergeByPropertyObjectTrump"
    case .overwriteMergePolicyType: "overwrite"
    case .rollbackMergePolicyType: "rollback"
    }
  }
}
