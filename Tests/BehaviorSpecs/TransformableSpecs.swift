import CoreData
import Foundation
import XCTest

/// A value of a class of one's own, for a transformable attribute.
final class Colour: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  /// How red, 0 to 255.
  var red: Int

  /// A colour.
  init(red: Int) { self.red = red }

  init?(coder: NSCoder) { red = coder.decodeInteger(forKey: "red") }

  func encode(with coder: NSCoder) { coder.encode(red, forKey: "red") }

  override func isEqual(_ object: Any?) -> Bool { (object as? Colour)?.red == red }
  override var hash: Int { red }
}

#if FAULTLINE
  extension Colour: TransformableValue {}
#endif

/// Allows colours.
private final class ColourTransformer: NSSecureUnarchiveFromDataTransformer {
  override class var allowedTopLevelClasses: [AnyClass] { [Colour.self] }
}

/// A value that holds values of other classes.
final class Palette: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  /// When it was mixed.
  let date: NSDate
  /// How red its colours are.
  let reds: NSArray

  /// A palette.
  init(date: NSDate, reds: NSArray) { (self.date, self.reds) = (date, reds) }

  init?(coder: NSCoder) {
    let reds = coder.decodeObject(of: [NSArray.self, NSNumber.self], forKey: "reds") as? NSArray
    guard let date = coder.decodeObject(of: NSDate.self, forKey: "date"), let reds else {
      return nil
    }
    (self.date, self.reds) = (date, reds)
  }

  func encode(with coder: NSCoder) {
    coder.encode(date, forKey: "date")
    coder.encode(reds, forKey: "reds")
  }
}

/// Allows palettes.
private final class PaletteTransformer: NSSecureUnarchiveFromDataTransformer {
  override class var allowedTopLevelClasses: [AnyClass] { [Palette.self] }
}

/// Makes the data of a text itself.
private final class RawTextTransformer: ValueTransformer {
  override func transformedValue(_ value: Any?) -> Any? { (value as? String).map { Data($0.utf8) } }
  override func reverseTransformedValue(_ value: Any?) -> Any? {
    (value as? Data).map { String(decoding: $0, as: UTF8.self) }
  }
}

/// Has values of classes that no column holds.
final class Swatch: NSManagedObject {
  /// What it is called.
  @Managed var names: [String]?
  /// A colour.
  @Managed var colour: Colour?
  /// A number beside.
  @Managed var number: Int64
}

/// Transformable and undefined attributes.
final class TransformableSpecs: SpecCase {
  private static let model: NSManagedObjectModel = {
    ValueTransformer.setValueTransformer(
      ColourTransformer(), forName: NSValueTransformerName("Colours"))
    ValueTransformer.setValueTransformer(
      RawTextTransformer(), forName: NSValueTransformerName("RawText"))
    func transformable(_ name: String, _ transformer: String?) -> NSAttributeDescription {
      let attribute = SpecModel.attribute(name, .transformableAttributeType)
      attribute.valueTransformerName = transformer
      return attribute
    }
    let scratch = SpecModel.attribute("scratch", .undefinedAttributeType)
    scratch.isTransient = true
    let model = NSManagedObjectModel()
    model.entities = [
      SpecModel.entity(
        "Swatch", Swatch.self,
        [
          transformable("names", nil), transformable("list", "NSSecureUnarchiveFromData"),
          transformable("colour", "Colours"), transformable("text", "RawText"),
          transformable("words", "NSSecureUnarchiveFromDataTransformer"),
          SpecModel.attribute("bytes", .binaryDataAttributeType), scratch,
          SpecModel.integer("number"),
        ])
    ]
    return model
  }()

  private func swatch() throws -> (swatch: Swatch, context: NSManagedObjectContext) {
    let context = try makeContainer(model: Self.model).viewContext
    return (Swatch(context: context), context)
  }

