import Foundation

/// A page of the guide, taken apart into prose and what must be fresh.
///
/// What must be fresh stands between two comments, which no reader of the rendered page sees:
///
///     <!-- code 08-perform-and-wait-on-main/PerformAndWaitOnMain.swift wrong -->   … <!-- end -->
///     <!-- page run 8 -->                                                         … <!-- end -->
///     <!-- page explore 27 -->                                                    … <!-- end -->
///     <!-- figure 8 wrong "frames dropped" within 8x -->14<!-- end -->
///
/// `Guide/reference/formats.md` describes them. Nothing is looked for inside other code fences.
struct GuideDocument: Equatable {
  /// A piece of the page.
  enum Piece: Equatable {
    case prose(String)
    case fresh(Directive, body: String, line: Int)
  }

  /// What belongs between two comments.
  enum Directive: Equatable {
    /// A passage of a scenario file, between `// anchor: NAME` and `// end: NAME`.
    case code(file: String, anchor: String)
    /// What a run prints.
    case page(GuideRun, isLoose: Bool)
    /// What a command prints that nothing but a line of time varies in.
    case controlled(GuideCommandLine)
    /// One figure of a run.
    case figure(GuideRun, side: String, name: String, Tolerance)
  }

  /// How far a written figure may lie from a fresh one.
  enum Tolerance: Equatable {
    case exactly
    /// Between the n-th part and n times.
    case within(Double)
    case atLeast(Double)
    case atMost(Double)
  }

  /// A mistake in a page that is found before anything runs.
  struct Malformed: Error, Equatable {
    let line: Int
    let text: String
  }

  /// The pieces, which put together give the page.
  var pieces: [Piece]

  /// The page as text.
  var text: String {
    pieces.map { piece in
      switch piece {
      case .prose(let text): text
      case .fresh(let directive, let body, _): Self.written(directive) + body + Self.end
      }
    }.joined()
  }

  private static let end = "<!-- end -->"

  /// Takes a page apart.
  init(_ text: String) throws(Malformed) {
    var reader = DocumentReader(text)
    pieces = try reader.read()
  }

  private static func written(_ directive: Directive) -> String {
    "<!-- \(directive.words) -->"
  }
}

/// A run whose page or figures the guide shows.
public struct GuideRun: Sendable, Hashable, CustomStringConvertible {
  /// The scenario's number.
  public let number: Int
  /// Parameters that are not at their defaults, as `name=value`, in order.
  public let settings: [String]

  /// Those parameters by their names.
  public var parameters: [String: Int] {
    let pairs = settings.map { $0.split(separator: "=").map(String.init) }
    return Dictionary(
      pairs.compactMap { $0.count == 2 ? ($0[0], Int($0[1]) ?? 0) : nil }, uniquingKeysWith: { $1 })
  }

  /// How a learner types it after `faultline`.
  public var description: String {
    (["run", "\(number)"] + settings.map { "--set \($0)" }).joined(separator: " ")
  }
}

/// A command whose page is the same on every machine, but for the line that says how long it took.
public struct GuideCommandLine: Sendable, Hashable, CustomStringConvertible {
  /// Which commands there are.
  private static let names: Set<String> = ["explore", "matrix", "replay", "draw"]

  /// The words after `faultline`.
  public let words: [String]

  /// Takes words; nil if they begin with no such command.
  init?(_ words: [String]) {
    guard words.count > 1, Self.names.contains(words[0]) else { return nil }
    self.words = words
  }

  /// How a learner types it after `faultline`.
  public var description: String { words.joined(separator: " ") }
}

extension GuideDocument.Directive {
  /// The words between the comment's marks, from which the directive can be read again.
  var words: String {
    switch self {
    case .code(let file, let anchor): "code \(file) \(anchor)"
    case .page(let run, let isLoose): "page \(run)\(isLoose ? " loosely" : "")"
    case .controlled(let command): "page \(command)"
    case .figure(let run, let side, let name, let tolerance):
      (["figure", "\(run.number)"] + run.settings + [side, "\"\(name)\"", tolerance.words])
        .joined(separator: " ")
    }
  }

  /// Reads the words; nil if they are none of ours.
  init?(_ words: String) {
    var parts = words.split(separator: " ").map(String.init)
    guard !parts.isEmpty else { return nil }
    switch parts.removeFirst() {
    case "code" where parts.count == 2: self = .code(file: parts[0], anchor: parts[1])
    case "page":
      if let command = GuideCommandLine(parts) {
        self = .controlled(command)
        return
      }
      let isLoose = parts.last == "loosely"
      if isLoose { parts.removeLast() }
      guard parts.count > 1, parts[0] == "run", let number = Int(parts[1]) else { return nil }
      let rest = Array(parts.dropFirst(2))
      guard rest.count.isMultiple(of: 2) else { return nil }
      let pairs = stride(from: 0, to: rest.count, by: 2).map { (rest[$0], rest[$0 + 1]) }
      guard pairs.allSatisfy({ $0.0 == "--set" && $0.1.contains("=") }) else { return nil }
      self = .page(GuideRun(number: number, settings: pairs.map(\.1)), isLoose: isLoose)
    case "figure":
      guard let figure = Self.figure(words) else { return nil }
      self = figure
    default: return nil
    }
  }

