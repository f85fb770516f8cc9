import Faultline
import Foundation

/// Everything known about one `faultline run` of one scenario: the only source of the page, of
/// `--json`, of `--plain` and of the tests.
public struct RunRecord: Codable, Sendable, Equatable {
  /// The format this version writes; a reader refuses a higher one.
  public static let currentFormat = 1

  /// The format of this record.
  public var format = Self.currentFormat
  /// The version of the tool that ran it.
  public var tool: String
  /// Where it ran.
  public var machine: Machine
  /// How it ran: `real threads, SQLite file`.
  public var way: String
  /// What ran.
  public var scenario: ScenarioRecord
  /// The parameters with their values in this run.
  public var parameters: [ParameterRecord]
  /// The values that are not the defaults, as `name=value`; absent in older records.
  public var settings: [String]?
  /// The seed of the first repeat; repeat n uses seed + n.
  public var seed: UInt64
  /// How often each side ran.
  public var repeats: Int
  /// The columns, in order.
  public var sides: [SideRecord]
}

/// What a record keeps of a scenario's declaration.
public struct ScenarioRecord: Codable, Sendable, Equatable {
  /// Its number in the catalogue; absent where the scenario is the learner's own.
  public var number: Int?
  /// The learner's folder; absent where the scenario is ours.
  public var folder: String?
  public var slug: String
  public var title: String
  /// Its part of the catalogue, if it has a number.
  public var part: Part?
  public var claim: String
  public var question: String
  public var why: String
  /// What every side was given, with the numbers of this run in it.
  public var given: String
  /// Where the guide tells the story, if it has a number.
  public var guide: String?
  public var sources: [Source]
  public var panels: [Panel]
  public var next: [Next]
  public var outcomes: [Outcome]
}

/// A parameter with its value in a run.
public struct ParameterRecord: Codable, Sendable, Equatable {
  public var name: String
  public var value: Int
  public var meaning: String
}

/// One column: every repeat of one side, and the summary of them.
public struct SideRecord: Codable, Sendable, Equatable {
  public var name: String
  public var kind: Side.Kind
  public var heading: String
  public var checker: Side.Checker
  public var trials: [Trial]
  /// One line for each figure that any repeat has, in the order they were noted.
  public var summaries: [Summary]
  /// How often each outcome occurred, the most frequent first.
  public var outcomes: [Tally]
}

/// One repeat of one side.
public struct Trial: Codable, Sendable, Equatable {
  /// Which repeat, from 1.
  public var number: Int
  public var seed: UInt64
  /// The outcome's name.
  public var outcome: String
  /// Its grade; absent when the outcome was never declared.
  public var grade: Grade?
  public var ending: Ending
  public var metrics: [Metric]
  public var series: [Series]
  public var marks: [Mark]
  public var violations: [ViolationRecord]
  /// The last lines the side wrote on stderr.
  public var stderr: [String]
}

/// How often an outcome occurred.
public struct Tally: Codable, Sendable, Equatable {
  public var outcome: String
  /// Its grade; absent when the outcome was never declared.
  public var grade: Grade?
  public var count: Int
}

/// A figure over all repeats of a side.
public struct Summary: Codable, Sendable, Equatable {
  public var name: String
  public var section: String?
  public var unit: Metric.Unit
  /// The median of the numbers, or the words seen most often.
  public var median: Metric.Amount
  public var min: Int?
  public var max: Int?
  public var total: Int?
  /// Whether it was right in every repeat; nil where a value is neither right nor wrong.
  public var good: Bool?
  /// How many repeats agree with the words, and of how many; only for words.
  public var agreeing: Int?
  /// The difference to the first column.
  public var delta: Delta?
}

/// How a figure differs from the same figure in the first column.
public struct Delta: Codable, Sendable, Equatable {
  /// Whether the two are equal or too close to tell apart: equal counts, or medians inside each
  /// other's spread.
  public var same: Bool
  /// This column minus the first.
  public var difference: Int?
  /// The difference in percent of the first column.
  public var percent: Double?
}

/// A curve over the time of one repeat, for a spark line.
public struct Series: Codable, Sendable, Equatable {
  /// How to draw the numbers.
  public enum Kind: String, Codable, Sendable {
    /// Heights.
    case curve
    /// Frames of the main loop: 0 came in time, 1 was dropped.
    case frames
    /// What the engine did: 0 nothing, 1 worked, 2 committed.
    case activity
  }

  /// The label of the curve.
  public var name: String
  /// How to draw the numbers.
  public var kind: Kind
  /// The time from one number to the next; absent when the numbers are not taken at equal times.
  public var stepNanoseconds: Int?
  public var samples: [Double]
}

/// A line of a scenario that is the cause.
public struct Mark: Codable, Sendable, Equatable, Hashable {
  public var file: String
  public var line: Int
  /// The line itself, if the source could be read.
  public var code: String?
  /// What it does, in a few words.
  public var why: String

  /// Points at a line of a source file and reads it.
  init(pointingAt line: Int, of path: String, why: String) {
    self.file = String(path.split(separator: "/").last ?? "")
    self.line = line
    self.why = why
    let lines = Self.lines(of: path)
    if lines.indices.contains(line - 1) {
      self.code = lines[line - 1].trimmingCharacters(in: .whitespaces)
    }
  }

  /// The source files already read, by path: each repeat of a side marks the same lines.
  private static let sources = Lock<[String: [Substring]]>([:])

  private static func lines(of path: String) -> [Substring] {
    if let known = sources.withLock({ $0[path] }) { return known }
    let text = (try? WholeFile.text(of: BuildFolder.source(path))) ?? ""
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    sources.withLock { $0[path] = lines }
    return lines
  }
}

/// A use of a context or an object off its queue, as the concurrency checker reported it.
public struct ViolationRecord: Codable, Sendable, Equatable {
  public var operation: String
  public var object: String
  public var context: String
  public var ownerQueue: String
  public var callerQueue: String
  public var callerThread: String
  public var location: String
  public var fix: String
  /// The whole report, several lines.
  public var report: String
}

extension RunRecord {
  /// Reads a record, and says which version wrote it when it is too new to be read.
  public init(json: Data) throws {
    struct Head: Decodable {
      var format: Int
      var tool: String
    }
    let head: Head
    do {
      head = try JSONDecoder().decode(Head.self, from: json)
    } catch {
      throw Complaint(.input, "This is not a run record: it has no format and no tool version.")
    }
    guard head.format <= Self.currentFormat else {
      throw Complaint(
        .input,
        "This run record has format \(head.format), written by version \(head.tool); this version"
          + " reads up to format \(Self.currentFormat): use the newer version.")
    }
    do {
      self = try JSONDecoder().decode(RunRecord.self, from: json)
    } catch {
      throw Complaint(.input, "This run record of version \(head.tool) is damaged: \(error)")
    }
  }

  /// The record as JSON, the same bytes for the same record.
  public func json() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(self)
  }

  /// Whether every outcome was declared, and only wrong sides had forbidden ones.
  public var holds: Bool {
    sides.allSatisfy { side in
      side.outcomes.allSatisfy { tally in
        switch tally.grade {
        case nil: false
        case .forbidden: side.kind == .wrong
        case .accepted, .interesting: true
        }
      }
    }
  }
}