  func testA70_transformableValuesComeBackAsTheyWent() throws {
    let (swatch, context) = try swatch()
    let date = Date(timeIntervalSinceReferenceDate: 5)
    swatch.names = ["red", "rot"]
    swatch.colour = Colour(red: 200)
    swatch.setValue(["a": [1, 2], "b": date] as NSDictionary, forKey: "list")
    swatch.setValue("raw", forKey: "text")
    swatch.setValue(["named by", "its class"], forKey: "words")
    XCTAssertEqual(swatch.names, ["red", "rot"])
    try context.save()
    context.refresh(swatch, mergeChanges: false)
    XCTAssertEqual(swatch.names, ["red", "rot"])
    XCTAssertEqual(swatch.colour, Colour(red: 200))
    XCTAssertEqual(
      swatch.value(forKey: "list") as? NSDictionary, ["a": [1, 2], "b": date] as NSDictionary)
    XCTAssertEqual(swatch.value(forKey: "text") as? String, "raw")
    XCTAssertEqual(swatch.value(forKey: "words") as? [String], ["named by", "its class"])
    swatch.names = nil
    try context.save()
    context.reset()
    XCTAssertNil(try context.only(Swatch.self).names)
  }

  func testF13_dictionariesHaveTheValueAndNotItsData() throws {
    let (swatch, context) = try swatch()
    swatch.names = ["red"]
    swatch.setValue(Data([1]), forKey: "bytes")
    try context.save()
    let request = NSFetchRequest<NSDictionary>(entityName: "Swatch")
    request.resultType = .dictionaryResultType
    let found = try XCTUnwrap(context.fetch(request).first)
    XCTAssertEqual(found["names"] as? [String], ["red"])
    XCTAssertEqual(found["bytes"] as? Data, Data([1]))
  }

  func testA54_readingATransformableChangesNothing() throws {
    let (swatch, context) = try swatch()
    swatch.colour = Colour(red: 1)
    try context.save()
    context.refresh(swatch, mergeChanges: false)
    let colour = swatch.colour
    XCTAssertIdentical(swatch.colour, colour, "the object keeps what the data turned into")
    XCTAssertFalse(swatch.hasChanges)
    XCTAssertFalse(swatch.hasPersistentChangedValues)
    swatch.colour = Colour(red: 1)
    XCTAssertTrue(swatch.hasChanges)
    XCTAssertFalse(swatch.hasPersistentChangedValues, "an equal value is no change")
    swatch.colour = Colour(red: 2)
    XCTAssertTrue(swatch.hasPersistentChangedValues)
  }

  func testA20_twoContextsHaveAValueEach() throws {
    let container = try makeContainer(model: Self.model)
    let swatch = Swatch(context: container.viewContext)
    swatch.colour = Colour(red: 9)
    try container.viewContext.save()
    let other = try makeMainContext(container).only(Swatch.self)
    XCTAssertEqual(other.colour, swatch.colour)
    XCTAssertNotIdentical(other.colour, swatch.colour)
  }

  func testA69_aChangeInsideATransformableValueIsNotSeen() throws {
    let (swatch, context) = try swatch()
    swatch.colour = Colour(red: 1)
    try context.save()
    swatch.colour?.red = 2
    XCTAssertFalse(context.hasChanges)
    XCTAssertEqual(swatch.colour?.red, 2, "the instance in memory has it")
    swatch.number = 5
    try context.save()
    context.refresh(swatch, mergeChanges: false)
    XCTAssertEqual(swatch.colour?.red, 1, "the file has not")
    swatch.colour?.red = 3
    swatch.colour = swatch.colour
    XCTAssertTrue(swatch.hasPersistentChangedValues)
    try context.save()
    context.refresh(swatch, mergeChanges: false)
    XCTAssertEqual(swatch.colour?.red, 3, "assignment is what counts")
  }

