/// The functions that expressions know, by the names that `NSExpression(forFunction:)` takes.
enum PredicateFunction: String, CaseIterable {
  case sum = "sum:"
  case count = "count:"
  case minimum = "min:"
  case maximum = "max:"
  case average = "average:"
  case median = "median:"
  case mode = "mode:"
  case standardDeviation = "stddev:"
  case add = "add:to:"
  case subtract = "from:subtract:"
  case multiply = "multiply:by:"
  case divide = "divide:by:"
  case modulus = "modulus:by:"
  case squareRoot = "sqrt:"
  case logarithm = "log:"
  case naturalLogarithm = "ln:"
  case power = "raise:toPower:"
  case exponential = "exp:"
  case floor = "floor:"
  case ceiling = "ceiling:"
  case absolute = "abs:"
  case truncate = "trunc:"
  case uppercase = "uppercase:"
  case lowercase = "lowercase:"
  case canonical = "canonical:"
  case length = "length:"
  case random = "random"
  case randomBelow = "randomn:"
  case now = "now"
  case bitAnd = "bitwiseAnd:with:"
  case bitOr = "bitwiseOr:with:"
  case bitXor = "bitwiseXor:with:"
  case shiftLeft = "leftshift:by:"
  case shiftRight = "rightshift:by:"
  case complement = "onesComplement:"
  case noIndex = "noindex:"
  case cast = "castObject:toType:"
  case element = "objectFrom:withIndex:"
  case first = "first:"
  case last = "last:"
  case size = "size:"
  case distance = "distanceToLocation:fromLocation:"

  /// Whether the function is one of all members of a collection.
  var isAggregate: Bool {
    switch self {
    case .sum, .count, .minimum, .maximum, .average, .median, .mode, .standardDeviation: true
    default: false
    }
  }

  /// The sign that stands between the two arguments, if the function has one.
  var sign: String? {
    switch self {
    case .add: "+"
    case .subtract: "-"
    case .multiply: "*"
    case .divide: "/"
    case .power: "**"
    case .bitAnd: "&"
    case .bitOr: "|"
    case .bitXor: "^"
    case .shiftLeft: "<<"
    case .shiftRight: ">>"
    default: nil
    }
  }

  /// Whether the function can be given so many arguments.
  func takes(_ count: Int) -> Bool {
    if isAggregate { return count > 0 }
    return count == rawValue.count { $0 == ":" }
  }

  /// The functions that stand in brackets behind a collection, by their words there.
  static let byIndex: [String: PredicateFunction] = ["FIRST": .first, "LAST": .last, "SIZE": .size]

  /// The functions of collection operators in key paths.
  static let byOperation: [String: PredicateFunction] = [
    "@sum": .sum, "@min": .minimum, "@max": .maximum, "@avg": .average,
  ]

  /// The function of a call in a format string: its whole name, or what stands before the colon.
  static func named(_ name: String) -> PredicateFunction? {
    if let exact = PredicateFunction(rawValue: name) { return exact }
    let short = name.lowercased()
    return byShortName[short]
  }

  private static let byShortName: [String: PredicateFunction] = {
    var names: [String: PredicateFunction] = [
      "subtract": .subtract, "distance": .distance, "bitand": .bitAnd, "bitor": .bitOr,
      "bitxor": .bitXor, "cast": .cast, "ceil": .ceiling,
      "index": .element,
    ]
    for function in allCases where function != .subtract {
      names[function.rawValue.prefix { $0 != ":" }.lowercased()] = function
    }
    return names
  }()
}
