import Foundation

extension NSManagedObject {
  /// Checks every property; one failure is thrown as it is, several as one error that lists them.
  func validateProperties() throws {
    if state.contains(.inaccessible) { return }
    var errors: [any Error] = []
    for slot in layout.mandatorySlots where read(slot).isNull {
      errors.append(validationError(NSValidationMissingMandatoryPropertyError, slot, nil))
    }
    for slot in layout.countedSlots {
      do { try validateCount(slot) } catch { errors.append(error) }
    }
    try NSManagedObject.throwTogether(errors)
  }

  /// Checks that no relationship with the deny rule still has a destination.
  func validateDeletion() throws {
    if state.contains(.inaccessible) { return }
    for slot in layout.relationshipSlots where layout.slots[slot].deleteRule == .denyDeleteRule {
      let remaining =
        layout.slots[slot].kind == .toMany
        ? members(slot).filter { !$0.isDeleted }
        : Set(destination(slot).map { [$0] } ?? [])
          .filter { !$0.isDeleted }
      if !remaining.isEmpty {
        throw validationError(
          NSValidationRelationshipDeniedDeleteError, slot, NSSet(array: Array(remaining)))
      }
    }
  }

  private func validateCount(_ slot: Int) throws {
    let description = layout.slots[slot]
    let members = members(slot)
    if members.isEmpty, description.isOptional { return }
    let fewest = max(description.minCount, description.isOptional ? 0 : 1)
    if members.count < fewest {
      throw validationError(
        NSValidationRelationshipLacksMinimumCountError, slot, NSSet(array: Array(members)))
    }
    if description.maxCount > 0, members.count > description.maxCount {
      throw validationError(
        NSValidationRelationshipExceedsMaximumCountError, slot, NSSet(array: Array(members)))
    }
  }

  private func validationError(_ code: Int, _ slot: Int, _ value: Any?) -> CocoaError {
    var info: [String: Any] = [
      NSValidationObjectErrorKey: self, NSValidationKeyErrorKey: layout.slots[slot].name,
      NSLocalizedDescriptionKey:
        "\(layout.name).\(layout.slots[slot].name) is not valid (\(code)).",
    ]
    info[NSValidationValueErrorKey] = value
    return CocoaError(CocoaError.Code(rawValue: code), userInfo: info)
  }

  /// Throws nothing, the one error, or an error 1560 that lists all.
  static func throwTogether(_ errors: [any Error]) throws {
    if errors.count == 1 { throw errors[0] }
    guard errors.count > 1 else { return }
    let flat = errors.flatMap { error -> [any Error] in
      let cocoa = error as? CocoaError
      guard cocoa?.code.rawValue == NSValidationMultipleErrorsError else { return [error] }
      return cocoa?.userInfo[NSDetailedErrorsKey] as? [any Error] ?? [error]
    }
    throw CocoaError(
      CocoaError.Code(rawValue: NSValidationMultipleErrorsError),
      userInfo: [
        NSDetailedErrorsKey: flat,
        NSLocalizedDescriptionKey:
          "\(flat.count) validation errors occurred; see NSDetailedErrors.",
      ])
  }
}
