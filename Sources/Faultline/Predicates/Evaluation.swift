import Foundation

/// Evaluates predicates and expressions on an object in memory.
///
/// What a comparison with null means is chosen once, for the store too: it is false, whatever the
/// operator, and `NOT` makes it true. Only a comparison with the constant nil, `== nil` or
/// `!= nil`, asks whether there is a value.
struct Evaluation {
  private let object: Any?
  private let subject: Operand
  private let bindings: [String: Any]
  /// What the variables of the subqueries around stand for.
  private var variables: [String: Operand] = [:]
  private let lists: ConstantLists?

  init(_ object: Any?, _ bindings: [String: Any]? = nil, lists: ConstantLists? = nil) {
    self.object = object
    self.bindings = bindings ?? [:]
    self.lists = lists
    subject = Operand(object)
  }

  /// Whether the object satisfies a predicate.
  func holds(_ predicate: NSPredicate) -> Bool {
    switch predicate {
    case let comparison as NSComparisonPredicate: return holds(comparison)
    case let compound as NSCompoundPredicate:
      switch compound.compoundPredicateType {
      case .and: return compound.subpredicates.allSatisfy { holds($0) }
      case .or: return compound.subpredicates.contains { holds($0) }
      case .not: return compound.subpredicates.first.map { !holds($0) } ?? false
      }
    default: return predicate.evaluate(with: object, substitutionVariables: bindings)
    }
  }

  // MARK: Comparisons

  private func holds(_ comparison: NSComparisonPredicate) -> Bool {
    let rule = ComparisonRule(comparison)
    let left = value(comparison.leftExpression)
    if let list = lists?.list(comparison) ?? comparison.list {
      switch comparison.comparisonPredicateModifier {
      case .direct: return list.contains(left)
      case .any: return left.elements.contains { list.contains($0) }
      case .all: return left.elements.allSatisfy { list.contains($0) }
      }
    }
    let right = value(comparison.rightExpression)
    let (leftIsNil, rightIsNil) = (
      left.isNull && isConstant(comparison.leftExpression),
      right.isNull && isConstant(comparison.rightExpression)
    )
    let (leftVaries, rightVaries) = (
      dependsOnRecords(comparison.leftExpression), dependsOnRecords(comparison.rightExpression)
    )
    func holds(_ left: Operand) -> Bool {
      rule.holds(
        leftVaries ? left : left.fitted(to: right), rightVaries ? right : right.fitted(to: left),
        isNilAsked: leftIsNil || rightIsNil)
    }
    switch comparison.comparisonPredicateModifier {
    case .direct: return holds(left)
    case .any: return left.elements.contains(where: holds)
    case .all: return left.elements.allSatisfy(holds)
    }
  }

  private func dependsOnRecords(_ expression: NSExpression) -> Bool {
    expression.dependsOnRecords { variables[$0] != nil }
  }

  private func isConstant(_ expression: NSExpression) -> Bool {
    switch expression.node {
    case .constant: true
    case .variable(let name): variables[name] == nil
    default: false
    }
  }

  // MARK: Expressions

  /// What an expression is for the object.
  func value(_ expression: NSExpression) -> Operand {
    switch expression.node {
    case .constant(let value): return Operand(value)
    case .evaluatedObject: return subject
    case .variable(let name): return variable(name)
    case .keyPath(let base, let names):
      return Self.follow(names[...], from: base.map(value) ?? subject)
    case .function(let function, let arguments): return call(function, arguments)
    case .set(let operation, let left, let right):
      return combine(operation, value(left).members, value(right).members)
    case .subquery(let collection, let variable, let predicate):
      var inner = self
      return .list(
        value(collection).members.filter { member in
          inner.variables[variable] = member
          return inner.holds(predicate)
        })
    case .aggregate(let members): return .list(members.map(value))
    case .conditional(let predicate, let yes, let no):
      return value(holds(predicate) ? yes : no)
    case .block(let block, let arguments):
      return Operand(block(object, arguments.map { plain(value($0)) }, nil))
    case .method, .anyKey:
      ProgrammerError.stop(
        "NSInvalidArgumentException: \(expression) cannot be evaluated: calling a method by its "
          + "name needs the Objective-C runtime.")
    }
  }

