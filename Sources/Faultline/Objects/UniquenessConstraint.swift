import Foundation

/// Slots whose values, taken together, no two records of an entity and its heirs may share.
struct UniquenessConstraint: Sendable {
  /// The entity that declares the constraint; all that inherit from it share it.
  unowned(unsafe) let entity: EntityLayout
  /// The names of the properties, in the order of the declaration.
  let names: [String]
  /// The slots of the properties, the same in every entity that inherits them.
  let slots: [Int]

  /// The constraints of an entity, inherited ones first; what cannot be constrained stops.
  static func all(of layout: EntityLayout) -> [UniquenessConstraint] {
    let parent = layout.entity.superentity?.compiled as? EntityLayout
    var seen = Set<[String]>()
    let own = layout.entity.constraintNames.filter { seen.insert($0).inserted }
    return (parent.map(all) ?? [])
      + own.map { names in
        if names.isEmpty { refuse(layout, "()", "names no property") }
        return UniquenessConstraint(
          entity: layout, names: names, slots: names.map { slot($0, in: layout) })
      }
  }

  private static func slot(_ name: String, in layout: EntityLayout) -> Int {
    guard let number = layout.index[name] else {
      refuse(layout, name, "names a property that the entity does not have")
    }
    let slot = layout.slots[number]
    if slot.kind == .toMany { refuse(layout, name, "names a to-many relationship") }
    if slot.isTransient { refuse(layout, name, "names a transient property, which is not stored") }
    return number
  }

  private static func refuse(_ layout: EntityLayout, _ name: String, _ reason: String) -> Never {
    ProgrammerError.stop(
      "NSInvalidArgumentException: the uniqueness constraint \(name) of entity \(layout.name) "
        + "\(reason); constrain stored attributes and to-one relationships.")
  }

  /// The values of an object, or nil if one of them is nil: nil is not equal to anything.
  func values(of object: NSManagedObject) -> [Exact]? {
    var result: [Exact] = []
    for slot in slots {
      guard let value = Exact(object.current(slot)) else { return nil }
      result.append(value)
    }
    return result
  }

  /// A value that is equal to another where SQLite finds them equal: text, for one, byte by byte.
  enum Exact: Hashable {
    case integer(Int64)
    case double(Double)
    case text([UInt8])
    case data(Data)
    case uuid(UUID)
    case decimal(Decimal)
    case record(Int64)

    /// The value, or nil for what SQLite stores as NULL.
    init?(_ value: Value) {
      switch value {
      case .null, .toMany: return nil
      case .integer(let number): self = .integer(number)
      case .double(let number):
        if number.isNaN { return nil }
        self = .double(number)
      case .string(let text): self = .text(Array(text.utf8))
      case .data(let data): self = .data(data)
      case .boxed(let box):
        switch box.content {
        case .uuid(let uuid): self = .uuid(uuid)
        case .url(let url): self = .text(Array(url.absoluteString.utf8))
        case .decimal(let decimal): self = .decimal(decimal)
        case .opaque(let opaque):
          guard let data = opaque.encoded else { return nil }
          self = .data(data)
        }
      case .key(let key): self = .record(key)
      case .id(let id): self = .record(id.key)
      case .object(let object): self = .record(object.key)
      }
    }
  }
}
