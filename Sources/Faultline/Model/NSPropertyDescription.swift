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
  open var versionHashModifier: String?
  /// The entity that declares the property.
  open internal(set) unowned(unsafe) var entity: NSEntityDescription
  /// Whether the property belongs to an entity yet.
  private(set) var hasEntity = false

  /// Makes a property without a name.
  public override init() {
    entity = NSEntityDescription.none
    super.init()
  }

  /// Makes the property one of an entity; it cannot become one of another.
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
