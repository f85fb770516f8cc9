import Foundation

/// A column that a fetch computes: a name for an expression in the dictionaries of its result.
open class NSExpressionDescription: NSPropertyDescription {
  /// What is computed.
  open var expression: NSExpression?
  /// The type of what is computed.
  open var expressionResultType = NSAttributeType.undefinedAttributeType

  /// The type of what is computed, by its newer name.
  open var resultType: NSAttributeDescription.AttributeType {
    get { NSAttributeDescription.AttributeType(rawValue: expressionResultType) }
    set { expressionResultType = newValue.rawValue }
  }
}
