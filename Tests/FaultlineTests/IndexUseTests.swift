import Foundation
import XCTest

@testable import Faultline

/// Which conditions SQLite answers from an index of the model, by its own account.
final class IndexUseTests: XCTestCase {
  private var directory = URL(fileURLWithPath: NSTemporaryDirectory())
  private var container: NSPersistentContainer!

  override func setUpWithError() throws {
    directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("faultline-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let entity = NSEntityDescription()
    entity.name = "Word"
    entity.properties = ["text", "folded"].map { name in
      let attribute = NSAttributeDescription()
      (attribute.name, attribute.attributeType) = (name, .stringAttributeType)
      return attribute
    }
    entity.indexes = entity.properties.map { property in
      NSFetchIndexDescription(
        name: "by_\(property.name)",
        elements: [NSFetchIndexElementDescription(property: property, collationType: .binary)])
    }
    let model = NSManagedObjectModel()
    model.entities = [entity]
    container = NSPersistentContainer(name: "Words", managedObjectModel: model)
    container.persistentStoreDescriptions = [
      NSPersistentStoreDescription(url: directory.appendingPathComponent("Words.sqlite"))
    ]
    container.loadPersistentStores { XCTAssertNil($1) }
  }

  override func tearDown() {
    container = nil
    try? FileManager.default.removeItem(at: directory)
  }

  /// What SQLite says it will do for a predicate.
  private func strategy(_ format: String) throws -> String {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Word")
    request.predicate = NSPredicate(format: format)
    let plan = container.viewContext.plan(request)
    let store = try XCTUnwrap(container.persistentStoreCoordinator.persistentStores.first)
    return try store.database.read { connection in
      var query = SelectBuilder(plan, store.database.schema)
      let statement = try connection.statement("EXPLAIN QUERY PLAN \(query.select("*"))")
      try query.bind(to: statement)
      defer { statement.reset() }
      return try statement.step() ? statement.text(3) : ""
    }
  }

  func testI21_anIndexServesExactComparisonsAndNotThoseThatIgnoreCase() throws {
    XCTAssertTrue(try strategy("text == 'Mars'").contains("USING INDEX Z_Word_by_text"))
    XCTAssertTrue(try strategy("text IN {'Mars', 'Venus'}").contains("USING INDEX Z_Word_by_text"))
    XCTAssertFalse(try strategy("text ==[c] 'mars'").contains("INDEX"))
    XCTAssertTrue(try strategy("folded == 'mars'").contains("USING INDEX Z_Word_by_folded"))
  }
}
