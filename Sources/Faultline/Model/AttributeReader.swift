import Foundation

/// Makes attributes of the elements of a model file.
struct AttributeReader {
  /// What is unwise in the attributes that were read.
  private(set) var warnings: [ModelError] = []
  private let composites: [String: ModelElement]
  private var depth = 0

  /// Makes a reader that knows the composites of a model.
  init(_ composites: [String: ModelElement]) { self.composites = composites }

  private static let types: [String: NSAttributeType] = [
    "Undefined": .undefinedAttributeType, "Integer 16": .integer16AttributeType,
    "Integer 32": .integer32AttributeType, "Integer 64": .integer64AttributeType,
    "Decimal": .decimalAttributeType, "Double": .doubleAttributeType,
    "Float": .floatAttributeType, "String": .stringAttributeType,
    "Boolean": .booleanAttributeType, "Date": .dateAttributeType,
    "Binary": .binaryDataAttributeType, "UUID": .UUIDAttributeType, "URI": .URIAttributeType,
    "Transformable": .transformableAttributeType, "Composite": .compositeAttributeType,
  ]

  /// More composites than anybody ever put into each other.
  private static let depthMax = 8

  /// The attribute that an element describes, all but what every property has.
  mutating func attribute(_ element: ModelElement) throws(ModelError) -> NSAttributeDescription {
    let typeName = element["attributeType"] ?? "Undefined"
    guard let type = Self.types[typeName] else {
      throw refusal(element, "has the unknown type \(typeName)")
    }
    if type == .undefinedAttributeType, !element.flag("transient") {
      throw refusal(element, "has no type; only a transient one can do without")
    }
    let attribute: NSAttributeDescription
    if type == .compositeAttributeType {
      attribute = try composite(element)
    } else if element.flag("derived") {
      let derived = NSDerivedAttributeDescription()
      derived.derivationExpression = try derivation(element)
      attribute = derived
    } else {
      attribute = NSAttributeDescription()
    }
    attribute.attributeType = type
    attribute.valueTransformerName = element["valueTransformerName"]
    attribute.attributeValueClassName = element["customClassName"]
    attribute.allowsExternalBinaryDataStorage = element.flag("allowsExternalBinaryDataStorage")
    attribute.preservesValueInHistoryOnDeletion = element.flag("preserveAfterDeletion")
    attribute.defaultValue = defaultValue(element, type)
    try addValidation(to: attribute, element)
    return attribute
  }

  private func derivation(_ element: ModelElement) throws(ModelError) -> NSExpression {
    let text = element["derivationExpression"] ?? ""
    do throws(PredicateSyntaxError) {
      return try NSExpression.read(text)
    } catch {
      throw refusal(
        element,
        "is derived by an expression that cannot be read at character \(error.offset + 1): "
          + error.reason)
    }
  }

  /// The composite of an element: it names the list of its attributes, or has them inside it.
  private mutating func composite(
    _ element: ModelElement
  ) throws(ModelError) -> NSCompositeAttributeDescription {
    let name = element["elementName"] ?? element["compositeName"] ?? element["name"] ?? ""
    let inside = element.all("attribute")
    let parts = inside.isEmpty ? composites[name]?.all("attribute") ?? [] : inside
    if parts.isEmpty { throw refusal(element, "is of the composite \(name), which is not there") }
    depth += 1
    defer { depth -= 1 }
    if depth > Self.depthMax { throw refusal(element, "holds itself") }
    let composite = NSCompositeAttributeDescription()
    var names = Set<String>()
    for part in parts {
      try ModelReader.check(part, isProperty: true)
      let attribute = try self.attribute(part)
      attribute.name = part["name"] ?? ""
      attribute.isOptional = part.flag("optional")
      if !names.insert(attribute.name).inserted {
        throw refusal(element, "has two elements named \(attribute.name)")
      }
      composite.elements.append(attribute)
    }
    return composite
  }

  // MARK: Default values

  /// The default value; one that does not fit is left behind by a change of the type in the editor,
  /// and counts as zero, or as none.
  private mutating func defaultValue(_ element: ModelElement, _ type: NSAttributeType) -> Any? {
    let key = type == .dateAttributeType ? "defaultDateTimeInterval" : "defaultValueString"
    guard let text = element[key] else { return nil }
    if let value = Self.value(text, type) { return value }
    if text.isEmpty { return nil }
    warnings.append(
      refusal(element, "has the default value \"\(text)\", which does not fit its type"))
    return Self.value("0", type) as? NSNumber
  }

