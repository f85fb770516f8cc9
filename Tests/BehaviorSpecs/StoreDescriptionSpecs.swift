import CoreData
import Foundation
import XCTest

/// Descriptions of stores, whose properties and options are the same settings (section C.4).
final class StoreDescriptionSpecs: SpecCase {
  private func number(_ description: NSPersistentStoreDescription, _ key: String) -> NSNumber? {
    description.options[key] as? NSNumber
  }

  func testC35_anOptionThatIsSetIsItsPropertyToo() throws {
    let description = NSPersistentStoreDescription(url: storeURL())
    description.setOption(true as NSNumber, forKey: NSReadOnlyPersistentStoreOption)
    description.setOption(5 as NSNumber, forKey: NSPersistentStoreTimeoutOption)
    description.setOption(false as NSNumber, forKey: NSMigratePersistentStoresAutomaticallyOption)
    description.setOption(false as NSNumber, forKey: NSInferMappingModelAutomaticallyOption)
    description.setOption(
      ["cache_size": "10", "synchronous": "OFF"] as NSDictionary, forKey: NSSQLitePragmasOption)
    description.setValue("FULL" as NSString, forPragmaNamed: "synchronous")
    let copy = try XCTUnwrap(description.copy() as? NSPersistentStoreDescription)
    for one in [description, copy] {
      XCTAssertTrue(one.isReadOnly)
      XCTAssertEqual(one.timeout, 5)
      XCTAssertFalse(one.shouldMigrateStoreAutomatically)
      XCTAssertFalse(one.shouldInferMappingModelAutomatically)
      XCTAssertEqual(
        one.sqlitePragmas, ["cache_size": "10" as NSString, "synchronous": "FULL" as NSString])
      XCTAssertEqual(number(one, NSReadOnlyPersistentStoreOption), true)
      XCTAssertEqual(number(one, NSPersistentStoreTimeoutOption), 5)
      XCTAssertEqual(number(one, NSMigratePersistentStoresAutomaticallyOption), false)
    }
    copy.isReadOnly = false
    copy.setValue(nil, forPragmaNamed: "cache_size")
    XCTAssertEqual(number(copy, NSReadOnlyPersistentStoreOption), false)
    XCTAssertEqual(copy.sqlitePragmas, ["synchronous": "FULL" as NSString])
    XCTAssertTrue(description.isReadOnly)
  }

  func testC35_C16_aDescriptionWithoutAPlaceIsAtDevNull() throws {
    let container = NSPersistentContainer(name: "Library", managedObjectModel: SpecModel.library)
    let description = NSPersistentStoreDescription()
    XCTAssertEqual(description.url, URL(fileURLWithPath: "/dev/null"))
    XCTAssertEqual(description.type, NSSQLiteStoreType)
    let memory = NSPersistentStoreDescription()
    memory.type = NSInMemoryStoreType
    container.persistentStoreDescriptions = [description, memory]
    container.loadPersistentStores { XCTAssertNil($1) }
    XCTAssertEqual(
      container.persistentStoreCoordinator.persistentStores.map(\.type),
      [NSSQLiteStoreType, NSInMemoryStoreType])
    XCTAssertNoThrow(try container.viewContext.savedAuthor("A"))
  }

  func testC24_aStoreIsReadOnlyByItsOptionAsByItsProperty() throws {
    try openContainer(model: SpecModel.library, at: storeURL()).viewContext.savedAuthor("A")
    let container = NSPersistentContainer(name: "Library", managedObjectModel: SpecModel.library)
    let description = NSPersistentStoreDescription(url: storeURL())
    description.setOption(true as NSNumber, forKey: NSReadOnlyPersistentStoreOption)
    container.persistentStoreDescriptions = [description]
    container.loadPersistentStores { XCTAssertNil($1) }
    XCTAssertThrowsError(try container.viewContext.savedAuthor("B"))
    XCTAssertEqual(container.persistentStoreCoordinator.persistentStores.map(\.isReadOnly), [true])
  }

  func testAnyTimeoutIsTakenHoweverLong() throws {
    for timeout in [TimeInterval.infinity, -.infinity, .nan, .greatestFiniteMagnitude, -1, 0] {
      let container = NSPersistentContainer(name: "Library", managedObjectModel: SpecModel.library)
      let description = NSPersistentStoreDescription(url: storeURL())
      description.timeout = timeout
      container.persistentStoreDescriptions = [description]
      container.loadPersistentStores { XCTAssertNil($1) }
      try container.viewContext.savedAuthor("A")
    }
  }
}
