// The names are Foundation's own.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

// Apple's systems have value transformers in Foundation; these stand in for them elsewhere.
#if !canImport(Darwin)

  import Foundation

  /// The name under which a value transformer is registered.
  public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
    /// The name as text.
    public let rawValue: String
    /// Makes a name from text.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Makes a name from text.
    public init(_ rawValue: String) { self.rawValue = rawValue }
    /// The transformer that archives values of a few safe classes.
    public static let secureUnarchiveFromDataTransformerName = NSValueTransformerName(
      "NSSecureUnarchiveFromData")
  }

  /// Turns values into others and, if it can, back.
  ///
  /// A transformable attribute names one: it makes `Data` of the value to be stored, and the value
  /// of the data again. One that inherits from `NSSecureUnarchiveFromDataTransformer` is used the
  /// other way round, as Core Data does.
  open class ValueTransformer: NSObject {
    private static let registered = Lock<[NSValueTransformerName: Entry]>([:])

    private struct Entry: @unchecked Sendable {
      let transformer: ValueTransformer
    }

    /// Makes a transformer.
    public override init() { super.init() }

    /// Registers a transformer under a name.
    public class func setValueTransformer(
      _ transformer: ValueTransformer?, forName name: NSValueTransformerName
    ) {
      let entry = transformer.map(Entry.init)
      registered.withLock { $0[name] = entry }
    }

    /// The names of all registered transformers.
    public class func valueTransformerNames() -> [NSValueTransformerName] {
      registered.withLock { Array($0.keys) }
    }

    /// The transformer registered under a name; the secure one is there without registration, under
    /// its class's name too, as model files have it.
    static func named(_ name: NSValueTransformerName) -> ValueTransformer? {
      registered.withLock { registered in
        if let entry = registered[name] { return entry.transformer }
        guard
          name == .secureUnarchiveFromDataTransformerName
            || name.rawValue == "NSSecureUnarchiveFromDataTransformer"
        else { return nil }
        let transformer = NSSecureUnarchiveFromDataTransformer()
        registered[name] = Entry(transformer: transformer)
        return transformer
      }
    }

    /// The class of transformed values.
    open class func transformedValueClass() -> AnyClass { NSObject.self }
    /// Whether `reverseTransformedValue(_:)` turns values back.
    open class func allowsReverseTransformation() -> Bool { true }
    /// The value that another one turns into.
    open func transformedValue(_ value: Any?) -> Any? { value }
    /// The value that turns into another one.
    open func reverseTransformedValue(_ value: Any?) -> Any? { value }

    /// What is stored of a value; nil if the transformer makes no data of it.
    final func data(of value: Any) -> Data? {
      let isReversed = self is NSSecureUnarchiveFromDataTransformer
      return (isReversed ? reverseTransformedValue(value) : transformedValue(value)) as? Data
    }

    /// The value that data was made of.
    final func value(of data: Data) -> Any? {
      let isReversed = self is NSSecureUnarchiveFromDataTransformer
      return isReversed ? transformedValue(data) : reverseTransformedValue(data)
    }
  }

  // Safe to share: `registered` has its own lock; a transformer keeps no state but what a subclass
  // gives it.

  /// Turns archived data into values of known classes, and such values into data.
  open class NSSecureUnarchiveFromDataTransformer: ValueTransformer {
    /// The classes of which the value, and what the arrays, sets and dictionaries in it hold, may
    /// be; a subclass names its own. What a value of another class holds is checked by that class
    /// when it is decoded.
    open class var allowedTopLevelClasses: [AnyClass] {
      [
        NSArray.self, NSDictionary.self, NSSet.self, NSString.self, NSNumber.self, NSDate.self,
        NSData.self, NSURL.self, NSUUID.self, NSNull.self,
      ]
    }

    /// The value in an archive; nil, and a warning, if the archive has another class in it.
    open override func transformedValue(_ value: Any?) -> Any? {
      guard let data = value as? Data else { return nil }
      let allowed = type(of: self).allowedTopLevelClasses
      // Foundation on Linux ends the process over a class that is not allowed.
      if let other = Self.foreignClass(in: data, allowed: allowed) {
        StandardError.write(
          "CoreData: warning: archived data holds an object of class \(other), which the value "
            + "transformer does not allow; the value is treated as nil.")
        return nil
      }
      return (try? NSKeyedUnarchiver.unarchivedObject(ofClasses: allowed, from: data)) ?? nil
    }

    /// The archive of a value.
    open override func reverseTransformedValue(_ value: Any?) -> Any? {
      guard let value, (value as? NSObject) is any NSSecureCoding else { return nil }
      return try? NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
    }

    private static func foreignClass(in data: Data, allowed: [AnyClass]) -> String? {
      let list = try? PropertyListSerialization.propertyList(from: data, options: [], format: nil)
      guard let list = list as? [String: Any], let objects = list["$objects"] as? [Any],
        let top = list["$top"] as? [String: Any]
      else { return nil }
      let names = Set(allowed.map(NSStringFromClass))
      var places = top.values.map(place)
      var seen = Set<Int>()
      while let place = places.popLast() {
        guard let place, objects.indices.contains(place) else { return "that nobody can read" }
        guard seen.insert(place).inserted, let object = objects[place] as? [String: Any],
          let type = self.place(object["$class"]), objects.indices.contains(type)
        else { continue }
        let classes = (objects[type] as? [String: Any])?["$classes"] as? [String] ?? []
        if names.isDisjoint(with: classes) { return classes.first ?? "without a name" }
        if collections.isDisjoint(with: classes) { continue }
        for key in ["NS.keys", "NS.objects"] {
          places += (object[key] as? [Any] ?? []).map(self.place)
        }
      }
      return nil
    }

    /// The classes whose objects decode what they hold with the classes that were allowed them.
    private static let collections: Set = ["NSArray", "NSDictionary", "NSSet", "NSOrderedSet"]

    /// The place among the objects of an archive to which a reference in it leads; Foundation tells
    /// it to nobody else.
    private static func place(_ reference: Any?) -> Int? {
      reference.flatMap { Mirror(reflecting: $0).descendant("value") as? UInt32 }.map(Int.init)
    }
  }

  /// Lets `ValueTransformer(forName:)` give the registered transformer.
  public protocol TransformerByName {}

  extension TransformerByName where Self: ValueTransformer {
    /// The transformer registered under a name, or nil.
    public init?(forName name: NSValueTransformerName) {
      guard let found = ValueTransformer.named(name) as? Self else { return nil }
      self = found
    }
  }

  extension ValueTransformer: TransformerByName {}

#endif