  /// The value of a type that a text stands for; nil if it stands for none.
  private static func value(_ text: String, _ type: NSAttributeType) -> Any? {
    switch type {
    case .integer16AttributeType:
      return whole(text).flatMap { Int16(exactly: $0) }.map { NSNumber(value: $0) }
    case .integer32AttributeType:
      return whole(text).flatMap { Int32(exactly: $0) }.map { NSNumber(value: $0) }
    case .integer64AttributeType: return whole(text).map { NSNumber(value: $0) }
    case .decimalAttributeType:
      let number = finite(text).map { _ in NSDecimalNumber(string: text) }
      return number == .notANumber ? nil : number
    case .doubleAttributeType: return finite(text).map { NSNumber(value: $0) }
    case .floatAttributeType:
      return finite(text).flatMap { Float($0).isFinite ? NSNumber(value: $0) : nil }
    case .stringAttributeType: return text
    case .booleanAttributeType:
      if ["YES", "true", "1"].contains(text) { return NSNumber(value: true) }
      return ["NO", "false", "0"].contains(text) ? NSNumber(value: false) : nil
    case .dateAttributeType: return finite(text).map(Date.init(timeIntervalSinceReferenceDate:))
    case .UUIDAttributeType: return UUID(uuidString: text)
    case .URIAttributeType: return URL(string: text)
    case .binaryDataAttributeType, .transformableAttributeType, .undefinedAttributeType,
      .objectIDAttributeType, .compositeAttributeType:
      return nil
    }
  }

  /// A whole number, which the editor may have left with a point and zeros.
  private static func whole(_ text: String) -> Int64? {
    Int64(text) ?? finite(text).flatMap { Int64(exactly: $0) }
  }

  /// A number in decimal notation, which is all that the editor writes.
  private static func finite(_ text: String) -> Double? {
    guard !text.contains(where: { "xX".contains($0) }) else { return nil }
    return Double(text).flatMap { $0.isFinite ? $0 : nil }
  }

  // MARK: Validation

  /// Turns the limits of the editor into predicates with Core Data's error codes.
  private func addValidation(
    to attribute: NSAttributeDescription, _ element: ModelElement
  ) throws(ModelError) {
    var rules: [(predicate: NSPredicate, code: Int)] = []
    func limit(_ key: String, _ format: String, _ code: Int) throws(ModelError) {
      guard let text = element[key], !text.isEmpty else { return }
      let isText = attribute.attributeType == .stringAttributeType
      let type = isText ? .integer64AttributeType : attribute.attributeType
      guard let limit = Self.value(text, type) else {
        throw refusal(element, "has the \(key) \"\(text)\", which does not fit its type")
      }
      rules.append((NSPredicate(format: format, limit), code))
    }
    switch attribute.attributeType {
    case .dateAttributeType:
      try limit("minDateTimeInterval", "SELF >= %@", 1640)
      try limit("maxDateTimeInterval", "SELF <= %@", 1630)
    case .stringAttributeType:
      try limit("minValueString", "length >= %@", 1670)
      try limit("maxValueString", "length <= %@", 1660)
      if let pattern = element["regularExpressionString"], !pattern.isEmpty {
        guard (try? NSRegularExpression(pattern: pattern)) != nil else {
          throw refusal(element, "has a regular expression that cannot be read: \(pattern)")
        }
        rules.append((NSPredicate(format: "SELF MATCHES %@", pattern), 1680))
      }
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
      .decimalAttributeType, .doubleAttributeType, .floatAttributeType:
      try limit("minValueString", "SELF >= %@", 1620)
      try limit("maxValueString", "SELF <= %@", 1610)
    default: break
    }
    if rules.isEmpty { return }
    attribute.setValidationPredicates(
      rules.map(\.predicate), withValidationWarnings: rules.map(\.code))
  }

  private func refusal(_ element: ModelElement, _ reason: String) -> ModelError {
    ModelError("Attribute \(element["name"] ?? "?") \(reason).", line: element.line)
  }
}
