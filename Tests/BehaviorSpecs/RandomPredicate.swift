import CoreData
import Foundation

/// Makes up format strings about the people of a `PredicateWorld`.
struct RandomPredicate {
  /// The source of chance.
  var random: SeededGenerator
  private let world: PredicateWorld
  private var arguments: [Any] = []

  init(seed: Int, _ world: PredicateWorld) {
    random = SeededGenerator(seed: seed)
    self.world = world
  }

  /// A format string and its arguments.
  mutating func next() -> (format: String, arguments: [Any]) {
    arguments = []
    let format = condition(3, .person)
    return (format, arguments)
  }

  /// Whose names a path may begin with.
  private enum Scope {
    case person
    case skill(String)
    case member(String)
  }

  private mutating func one(_ texts: [String]) -> String { texts.randomElement(using: &random)! }
  private mutating func number(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &random)
  }

  private mutating func argument(_ value: Any) -> String {
    arguments.append(value)
    return "%@"
  }

  private mutating func person() -> String {
    argument(world.records["Person"]![number(0...5)])
  }

  // MARK: Conditions

  private mutating func condition(_ depth: Int, _ scope: Scope) -> String {
    if depth > 0, number(0...2) == 0 {
      switch number(0...3) {
      case 0: return "NOT (\(condition(depth - 1, scope)))"
      case 1: return "(\(condition(depth - 1, scope))) OR (\(condition(depth - 1, scope)))"
      default: return "(\(condition(depth - 1, scope)) AND \(condition(depth - 1, scope)))"
      }
    }
    switch number(0...9) {
    case 0, 1: return numbers(depth, scope)
    case 2, 3: return texts(depth, scope)
    case 4: return "\(one(paths(scope))) \(one(["==", "!="])) nil"
    case 5: return others(scope)
    default:
      if case .person = scope { return many(depth) }
      return numbers(depth, scope)
    }
  }

  private mutating func numbers(_ depth: Int, _ scope: Scope) -> String {
    let left = numeric(depth, scope)
    switch number(0...4) {
    case 0: return "\(left) BETWEEN {\(number(-2...2)), \(numeric(0, scope))}"
    case 1:
      return
        "\(left) IN {\(number(-1...5)), \(number(-1...5)), \(numeric(0, scope))}"
    case 2: return "\(left) IN \(argument([1, 2.5, NSNull(), 4] as [Any]))"
    default:
      return "\(left) \(one(["==", "!=", "<", "<=", ">", ">="])) \(numeric(depth - 1, scope))"
    }
  }

  private static let patterns = [".*b.*", "[a-z]?", "é|e|", "A\\\\W?b"]
  private static let signs = ["+", "-", "*", "/", "%%", "**", "&", "|", "^", "<<"]

  private mutating func texts(_ depth: Int, _ scope: Scope) -> String {
    let left = text(scope)
    let options = one(["", "", "[c]", "[d]", "[cd]", "[n]"])
    switch number(0...9) {
    case 9: return unlikeKinds(left, scope)
    case 0: return "\(left) IN\(options) {\(literal()), \(literal())}"
    case 8: return wholeNumbers(left, options)
    case 1:
      return
        "\(left) MATCHES\(one(["", "[c]", "[cd]"])) '\(one(Self.patterns))'"
    case 2:
      return "\(left) LIKE\(options) '\(one(["*", "a*", "?b", "*?", "a\\\\*b", "*[c", "ä*"]))'"
    case 3: return "\(left) BETWEEN\(options) {\(literal()), \(literal())}"
    default:
      let kind = one(["==", "!=", "<", ">=", "BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE", "IN"])
      return "\(left) \(kind)\(options) \(number(0...2) == 0 ? text(scope) : literal())"
    }
  }

  /// Whole numbers beside a text, which are compared as they are written.
  private mutating func wholeNumbers(_ left: String, _ options: String) -> String {
    switch number(0...4) {
    case 0: "\(left) IN\(options) {\(number(0...2)), \(literal())}"
    case 1: "\(left) IN\(options) \(argument([number(0...2), "a"] as [Any]))"
    case 2: "\(left) BETWEEN\(options) {\(number(0...1)), \(number(1...9))}"
    case 3: "\(number(0...2)) \(one(["==", "!=", "<"]))\(options) \(left)"
    default: "\(left) \(one(["==", "!=", "<", ">="]))\(options) \(number(0...2))"
    }
  }

  /// A text beside properties of other kinds.
  private mutating func unlikeKinds(_ left: String, _ scope: Scope) -> String {
    let sign = one(["==", "!=", "<", ">="])
    guard case .person = scope else { return "\(left) \(sign) age" }
    let right = one(["age", "height", "born", "code", "photo", "team", "friend.age", "friend"])
    switch number(0...3) {
    case 0: return "\(right) \(sign) \(left)"
    case 1: return "\(left) BETWEEN {age, \(text(scope))}"
    case 2: return "\(left) IN {\(right), age, \(text(scope))}"
    default: return "\(left) \(sign) \(right)"
    }
  }

  private mutating func others(_ scope: Scope) -> String {
    guard case .person = scope else { return "\(text(scope)) != nil" }
    let records = world.records
    switch number(0...12) {
    case 0: return "born \(one(["==", "<", ">="])) \(argument(PredicateWorld.date(&random)))"
    case 1: return "code \(one(["==", "!="])) \(argument(PredicateWorld.uuid(&random)))"
    case 2: return "photo \(one(["==", "!=", "<"])) \(argument(Data([1])))"
    case 3: return "home == \(argument(URL(string: "http://a.b/1")!))"
    case 4: return "SELF \(one(["==", "!="])) \(person())"
    case 5: return "SELF IN \(argument(records["Person"]!.prefix(4).map(\.objectID)))"
    case 6: return "team \(one(["==", "!="])) \(argument(records["Team"]![number(0...2)]))"
    case 7: return "team IN \(argument(NSSet(array: Array(records["Team"]!.prefix(2)))))"
    case 8:
      return "friend \(one(["==", "!="])) \(one(["SELF", "team.lead", "friend.friend", "nil"]))"
    case 9: return "SELF IN \(one(["team.members", "friend.admirers", "team.lead.admirers"]))"
    case 10: return "entity.name == '\(one(["Person", "Employee"]))'"
    case 11: return "isActive == \(one(["YES", "NO", "1", "nil"]))"
    default:
      return "\(argument(records["Skill"]![number(0...3)])) IN \(one(["skills", "friend.skills"]))"
    }
  }

  /// Conditions on collections.
  private mutating func many(_ depth: Int) -> String {
    let quantifier = one(["ANY", "SOME", "ALL", "NONE"])
    let collection = one(["skills", "friend.skills", "team.lead.skills"])
    let members = one(["team.members", "admirers", "friend.admirers", "leads.members"].dropLast())
    switch number(0...9) {
    case 0:
      return
        "\(quantifier) \(collection).level \(one(["==", "!=", "<", ">"])) \(numeric(0, .person))"
    case 1:
      return
        "\(quantifier) \(collection).name \(one(["CONTAINS[cd]", "==", "LIKE[c]"])) \(literal())"
    case 2: return "\(quantifier) \(members).team.name == \(text(.person))"
    case 3:
      return
        "\(quantifier) \(members) \(one(["==", "!="])) \(person())"
    case 4: return "\(quantifier) \(members).age IN {1, 2, 3}"
    case 5: return "\(quantifier) \(members).name \(one(["==", "!="])) nil"
    case 6: return "\(members).age CONTAINS \(number(0...4))"
    case 7: return "\(quantifier) \(members).age BETWEEN {0, \(number(0...4))}"
    case 8:
      let inner = condition(depth - 1, .member("$m"))
      return
        "SUBQUERY(\(members), $m, \(inner)).@count \(one(["> 0", "== 0", ">= 1", "> 1", "!= 2"]))"
    default:
      let inner = condition(depth - 1, .skill("$s"))
      return "SUBQUERY(\(collection), $s, \(inner)).@count \(one(["> 0", "== 0", "< age"]))"
    }
  }

  // MARK: Values

  private func paths(_ scope: Scope) -> [String] {
    switch scope {
    case .person:
      ["name", "age", "team", "team.name", "friend.age", "friend.team", "team.lead.born"]
    case .skill(let name): ["\(name).name", "\(name).level", "age"]
    case .member(let name): ["\(name).name", "\(name).team", "\(name).friend.age", "friend"]
    }
  }

  private mutating func numeric(_ depth: Int, _ scope: Scope) -> String {
    if depth > 0, number(0...3) == 0 {
      let left = numeric(depth - 1, scope)
      switch number(0...3) {
      case 0: return "\(one(["abs", "floor", "ceiling", "trunc", "sqrt"]))(\(left))"
      case 1: return "TERNARY(\(left) > 1, \(numeric(0, scope)), \(numeric(0, scope)))"
      default:
        return
          "(\(left) \(one(Self.signs)) \(numeric(0, scope)))"
      }
    }
    switch scope {
    case .skill(let name) where number(0...3) > 0: return "\(name).level"
    case .member(let name) where number(0...3) > 0:
      return name + one([".age", ".height", ".friend.age", ".team.size", ".skills.@count"])
    default: break
    }
    switch number(0...5) {
    case 0: return "\(number(-2...5))"
    case 1: return "\(Double(number(-4...8)) / 4)"
    case 2:
      return one([
        "skills.@count", "team.members.@count", "admirers.@max.age", "skills.@sum.level",
        "friend.skills.@avg.level", "team.members.@min.money", "count(skills)",
        "sum(team.members.age)", "length(name)", "team.members.height.@sum", "skills[SIZE]",
      ])
    default:
      return one([
        "age", "height", "money", "isActive", "friend.age", "team.size", "team.lead.height",
        "friend.team.size", "born",
      ])
    }
  }

  private mutating func text(_ scope: Scope) -> String {
    switch scope {
    case .skill(let name), .member(let name): return "\(name).name"
    case .person:
      return one([
        "name", "name", "team.name", "friend.name", "friend.team.name", "home", "uppercase(name)",
        "lowercase(team.name)", "canonical(name)", "CAST(age, 'NSString')",
      ])
    }
  }

  private mutating func literal() -> String { "'\(one(PredicateWorld.texts))'" }
}
