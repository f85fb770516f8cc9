import Faultline
import Foundation
import SQLiteConnection
import TestSupport
import XCTest

/// How a store's file looks to somebody who opens it with SQLite alone (rules C17, C19 to C21).
final class StoreLayoutTests: XCTestCase {
  private var directory = URL(fileURLWithPath: NSTemporaryDirectory())

  override func setUpWithError() throws {
    directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("store-layout-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  override func tearDown() { try? FileManager.default.removeItem(at: directory) }

  private var url: URL { directory.appendingPathComponent("Layout.sqlite") }

  private func open() throws -> NSPersistentContainer {
    let container = NSPersistentContainer(name: "Layout", managedObjectModel: LayoutModel.model)
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
    var failure: (any Error)?
    container.loadPersistentStores { failure = $1 }
    if let failure { throw failure }
    return container
  }

  /// The rows of a query, each as its columns' texts joined by bars; nothing stands for NULL.
  private func rows(_ sql: String) throws -> [String] {
    let connection = try Connection(path: url.path, options: .init(readOnly: true))
    let statement = try connection.statement(sql)
    var rows: [String] = []
    while try statement.step() {
      rows.append(
        (0..<statement.columnCount).map { statement.isNull($0) ? "" : statement.text($0) }
          .joined(separator: "|"))
    }
    statement.reset()
    return rows
  }

  func testC19_theElementsOfACompositeAreColumns() throws {
    let seat = NSCompositeAttributeDescription()
    seat.name = "seat"
    let city = NSAttributeDescription()
    city.name = "city"
    city.attributeType = .stringAttributeType
    seat.elements = [city]
    let house = NSEntityDescription()
    house.name = "House"
    house.properties = [seat]
    house.uniquenessConstraints = [["seat.city"]]
    house.indexes = [
      NSFetchIndexDescription(
        name: "byCity",
        elements: [NSFetchIndexElementDescription(property: city, collationType: .binary)])
    ]
    let model = NSManagedObjectModel()
    model.entities = [house]
    try NSPersistentStoreCoordinator(managedObjectModel: model).addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
    XCTAssertEqual(try columns("ZHOUSE"), ["Z_PK", "Z_ENT", "Z_OPT", "ZSEAT_CITY"])
    XCTAssertEqual(
      try rows("SELECT sql FROM sqlite_master WHERE name = 'Z_House_byCity'"),
      ["CREATE INDEX \"Z_House_byCity\" ON ZHOUSE (ZSEAT_CITY COLLATE BINARY ASC)"])
  }

  func testC19_theIndexesOfAModelAreMadeUnderCoreDatasNames() throws {
    let page = NSEntityDescription()
    page.name = "Leaf"
    page.properties = ["title", "number"].map { name in
      let attribute = NSAttributeDescription()
      attribute.name = name
      attribute.attributeType = name == "title" ? .stringAttributeType : .integer32AttributeType
      return attribute
    }
    let elements = page.properties.map {
      NSFetchIndexElementDescription(property: $0, collationType: .binary)
    }
    elements[1].isAscending = false
    page.indexes = [NSFetchIndexDescription(name: "by \"both\"", elements: elements)]
    let model = NSManagedObjectModel()
    model.entities = [page]
    try NSPersistentStoreCoordinator(managedObjectModel: model).addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
    XCTAssertEqual(
      try rows("SELECT name, sql FROM sqlite_master WHERE type = 'index'"),
      [
        "Z_Leaf_by \"both\"|CREATE INDEX \"Z_Leaf_by \"\"both\"\"\" ON ZLEAF "
          + "(ZTITLE COLLATE BINARY ASC, ZNUMBER COLLATE BINARY DESC)"
      ])
  }

  /// A file as Apple's framework writes it: the same tables and names, but hashes and a cached
  /// model that this engine did not make.
  func testAStoreWithTheHashesOfAppleIsRefusedAndLeftAsItIs() throws {
    let coordinator = try open().persistentStoreCoordinator
    let store = try XCTUnwrap(coordinator.persistentStores.first)
    try coordinator.remove(store)
    do {
      let file = try Connection(path: url.path)
      defer { file.close() }
      var list = store.metadata ?? [:]
      list["NSStoreModelVersionHashes"] = ["Page", "Cover", "Shelf", "Label"].reduce(
        into: [String: Data]()
      ) { $0[$1] = Data(repeating: 7, count: 32) }
      let data = try PropertyListSerialization.data(
        fromPropertyList: list, format: .binary, options: 0)
      let update = try file.statement("UPDATE Z_METADATA SET Z_PLIST = ?")
      try data.withUnsafeBytes { try update.bind($0, at: 1) }
      try update.run()
      try file.execute("UPDATE Z_MODELCACHE SET Z_CONTENT = x'01'")
      try file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }
    let before = try Data(contentsOf: url)
    for (migrates, code) in [(false, 134100), (true, 134130)] {
      XCTAssertThrowsError(
        try coordinator.addPersistentStore(
          ofType: NSSQLiteStoreType, configurationName: nil, at: url,
          options: [
            NSMigratePersistentStoresAutomaticallyOption: migrates,
            NSInferMappingModelAutomaticallyOption: migrates,
          ])
      ) { XCTAssertEqual(($0 as? CocoaError)?.code.rawValue, code) }
    }
    XCTAssertEqual(try Data(contentsOf: url), before)
  }

  private func columns(_ table: String) throws -> Set<String> {
    Set(try rows("SELECT name FROM pragma_table_info('\(table)')"))
  }

  func testC19_eachFamilyHasOneTableWithKeyEntityVersionAndColumns() throws {
    _ = try open()
    let tables = Set(try rows("SELECT name FROM sqlite_master WHERE type = 'table'"))
    XCTAssertTrue(
      tables.isSuperset(of: [
        "ZPAGE", "ZSHELF", "ZLABEL", "Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE",
      ]), "\(tables)")
    XCTAssertFalse(tables.contains("ZCOVER"), "a sub-entity lives in its root's table")
    XCTAssertEqual(
      try columns("ZPAGE"),
      ["Z_PK", "Z_ENT", "Z_OPT", "ZTITLE", "ZNUMBER", "ZPRINTED", "ZSHELF", "ZCOLOR"],
      "attributes of the family and to-one keys; nothing for what is transient or to-many")
  }

  func testC19_primaryKeysAreCountedPerFamily() throws {
    let container = try open()
    let context = container.viewContext
    for _ in 0..<3 { _ = Page(context: context) }
    _ = Cover(context: context)
    _ = Shelf(context: context)
    try context.save()
    XCTAssertEqual(try rows("SELECT Z_PK FROM ZPAGE ORDER BY Z_PK"), ["1", "2", "3", "4"])
    let counts = try rows("SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_NAME")
    XCTAssertTrue(counts.contains("Shelf|1"), "\(counts)")
    XCTAssertTrue(counts.contains("Page|4"), "\(counts)")
    XCTAssertEqual(
      try rows(
        """
        SELECT Z_NAME, count(*) FROM ZPAGE JOIN Z_PRIMARYKEY USING (Z_ENT)
        GROUP BY Z_NAME ORDER BY Z_NAME
        """), ["Cover|1", "Page|3"])
    XCTAssertEqual(
      try rows(
        """
        SELECT parent.Z_NAME FROM Z_PRIMARYKEY AS child JOIN Z_PRIMARYKEY AS parent
        ON child.Z_SUPER = parent.Z_ENT WHERE child.Z_NAME = 'Cover'
        """), ["Page"])
  }

  func testC19_metadataHoldsTheUuidOfTheStore() throws {
    let container = try open()
    let store = try XCTUnwrap(container.persistentStoreCoordinator.persistentStores.first)
    XCTAssertEqual(
      try rows("SELECT Z_UUID FROM Z_METADATA"), [try XCTUnwrap(store.identifier)])
    XCTAssertEqual(try rows("SELECT typeof(Z_PLIST) FROM Z_METADATA"), ["blob"])
  }

  func testC19_valuesAreStoredAsApplesStoreKeepsThem() throws {
    let container = try open()
    let page = Page(context: container.viewContext)
    page.title = "Zürich"
    page.number = 7
    page.printed = Date(timeIntervalSinceReferenceDate: 1000.5)
    page.remark = "transient"
    try container.viewContext.save()
    XCTAssertEqual(
      try rows("SELECT ZTITLE, ZNUMBER, ZPRINTED, ZSHELF FROM ZPAGE"), ["Zürich|7|1000.5|"])
  }

  func testC20_theVersionStartsAtOneAndCountsUpdates() throws {
    let container = try open()
    let page = Page(context: container.viewContext)
    try container.viewContext.save()
    var versions = try rows("SELECT Z_OPT FROM ZPAGE")
    for number in 1...3 {
      page.number = Int64(number)
      try container.viewContext.save()
      versions += try rows("SELECT Z_OPT FROM ZPAGE")
    }
    XCTAssertEqual(versions, ["1", "2", "3", "4"])
  }

  func testC20_L12_anAssignmentOfTheSameValueLeavesTheVersion() throws {
    let container = try open()
    let page = Page(context: container.viewContext)
    page.title = "same"
    try container.viewContext.save()
    page.title = "same"
    XCTAssertTrue(container.viewContext.hasChanges)
    try container.viewContext.save()
    XCTAssertEqual(try rows("SELECT Z_OPT FROM ZPAGE"), ["1"])
  }

  func testD37_D38_aChangedMembershipCountsAsAnUpdateOfBothEnds() throws {
    let container = try open()
    let shelf = Shelf(context: container.viewContext)
    let page = Page(context: container.viewContext)
    try container.viewContext.save()
    shelf.pages.insert(page)
    try container.viewContext.save()
    XCTAssertEqual(try rows("SELECT Z_OPT FROM ZSHELF"), ["2"])
    XCTAssertEqual(try rows("SELECT Z_OPT FROM ZPAGE"), ["2"])
  }

  func testC21_aToOneRelationshipIsTheKeyOfItsDestination() throws {
    let container = try open()
    let shelves = (0..<2).map { _ in Shelf(context: container.viewContext) }
    try container.viewContext.obtainPermanentIDs(for: shelves)
    let page = Page(context: container.viewContext)
    page.shelf = shelves[1]
    try container.viewContext.save()
    let key = shelves[1].objectID.uriRepresentation().lastPathComponent.dropFirst()
    XCTAssertEqual(try rows("SELECT ZSHELF FROM ZPAGE"), [String(key)])
    page.shelf = nil
    try container.viewContext.save()
    XCTAssertEqual(try rows("SELECT ZSHELF FROM ZPAGE"), [""])
  }

  func testC21_manyToManyIsATableOfPairsWithoutAVersion() throws {
    let container = try open()
    let pages = (0..<2).map { _ in Page(context: container.viewContext) }
    let labels = (0..<2).map { _ in Label(context: container.viewContext) }
    pages[0].labels = Set(labels)
    pages[1].labels = [labels[0]]
    try container.viewContext.save()
    let tables = try rows("SELECT name FROM sqlite_master WHERE type = 'table'")
    let joins = tables.filter { $0.wholeMatch(of: #/Z_[0-9]+(PAGES|LABELS)/#) != nil }
    XCTAssertEqual(joins.count, 1, "\(tables)")
    let join = try XCTUnwrap(joins.first)
    XCTAssertEqual(try columns(join).count, 2)
    XCTAssertFalse(try columns(join).contains("Z_OPT"))
    XCTAssertEqual(try rows("SELECT count(*) FROM \(join)"), ["3"])
    pages[0].labels = []
    try container.viewContext.save()
    XCTAssertEqual(try rows("SELECT count(*) FROM \(join)"), ["1"])
    container.viewContext.delete(labels[0])
    try container.viewContext.save()
    XCTAssertEqual(try rows("SELECT count(*) FROM \(join)"), ["0"])
  }

  func testC17_theJournalIsAWriteAheadLog() throws {
    let container = try open()
    XCTAssertEqual(try rows("PRAGMA journal_mode"), ["wal"])
    withExtendedLifetime(container) {}
  }

  func testD8_theRowsOfOneSaveBecomeVisibleTogether() throws {
    let container = try open()
    let context = container.newBackgroundContext()
    let reader = try Connection(path: url.path, options: .init(readOnly: true))
    var counts: Set<Int64> = []
    for _ in 0..<10 {
      try context.performAndWait {
        for _ in 0..<100 { _ = Page(context: context) }
        try context.save()
      }
      let statement = try reader.statement("SELECT count(*) FROM ZPAGE")
      XCTAssertTrue(try statement.step())
      counts.insert(statement.int64(0))
      statement.reset()
    }
    XCTAssertEqual(counts, Set((1...10).map { Int64($0 * 100) }))
  }
}

/// The root of a family of two entities.
class Page: NSManagedObject {
  /// Text.
  @Managed var title: String?
  /// A number.
  @Managed var number: Int64
  /// A date.
  @Managed var printed: Date?
  /// Not stored.
  @Managed var remark: String?
  /// To one.
  @Managed var shelf: Shelf?
  /// Many to many.
  @Managed var labels: Set<Label>
}

/// A sub-entity.
final class Cover: Page {
  /// A column that pages do not use.
  @Managed var color: String?
}

/// The one side of a one-to-many relationship.
final class Shelf: NSManagedObject {
  /// To many.
  @Managed var pages: Set<Page>
}

/// The other side of a many-to-many relationship.
final class Label: NSManagedObject {
  /// Many to many.
  @Managed var pages: Set<Page>
}

/// The model of pages, shelves and labels, made once in the process.
private enum LayoutModel {
  static let model: NSManagedObjectModel = {
    let page = entity("Page", Page.self)
    let cover = entity("Cover", Cover.self)
    let shelf = entity("Shelf", Shelf.self)
    let label = entity("Label", Label.self)
    let remark = attribute("remark", .stringAttributeType)
    remark.isTransient = true
    page.properties = [
      attribute("title", .stringAttributeType), attribute("number", .integer64AttributeType, 0),
      attribute("printed", .dateAttributeType), remark,
    ]
    cover.properties = [attribute("color", .stringAttributeType)]
    page.subentities = [cover]
    relate(page, "shelf", 1, shelf, "pages")
    relate(page, "labels", 0, label, "pages")
    let model = NSManagedObjectModel()
    model.entities = [page, cover, shelf, label]
    return model
  }()

  private static func entity(_ name: String, _ type: NSManagedObject.Type) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    entity.managedObjectClassName = NSStringFromClass(type)
    return entity
  }

  private static func attribute(
    _ name: String, _ type: NSAttributeType, _ value: Any? = nil
  ) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.defaultValue = value
    return attribute
  }

  private static func relate(
    _ one: NSEntityDescription, _ name: String, _ countMax: Int, _ other: NSEntityDescription,
    _ back: String
  ) {
    let there = NSRelationshipDescription()
    let home = NSRelationshipDescription()
    there.name = name
    there.maxCount = countMax
    there.destinationEntity = other
    there.inverseRelationship = home
    home.name = back
    home.destinationEntity = one
    home.inverseRelationship = there
    one.properties.append(there)
    other.properties.append(home)
  }
}
