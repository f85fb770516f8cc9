import Foundation
import Synchronization

/// One property of an entity as the engine works with it.
struct Slot: @unchecked Sendable {
  /// The kinds of slots.
  enum Kind: Equatable {
    case attribute(NSAttributeType)
    case toOne
    case toMany
  }

  /// Which property, or element of a composite, a slot is of.
  struct Identity: Hashable {
    let property: ObjectIdentifier
    let name: String
  }

  /// The name of the property.
  let name: String
  /// Whether it is an attribute or a relationship, and of which sort.
  let kind: Kind
  /// Whether nil is valid.
  let isOptional: Bool
  /// Whether the value stays out of the store.
  let isTransient: Bool
  /// The value a new object begins with.
  fileprivate(set) var initial: Value
  /// What happens to destinations on deletion.
  let deleteRule: NSDeleteRule
  /// The fewest destinations, if there are any.
  let minCount: Int
  /// The most destinations; 0 means without limit.
  let maxCount: Int
  /// Whether the members of a to-many relationship have an order.
  let isOrdered: Bool
  /// What turns the values of a stored transformable attribute into data and back.
  let transformer: ValueTransformer?
  /// The property itself.
  let property: NSPropertyDescription
  /// The layout at the other end; set when all layouts exist, owned by the model.
  fileprivate(set) unowned(unsafe) var destination: EntityLayout!
  /// The slot at the other end that leads back.
  fileprivate(set) var inverse: Int?

  /// What a slot has in common with those that other entities inherit.
  var id: Identity { Identity(property: ObjectIdentifier(property), name: name) }
  /// Whether the slot holds a relationship.
  var isRelationship: Bool { kind == .toOne || kind == .toMany }
  /// The name of the slot's column, without the Z that it begins with.
  var columnName: String { name.replacing(".", with: "_").uppercased() }
  /// What a row has in the slot if the value is not stored: what a new object begins with. A
  /// composite is made of its elements.
  var unstored: Value { kind == .attribute(.compositeAttributeType) ? .null : initial }
  /// Whether the slot is a column of the entity's table.
  var isColumn: Bool { !isTransient && kind != .toMany }
}

/// An entity compiled for use: its slots in order, inherited ones first, and where it stands.
///
/// A sub-entity's slots begin with its parent's, so a slot number found on a class is right for
/// every class that inherits from it.
final class EntityLayout: @unchecked Sendable {
  /// A number that no other layout of the process has had.
  let serial: UInt32
  /// The name of the entity.
  let name: String
  /// The description it was compiled from.
  let entity: NSEntityDescription
  /// The number of the entity in the store: `Z_ENT`, counted from 1 in order of name, those that
  /// inherit from an entity right after it.
  let number: Int
  /// The slots.
  ///
  /// Here and below without the run-time test for overlapping access, since all is written once,
  /// while the model is compiled.
  @exclusivity(unchecked) private(set) var slots: [Slot] = []
  /// The number of a slot by name.
  private(set) var index: [String: Int] = [:]
  /// The slots of the elements of each composite, by its slot.
  @exclusivity(unchecked) private(set) var composites: [Int: [Int]] = [:]
  /// The slots whose initial value is not null.
  @exclusivity(unchecked) private(set) var initialSlots: [Int] = []
  /// The slots that stay out of the store.
  @exclusivity(unchecked) private(set) var transientSlots: [Int] = []
  /// Whether any slot stays out of the store.
  @exclusivity(unchecked) private(set) var hasTransients = false
  /// Whether any slot is a relationship.
  @exclusivity(unchecked) private(set) var hasRelationships = false
  /// Whether any slot can hold what no row holds as it is.
  @exclusivity(unchecked) private(set) var hasOwnKinds = false
  /// Whether any slot is checked before a save.
  @exclusivity(unchecked) private(set) var hasChecks = false
  /// The slots whose values are turned into data to be stored.
  @exclusivity(unchecked) private(set) var transformableSlots: [Int] = []
  /// The slots in which nil is not valid.
  @exclusivity(unchecked) private(set) var mandatorySlots: [Int] = []
  /// The to-many slots whose number of members is limited.
  @exclusivity(unchecked) private(set) var countedSlots: [Int] = []
  /// The slots whose values must satisfy predicates.
  @exclusivity(unchecked) private(set) var predicateSlots: [Int] = []
  /// The slots that are relationships.
  @exclusivity(unchecked) private(set) var relationshipSlots: [Int] = []
  /// The to-many slots whose members have an order that is stored.
  @exclusivity(unchecked) private(set) var orderedSlots: [Int] = []
  /// The root of the hierarchy, whose table holds the rows.
  private(set) unowned(unsafe) var root: EntityLayout!
  /// Whether other entities share the table, so that a key alone does not name the entity.
  @exclusivity(unchecked) private(set) var isPolymorphic = false
  /// The number of the root, which outlives the root itself.
  @exclusivity(unchecked) private(set) var rootNumber = 0
  /// The name of the root, which outlives the root too: ids are compared when the model is gone.
  @exclusivity(unchecked) private(set) var rootName = ""
  /// What no two records may have in common, inherited constraints first.
  private(set) var constraints: [UniquenessConstraint] = []
  /// The fetched properties, by name.
  private(set) var fetchedProperties: [String: NSFetchedPropertyDescription] = [:]
  /// What is computed when an object of the entity is saved.
  private(set) var derivations: [Derivation] = []
  /// What changes of the entity's objects mean for derived attributes of others.
  private(set) var watches: [Watch] = []
  /// All layouts that inherit from this one, itself included.
  private(set) var family: [EntityLayout.Reference] = []
  /// The class that represents the entity, once somebody has asked.
  let classStorage = Lock(ClassChoice())
  /// The table of a root entity's hierarchy, once a store has asked.
  let tableStorage = Lock<AnyObject?>(nil)
  /// Where the `@Managed` properties of the entity's classes stand.
  let managedFields = ManagedFields()
  private static let serials = Atomic<UInt32>(0)

