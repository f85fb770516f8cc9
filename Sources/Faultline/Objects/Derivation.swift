import Foundation

/// A derived attribute of an entity, and what it is computed of.
struct Derivation {
  /// The slot of the value.
  let slot: Int
  /// The type of the value.
  let type: NSAttributeType
  /// What it is computed of.
  let expression: NSExpression

  /// The derived attributes of an entity, inherited ones too.
  static func all(of layout: EntityLayout) -> [Derivation] {
    layout.slots.enumerated().compactMap { number, slot in
      guard let derived = slot.property as? NSDerivedAttributeDescription,
        let expression = derived.derivationExpression
      else { return nil }
      return Derivation(slot: number, type: derived.attributeType, expression: expression)
    }
  }

  /// Whether another one computes the same of the same records.
  func isSame(as other: Derivation) -> Bool {
    type == other.type && expression.description == other.expression.description
  }

  /// Whether the value depends on when it is computed.
  var readsClock: Bool { Self.readsClock(expression) }

  private static func readsClock(_ expression: NSExpression) -> Bool {
    guard case .function(let function, let arguments) = expression.node else { return false }
    return function == .now || arguments.contains(where: readsClock)
  }

  /// The value for an object, or a record of the store, as it is now.
  func value(of object: NSObject) -> Value {
    let result = Evaluation(object).result(of: expression)
    // Predicates know these types as the store keeps them.
    switch (type, result) {
    case (.dateAttributeType, let seconds as NSNumber): return .double(seconds.doubleValue)
    case (.UUIDAttributeType, let bytes as Data):
      return UUID(bytes: bytes).map { .boxed(Boxed(.uuid($0))) } ?? .null
    case (.URIAttributeType, let text as String):
      return URL(string: text).map { .boxed(Boxed(.url($0))) } ?? .null
    default: return Value(result, type: type) ?? .null
    }
  }

  /// The paths in an expression, as names.
  fileprivate static func paths(_ expression: NSExpression) -> [[String]] {
    switch expression.node {
    case .keyPath(let base, let names): (base == nil ? [names] : [])
    case .function(_, let arguments): arguments.flatMap(paths)
    default: []
    }
  }
}

/// A slot whose changes change derived attributes at the other end of a relationship.
struct Watch: @unchecked Sendable {
  /// The entity that has the slot.
  unowned(unsafe) let layout: EntityLayout
  /// The slot.
  let slot: Int
  /// The relationship of the same entity that leads to what is derived.
  let back: Int
  /// What is derived there.
  let derivation: Derivation

  /// Everything to be watched in a model.
  static func all(in layouts: [EntityLayout]) -> [Watch] {
    layouts.flatMap { owner in
      owner.derivations.flatMap { derivation in
        Derivation.paths(derivation.expression).flatMap { path -> [Watch] in
          guard path.count > 1, let first = owner.index[path[0]],
            let back = owner.slots[first].inverse, let name = path.last
          else { return [] }
          return owner.slots[first].destination.family.compactMap { member in
            member.layout.index[name].map {
              Watch(layout: member.layout, slot: $0, back: back, derivation: derivation)
            }
          }
        }
      }
    }
  }
}

// Safe to share: written while the model is compiled; the layouts live as long as the model.
