import Foundation

/// A sort descriptor by name, or by a key path to any type, which Foundation on Linux cannot make.
final class KeySortDescriptor: NSSortDescriptor {
  /// The names of a path, if it was given by name.
  let names: [String]?
  /// The key path, if it was given as one.
  let path: AnyKeyPath?
  /// How texts are compared.
  let comparison: SortComparison
  /// How two objects compare, if a block decides; no store can sort by it.
  let block: Comparator?

  init(
    names: [String]?, path: AnyKeyPath? = nil, ascending: Bool, comparison: SortComparison = .plain,
    block: Comparator? = nil
  ) {
    self.names = names
    self.path = path
    self.comparison = comparison
    self.block = block
    expression = NSExpression(names.map { .keyPath(base: nil, names: $0) } ?? .evaluatedObject)
    super.init(keyPath: \NSObject.hash, ascending: ascending)
  }

  @available(*, unavailable)
  required init?(coder: NSCoder) { nil }

  private let expression: NSExpression

  override func compare(_ object1: Any, to object2: Any) -> ComparisonResult {
    let result: ComparisonResult
    if let block {
      let (left, right) = (plain(object1), plain(object2))
      result = block(left ?? NSNull(), right ?? NSNull())
    } else {
      result = comparison.compare(operand(object1), operand(object2))
    }
    if ascending || result == .orderedSame { return result }
    return result == .orderedAscending ? .orderedDescending : .orderedAscending
  }

  override var reversedSortDescriptor: Any {
    KeySortDescriptor(
      names: names, path: path, ascending: !ascending, comparison: comparison, block: block)
  }

  override var description: String {
    "(\(path.map { "\($0)" } ?? "\(expression)"), \(ascending ? "ascending" : "descending"), "
      + "\(block == nil ? "\(comparison)" : "block"))"
  }

  private func operand(_ object: Any) -> Operand {
    guard let path else { return Evaluation(object).value(expression) }
    return Operand(object[keyPath: path])
  }

  private func plain(_ object: Any) -> Any? {
    guard let path else { return Evaluation(object).result(of: expression) }
    return object[keyPath: path]
  }
}

/// Lets `NSSortDescriptor(key:ascending:)` and its like make a `KeySortDescriptor`.
public protocol SortDescriptorByName {}

extension SortDescriptorByName where Self: NSSortDescriptor {
  /// Makes a descriptor that sorts by a property, named or reached by names joined by points.
  public init(key: String?, ascending: Bool) {
    self.init(key: key, ascending: ascending, comparing: .plain)
  }

  /// Makes a descriptor that sorts by a property, with texts compared in this way.
  public init(key: String?, ascending: Bool, comparing comparison: SortComparison) {
    self = Self.made(
      KeySortDescriptor(
        names: Self.names(key), ascending: ascending, comparison: comparison))
  }

  /// Makes a descriptor that sorts in memory as a block says; a store refuses it.
  public init(key: String?, ascending: Bool, comparator: @escaping Comparator) {
    self = Self.made(
      KeySortDescriptor(names: Self.names(key), ascending: ascending, block: comparator))
  }

  /// Makes a descriptor that sorts by the property a key path reads.
  public init<Root: NSManagedObject, Value>(keyPath: KeyPath<Root, Value>, ascending: Bool) {
    self.init(keyPath: keyPath, ascending: ascending, comparing: .plain)
  }

  /// Makes a descriptor that sorts by the property a key path reads, with texts compared in this
  /// way.
  public init<Root: NSManagedObject, Value>(
    keyPath: KeyPath<Root, Value>, ascending: Bool, comparing comparison: SortComparison
  ) {
    self = Self.made(
      KeySortDescriptor(names: nil, path: keyPath, ascending: ascending, comparison: comparison))
  }

  /// Makes the descriptor that sorts as Swift's own does; texts are compared plainly.
  public init<Root: NSManagedObject>(_ descriptor: SortDescriptor<Root>) {
    let ascending = descriptor.order == .forward
    guard let path = descriptor.keyPath else {
      self = Self.made(
        KeySortDescriptor(names: nil, ascending: ascending) { left, right in
          guard let left = left as? Root, let right = right as? Root else { return .orderedSame }
          let result = descriptor.compare(left, right)
          // The block's answer is turned round for a descending order.
          guard !ascending, result != .orderedSame else { return result }
          return result == .orderedAscending ? .orderedDescending : .orderedAscending
        })
      return
    }
    self = Self.made(KeySortDescriptor(names: nil, path: path, ascending: ascending))
  }

  /// The names of the path, if the descriptor was made by name.
  public var key: String? { (self as? KeySortDescriptor)?.names?.joined(separator: ".") }

  private static func made(_ descriptor: KeySortDescriptor) -> Self {
    unsafeDowncast(descriptor, to: Self.self)
  }

  private static func names(_ key: String?) -> [String] {
    (key ?? "self").split(separator: ".").map(String.init)
  }
}

extension NSSortDescriptor: SortDescriptorByName {
  /// Makes a descriptor that sorts in memory as a block says; a store refuses it, because it sees
  /// the objects themselves as what is compared.
  public convenience init<Root: NSManagedObject, Value>(
    keyPath: KeyPath<Root, Value>, ascending: Bool, comparator: @escaping Comparator
  ) {
    self.init(keyPath: \NSObject.self, ascending: ascending) { left, right in
      guard let left = left as? Root, let right = right as? Root else { return .orderedSame }
      return comparator(left[keyPath: keyPath], right[keyPath: keyPath])
    }
  }
}

extension NSExpression {
  /// An expression that is the property a key path reads, whose class an entity of a model in use
  /// must name; a key path to what is computed from a property stops.
  public convenience init<Root: NSManagedObject, Value>(forKeyPath keyPath: KeyPath<Root, Value>) {
    let names = LivingModels.entities(for: Root.self).first.map {
      KeyPathProbe.names(of: keyPath, type: Root.self, layout: $0.layout)
    }
    guard let names, !names.isEmpty else {
      ProgrammerError.stop(
        "NSInvalidArgumentException: \(keyPath) names no modelled property of a class of the "
          + "models in use; load the model first, or write the property's name.")
    }
    self.init(.keyPath(base: nil, names: names))
  }
}

/// Finds the names of properties from a key path to them.
enum KeyPathProbe {
  /// The names of the properties that the key path leads through; none if it leads to no property,
  /// but to what is computed from some.
  static func names(
    of keyPath: AnyKeyPath, type: NSManagedObject.Type? = nil, layout: EntityLayout
  ) -> [String] {
    PropertyRecorder.names {
      let probe = (type ?? layout.objectClass).init(entity: layout.entity, insertInto: nil)
      probe.dropValues()
      return probe[keyPath: keyPath]
    }
  }
}