  /// A reference to a layout without ownership: the model owns all of them.
  struct Reference: @unchecked Sendable {
    unowned(unsafe) let layout: EntityLayout
  }

  private init(_ entity: NSEntityDescription, number: Int) {
    self.entity = entity
    self.number = number
    serial = Self.serials.wrappingAdd(1, ordering: .relaxed).newValue
    name = entity.name ?? ""
  }

  /// Compiles the entities of a model together, because they refer to each other.
  static func compile(_ entities: [NSEntityDescription]) -> [EntityLayout] {
    let heirs = Dictionary(grouping: entities) { $0.superentity.map(ObjectIdentifier.init) }
    let layouts = numbered(heirs, under: nil).enumerated()
      .map { EntityLayout($1, number: $0 + 1) }
    for layout in layouts { layout.entity.compiled = layout }
    for layout in layouts { layout.makeSlots() }
    for layout in layouts { layout.link(among: layouts) }
    for layout in layouts { layout.constraints = UniquenessConstraint.all(of: layout) }
    for layout in layouts { layout.derivations = Derivation.all(of: layout) }
    for watch in Watch.all(in: layouts) { watch.layout.watches.append(watch) }
    return layouts
  }

  private static func numbered(
    _ heirs: [ObjectIdentifier?: [NSEntityDescription]], under parent: NSEntityDescription?
  ) -> [NSEntityDescription] {
    (heirs[parent.map(ObjectIdentifier.init)] ?? []).sorted { ($0.name ?? "") < ($1.name ?? "") }
      .flatMap { [$0] + numbered(heirs, under: $0) }
  }

  private func makeSlots() {
    slots = lineage(entity).flatMap { entity in
      entity.properties.filter { $0.entity === entity && !($0 is NSFetchedPropertyDescription) }
        .sorted { $0.name < $1.name }.flatMap { Self.slots(of: $0) }
    }
    fetchedProperties = entity.propertiesByName.compactMapValues {
      $0 as? NSFetchedPropertyDescription
    }
    for (number, slot) in slots.enumerated() {
      index[slot.name] = number
      if let point = slot.name.lastIndex(of: "."), let holder = index[String(slot.name[..<point])] {
        composites[holder, default: []].append(number)
      }
      if slot.isRelationship { relationshipSlots.append(number) }
      if slot.isTransient { transientSlots.append(number) }
      if slot.transformer != nil { transformableSlots.append(number) }
      if !slot.property.validationPredicates.isEmpty { predicateSlots.append(number) }
      if slot.isOrdered, !slot.isTransient { orderedSlots.append(number) }
      if !slot.initial.isNull { initialSlots.append(number) }
      if slot.kind == .toMany {
        if slot.minCount > 0 || slot.maxCount > 0 { countedSlots.append(number) }
      } else if !slot.isOptional {
        mandatorySlots.append(number)
      }
    }
    // Every object asks these at every save.
    hasTransients = !transientSlots.isEmpty
    hasRelationships = !relationshipSlots.isEmpty
    hasOwnKinds = hasTransients || hasRelationships || !transformableSlots.isEmpty
    hasChecks = !mandatorySlots.isEmpty || !countedSlots.isEmpty || !predicateSlots.isEmpty
  }

