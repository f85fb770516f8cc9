import Foundation
import SQLiteConnection
import TestSupport
import XCTest

@testable import Faultline

/// What a migration leaves when the disk fails, or the model is not to be found (rules C40 to C42).
final class MigrationFailureTests: XCTestCase {
  private var directory = URL(fileURLWithPath: NSTemporaryDirectory())

  override func setUpWithError() throws {
    directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("migration-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  override func tearDown() {
    FailureInjectingVFS.failOperation(nil)
    try? FileManager.default.removeItem(at: directory)
  }

  private var url: URL { directory.appendingPathComponent("Store.sqlite") }

  /// Notes in folders; the second version has more attributes, one of them derived, and an order.
  private func model(_ version: Int) -> NSManagedObjectModel {
    let note = ModelBuilder.entity("Note", [ModelBuilder.attribute("text", .string)])
    let folder = ModelBuilder.entity("Folder", [ModelBuilder.attribute("name", .string)])
    if version == 2 {
      let derived = NSDerivedAttributeDescription()
      derived.name = "folderName"
      derived.type = .string
      derived.derivationExpression = NSExpression(format: "folder.name")
      note.properties += [ModelBuilder.attribute("number", .integer64), derived]
    }
    ModelBuilder.relate(note, "folder", .one, folder, "notes", version == 2 ? .ordered : .many)
    let model = NSManagedObjectModel()
    model.entities = [note, folder]
    return model
  }

  private func open(
    _ model: NSManagedObjectModel, options: [String: Any] = [:]
  ) throws -> NSManagedObjectContext {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url,
      options: options.merging([
        NSMigratePersistentStoresAutomaticallyOption: true,
        NSInferMappingModelAutomaticallyOption: true,
      ]) { $1 })
    let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  private func fill() throws {
    let context = try open(model(1))
    let folder = NSEntityDescription.insertNewObject(forEntityName: "Folder", into: context)
    folder.setValue("inbox", forKey: "name")
    for number in 0..<40 {
      let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
      note.setValue(String(repeating: "note \(number) ", count: 300), forKey: "text")
      note.setValue(folder, forKey: "folder")
    }
    try context.save()
    try context.persistentStoreCoordinator.map { try $0.persistentStores.forEach($0.remove) }
  }

  private func isWhole(_ context: NSManagedObjectContext) throws -> Bool {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
    let model = context.persistentStoreCoordinator?.managedObjectModel
    let isDerived = model?.entitiesByName["Note"]?.attributesByName["folderName"] != nil
    request.predicate = NSPredicate(
      format: "folder != nil" + (isDerived ? " AND folderName == 'inbox'" : ""))
    return try context.count(for: request) == 40
  }

  private func texts(_ sql: String) throws -> [String] {
    let connection = try Connection(path: url.path, options: .init(readOnly: true))
    let statement = try connection.statement(sql)
    defer { statement.reset() }
    var rows: [String] = []
    while try statement.step() { rows.append(statement.text(0)) }
    return rows
  }

  /// Makes the 1st, 2nd, 3rd … operation of the disk fail during a migration until it runs clean.
  ///
  /// Allowed at each: it throws, and the old version finds the old store; or it succeeds. A disk
  /// that stays dead from then on is what a killed process leaves.
  func testC41_aMigrationThatMeetsADiskFailureLeavesTheOldStoreOrTheNewOne() throws {
    for isPersistent in [false, true] {
      var number = 1
      var failures = 0
      while true {
        try? FileManager.default.removeItem(at: directory)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try fill()
        FailureInjectingVFS.failOperation(
          number, among: [.read, .write, .sync, .truncate, .lock], persistently: isPersistent)
        var failure: (any Error)?
        do {
          _ = try open(model(2), options: [vfsNameOption: FailureInjectingVFS.name])
        } catch { failure = error }
        let failed = FailureInjectingVFS.operationsFailed
        FailureInjectingVFS.failOperation(nil)
        if let failure = failure as NSError? {
          XCTAssertEqual(failure.domain, NSCocoaErrorDomain)
          failures += 1
        }
        let after = try texts("SELECT name FROM pragma_table_info('ZNOTE') WHERE name = 'ZNUMBER'")
        let version = after.isEmpty ? 1 : 2
        XCTAssertEqual(try texts("PRAGMA integrity_check"), ["ok"])
        XCTAssertTrue(
          try isWhole(open(model(version))), "operation \(number), version \(version)")
        if failed == 0 { break }
        number += 1
        XCTAssertLessThan(number, 500, "the migration never ran clean")
        if number >= 500 { break }
      }
      XCTAssertGreaterThan(failures, 5, "persistently: \(isPersistent)")
    }
  }

  func testC42_theModelIsFoundInTheStoreItself() throws {
    try fill()
    let connection = try Connection(path: url.path)
    let cached = try XCTUnwrap(
      ModelArchive.model(
        {
          let statement = try connection.statement("SELECT Z_CONTENT FROM Z_MODELCACHE")
          defer { statement.reset() }
          _ = try statement.step()
          return statement.withBlob(0) { Data($0) }
        }()))
    XCTAssertEqual(cached.entityVersionHashesByName, model(1).entityVersionHashesByName)
    XCTAssertTrue(try isWhole(open(model(2))))
  }

  func testC40_aStoreWhoseModelIsNotFoundIsRefusedWith134130() throws {
    try fill()
    for content in ["X''", "X'7B7D'", "NULL"] {
      let connection = try Connection(path: url.path)
      try connection.execute("UPDATE Z_MODELCACHE SET Z_CONTENT = \(content)")
      connection.close()
      XCTAssertThrowsError(try open(model(2))) {
        XCTAssertEqual(($0 as NSError).code, 134_130)
      }
    }
    XCTAssertTrue(try isWhole(open(model(1))))
  }

  func testATableThatStaysAsItWasIsNotWritten() throws {
    try fill()
    let table = "SELECT rootpage FROM sqlite_master WHERE name = 'ZFOLDER'"
    let before = try texts(table)
    _ = try open(model(2))
    XCTAssertEqual(try texts(table), before)
    XCTAssertEqual(
      try texts("SELECT name FROM sqlite_master WHERE name LIKE 'Z_ASIDE%'"), [])
  }

  func testTheSchemaAfterAMigrationIsThatOfANewStore() throws {
    let schema = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY sql"
    try fill()
    _ = try open(model(2))
    let migrated = try texts(schema)
    try FileManager.default.removeItem(at: directory)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    _ = try open(model(2))
    XCTAssertEqual(migrated, try texts(schema))
  }

  func testNoModelComesOfHostileData() throws {
    let data = ModelArchive.data(model(2))
    var state: UInt64 = 7
    func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(bound))
    }
    for _ in 0..<2000 {
      var mutant = data
      for _ in 0...next(3) { mutant[next(mutant.count)] = UInt8(next(256)) }
      // Whatever is read back can be compiled: else this stops the process.
      if let model = ModelArchive.model(mutant) {
        _ = NSPersistentStoreCoordinator(managedObjectModel: model)
      }
    }
  }
}
