import Foundation

/// What a scenario is about, before it is run: claim, question, outcomes, parameters, and the code
/// of its sides.
public struct Story {
  private let scenario: ScenarioDescription
  private let style: PageStyle

  /// Prepares the story of a scenario.
  public init(_ scenario: ScenarioDescription, _ style: PageStyle = PageStyle()) {
    self.scenario = scenario
    self.style = style
  }

  /// The whole story, ending with a line break.
  public var text: String {
    let card = scenario.card
    var lines = Wrapping.justified(
      card.heading, card.part?.heading ?? "", width: style.width)
    lines += wrapped("    ", card.claim) + ["", card.question].flatMap { wrapped("", $0) } + [""]
    lines += wrapped("Given  ", given)
    for side in scenario.sides {
      let isNamed = side.kind == .column || side.name == side.kind.rawValue
      let name = isNamed ? side.name : "\(side.name) (\(side.kind.rawValue))"
      let words = side.name == side.heading ? name : "\(name): \(side.heading)"
      lines += wrapped("Side   ", words)
    }
    lines += ["", "Possible outcomes"]
    lines += aligned(
      scenario.outcomes.map { ($0.name, "\($0.grade.rawValue): \($0.meaning)") })
    if !scenario.parameters.isEmpty { lines += ["", "Values you can change"] }
    lines += aligned(
      scenario.parameters.map { parameter in
        let ends = [parameter.range.lowerBound, parameter.range.upperBound].map(Figures.grouped)
        let explored =
          parameter.explored == parameter.standard
          ? "" : "; explore uses \(Figures.grouped(parameter.explored))"
        return (
          "--set \(parameter.name)=\(parameter.standard)",
          "\(parameter.meaning) (\(ends[0]) to \(ends[1])\(explored))"
        )
      })
    lines += [""] + code().flatMap { Self.lines(of: $0.code) + [""] }
    lines += wrapped("File   ", shortPath)
    for source in card.sources {
      lines += wrapped("From   ", "“\(source.title)”: \(source.passage)")
    }
    if let guide = card.guide { lines += wrapped("Read   ", "Guide/\(guide)") }
    lines += wrapped("Next   ", "faultline run \(scenario.word)   every side, on real threads")
    lines += wrapped(
      "       ", "faultline explore \(scenario.word)   \(Card.exploring)")
    return finished(lines)
  }

  /// The code of one side alone.
  public func lines(ofSide name: String) throws(Complaint) -> String {
    let blocks = try code(ofSide: name).map { Self.lines(of: $0.code) }
    return finished(Array(blocks.joined(separator: [""])))
  }

  /// The passages of one side.
  func code(ofSide name: String) throws(Complaint) -> [(name: String, code: String)] {
    guard scenario.sides.contains(where: { $0.name == name }) else {
      let names = scenario.sides.map(\.name).joined(separator: ", ")
      throw Complaint(
        .usage, "--side \(name): \(scenario.name) has the sides \(names).")
    }
    let passages = code()
    guard !passages.isEmpty else {
      throw Complaint(
        .input, "The code of side \(name) cannot be shown: \(scenario.card.file) cannot be read.")
    }
    // Sides that share their code have no anchors of their own.
    let chosen = passages.filter { $0.name == name }
    return chosen.isEmpty ? passages : chosen
  }

  private var given: String {
    let values = scenario.parameters.map { ($0.name, $0.standard) }
    return ScenarioRecord.filled(
      scenario.card.given, Dictionary(values) { first, _ in first })
  }

  /// The passages of the scenario's own file between anchors, in order.
  func code() -> [(name: String, code: String)] {
    guard let text = try? WholeFile.text(of: scenario.card.file) else {
      return []
    }
    let passages = CodePassage.all(in: text).map { name, passage in (name: name, code: passage) }
    // A learner's file is shown whole.
    let isYours = scenario.sides.contains { $0.kind == .yours }
    return isYours && passages.isEmpty ? [("yours", text)] : passages
  }

  private static func lines(of code: String) -> [String] {
    code.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// The path, beginning with the folder of all scenarios.
  private var shortPath: String {
    scenario.card.file.split(separator: "/").suffix(3).joined(separator: "/")
  }

  /// Names in a column, and what they mean beside them.
  private func aligned(_ entries: [(name: String, meaning: String)]) -> [String] {
    let longest = entries.map(\.name.count).max() ?? 0
    return entries.flatMap { name, meaning in
      wrapped("  \(Wrapping.padded(name, longest))  ", meaning)
    }
  }

  private func wrapped(_ heading: String, _ text: String) -> [String] {
    Wrapping.hanging(heading, text, width: style.width)
  }

  private func finished(_ lines: [String]) -> String {
    // Everything but code is already broken into lines.
    let lines = lines.map(\.visible).flatMap { line in
      line.count <= style.width ? [line] : Wrapping.code(line, width: style.width)
    }
    return (style.ascii ? lines.map(PageStyle.ascii) : lines).joined(separator: "\n") + "\n"
  }
}
