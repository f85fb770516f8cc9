import Foundation
import XCTest

@testable import Faultline

/// One property of every type that an attribute can have in Swift.
private final class Sample: NSManagedObject {
  @Managed var text: String?
  @Managed var plainText: String
  @Managed var small: Int16
  @Managed var wide: Int64
  @Managed var flag: Bool
  @Managed var real: Double
  @Managed var single: Float
  @Managed var date: Date?
  @Managed var bytes: Data?
  @Managed var uuid: UUID?
  @Managed var link: URL?
  @Managed var amount: Decimal?
  @Managed var boxed: NSNumber?
}

final class ManagedValueTests: XCTestCase {
  private func container() throws -> NSPersistentContainer {
    let types: [(String, NSAttributeType)] = [
      ("text", .stringAttributeType), ("plainText", .stringAttributeType),
      ("small", .integer16AttributeType), ("wide", .integer64AttributeType),
      ("flag", .booleanAttributeType), ("real", .doubleAttributeType),
      ("single", .floatAttributeType), ("date", .dateAttributeType),
      ("bytes", .binaryDataAttributeType), ("uuid", .UUIDAttributeType),
      ("link", .URIAttributeType), ("amount", .decimalAttributeType),
      ("boxed", .integer32AttributeType),
    ]
    let entity = NSEntityDescription()
    entity.name = "Sample"
    entity.managedObjectClassName = String(reflecting: Sample.self)
    entity.properties = types.map { name, type in
      let attribute = NSAttributeDescription()
      attribute.name = name
      attribute.attributeType = type
      return attribute
    }
    let model = NSManagedObjectModel()
    model.entities = [entity]
    let container = NSPersistentContainer(name: "Samples", managedObjectModel: model)
    let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null"))
    container.persistentStoreDescriptions = [description]
    container.loadPersistentStores { XCTAssertNil($1) }
    return container
  }

  func testEveryTypeComesBackFromTheStoreAsItWent() throws {
    let container = try container()
    let context = container.viewContext
    let sample = Sample(context: context)
    let uuid = UUID()
    let date = Date(timeIntervalSinceReferenceDate: 700_000_000.125)
    sample.text = "Zwölf Boxkämpfer \u{1F98A}\u{0}end"
    sample.plainText = ""
    sample.small = -32_768
    sample.wide = .max
    sample.flag = true
    sample.real = .pi
    sample.single = 1.5
    sample.date = date
    sample.bytes = Data([0, 255, 7])
    sample.uuid = uuid
    sample.link = URL(string: "https://example.org/a?b=c")
    sample.amount = Decimal(string: "12345678901234567890.123456789")
    sample.boxed = 42
    try context.save()
    context.refresh(sample, mergeChanges: false)
    XCTAssertTrue(sample.isFault)
    XCTAssertEqual(sample.text, "Zwölf Boxkämpfer \u{1F98A}\u{0}end")
    XCTAssertEqual(sample.plainText, "")
    XCTAssertEqual(sample.small, -32_768)
    XCTAssertEqual(sample.wide, .max)
    XCTAssertTrue(sample.flag)
    XCTAssertEqual(sample.real, .pi)
    XCTAssertEqual(sample.single, 1.5)
    XCTAssertEqual(sample.date, date)
    XCTAssertEqual(sample.bytes, Data([0, 255, 7]))
    XCTAssertEqual(sample.uuid, uuid)
    XCTAssertEqual(sample.link?.absoluteString, "https://example.org/a?b=c")
    XCTAssertEqual(sample.amount, Decimal(string: "12345678901234567890.123456789"))
    XCTAssertEqual(sample.boxed, 42)
  }

  func testAClassThatIsPrivateToItsFileMayStandBesideOtherModels() throws {
    let entity = NSEntityDescription()
    entity.name = "Other"
    let other = NSManagedObjectModel()
    other.entities = [entity]
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: other)
    let container = try container()
    XCTAssertEqual(Sample(context: container.viewContext).entity.name, "Sample")
    withExtendedLifetime(coordinator) {}
  }

  func testEmptySlotsReadAsNilOrAsZero() throws {
    let container = try container()
    let sample = Sample(context: container.viewContext)
    XCTAssertNil(sample.text)
    XCTAssertEqual(sample.plainText, "")
    XCTAssertEqual(sample.wide, 0)
    XCTAssertFalse(sample.flag)
    XCTAssertNil(sample.date)
    XCTAssertNil(sample.amount)
    XCTAssertNil(sample.boxed)
  }

  func testAValueOfTheWrongTypeIsNotTakenForAnother() {
    XCTAssertNil(Value("twelve", type: .integer64AttributeType))
    XCTAssertNil(Value(12, type: .stringAttributeType))
    XCTAssertEqual(Value(Optional<Int>.none as Any, type: .integer64AttributeType), .null)
    XCTAssertEqual(Value(NSNumber(value: true), type: .booleanAttributeType), .integer(1))
    XCTAssertEqual(Value(7, type: .doubleAttributeType), .double(7))
  }
}
