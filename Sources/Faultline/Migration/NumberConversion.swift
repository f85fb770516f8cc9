/// What becomes of numbers whose attribute has another type of number in the next version.
///
/// What a whole number cannot hold is cut off: a fraction, and what is beyond its limits.
enum NumberConversion {
  /// Whether values of a type are numbers, which one type takes from another.
  static func takes(_ type: NSAttributeType) -> Bool {
    switch type {
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
      .decimalAttributeType, .doubleAttributeType, .floatAttributeType, .booleanAttributeType:
      true
    case .undefinedAttributeType, .stringAttributeType, .dateAttributeType,
      .binaryDataAttributeType, .UUIDAttributeType, .URIAttributeType, .transformableAttributeType,
      .objectIDAttributeType, .compositeAttributeType:
      false
    }
  }

  /// The expression of a column's value as another type has it.
  static func expression(_ column: String, from old: Slot.Kind, to new: Slot.Kind) -> String {
    guard case .attribute(let former) = old, case .attribute(let type) = new, former != type,
      takes(former), takes(type), former != .booleanAttributeType
    else { return column }
    switch type {
    case .booleanAttributeType: return "\(column) <> 0"
    case .integer16AttributeType: return whole(column, Int64(Int16.min), Int64(Int16.max))
    case .integer32AttributeType:
      return former == .integer16AttributeType
        ? column : whole(column, Int64(Int32.min), Int64(Int32.max))
    case .integer64AttributeType:
      let isWhole = [.integer16AttributeType, .integer32AttributeType].contains(former)
      return isWhole ? column : "CAST(\(column) AS INTEGER)"
    case .doubleAttributeType, .floatAttributeType:
      return former == .floatAttributeType ? column : "CAST(\(column) AS REAL)"
    default: return column
    }
  }

  private static func whole(_ column: String, _ least: Int64, _ greatest: Int64) -> String {
    "MAX(\(least), MIN(\(greatest), CAST(\(column) AS INTEGER)))"
  }
}
