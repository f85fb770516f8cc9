import Foundation

extension PredicateWriter {
  /// The value of an expression that has no part in the records, as the memory has it; nil if it
  /// depends on them.
  func constant(_ expression: NSExpression) -> Operand? {
    if case .constant(let value) = expression.node { return Operand(value) }
    if expression.dependsOnRecords({ variables[$0] != nil }) { return nil }
    return Evaluation(nil).value(expression)
  }

  /// What an expression leads to, unless it is a constant.
  mutating func path(_ expression: NSExpression) -> SQLPath {
    switch expression.node {
    case .evaluatedObject: return reach([], from: source)
    case .keyPath(nil, let names): return operation(names, from: nil)
    case .variable(let name):
      guard let member = variables[name] else { return .value(value(expression)) }
      return reach([], from: member)
    case .keyPath(let base?, let names):
      if case .variable(let name) = base.node, let member = variables[name] {
        return operation(names, from: member)
      }
      guard case .many(let collection, let rest) = path(base) else {
        refuse("the keypath \(expression) starts from something that has no properties")
      }
      return .value(aggregate(collection, rest: rest + names[...], expression))
    case .subquery(let collection, let variable, let predicate):
      guard case .many(var members, let rest) = path(collection), rest.isEmpty else {
        refuse("the collection of \(expression) is not a to-many relationship")
      }
      let outer = variables
      variables[variable] = members.source
      members.conditions.append(condition(predicate))
      variables = outer
      return .many(members, rest: [])
    default: return .value(value(expression))
    }
  }

  /// What names lead to that may have a collection operator among them.
  private mutating func operation(_ names: [String], from start: SQLSource?) -> SQLPath {
    let path = reach(names[...], from: start ?? source)
    guard case .many(let collection, let rest) = path, rest.contains(where: { $0.hasPrefix("@") })
    else { return path }
    return .value(
      aggregate(collection, rest: rest, NSExpression(.keyPath(base: nil, names: names))))
  }

  /// What a collection operator makes of records.
  private mutating func aggregate(
    _ collection: SQLCollection, rest: ArraySlice<String>, _ expression: NSExpression
  ) -> SQLValue {
    guard let place = rest.firstIndex(where: { $0.hasPrefix("@") }) else {
      refuse("to-many key not allowed here: \(expression)")
    }
    let names = rest[..<place] + rest[(place + 1)...]
    if rest[place] == "@count" { return aggregate(.count, collection, names) }
    guard let function = PredicateFunction.byOperation[rest[place]] else {
      refuse(
        "Unsupported function expression \(expression): a store knows @count @sum @min @max @avg")
    }
    return aggregate(function, collection, names)
  }

  private mutating func aggregate(
    _ function: PredicateFunction, _ collection: SQLCollection, _ names: ArraySlice<String>
  ) -> SQLValue {
    let element = element(of: collection, names)
    let call =
      switch function {
      case .count: "COUNT(*)"
      // Nothing adds up to 0, as in memory.
      case .sum: "TOTAL(\(element.text))"
      case .minimum: "MIN(\(element.text))"
      case .maximum: "MAX(\(element.text))"
      case .average: "AVG(\(element.text))"
      default: refuse("a store cannot evaluate \(function.rawValue)")
      }
    let isOfElement = function == .minimum || function == .maximum
    return SQLValue(
      text: "(SELECT \(call) \(collection.tail))", kind: isOfElement ? element.kind : .number)
  }

  /// What the rest of a path is for the records of a collection.
  mutating func element(of collection: SQLCollection, _ rest: ArraySlice<String>) -> SQLValue {
    switch reach(rest, from: collection.source) {
    case .value(let value): return value
    case .many: refuse("multiple to-many keys not allowed here")
    }
  }

  // MARK: Values

  /// An expression that has one value, compared with something of a kind.
  mutating func value(_ expression: NSExpression, as kind: SQLValue.Kind = .unknown) -> SQLValue {
    if let constant = constant(expression) { return value(constant, as: kind, expression) }
    switch expression.node {
    case .function(let function, let arguments): return call(function, arguments)
    case .conditional(let predicate, let yes, let no):
      let condition = condition(predicate)
      let (yes, no) = (value(yes).exact, value(no).exact)
      let kind = if case .unknown = yes.kind { no.kind } else { yes.kind }
      return SQLValue(
        text: "CASE WHEN \(condition) THEN \(yes.text) ELSE \(no.text) END", kind: kind)
    case .evaluatedObject, .keyPath, .variable:
      if case .value(let value) = path(expression) { return value }
      refuse("to-many key not allowed here: \(expression)")
    case .subquery: refuse("to-many key not allowed here: \(expression)")
    case .constant, .method, .set, .aggregate, .anyKey, .block:
      refuse("Unsupported expression \(expression): a store cannot evaluate it")
    }
  }

  /// A constant, turned into what it is compared with.
  mutating func value(
    _ constant: Operand, as kind: SQLValue.Kind, _ expression: NSExpression
  ) -> SQLValue {
    guard let fitting = fitted(constant, to: kind) else {
      refuse("the constant \(expression) does not fit the type of what it is compared with")
    }
    if fitting.isNull { return SQLValue(text: "NULL", kind: kind) }
    return SQLValue(text: mark(fitting), kind: Self.kind(of: fitting, or: kind))
  }

