import Foundation

extension PredicateWriter {
  /// A comparison, of one value or of the records of a collection.
  mutating func condition(_ comparison: NSComparisonPredicate) -> String {
    let (left, right) = (comparison.leftExpression, comparison.rightExpression)
    if let count = existence(comparison) { return count }
    let known = constant(left)
    var written: SQLValue?
    if known == nil, left.isPath {
      switch path(left) {
      case .many(let members, let rest): return many(comparison, members, rest)
      case .value(let value): written = value
      }
    }
    if comparison.comparisonPredicateModifier != .direct, known != nil {
      refuse("\(comparison) asks of \(left), which is not a to-many relationship")
    }
    if comparison.predicateOperatorType == .contains {
      return membership(comparison, of: right, nil, in: left, written)
    }
    if comparison.predicateOperatorType == .in {
      return membership(comparison, of: left, written, in: right, nil)
    }
    if let known, comparison.comparesValues {
      let right = value(right)
      return compare(comparison, value(known, as: right.kind, left), with: nil, right)
    }
    return compare(comparison, written ?? value(left), with: right, nil)
  }

  /// `ANY`, `ALL` or `CONTAINS` of a to-many relationship.
  private mutating func many(
    _ comparison: NSComparisonPredicate, _ members: SQLCollection, _ rest: ArraySlice<String>
  ) -> String {
    var members = members
    let element = element(of: members, rest)
    let modifier = comparison.comparisonPredicateModifier
    if modifier == .direct {
      guard comparison.predicateOperatorType == .contains else {
        refuse("to-many key not allowed here: \(comparison.leftExpression); say ANY, ALL or NONE")
      }
      let same = NSComparisonPredicate(
        leftExpression: comparison.leftExpression, rightExpression: comparison.rightExpression,
        type: .equalTo, options: comparison.options)
      members.conditions.append(isMember(same, element))
      return "EXISTS (SELECT 1 \(members.tail))"
    }
    let condition =
      switch comparison.predicateOperatorType {
      case .in: isIn(comparison, element, comparison.rightExpression)
      case .contains: contains(comparison, element, comparison.rightExpression)
      default: compare(comparison, element, with: comparison.rightExpression, nil)
      }
    if modifier == .any {
      members.conditions.append(condition)
      return "EXISTS (SELECT 1 \(members.tail))"
    }
    members.conditions.append("NOT " + Self.truth(of: condition))
    return "NOT EXISTS (SELECT 1 \(members.tail))"
  }

  /// Whether an element of a collection is what the right side says; nil is nobody's member.
  private mutating func isMember(_ same: NSComparisonPredicate, _ element: SQLValue) -> String {
    isNil(same.rightExpression) ? "0" : compare(same, element, with: same.rightExpression, nil)
  }

  /// Whether a collection has members at all, which needs no counting.
  private mutating func existence(_ comparison: NSComparisonPredicate) -> String? {
    guard case .keyPath(let base?, let names) = comparison.leftExpression.node,
      names == ["@count"], case .subquery = base.node,
      case .constant(let value) = comparison.rightExpression.node, let number = Operand(value).real
    else { return nil }
    let word: String
    switch (comparison.predicateOperatorType, number) {
    case (.greaterThan, 0), (.notEqualTo, 0), (.greaterThanOrEqualTo, 1): word = "EXISTS"
    case (.equalTo, 0), (.lessThan, 1), (.lessThanOrEqualTo, 0): word = "NOT EXISTS"
    default: return nil
    }
    guard case .many(let members, _) = path(base) else { return nil }
    return "\(word) (SELECT 1 \(members.tail))"
  }

  // MARK: Two values

  /// Compares a value with an expression, or with another value that is written already.
  private mutating func compare(
    _ comparison: NSComparisonPredicate, _ left: SQLValue, with expression: NSExpression?,
    _ written: SQLValue?
  ) -> String {
    let type = comparison.predicateOperatorType
    if type == .equalTo || type == .notEqualTo {
      let isNot = type == .equalTo ? "" : "NOT "
      // Only the constant nil asks whether there is a value.
      if let expression, isNil(expression) { return "\(left.text) IS \(isNot)NULL" }
      if let written, isNil(comparison.leftExpression) { return "\(written.text) IS \(isNot)NULL" }
    }
    switch type {
    case .between: return between(comparison, left, comparison.rightExpression)
    case .beginsWith, .endsWith, .like, .matches:
      return fits(comparison, left, comparison.rightExpression)
    case .in, .contains: return "0"
    default: break
    }
    let right: SQLValue
    if let written {
      right = written
    } else if let expression {
      right = value(expression, as: left.kind)
    } else {
      ProgrammerError.impossible("a comparison without a right side")
    }
    let sides = sides(left, right, comparison)
    if type == .notEqualTo, !sides.areAlike {
      return "(\(left.text) IS NOT NULL AND \(right.text) IS NOT NULL "
        + "AND (\(sides.left) = \(sides.right)) IS NOT 1)"
    }
    let sign = type == .notEqualTo ? "<>" : type == .equalTo ? "=" : type.sign
    return "\(sides.left) \(sign) \(sides.right)"
  }

