// The names are Core Data's own.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Foundation

/// The type of an attribute's values, with Core Data's raw values.
public enum NSAttributeType: UInt, Sendable {
  case undefinedAttributeType = 0
  case integer16AttributeType = 100
  case integer32AttributeType = 200
  case integer64AttributeType = 300
  case decimalAttributeType = 400
  case doubleAttributeType = 500
  case floatAttributeType = 600
  case stringAttributeType = 700
  case booleanAttributeType = 800
  case dateAttributeType = 900
  case binaryDataAttributeType = 1000
  case UUIDAttributeType = 1100
  case URIAttributeType = 1200
  case transformableAttributeType = 1800
  case objectIDAttributeType = 2000
  case compositeAttributeType = 2100
}

extension NSAttributeType {
  /// The name of the class of Foundation that values of the type have; nil if there is not one.
  fileprivate var className: String? {
    switch self {
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
      .doubleAttributeType, .floatAttributeType, .booleanAttributeType:
      "NSNumber"
    case .decimalAttributeType: "NSDecimalNumber"
    case .stringAttributeType: "NSString"
    case .dateAttributeType: "NSDate"
    case .binaryDataAttributeType: "NSData"
    case .UUIDAttributeType: "NSUUID"
    case .URIAttributeType: "NSURL"
    case .undefinedAttributeType, .transformableAttributeType, .objectIDAttributeType,
      .compositeAttributeType:
      nil
    }
  }
}

/// An attribute of an entity.
open class NSAttributeDescription: NSPropertyDescription {
  /// The type of the attribute's values.
  public struct AttributeType: Hashable, Sendable {
    /// The type as the older enumeration names it.
    public let rawValue: NSAttributeType
    /// Any value; a transient attribute only.
    public static let undefined = AttributeType(rawValue: .undefinedAttributeType)
    /// A 16-bit integer.
    public static let integer16 = AttributeType(rawValue: .integer16AttributeType)
    /// A 32-bit integer.
    public static let integer32 = AttributeType(rawValue: .integer32AttributeType)
    /// A 64-bit integer.
    public static let integer64 = AttributeType(rawValue: .integer64AttributeType)
    /// A decimal number.
    public static let decimal = AttributeType(rawValue: .decimalAttributeType)
    /// A double-precision number.
    public static let double = AttributeType(rawValue: .doubleAttributeType)
    /// A single-precision number.
    public static let float = AttributeType(rawValue: .floatAttributeType)
    /// Text.
    public static let string = AttributeType(rawValue: .stringAttributeType)
    /// True or false.
    public static let boolean = AttributeType(rawValue: .booleanAttributeType)
    /// An instant.
    public static let date = AttributeType(rawValue: .dateAttributeType)
    /// Bytes.
    public static let binaryData = AttributeType(rawValue: .binaryDataAttributeType)
    /// A universally unique identifier.
    public static let uuid = AttributeType(rawValue: .UUIDAttributeType)
    /// A uniform resource identifier.
    public static let uri = AttributeType(rawValue: .URIAttributeType)
    /// Any value that a value transformer makes data of.
    public static let transformable = AttributeType(rawValue: .transformableAttributeType)
    /// Several attributes under one name, as a dictionary.
    public static let composite = AttributeType(rawValue: .compositeAttributeType)
  }

  /// The type of the values.
  open var attributeType: NSAttributeType = .undefinedAttributeType { didSet { refuseIfFrozen() } }
  /// The value a new object begins with.
  open var defaultValue: Any? { didSet { refuseIfFrozen() } }

  /// The name of the transformer of a transformable attribute; nil means the secure one, which
  /// archives property-list classes.
  open var valueTransformerName: String? { didSet { refuseIfFrozen() } }

  /// The name of the class of the values, by the type unless another was set; it is there to be
  /// read, by generators and importers.
  open var attributeValueClassName: String? {
    get { valueClassName ?? attributeType.className }
    set { valueClassName = newValue }
  }
  /// The name of the class that was set.
  var valueClassName: String? { didSet { refuseIfFrozen() } }

  /// Whether long data may lie in files of its own; here it always lies in the row.
  open var allowsExternalBinaryDataStorage = false { didSet { refuseIfFrozen() } }

  /// Whether the history of a deletion keeps the value.
  open var preservesValueInHistoryOnDeletion = false { didSet { refuseIfFrozen() } }

  /// The type of the values, in the newer spelling.
  public var type: AttributeType {
    get { AttributeType(rawValue: attributeType) }
    set { attributeType = newValue.rawValue }
  }
}

/// An attribute that is made of others, whose values it holds as a dictionary by name.
open class NSCompositeAttributeDescription: NSAttributeDescription {
  /// The attributes that it is made of.
  open var elements: [NSAttributeDescription] = [] { didSet { refuseIfFrozen() } }

  /// Makes a composite of nothing.
  public override init() {
    super.init()
    attributeType = .compositeAttributeType
  }
}

/// An attribute whose value is computed of others when its object is saved.
open class NSDerivedAttributeDescription: NSAttributeDescription {
  /// What the value is computed of: a property, also one of a to-one destination; `canonical:`,
  /// `lowercase:` or `uppercase:` of one; `@count` or another operator of a to-many relationship;
  /// `now()`.
  open var derivationExpression: NSExpression? { didSet { refuseIfFrozen() } }
}
