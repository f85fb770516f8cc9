import Foundation
import SQLiteConnection
import XCTest

@testable import Faultline

/// What uniqueness constraints mean in the file, what they cost, and what a failing disk makes of
/// them.
final class UniquenessTests: XCTestCase {
  private var directory = URL(fileURLWithPath: NSTemporaryDirectory())

  override func setUpWithError() throws {
    directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("uniqueness-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  override func tearDown() { try? FileManager.default.removeItem(at: directory) }

  private func url(_ name: String = "Store") -> URL {
    directory.appendingPathComponent("\(name).sqlite")
  }

  /// A store of things with a key and a name, of which special things have a code too.
  private func open(
    _ url: URL?, isConstrained: Bool = true, vfs: String? = nil
  ) throws -> NSManagedObjectContext {
    let thing = NSEntityDescription()
    thing.name = "Thing"
    thing.properties = [attribute("key"), attribute("name")]
    let special = NSEntityDescription()
    special.name = "Special"
    special.properties = [attribute("code")]
    thing.subentities = [special]
    if isConstrained {
      thing.uniquenessConstraints = [["key"]]
      special.uniquenessConstraints = [["name", "code"]]
    }
    let model = NSManagedObjectModel()
    model.entities = [thing, special]
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      ofType: url == nil ? NSInMemoryStoreType : NSSQLiteStoreType, configurationName: nil,
      at: url, options: vfs.map { [vfsNameOption: $0] })
    let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  private func attribute(_ name: String) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = .stringAttributeType
    return attribute
  }

  private func insert(_ key: String, _ name: String, _ context: NSManagedObjectContext) {
    let thing = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context)
    thing.setValue(key, forKey: "key")
    thing.setValue(name, forKey: "name")
  }

  /// The first column of a query's rows.
  private func column(_ sql: String) throws -> [String] {
    let connection = try Connection(path: url().path, options: .init(readOnly: true))
    let statement = try connection.statement(sql)
    var rows: [String] = []
    while try statement.step() { rows.append(statement.text(0)) }
    statement.reset()
    return rows
  }

  func testAConstraintIsAUniqueIndexOfTheRowsItConcerns() throws {
    _ = try open(url())
    XCTAssertEqual(
      try column("SELECT sql FROM sqlite_master WHERE sql LIKE '%UNIQUE%' ORDER BY name"),
      [
        "CREATE UNIQUE INDEX Z_Special_UNIQUE_name_code ON ZTHING (ZNAME, ZCODE)"
          + " WHERE Z_ENT IN (2)",
        "CREATE UNIQUE INDEX Z_Thing_UNIQUE_key ON ZTHING (ZKEY)",
      ])
  }

  func testASaveWithoutDuplicatesRunsNoStatementMore() throws {
    var costs: [Int] = []
    for isConstrained in [true, false] {
      let context = try open(url("Cost \(isConstrained)"), isConstrained: isConstrained)
      let before = EngineCounters.read().statements
      for number in 0..<100 { insert("\(number)", "a", context) }
      try context.save()
      let things = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Thing"))
      for thing in things { thing.setValue("b", forKey: "name") }
      for (number, thing) in things.enumerated() { thing.setValue("n\(number)", forKey: "key") }
      try context.save()
      costs.append(EngineCounters.read().statements - before)
    }
    XCTAssertEqual(costs[0], costs[1])
  }

  func testWhatOnlySQLiteFindsIs1551() throws {
    let context = try open(url(), isConstrained: false)
    try Connection(path: url().path).execute("CREATE UNIQUE INDEX byHand ON ZTHING (ZNAME)")
    insert("1", "same", context)
    try context.save()
    insert("2", "same", context)
    for _ in 0..<2 {
      XCTAssertThrowsError(try context.save()) { error in
        let error = error as NSError
        XCTAssertEqual(error.code, NSManagedObjectConstraintValidationError)
        XCTAssertEqual(error.userInfo[NSSQLiteErrorDomain] as? Int, 19)
      }
    }
    XCTAssertEqual(context.insertedObjects.count, 1)
    XCTAssertEqual(try column("SELECT count(*) FROM ZTHING"), ["1"])
  }

  /// Makes the 1st, 2nd, 3rd … operation of the disk fail during a save that has to unite rows.
  ///
  /// Allowed at each: the file holds what it held before, or the new state, and nothing in between;
  /// after a failure the same save succeeds when it is repeated.
  func testUnitingRowsOnAFailingDiskLosesNothing() throws {
    var failures = 0
    for number in 1..<500 {
      let path = url("Failing \(number)")
      let context = try open(path, vfs: FailureInjectingVFS.name)
      context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      for key in 0..<20 { insert("\(key)", "old", context) }
      try context.save()
      for key in 10..<30 { insert("\(key)", "new", context) }
      FailureInjectingVFS.failOperation(number, among: [.read, .write, .sync, .truncate, .lock])
      let hasFailed = (try? context.save()) == nil
      let isOver = FailureInjectingVFS.operationsFailed == 0
      FailureInjectingVFS.failOperation(nil)
      if hasFailed {
        failures += 1
        XCTAssertEqual(try names(path), ["old": 20], "after a failure of operation \(number)")
        try context.save()
      }
      XCTAssertEqual(try names(path), ["old": 10, "new": 20], "operation \(number)")
      XCTAssertFalse(context.hasChanges)
      if isOver { break }
    }
    XCTAssertGreaterThan(failures, 3)
  }

  private func names(_ path: URL) throws -> [String: Int] {
    let context = try open(path)
    let things = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Thing"))
    return Dictionary(grouping: things) { $0.value(forKey: "name") as? String ?? "-" }
      .mapValues(\.count)
  }
}
