import CSwiftRuntime
import Foundation

/// The class that represents an entity, as far as it is known.
struct ClassChoice {
  /// The class, once it was found or used.
  var found: AnyClass?
  /// Whether it was looked for; then there is none of the name, or there are several.
  var isSearched = false
}

extension EntityLayout {
  /// The class whose instances represent the entity.
  ///
  /// The name is looked up the first time. Of several classes with a bare name, which only their
  /// modules tell apart, the one that is used first registers itself.
  var objectClass: NSManagedObject.Type {
    let known = classStorage.withLock { $0 }
    if let found = known.found as? NSManagedObject.Type { return found }
    let name = entity.managedObjectClassName ?? "NSManagedObject"
    if known.isSearched || name == "NSManagedObject" { return NSManagedObject.self }
    let found = classes(named: name)
    if found.isEmpty {
      StandardError.write(
        "CoreData: warning: Unable to load class named '\(name)' for entity '\(self.name)'. Class "
          + "not found, using default NSManagedObject instead.")
    }
    return classStorage.withLock { choice in
      choice.isSearched = true
      if choice.found == nil, found.count == 1 { choice.found = found[0] }
      return choice.found as? NSManagedObject.Type ?? NSManagedObject.self
    }
  }

  /// Whether instances of the class represent the entity, by the class's name, and by that of its
  /// module if the entity names one.
  func isRepresented(by type: NSManagedObject.Type) -> Bool {
    let name = entity.managedObjectClassName ?? "NSManagedObject"
    // `NSStringFromClass` ends the process for a class that is private to its file.
    let full = String(reflecting: type)
    let words = name.split(separator: ".")
    if name == full { return true }
    return words.last.map(String.init) == String(describing: type)
      && (words.count == 1 || words.first == full.split(separator: ".").first)
  }

  /// The classes of managed objects that a name, with or without a module, may mean.
  private func classes(named name: String) -> [NSManagedObject.Type] {
    LoadedClasses.named(name.split(separator: ".").last.map(String.init) ?? name)
      .compactMap { $0 as? NSManagedObject.Type }.filter(isRepresented)
  }
}

/// The classes of the process by their bare names, which Foundation on Linux cannot look for.
private enum LoadedClasses {
  private final class Search {
    let name: String
    var found: [UnsafePointer<faultline_type>] = []
    init(_ name: String) { self.name = name }
  }

  /// Every class of a name, whatever its module.
  static func named(_ name: String) -> [AnyClass] {
    let search = Search(name)
    swift_enumerateAllMetadataSections(
      { image, context in
        guard let image, let context else { return true }
        let search = Unmanaged<Search>.fromOpaque(context).takeUnretainedValue()
        let count = Int(image.pointee.types_length) / MemoryLayout<Int32>.stride
        for index in 0..<count {
          guard let type = faultline_class(image.pointee.types + index) else { continue }
          if strcmp(faultline_class_name(type), search.name) == 0 { search.found.append(type) }
        }
        return true
      }, Unmanaged.passUnretained(search).toOpaque())
    return search.found.compactMap { type in
      faultline_class_metadata(type).map { unsafeBitCast($0, to: AnyClass.self) }
    }
  }
}
