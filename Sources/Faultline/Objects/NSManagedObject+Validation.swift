import Foundation

extension NSManagedObject {
  /// Checks every property: whether it may be nil, how many members it has, its predicates, and
  /// what an override of `validateValue(_:forKey:)` says; and that no change points at a deleted
  /// object.
  ///
  /// One failure is thrown as it is, several as one error that lists them.
  func validateProperties() throws {
    if state.contains(.inaccessible) { return }
    var errors = danglingReferences()
    do { try validateValues() } catch { errors.append(error) }
    try NSManagedObject.throwTogether(errors)
  }

  /// An error 1550 for each to-one relationship that was made to point at an object which is
  /// deleted by now, where no delete rule let go of it or forbids the deletion.
  private func danglingReferences() -> [any Error] {
    var errors: [any Error] = []
    for slot in layout.relationshipSlots {
      // Most references lead to a living object and need no search.
      if case .object(let named)? = own?[slot], named.isLiving { continue }
      // An object that has left may be registered again, and be known to have no row. A merge
      // leaves a key here until the reference is read.
      guard let key = own?[slot]?.referenceKey, isInserted || isChanged(slot),
        let destination = layout.slots[slot].destination,
        let other = registry?.objects.member(table: destination.rootNumber, key: key),
        other.isDeleted
      else { continue }
      let inverse = layout.slots[slot].inverse.map { other.layout.slots[$0] }
      if inverse?.deleteRule == .denyDeleteRule { continue }
      errors.append(
        validationError(
          NSManagedObjectValidationError, slot, other, nil,
          "Dangling reference to an invalid object."))
    }
    return errors
  }

  private func validateValues() throws {
    if OverrideCheck.overridesValidateValue(type(of: self)) {
      return try validateAll(layout.slots.indices, validateValue)
    }
    if !isRealised { fulfill(triggeredBy: nil) }
    // Most objects have nothing else to check and pass here.
    if !layout.hasChecks { return }
    let isComplete = !layout.mandatorySlots.contains(where: isEmpty)
    if isComplete, layout.countedSlots.isEmpty, layout.predicateSlots.isEmpty { return }
    let checked = layout.mandatorySlots + layout.countedSlots + layout.predicateSlots
    try validateAll(Set(checked).sorted()) { slot in
      if layout.slots[slot].kind != .toMany, isEmpty(slot) { return try validate(nil, slot) }
      try validate(plainValue(slot), slot)
    }
  }

  /// Checks what a store takes of a record that nobody validates: that each attribute which must
  /// have a value has one.
  func validateMandatoryAttributes() throws {
    for slot in layout.mandatorySlots where !layout.slots[slot].isRelationship && isEmpty(slot) {
      let description = layout.slots[slot]
      if description.isColumn || layout.composites[slot] != nil { try validate(nil, slot) }
    }
  }

  private func validateAll(
    _ slots: some Sequence<Int>, _ check: (Int) throws -> Void
  ) throws {
    var errors: [any Error] = []
    for slot in slots {
      do { try check(slot) } catch { errors.append(error) }
    }
    try NSManagedObject.throwTogether(errors)
  }

  /// Whether a slot holds nothing, nor any element of a composite; makes no value of what the row
  /// has packed.
  private func isEmpty(_ slot: Int) -> Bool {
    let isNull = own?[slot]?.isNull ?? row.map { $0.tag(slot) == .null } ?? true
    return isNull && (layout.composites[slot] ?? []).allSatisfy(isEmpty)
  }

  /// Whether a slot is an element of a composite that is nil itself.
  private func isMissing(_ slot: Int) -> Bool {
    layout.composites.first { $0.value.contains(slot) }.map { isEmpty($0.key) } ?? false
  }

  /// Asks `validateValue(_:forKey:)` about a property and takes the value it leaves.
  private func validateValue(_ slot: Int) throws {
    let description = layout.slots[slot]
    // An element is no property that an override could know.
    if layout.composite(holding: slot) != nil { return try validate(plainValue(slot), slot) }
    if description.kind == .toMany {
      // Members without limits are not loaded only to be looked at.
      let isLimited = layout.countedSlots.contains(slot) || layout.predicateSlots.contains(slot)
      if !isLimited, hasFault(forRelationshipNamed: description.name) { return }
    }
    let old = plainValue(slot)
    var value = old
    try validateValue(&value, forKey: description.name)
    if !Self.isSame(old, value) { setValue(value, forKey: description.name) }
  }

  private static func isSame(_ old: Any?, _ new: Any?) -> Bool {
    switch (old.flattened, new.flattened) {
    case (nil, nil): true
    case (let old as NSObject, let new as NSObject): old === new || old.isEqual(new)
    case (let old as AnyHashable, let new as AnyHashable): old == new
    default: false
    }
  }

  /// What `validateValue(_:forKey:)` checks by itself.
  func validate(_ value: Any?, _ slot: Int) throws {
    let description = layout.slots[slot]
    let value = value.flattened is NSNull ? nil : value.flattened
    if description.kind == .toMany {
      try validateCount(objects(in: value, slot).count, slot, value)
    } else if value == nil {
      if description.isOptional || isMissing(slot) { return }
      throw validationError(NSValidationMissingMandatoryPropertyError, slot, nil)
    }
    try validatePredicates(value, slot)
  }

  private func validatePredicates(_ value: Any?, _ slot: Int) throws {
    guard let value else { return }
    let property = layout.slots[slot].property
    var errors: [any Error] = []
    for (predicate, warning) in zip(property.validationPredicates, property.validationWarnings)
    where !predicate.evaluate(with: value) {
      let code = (warning as? Int) ?? (warning as? NSNumber)?.intValue
      errors.append(
        validationError(
          code ?? NSManagedObjectValidationError, slot, value, predicate, warning as? String))
    }
    try NSManagedObject.throwTogether(errors)
  }

  /// Checks that no relationship with the deny rule still has a destination.
  func validateDeletion() throws {
    if state.contains(.inaccessible) { return }
    for slot in layout.relationshipSlots where layout.slots[slot].deleteRule == .denyDeleteRule {
      let remaining =
        layout.slots[slot].kind == .toMany
        ? members(slot).filter(\.isLiving)
        : Set(destination(slot).map { [$0] } ?? [])
          .filter { !$0.isDeleted }
      if !remaining.isEmpty {
        throw validationError(
          NSValidationRelationshipDeniedDeleteError, slot, NSSet(array: Array(remaining)))
      }
    }
  }

  private func validateCount(_ count: Int, _ slot: Int, _ value: Any?) throws {
    let description = layout.slots[slot]
    if count == 0, description.isOptional { return }
    if count < description.minCount {
      throw validationError(NSValidationRelationshipLacksMinimumCountError, slot, value)
    }
    if description.maxCount > 0, count > description.maxCount {
      throw validationError(NSValidationRelationshipExceedsMaximumCountError, slot, value)
    }
  }

  private func validationError(
    _ code: Int, _ slot: Int, _ value: Any?, _ predicate: NSPredicate? = nil, _ text: String? = nil
  ) -> CocoaError {
    let name = layout.slots[slot].name
    var info: [String: Any] = [
      NSValidationObjectErrorKey: self, NSValidationKeyErrorKey: name,
      NSLocalizedDescriptionKey: ValidationText.text(
        code, own: text, property: name, of: layout.entity),
    ]
    info[NSValidationValueErrorKey] = value
    info[NSValidationPredicateErrorKey] = predicate
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
        NSDetailedErrorsKey: flat, NSLocalizedDescriptionKey: ValidationText.several,
      ])
  }
}