  private func lineage(_ entity: NSEntityDescription) -> [NSEntityDescription] {
    (entity.superentity.map(lineage) ?? []) + [entity]
  }

  /// The slot of a property, followed by those of the elements of a composite.
  private static func slots(
    of property: NSPropertyDescription, below path: String = "", isTransient: Bool = false
  ) -> [Slot] {
    let isTransient = isTransient || property.isTransient
    let elements = (property as? NSCompositeAttributeDescription)?.elements ?? []
    let name = path + property.name
    return [slot(property, name: name, isTransient: isTransient)]
      + elements.flatMap { slots(of: $0, below: name + ".", isTransient: isTransient) }
  }

  private static func slot(
    _ property: NSPropertyDescription, name: String, isTransient: Bool
  ) -> Slot {
    let relationship = property as? NSRelationshipDescription
    let attribute = property as? NSAttributeDescription
    let type = attribute?.attributeType ?? .undefinedAttributeType
    let isComposite = type == .compositeAttributeType
    if type == .undefinedAttributeType, attribute != nil, !isTransient {
      ProgrammerError.stop(
        "NSInvalidArgumentException: attribute \(property.name) has no type, so it cannot be "
          + "stored; set attributeType, or isTransient.")
    }
    let kind: Slot.Kind =
      relationship.map { $0.isToMany ? .toMany : .toOne } ?? .attribute(type)
    var slot = Slot(
      name: name, kind: kind, isOptional: property.isOptional,
      isTransient: isTransient || isComposite, initial: .null,
      deleteRule: relationship?.deleteRule ?? .nullifyDeleteRule,
      minCount: relationship?.minCount ?? 0, maxCount: relationship?.maxCount ?? 0,
      isOrdered: kind == .toMany && relationship?.isOrdered == true,
      transformer: Slot.transformer(attribute),
      property: property, destination: nil, inverse: nil)
    let isOpaque =
      type == .transformableAttributeType || type == .undefinedAttributeType || isComposite
    guard
      let initial = isOpaque
        ? slot.opaque(attribute?.defaultValue) : Value(attribute?.defaultValue, type: type)
    else {
      ProgrammerError.stop(
        "NSInvalidArgumentException: the default value of \(property.name) does not fit its type.")
    }
    slot.initial = initial
    return slot
  }

  private func link(among layouts: [EntityLayout]) {
    root = entity.root.compiled as? EntityLayout
    rootNumber = root.number
    rootName = root.name
    // What inherits from an entity follows it.
    family = layouts[(number - 1)...].prefix { $0.entity.isKindOf(entity: entity) }
      .map(Reference.init)
    isPolymorphic =
      rootNumber < layouts.count && layouts[rootNumber].entity.isKindOf(entity: root.entity)
    for number in relationshipSlots {
      guard let relationship = slots[number].property as? NSRelationshipDescription,
        let destination = relationship.destinationEntity?.compiled as? EntityLayout
      else {
        ProgrammerError.stop(
          "NSInvalidArgumentException: relationship \(name).\(slots[number].name) has no "
            + "destination "
            + "entity in this model; set destinationEntity.")
      }
      slots[number].destination = destination
      slots[number].inverse = relationship.inverseRelationship.flatMap {
        destination.index[$0.name]
      }
    }
  }

  /// Whether other entities inherit from this one.
  var hasHeirs: Bool { family.count > 1 }
}

extension NSEntityDescription {
  /// The compiled form of the entity; compiles the whole model on first use.
  var layout: EntityLayout {
    if isCompiled.load(ordering: .acquiring), let compiled {
      return unsafeDowncast(compiled, to: EntityLayout.self)
    }
    guard let managedObjectModel else {
      ProgrammerError.stop(
        "NSInvalidArgumentException: entity \(name ?? "?") belongs to no model; add it to one "
          + "first."
      )
    }
    managedObjectModel.freeze()
    guard let layout = compiled as? EntityLayout else {
      ProgrammerError.impossible("entity \(name ?? "?") of a frozen model has no layout")
    }
    return layout
  }
}

// Safe to share: everything but `classStorage` and `tableStorage`, which have their locks, is
// written while the model is compiled, under the model's lock, and only read afterwards.