  private static func figure(_ words: String) -> Self? {
    let pattern = #/figure ([0-9]+)((?: [a-z]+=[0-9]+)*) ([A-Za-z]+) "([^"]+)" (.+)/#
    guard let match = words.wholeMatch(of: pattern), let number = Int(match.output.1),
      let tolerance = GuideDocument.Tolerance(String(match.output.5))
    else { return nil }
    let settings = match.output.2.split(separator: " ").map(String.init)
    return .figure(
      GuideRun(number: number, settings: settings), side: String(match.output.3),
      name: String(match.output.4), tolerance)
  }
}

extension GuideDocument.Tolerance {
  /// How it is written.
  var words: String {
    switch self {
    case .exactly: "exactly"
    case .within(let factor): "within \(Self.short(factor))x"
    case .atLeast(let bound): "at least \(Self.short(bound))"
    case .atMost(let bound): "at most \(Self.short(bound))"
    }
  }

  private static func short(_ number: Double) -> String {
    number == number.rounded() ? "\(Int(number))" : "\(number)"
  }

  /// Reads a tolerance; nil if it is none.
  init?(_ words: String) {
    let last = words.split(separator: " ").last.map { $0.hasSuffix("x") ? $0.dropLast() : $0 } ?? ""
    switch (words, Double(last)) {
    case ("exactly", _): self = .exactly
    case (_, let number?) where words.hasPrefix("within ") && words.hasSuffix("x") && number >= 1:
      self = .within(number)
    case (_, let number?) where words.hasPrefix("at least "): self = .atLeast(number)
    case (_, let number?) where words.hasPrefix("at most "): self = .atMost(number)
    default: return nil
    }
  }

  /// Whether a fresh figure agrees with the written one.
  func allows(written: Double, fresh: Double) -> Bool {
    switch self {
    case .exactly: written == fresh
    case .within(let factor):
      fresh == written || (fresh * factor >= written && fresh <= written * factor)
    case .atLeast(let bound): written >= bound && fresh >= bound
    case .atMost(let bound): written <= bound && fresh <= bound
    }
  }
}

private struct DocumentReader {
  private let lines: [Substring]
  private var pieces: [GuideDocument.Piece] = []
  private var prose = ""
  private var at = 0

  init(_ text: String) {
    lines = text.split(separator: "\n", omittingEmptySubsequences: false)
  }

  mutating func read() throws(GuideDocument.Malformed) -> [GuideDocument.Piece] {
    var isFenced = false
    while at < lines.count {
      let line = lines[at]
      if line.hasPrefix("```") { isFenced.toggle() }
      if !isFenced, let words = opening(line), line.hasSuffix("-->") {
        try readBlock(words)
      } else if !isFenced, line.contains("<!-- figure ") {
        try readFigures(line)
      } else {
        prose += line
        endLine()
      }
    }
    flush()
    return pieces
  }

  private func opening(_ line: Substring) -> String? {
    guard let match = line.wholeMatch(of: #/<!-- ((?:code|page) .*) -->/#) else { return nil }
    return String(match.output.1)
  }

  private mutating func endLine() {
    at += 1
    if at < lines.count { prose += "\n" }
  }

  private mutating func flush() {
    if !prose.isEmpty { pieces.append(.prose(prose)) }
    prose = ""
  }

  private mutating func readBlock(_ words: String) throws(GuideDocument.Malformed) {
    let first = at
    guard let directive = GuideDocument.Directive(words) else {
      throw GuideDocument.Malformed(line: at + 1, text: "cannot read <!-- \(words) -->")
    }
    var body = "\n"
    at += 1
    while at < lines.count, lines[at] != "<!-- end -->" {
      body += lines[at] + "\n"
      at += 1
    }
    guard at < lines.count else {
      throw GuideDocument.Malformed(line: first + 1, text: "<!-- \(words) --> has no <!-- end -->")
    }
    flush()
    pieces.append(.fresh(directive, body: body, line: first + 1))
    endLine()
  }

  private mutating func readFigures(_ line: Substring) throws(GuideDocument.Malformed) {
    var rest = line
    while let match = rest.firstMatch(of: #/<!-- (figure .*?) -->(.*?)<!-- end -->/#) {
      guard let directive = GuideDocument.Directive(String(match.output.1)) else { break }
      prose += rest[..<match.range.lowerBound]
      flush()
      pieces.append(.fresh(directive, body: String(match.output.2), line: at + 1))
      rest = rest[match.range.upperBound...]
    }
    if rest.contains("<!-- figure ") {
      throw GuideDocument.Malformed(line: at + 1, text: "cannot read the figure in: \(rest)")
    }
    prose += rest
    endLine()
  }
}