  /// Two values as they are compared, which is by our rule and not by SQLite's: a text beside a
  /// number is the number that it spells, and beside a value of any other kind there is null.
  private func sides(
    _ left: SQLValue, _ right: SQLValue, _ comparison: NSComparisonPredicate
  ) -> (left: String, right: String, areAlike: Bool) {
    switch (left.kind, right.kind) {
    case (.record(let a), .record(let b)) where a.root !== b.root: break
    case (.text, .number), (.text, .real): return (number(left), right.text, false)
    case (.number, .text), (.real, .text): return (left.text, number(right), false)
    case (.unknown, _), (_, .unknown), (.text, .text), (.entity, .entity), (.record, .record),
      (.number, .number), (.number, .real), (.real, .number), (.real, .real),
      (.data, .data), (.data, .uuid), (.uuid, .data), (.uuid, .uuid):
      return (folded(left, comparison), folded(right, comparison), true)
    default: break
    }
    // Null, with the constants of the value in it, because each must stand somewhere.
    return (left.text, "CASE WHEN 0 THEN \(right.text) END", false)
  }

  private func isNil(_ expression: NSExpression) -> Bool {
    guard case .constant(let value) = expression.node else { return false }
    return Operand(value).isNull
  }

  /// A value without what the options make no difference of.
  private func folded(_ value: SQLValue, _ comparison: NSComparisonPredicate) -> String {
    guard case .text = value.kind,
      !comparison.options.isDisjoint(with: [.caseInsensitive, .diacriticInsensitive])
    else { return value.text }
    return PredicateFunctions.fold(value.text, comparison.options)
  }

  private mutating func between(
    _ comparison: NSComparisonPredicate, _ left: SQLValue, _ right: NSExpression
  ) -> String {
    var bounds: [SQLValue] = []
    if case .aggregate(let members) = right.node {
      for member in members { bounds.append(value(member, as: left.kind)) }
    } else if case .list(let members)? = constant(right) {
      for member in members { bounds.append(value(member, as: left.kind, right)) }
    }
    guard bounds.count == 2 else { refuse("BETWEEN needs two bounds, not \(right)") }
    let (low, high) = (
      sides(left, bounds[0], comparison), sides(left, bounds[1], comparison)
    )
    if low.left == high.left { return "\(low.left) BETWEEN \(low.right) AND \(high.right)" }
    return "\(low.left) >= \(low.right) AND \(high.left) <= \(high.right)"
  }

  /// A text compared with a pattern.
  private mutating func fits(
    _ comparison: NSComparisonPredicate, _ left: SQLValue, _ right: NSExpression
  ) -> String {
    let left = textual(left, comparison)
    let type = comparison.predicateOperatorType
    guard case .text(let pattern)? = constant(right), type != .matches else {
      let pattern = value(right, as: .text)
      if type == .matches, case .text(let pattern)? = constant(right) {
        _ = RegularPattern.compiled(pattern, comparison.options)
      }
      return PredicateFunctions.fits(comparison, left.text, textual(pattern, comparison).text)
    }
    // GLOB, unlike SQLite's LIKE, respects case.
    let folded = TextFolding.fold(pattern, comparison.options)
    let glob =
      switch type {
      case .beginsWith: LikePattern.literal(folded) + "*"
      case .endsWith: "*" + LikePattern.literal(folded)
      default: LikePattern(folded).glob
      }
    return "\(self.folded(left, comparison)) GLOB \(mark(.text(glob)))"
  }

  private func textual(_ value: SQLValue, _ comparison: NSComparisonPredicate) -> SQLValue {
    switch value.kind {
    case .text, .unknown: return value
    case .number, .real, .data, .uuid, .record, .entity:
      refuse(
        "Can't do a substring operation with something that isn't a string: \(comparison)")
    }
  }

  // MARK: Collections

  /// The records that an expression leads to, if it leads to many.
  private mutating func collection(
    _ expression: NSExpression
  ) -> (members: SQLCollection, rest: ArraySlice<String>)? {
    guard expression.isPath, constant(expression) == nil,
      case .many(let members, let rest) = path(expression)
    else { return nil }
    return (members, rest)
  }

