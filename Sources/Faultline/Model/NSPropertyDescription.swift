import Foundation

/// A property of an entity: what attributes and relationships have in common.
open class NSPropertyDescription: NSObject {
  /// The name of the property.
  open var name: String = "" { didSet { refuseIfFrozen() } }
  /// Whether nil is a valid value.
  open var isOptional = true { didSet { refuseIfFrozen() } }
  /// Whether the value is left out of the store.
  open var isTransient = false { didSet { refuseIfFrozen() } }
  /// Facts of the application's own.
  open var userInfo: [AnyHashable: Any]?
  /// A word that changes the version hash where nothing else in the property does.
  open var versionHashModifier: String? { didSet { refuseIfFrozen() } }
  /// The name in the version before, where it was another one; the name itself if nobody said.
  open var renamingIdentifier: String? {
    get { renamedFrom ?? name }
    set { renamedFrom = newValue }
  }
  private(set) var renamedFrom: String? { didSet { refuseIfFrozen() } }
  /// Whether searches of the whole system may find the value; recorded only.
  open var isIndexedBySpotlight = false
  /// What a value must satisfy; nil is not asked about.
  open private(set) var validationPredicates: [NSPredicate] = []
  /// What is said where a predicate of the same index fails: a text, or an error code as a number.
  open private(set) var validationWarnings: [Any] = []
  /// The entity that declares the property.
  open internal(set) unowned(unsafe) var entity: NSEntityDescription
  /// Whether the property belongs to an entity yet.
  private(set) var hasEntity = false

  /// Makes a property without a name.
  public override init() {
    entity = NSEntityDescription.none
    super.init()
  }

  /// Sets what a value must satisfy and, for each predicate, what is said where it does not: a
  /// text, which goes with error 1550, or the code of the error (1610 to 1690) as a number.
  open func setValidationPredicates(
    _ validationPredicates: [NSPredicate]?, withValidationWarnings validationWarnings: [Any]?
  ) {
    refuseIfFrozen()
    guard validationPredicates?.count ?? 0 == validationWarnings?.count ?? 0 else {
      ProgrammerError.stop(
        "NSInvalidArgumentException: property \(name) was given "
          + "\(validationPredicates?.count ?? 0) validation predicates and "
          + "\(validationWarnings?.count ?? 0) warnings; give as many of these as of those.")
    }
    self.validationPredicates = validationPredicates ?? []
    self.validationWarnings = validationWarnings ?? []
  }

  /// Lets the property go from its entity, so that it can become one of another.
  func detach() {
    entity = NSEntityDescription.none
    hasEntity = false
  }

  /// Makes the property one of an entity; it cannot be one of another too.
  func attach(to entity: NSEntityDescription) {
    if hasEntity, self.entity !== entity {
      ProgrammerError.stop(
        "NSInvalidArgumentException: property \(name) belongs to entity "
          + "\(self.entity.name ?? "?"); "
          + "make a property of its own for \(entity.name ?? "?").")
    }
    self.entity = entity
    hasEntity = true
  }

  /// Stops if the model is in use.
  func refuseIfFrozen() {
    if hasEntity { entity.refuseIfFrozen() }
  }
}
