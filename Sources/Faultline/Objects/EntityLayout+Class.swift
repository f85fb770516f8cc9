import Foundation

extension EntityLayout {
  /// The class whose instances represent the entity.
  ///
  /// The name of the class is looked up the first time; a class that was used before under that
  /// name has registered itself, because Linux cannot find a class by its unqualified name.
  var objectClass: NSManagedObject.Type {
    if let found = classStorage.withLock({ $0 }) as? NSManagedObject.Type { return found }
    let name = entity.managedObjectClassName ?? "NSManagedObject"
    let found = Self.namedClass(name) ?? NSManagedObject.self
    if found != NSManagedObject.self || name == "NSManagedObject" {
      classStorage.withLock { $0 = found }
    }
    return found
  }

  /// Whether instances of the class represent the entity, by the class's name.
  func isRepresented(by type: NSManagedObject.Type) -> Bool {
    let name = entity.managedObjectClassName ?? "NSManagedObject"
    // `NSStringFromClass` ends the process for a class that is private to its file.
    return name == String(reflecting: type)
      || name.split(separator: ".").last.map(String.init) == String(describing: type)
  }

  private static func namedClass(_ name: String) -> NSManagedObject.Type? {
    NSClassFromString(name) as? NSManagedObject.Type
  }
}