  /// Whether a value is in a collection or a text.
  private mutating func membership(
    _ comparison: NSComparisonPredicate, of member: NSExpression, _ writtenMember: SQLValue?,
    in collection: NSExpression, _ writtenCollection: SQLValue?
  ) -> String {
    if writtenCollection == nil, let found = self.collection(collection) {
      var members = found.members
      let element = element(of: members, found.rest)
      let same = NSComparisonPredicate(
        leftExpression: collection, rightExpression: member, type: .equalTo,
        options: comparison.options)
      members.conditions.append(isMember(same, element))
      return "EXISTS (SELECT 1 \(members.tail))"
    }
    if comparison.predicateOperatorType == .contains, !isList(collection) {
      return contains(comparison, writtenCollection ?? value(collection), member)
    }
    return isIn(comparison, writtenMember ?? value(member), collection)
  }

  /// Whether an expression is a list that no record has a part in, or that names its members.
  private func isList(_ expression: NSExpression) -> Bool {
    if case .aggregate = expression.node { return true }
    if case .list? = constant(expression) { return true }
    return false
  }

  /// Whether a text contains another.
  private mutating func contains(
    _ comparison: NSComparisonPredicate, _ text: SQLValue, _ part: NSExpression
  ) -> String {
    let text = textual(text, comparison)
    let part = textual(value(part, as: .text), comparison)
    return "instr(\(folded(text, comparison)), \(folded(part, comparison))) > 0"
  }

  /// Whether a value is among others, or a text inside another.
  private mutating func isIn(
    _ comparison: NSComparisonPredicate, _ left: SQLValue, _ right: NSExpression
  ) -> String {
    if let constant = constant(right) {
      if case .text = constant {
        let whole = value(constant, as: .text, right)
        return "instr(\(folded(whole, comparison)), "
          + "\(folded(textual(left, comparison), comparison))) > 0"
      }
      return isAmong(comparison, left, constant.members, right)
    }
    if case .aggregate(let members) = right.node {
      var values: [String: [String]] = [:]
      for member in members {
        let sides = sides(left, value(member, as: left.kind), comparison)
        values[sides.left, default: []].append(sides.right)
      }
      let conditions = values.sorted { $0.key < $1.key }
        .map { "\($0.key) IN (\($0.value.joined(separator: ", ")))" }
      return "(\(conditions.joined(separator: " OR ")))"
    }
    if collection(right) != nil { refuse("multiple to-many keys not allowed here") }
    let whole = value(right)
    guard case .text = whole.kind else {
      refuse("IN needs a collection or a text on its right, not \(right)")
    }
    return "instr(\(folded(whole, comparison)), "
      + "\(folded(textual(left, comparison), comparison))) > 0"
  }

  private mutating func isAmong(
    _ comparison: NSComparisonPredicate, _ left: SQLValue, _ members: [Operand],
    _ expression: NSExpression
  ) -> String {
    var kind = left.kind
    if case .unknown = kind, let first = members.first(where: { !$0.isNull }) {
      kind = value(first, as: .unknown, expression).kind
    }
    let foldsTexts = !comparison.options.isDisjoint(with: [.caseInsensitive, .diacriticInsensitive])
    let constants = members.compactMap { member -> Operand? in
      guard let fitting = fitted(member, to: kind) else {
        refuse("a member of \(expression) does not fit the type of what it is compared with")
      }
      if case .text(let text) = fitting, foldsTexts {
        return .text(TextFolding.fold(text, comparison.options))
      }
      return fitting.isNull ? nil : fitting
    }
    // Not just false, because each constant of the value must stand somewhere.
    if constants.isEmpty { return "\(left.text) IN ()" }
    return "\(folded(left, comparison)) IN (\(list(constants)))"
  }

  /// Constants as a list whose length leaves few different statements.
  private mutating func list(_ constants: [Operand]) -> String {
    if constants.count > 16 {
      let list = JSONList(constants)
      let value = list.isPlain ? "value" : PredicateFunctions.unpack("value")
      return "SELECT \(value) FROM json_each(\(mark(.text(list.text))))"
    }
    var length = 1
    while length < constants.count { length *= 2 }
    var marks: [String] = []
    for constant in constants { marks.append(mark(constant)) }
    // A number that stands twice changes nothing.
    marks += Array(repeating: marks[marks.count - 1], count: length - constants.count)
    return marks.joined(separator: ",")
  }
}

extension NSExpression {
  /// Whether the expression may lead to many.
  fileprivate var isPath: Bool {
    switch node {
    case .keyPath, .subquery: true
    default: false
    }
  }
}

extension NSComparisonPredicate {
  /// Whether both sides are values of one kind.
  fileprivate var comparesValues: Bool {
    switch predicateOperatorType {
    case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo, .equalTo, .notEqualTo:
      true
    case .matches, .like, .beginsWith, .endsWith, .in, .contains, .between: false
    }
  }
}