  func testA69_aChangeInsideMutableDataIsNotSeen() throws {
    let (swatch, context) = try swatch()
    let bytes = NSMutableData(data: Data([1]))
    swatch.setValue(bytes, forKey: "bytes")
    try context.save()
    bytes.append(Data([2]))
    XCTAssertFalse(context.hasChanges)
    context.refresh(swatch, mergeChanges: false)
    XCTAssertEqual(swatch.value(forKey: "bytes") as? Data, Data([1]))
    swatch.setValue(bytes, forKey: "bytes")
    try context.save()
    context.refresh(swatch, mergeChanges: false)
    XCTAssertEqual(swatch.value(forKey: "bytes") as? Data, Data([1, 2]))
  }

  func testDataOfAClassThatIsNotAllowedReadsNilAndStaysInTheFile() throws {
    let (swatch, context) = try swatch()
    swatch.colour = Colour(red: 4)
    try context.save()
    let strict = try XCTUnwrap(Self.model.entitiesByName["Swatch"])
    let entity = NSEntityDescription()
    entity.name = "Swatch"
    entity.properties = strict.properties.compactMap { $0 as? NSAttributeDescription }.map {
      let copy = SpecModel.attribute($0.name, $0.attributeType, optional: $0.isOptional)
      copy.isTransient = $0.isTransient
      return copy
    }
    let model = NSManagedObjectModel()
    model.entities = [entity]
    let other = try makeContainer(model: model).viewContext
    let found = try XCTUnwrap(
      other.fetch(NSFetchRequest<NSManagedObject>(entityName: "Swatch")).first)
    XCTAssertNil(found.value(forKey: "colour"))
    found.setValue(1, forKey: "number")
    try other.save()
    context.refresh(swatch, mergeChanges: true)
    XCTAssertEqual(swatch.colour, Colour(red: 4))
  }

  func testOnlyTheClassesAtTheTopNeedToBeAllowed() throws {
    let palette = Palette(date: NSDate(timeIntervalSinceReferenceDate: 5), reds: [1, 2])
    func data(_ value: Any) throws -> Data {
      try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
    }
    let transformer = PaletteTransformer()
    let found = try XCTUnwrap(transformer.transformedValue(data(palette)) as? Palette)
    XCTAssertEqual(found.date, palette.date)
    XCTAssertEqual(found.reds, palette.reds)
    XCTAssertNil(transformer.transformedValue(try data([palette] as NSArray)))
    let plain = NSSecureUnarchiveFromDataTransformer()
    XCTAssertNil(plain.transformedValue(try data(palette)))
    XCTAssertNil(plain.transformedValue(try data([["a": palette] as NSDictionary] as NSArray)))
    XCTAssertEqual(plain.transformedValue(try data(palette.reds)) as? NSArray, [1, 2])
  }

  func testB41_B44_aChildsTransformableReachesTheFile() throws {
    let (swatch, context) = try swatch()
    swatch.names = ["a"]
    try context.save()
    let child = makeMainChild(of: context)
    let inChild = try child.only(Swatch.self)
    XCTAssertEqual(inChild.names, ["a"])
    inChild.names = ["b"]
    try child.save()
    XCTAssertEqual(swatch.names, ["b"])
    try context.save()
    context.reset()
    XCTAssertEqual(try context.only(Swatch.self).names, ["b"])
  }

  func testA70_A73_anUndefinedAttributeHoldsAnythingAndIsNotStored() throws {
    let (swatch, context) = try swatch()
    struct Anything { let number: Int }
    swatch.setValue(Anything(number: 7), forKey: "scratch")
    XCTAssertTrue(swatch.hasChanges)
    XCTAssertEqual((swatch.value(forKey: "scratch") as? Anything)?.number, 7)
    try context.save()
    XCTAssertEqual((swatch.value(forKey: "scratch") as? Anything)?.number, 7)
    context.refresh(swatch, mergeChanges: true)
    XCTAssertNotNil(swatch.value(forKey: "scratch"))
    context.refresh(swatch, mergeChanges: false)
    XCTAssertNil(swatch.value(forKey: "scratch"))
  }
}