  private func variable(_ name: String) -> Operand {
    if let value = variables[name] { return value }
    if let value = bindings[name] { return Operand(value) }
    ProgrammerError.stop(
      "NSInvalidArgumentException: Can't get value for '\(name)' in bindings "
        + "\(bindings.keys.sorted()); give the variable a value with "
        + "withSubstitutionVariables(_:) or evaluate(with:substitutionVariables:).")
  }

  private func call(_ function: PredicateFunction, _ arguments: [NSExpression]) -> Operand {
    if function == .now { return Operand(Scheduling.date) }
    if let value = function.value(of: arguments.map(value)) { return value }
    ProgrammerError.stop(
      "NSInvalidArgumentException: \(NSExpression(.function(function, arguments))) cannot be "
        + "evaluated: \(function.rawValue) is not supported, or not for these arguments.")
  }

  // MARK: Paths

  /// What a path of names leads to.
  private static func follow(_ names: ArraySlice<String>, from start: Operand) -> Operand {
    guard let name = names.first else { return start }
    let rest = names.dropFirst()
    if name.hasPrefix("@") { return operation(name, rest, start.members) }
    if name == "self" || name == "SELF" { return follow(rest, from: start) }
    switch start {
    case .null: return rest.contains { $0.hasPrefix("@") } ? follow(rest, from: .list([])) : .null
    case .record(_, let subject?):
      return follow(rest, from: subject.operand(forKey: name, before: rest))
    case .list(let members):
      return follow(
        rest, from: .list(members.flatMap { follow([name], from: $0).elements }))
    case .text(let text) where name == "length":
      return follow(rest, from: .integer(Int64(text.utf16.count)))
    case .data(let data) where name == "length":
      return follow(rest, from: .integer(Int64(data.count)))
    case .other(let value):
      if let dictionary = value as? [String: Any] {
        return follow(rest, from: Operand(dictionary[name]))
      }
      if let dictionary = value as? NSDictionary {
        return follow(rest, from: Operand(dictionary[name]))
      }
    case .integer, .double, .text, .data, .record: break
    }
    ProgrammerError.stop(
      "NSUnknownKeyException: a value has no key \"\(name)\"; predicates read the properties of "
        + "managed objects, the keys of dictionaries, and the length of texts and data.")
  }

  /// What a collection operator makes of a collection.
  private static func operation(
    _ name: String, _ rest: ArraySlice<String>, _ members: [Operand]
  ) -> Operand {
    if name == "@count" { return follow(rest, from: .integer(Int64(members.count))) }
    let values = follow(rest, from: .list(members))
    if let function = PredicateFunction.byOperation[name] {
      return function.value(of: [values]) ?? .null
    }
    switch name {
    case "@unionOfObjects": return values
    case "@distinctUnionOfObjects":
      return .list(
        values.elements.reduce(into: []) { distinct, member in
          if !distinct.contains(where: { Operand.isSame($0, member) }) { distinct.append(member) }
        })
    default:
      ProgrammerError.stop(
        "NSInvalidArgumentException: Unsupported operator \(name) in a key path; there are @count "
          + "@sum @min @max @avg @unionOfObjects @distinctUnionOfObjects.")
    }
  }

  private func combine(
    _ operation: NSExpression.SetOperation, _ left: [Operand], _ right: [Operand]
  ) -> Operand {
    func has(_ list: [Operand], _ member: Operand) -> Bool {
      list.contains { Operand.isSame($0, member) }
    }
    switch operation {
    case .union: return .list(left + right.filter { !has(left, $0) })
    case .intersect: return .list(left.filter { has(right, $0) })
    case .minus: return .list(left.filter { !has(right, $0) })
    }
  }

  /// What an expression is for the object, as key-value coding would hand it out.
  func result(of expression: NSExpression) -> Any? {
    switch expression.node {
    case .constant(let value): return value
    case .evaluatedObject: return object
    case .function(.cast, let arguments) where "\(arguments[1])" == "\"NSDate\"":
      return value(expression).real.map { Date(timeIntervalSinceReferenceDate: $0) }
    default:
      let value = value(expression)
      return value.isNull ? nil : plain(value)
    }
  }

  private func plain(_ operand: Operand) -> Any {
    switch operand {
    case .null: NSNull()
    case .integer(let number): NSNumber(value: number)
    case .double(let number): NSNumber(value: number)
    case .text(let text): text
    case .data(let data): data
    case .record(let id, let subject): subject ?? id
    case .list(let members): members.map(plain)
    case .other(let value): value
    }
  }
}