  private static func kind(of constant: Operand, or kind: SQLValue.Kind) -> SQLValue.Kind {
    guard case .unknown = kind else { return kind }
    switch constant {
    case .integer, .double: return .number
    case .text: return .text
    case .data: return .data
    case .null, .record, .list, .other: return .unknown
    }
  }

  /// A constant as a column of a kind holds it; nil if it does not fit.
  func fitted(_ constant: Operand, to kind: SQLValue.Kind) -> Operand? {
    switch (kind, constant) {
    case (_, .null): return .null
    case (.record(let layout), .record(let id as NSManagedObjectID, _)):
      return .integer(row(of: id, layout))
    case (.unknown, .record(let id as NSManagedObjectID, _)):
      return .integer(row(of: id, id.layout))
    case (.entity, .record(let entity as NSEntityDescription, _)):
      return .integer(
        Int64(schema.layouts.values.first { $0.name == entity.name }?.number ?? -1))
    case (.number, .integer), (.number, .double), (.real, .integer), (.real, .double),
      (.text, .text), (.data, .data), (.uuid, .data):
      return constant
    case (.number, .text), (.real, .text): return constant.number
    case (.text, .integer(let number)): return .text("\(number)")
    case (.unknown, .integer), (.unknown, .double), (.unknown, .text), (.unknown, .data):
      return constant
    default: return nil
    }
  }

  /// The key of a record's row, or one that no row has.
  private func row(of id: NSManagedObjectID, _ layout: EntityLayout) -> Int64 {
    let isSameTable = id.layout.rootName == layout.rootName
    return id.isTemporaryID || !isSameTable ? -1 : schema.row(id.key)
  }

  // MARK: Functions

  private mutating func call(
    _ function: PredicateFunction, _ arguments: [NSExpression]
  ) -> SQLValue {
    if function.isAggregate, arguments.count == 1 { return aggregate(function, of: arguments[0]) }
    switch function {
    case .size:
      guard case .many(let collection, let rest) = path(arguments[0]) else { break }
      return aggregate(.count, collection, rest)
    case .element, .first, .last:
      refuse(
        "Unsupported function expression: a store cannot pick a member of a collection by index")
    case .now, .random, .randomBelow, .distance, .median, .mode, .standardDeviation:
      refuse("Unsupported function expression: a store cannot evaluate \(function.rawValue)")
    case .noIndex:
      let value = value(arguments[0])
      return SQLValue(text: "+\(value.text)", kind: value.kind)
    default: break
    }
    var values: [SQLValue] = []
    for argument in arguments { values.append(value(argument).exact) }
    return SQLValue(
      text: text(function, values), kind: kind(of: function, values, arguments))
  }

  private func text(_ function: PredicateFunction, _ values: [SQLValue]) -> String {
    switch function {
    case .add, .subtract, .multiply, .divide, .bitAnd, .bitOr, .shiftLeft, .shiftRight:
      return "(\(number(values[0])) \(function.sign ?? "") \(number(values[1])))"
    // SQLite makes a real number of the remainder if one of the two is real.
    case .modulus: return "CAST(\(number(values[0])) % \(number(values[1])) AS INTEGER)"
    default: return PredicateFunctions.call(function, values.map(\.text))
    }
  }

  /// A value as a number; texts are numbers by our rule and not by SQLite's.
  func number(_ value: SQLValue) -> String {
    if case .number = value.kind { return value.text }
    return PredicateFunctions.call(.cast, [value.text, "'NSNumber'"])
  }

  private func kind(
    of function: PredicateFunction, _ values: [SQLValue], _ arguments: [NSExpression]
  ) -> SQLValue.Kind {
    switch function {
    case .uppercase, .lowercase, .canonical: return .text
    case .minimum, .maximum: return values.first?.kind ?? .unknown
    case .cast:
      switch constant(arguments[1]) {
      case .text("NSString"), .text("NSURL"): return .text
      case .text("NSUUID"): return .uuid
      case .text("NSData"): return .data
      case .text("NSNumber"), .text("NSDecimalNumber"), .text("NSDate"): return .number
      default: refuse("CAST knows NSNumber NSDecimalNumber NSDate NSString NSURL NSUUID NSData")
      }
    default: return .number
    }
  }

  /// A function such as `sum:` over a collection, over the rows of a group, or of one value.
  private mutating func aggregate(
    _ function: PredicateFunction, of argument: NSExpression
  ) -> SQLValue {
    switch path(argument) {
    case .many(let collection, let rest): return aggregate(function, collection, rest)
    case .value(let value) where isGrouped:
      let names: [PredicateFunction: String] = [
        // Nothing adds up to 0, as in memory.
        .sum: "TOTAL", .count: "COUNT", .minimum: "MIN", .maximum: "MAX", .average: "AVG",
      ]
      guard let name = names[function] else {
        refuse("a store cannot evaluate \(function.rawValue)")
      }
      let isOfValue = function == .minimum || function == .maximum
      rowFunctionCount += 1
      return SQLValue(
        text: "\(name)(\(value.text))" + (isBesideRows ? " OVER ()" : ""),
        kind: isOfValue ? value.kind : .number)
    case .value(let value):
      let value = value.exact
      return SQLValue(
        text: PredicateFunctions.call(function, [value.text]),
        kind: function == .minimum || function == .maximum ? value.kind : .number)
    }
  }
}
