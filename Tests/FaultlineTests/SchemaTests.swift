import Faultline
import Foundation
import SQLiteConnection
import TestSupport
import XCTest

/// What `sqlite3 file .schema` prints of a model that has everything (rules C19, C21).
final class SchemaTests: XCTestCase {
  private let url = FileManager.default.temporaryDirectory
    .appendingPathComponent("schema-\(UUID().uuidString).sqlite")

  override func tearDown() {
    for end in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(at: URL(fileURLWithPath: url.path + end))
    }
  }

  func testC19_C21_aStoreIsLaidOutAsCoreDataLaysItOut() throws {
    XCTAssertEqual(
      try schema(of: press()),
      [
        "CREATE TABLE ZEDITION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
          + "ZCOPIES INTEGER, ZISOPEN INTEGER, ZPAGES INTEGER, "
          + "ZAUTHOR INTEGER, Z_FOK_AUTHOR INTEGER, ZOWNER INTEGER, Z3_OWNER INTEGER, "
          + "ZLENGTH FLOAT, ZPRINTED TIMESTAMP, ZWEIGHT FLOAT, ZPRICE DECIMAL, "
          + "ZHOME VARCHAR, ZTITLE VARCHAR, ZCODE BLOB, ZCOVER BLOB, ZEXTRAS BLOB )",
        "CREATE TABLE ZPERSON ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
          + "ZRANK INTEGER, ZRANK1 INTEGER, ZNAME VARCHAR )",
        "CREATE TABLE ZTOPIC ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
          + "ZNAME VARCHAR )",
        "CREATE INDEX ZEDITION_ZAUTHOR_INDEX ON ZEDITION (ZAUTHOR)",
        "CREATE INDEX ZEDITION_ZOWNER_INDEX ON ZEDITION (ZOWNER)",
        "CREATE INDEX ZPERSON_Z_ENT_INDEX ON ZPERSON (Z_ENT)",
        "CREATE TABLE Z_2TOPICS ( Z_2EDITIONS INTEGER, Z_6TOPICS INTEGER, "
          + "Z_FOK_6TOPICS INTEGER, PRIMARY KEY (Z_2EDITIONS, Z_6TOPICS) )",
        "CREATE INDEX Z_2TOPICS_Z_6TOPICS_INDEX ON Z_2TOPICS (Z_6TOPICS, Z_2EDITIONS)",
        "CREATE TABLE Z_6KIN ( Z_6KIN INTEGER, REFLEXIVE INTEGER, "
          + "PRIMARY KEY (Z_6KIN, REFLEXIVE) )",
        "CREATE INDEX Z_6KIN_REFLEXIVE_INDEX ON Z_6KIN (REFLEXIVE, Z_6KIN)",
        "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, "
          + "Z_MAX INTEGER)",
        "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST "
          + "BLOB)",
        "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
        "CREATE UNIQUE INDEX Z_Person_UNIQUE_name ON ZPERSON (ZNAME)",
      ])
    XCTAssertEqual(
      try texts("SELECT Z_ENT || ' ' || Z_NAME || ' ' || Z_SUPER FROM Z_PRIMARYKEY"),
      ["2 Edition 0", "3 Person 0", "4 Author 3", "5 Editor 3", "6 Topic 0"],
      "in order of name, heirs right after whom they inherit from; 1 lies in another store")
  }

  func testC19_everyPropertyHasAColumnOfItsOwnWhateverItIsCalled() throws {
    let place = ModelBuilder.entity("Place")
    let names = ["address", "address", "address1", "_opt"]
    let heirs = names.enumerated().map { index, name in
      ModelBuilder.entity("Heir\(index)", [ModelBuilder.attribute(name, .string)])
    }
    place.subentities = heirs
    let model = NSManagedObjectModel()
    model.entities = [place] + heirs
    model.setEntities(model.entities, forConfigurationName: "Press")
    XCTAssertEqual(
      try schema(of: model).first,
      "CREATE TABLE ZPLACE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
        + "Z_OPT1 VARCHAR, ZADDRESS VARCHAR, ZADDRESS1 VARCHAR, ZADDRESS11 VARCHAR )")
  }

  private func schema(of model: NSManagedObjectModel) throws -> [String] {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: "Press", at: url)
    return try texts("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid")
  }

  private func texts(_ sql: String) throws -> [String] {
    let connection = try Connection(path: url.path, options: .init(readOnly: true))
    let statement = try connection.statement(sql)
    defer { statement.reset() }
    var rows: [String] = []
    while try statement.step() { rows.append(statement.text(0)) }
    return rows
  }

  /// Editions of every type of attribute, people in a family, topics that are related to topics.
  private func press() -> NSManagedObjectModel {
    let advert = ModelBuilder.entity("Advert", [ModelBuilder.attribute("text", .string)])
    let edition = ModelBuilder.entity(
      "Edition",
      [
        ModelBuilder.attribute("title", .string), ModelBuilder.attribute("home", .uri),
        ModelBuilder.attribute("pages", .integer16), ModelBuilder.attribute("copies", .integer64),
        ModelBuilder.attribute("isOpen", .boolean), ModelBuilder.attribute("weight", .double),
        ModelBuilder.attribute("length", .float), ModelBuilder.attribute("printed", .date),
        ModelBuilder.attribute("price", .decimal), ModelBuilder.attribute("cover", .binaryData),
        ModelBuilder.attribute("code", .uuid), ModelBuilder.attribute("extras", .transformable),
      ])
    let person = ModelBuilder.entity("Person", [ModelBuilder.attribute("name", .string)])
    person.uniquenessConstraints = [["name"]]
    let author = ModelBuilder.entity("Author", [ModelBuilder.attribute("rank", .integer32)])
    let editor = ModelBuilder.entity("Editor", [ModelBuilder.attribute("rank", .integer32)])
    person.subentities = [editor, author]
    let topic = ModelBuilder.entity("Topic", [ModelBuilder.attribute("name", .string)])
    ModelBuilder.relate(edition, "author", .one, author, "editions", .ordered)
    ModelBuilder.relate(edition, "owner", .one, person, "possessions", .many)
    ModelBuilder.relate(edition, "topics", .ordered, topic, "editions", .many)
    ModelBuilder.relateToItself(topic, "kin")
    let model = NSManagedObjectModel()
    model.entities = [topic, edition, person, author, editor, advert]
    model.setEntities([edition, person, author, editor, topic], forConfigurationName: "Press")
    return model
  }
}
