import Foundation

/// A run of several scenarios on a few lines: what the wrong and the right sides of each came to.
public struct RunSummary {
  private let style: PageStyle
  private var holding = 0
  private var runs = 0
  private var nanoseconds = 0

  /// A summary without a run.
  public init(_ style: PageStyle = PageStyle()) { self.style = style }

  /// Counts a run that took so long; its line, ending with a line break.
  public mutating func add(_ record: RunRecord, nanoseconds: Int) -> String {
    runs += 1
    self.nanoseconds += nanoseconds
    if record.holds { holding += 1 }
    let scenario = record.scenario
    let number = scenario.number.map { String(format: "%02d  ", $0) } ?? ""
    let outcomes = Self.groups(record).map { "\($0.name) \($0.outcomes.joined(separator: ", "))" }
    let lines = style.justified(
      "\(record.holds ? "✓" : "✗") \(number)\(scenario.title)",
      outcomes.joined(separator: "  ") + "  " + Self.seconds(nanoseconds))
    return lines.map { style.finished($0) + "\n" }.joined()
  }

  /// The last line, ending with a line break.
  public var sum: String {
    let all = holding == runs ? "all as declared" : "\(holding) of them as declared"
    return style.finished("\(runs) scenarios, \(all), in \(Self.seconds(nanoseconds))") + "\n"
  }

  /// The head of the same as tab-separated values.
  public static let plainHead = "number\ttitle\tas declared\twrong\tright\tother\tseconds\n"

  /// A run as a line of tab-separated values.
  public static func plain(_ record: RunRecord, nanoseconds: Int) -> String {
    let groups = groups(record)
    let outcomes = names.map { name in
      groups.first { $0.name == name }?.outcomes.joined(separator: ",") ?? ""
    }
    let cells =
      [
        record.scenario.number.map(String.init) ?? "", record.scenario.title,
        record.holds ? "yes" : "no",
      ] + outcomes + [String(format: "%.1f", Double(nanoseconds) / 1e9)]
    return cells.map(PlainTable.clean).joined(separator: "\t") + "\n"
  }

  private static let names = ["WRONG", "RIGHT", "OTHER"]

  /// The outcomes of the wrong sides, of the right ones and of the others, each once.
  private static func groups(_ record: RunRecord) -> [(name: String, outcomes: [String])] {
    let kinds: [[Side.Kind]] = [[.wrong], [.right], [.column, .yours]]
    return zip(names, kinds).compactMap { name, kinds in
      var seen: [String] = []
      for tally in record.sides.filter({ kinds.contains($0.kind) }).flatMap(\.outcomes)
      where !seen.contains(tally.outcome) {
        seen.append(tally.outcome)
      }
      return seen.isEmpty ? nil : (name, seen)
    }
  }

  private static func seconds(_ nanoseconds: Int) -> String {
    String(format: "%.1f s", Double(nanoseconds) / 1e9)
  }
}
