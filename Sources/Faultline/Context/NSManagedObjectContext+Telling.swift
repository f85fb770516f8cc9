/// What a controlled scheduler is told of a context's objects; without one nothing here does
/// anything.
extension NSManagedObjectContext {
  /// A child was answered with an object of this context.
  @inline(__always)
  func tellAnswer(_ layout: EntityLayout, key: Int64, _ row: Snapshot?) {
    guard Scheduling.hook != nil, let row else { return }
    tell(layout, key: key, isWrite: false, version: row.version > 0 ? row.version : nil)
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
    tell(object.layout, key: object.key, isWrite: true, version: row.version)
  }

  private func tell(_ layout: EntityLayout, key: Int64, isWrite: Bool, version: Int64?) {
    let store = persistentStoreCoordinator?.store(forKey: key)
    Scheduling.touch(
      .object(
        of: layout.name, key: store?.database.schema.row(key) ?? key, in: queue.number),
      isWrite: isWrite, version: version)
  }
}
