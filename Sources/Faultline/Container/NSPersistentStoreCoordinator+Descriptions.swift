import Foundation

extension NSPersistentStoreCoordinator {
  /// Opens the store that a description tells of and attaches it, here or on a queue of its own as
  /// the description says; the handler is called once, with the error if there is one.
  public func addPersistentStore(
    with description: NSPersistentStoreDescription,
    completionHandler block:
      @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
  ) {
    guard description.shouldAddStoreAsynchronously else { return add(description, block) }
    let box = UncheckedBox((description, block))
    SerialQueue(label: "add a store", kind: .private).async { self.add(box.value.0, box.value.1) }
  }

  private func add(
    _ description: NSPersistentStoreDescription,
    _ block: (NSPersistentStoreDescription, (any Error)?) -> Void
  ) {
    do {
      try addPersistentStore(
        ofType: description.type, configurationName: description.configuration,
        at: description.url, options: description.options)
    } catch {
      return block(description, error)
    }
    block(description, nil)
  }
}
