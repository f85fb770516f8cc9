/// A story as `--json` and `--plain` print it.
public struct StoryRecord: Codable, Sendable, Equatable {
  /// One side.
  public struct SideDeclared: Codable, Sendable, Equatable {
    /// What `--side` calls it.
    public var name: String
    /// Whether it is the wrong way, the right way, or one of several.
    public var kind: Side.Kind
    /// What stands over its column.
    public var heading: String
  }

  /// Lines between two anchors of the scenario's file.
  public struct Passage: Codable, Sendable, Equatable {
    /// The name of the anchors, usually the name of a side.
    public var name: String
    /// The lines.
    public var code: String
  }

  /// What the scenario declares.
  public var scenario: ScenarioRecord
  /// Its parameters with the shipped values.
  public var parameters: [ParameterRecord]
  /// Its sides, in order.
  public var sides: [SideDeclared]
  /// The code of its sides, or of the one that was asked for.
  public var code: [Passage]

  /// Records the story of a scenario, with the code of all its sides or of one.
  public init(_ scenario: ScenarioDescription, side: String?) throws(Complaint) {
    let values = scenario.parameters.map { ($0.name, $0.standard) }
    let story = Story(scenario)
    let passages = if let side { try story.code(ofSide: side) } else { story.code() }
    self.scenario = ScenarioRecord(
      scenario, parameters: Dictionary(values) { first, _ in first })
    parameters = scenario.parameters.map {
      ParameterRecord(name: $0.name, value: $0.standard, meaning: $0.meaning)
    }
    sides = scenario.sides.map { SideDeclared(name: $0.name, kind: $0.kind, heading: $0.heading) }
    code = passages.map { Passage(name: $0.name, code: $0.code) }
  }

  /// The same as tab-separated values: what a line is about, its name, its words.
  public var plain: String {
    var lines = [["scenario", scenario.word, scenario.title]]
    lines += [["claim", "", scenario.claim], ["question", "", scenario.question]]
    lines += [["given", "", scenario.given]]
    lines += sides.map { [$0.kind.rawValue, $0.name, $0.heading] }
    lines += scenario.outcomes.map { [$0.grade.rawValue, $0.name, $0.meaning] }
    lines += parameters.map { ["parameter", "\($0.name)=\($0.value)", $0.meaning] }
    for passage in code {
      lines += passage.code.split(separator: "\n", omittingEmptySubsequences: false)
        .map { ["code", passage.name, String($0)] }
    }
    return lines.map { $0.map(PlainTable.clean).joined(separator: "\t") + "\n" }.joined()
  }
}
