/// What is said of a property that is not valid: Core Data's sentences, in the words of the model.
///
/// The model's `localizationDictionary` may have another name for the property, under
/// `Property/title/Entity/Article` or `Property/title`, and another sentence, under
/// `ErrorString/` and the sentence as it is here.
enum ValidationText {
  /// What is said where several validations failed.
  static let several = "Multiple validation errors occurred."

  /// What stands for the name of the property in a sentence.
  private static let place = "%{PROPERTY}@"

  /// The sentence for an error code, or `own`, what the model says where its predicate fails.
  static func text(
    _ code: Int, own: String?, property: String, of entity: NSEntityDescription
  ) -> String {
    let words = entity.managedObjectModel?.localizationDictionary ?? [:]
    let sentence = own ?? sentence(code)
    let name =
      words["Property/\(property)/Entity/\(entity.name ?? "")"] ?? words["Property/\(property)"]
    return (words["ErrorString/\(sentence)"] ?? sentence).replacing(place, with: name ?? property)
  }

  /// The sentence for an error code.
  private static func sentence(_ code: Int) -> String {
    switch code {
    case NSValidationMissingMandatoryPropertyError: "\(place) is a required value."
    case NSValidationRelationshipLacksMinimumCountError: "Too few items in \(place)."
    case NSValidationRelationshipExceedsMaximumCountError: "Too many items in \(place)."
    case NSValidationRelationshipDeniedDeleteError: "Items cannot be deleted from \(place)."
    case NSValidationNumberTooLargeError: "\(place) is too large."
    case NSValidationNumberTooSmallError: "\(place) is too small."
    case NSValidationDateTooLateError: "\(place) is too late."
    case NSValidationDateTooSoonError: "\(place) is too soon."
    case NSValidationStringTooLongError: "\(place) is too long."
    case NSValidationStringTooShortError: "\(place) is too short."
    case NSValidationInvalidDateError, NSValidationStringPatternMatchingError:
      "\(place) is invalid."
    default: "\(place) is not valid."
    }
  }
}
