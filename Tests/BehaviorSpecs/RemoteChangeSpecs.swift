import CoreData
import Foundation
import XCTest

/// The notification that a store was written (section E.1).
final class RemoteChangeSpecs: StoresCase {
  func testE20_aWriteIsAnnouncedOnAnotherThreadIfTheStoreWasAskedTo() throws {
    let coordinator = makeCoordinator()
    let silent = try add("Silent", to: coordinator)
    let store = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: storeURL("Told"),
      options: [NSPersistentStoreRemoteChangeNotificationPostOptionKey: NSNumber(value: true)])
    let uuid = try XCTUnwrap(store.identifier)
    let told = expectation(description: "the save and the batch request are announced")
    told.expectedFulfillmentCount = 2
    let onMain = Box<[Bool]>([])
    let token = NotificationCenter.default.addObserver(
      forName: .NSPersistentStoreRemoteChange, object: coordinator, queue: nil
    ) { note in
      XCTAssertEqual(note.userInfo?[NSStoreUUIDKey] as? String, uuid)
      let url = note.userInfo?[NSPersistentStoreURLKey] as? URL
      XCTAssertEqual(url?.lastPathComponent, "Told.sqlite")
      onMain.update { $0.append(Thread.isMainThread) }
      told.fulfill()
    }
    defer { NotificationCenter.default.removeObserver(token) }
    let context = makeContext(coordinator)
    context.book("not announced", in: silent)
    try context.save()
    context.book("announced", in: store)
    try context.save()
    let all = NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "Book"))
    try context.execute(all)
    wait(for: [told], timeout: 60)
    XCTAssertEqual(onMain.value, [false, false])
  }
}
