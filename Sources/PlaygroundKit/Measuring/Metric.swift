/// One figure, or one thing seen, of one run of one side.
public struct Metric: Sendable, Codable, Equatable {
  /// What a number counts.
  public enum Unit: String, Sendable, Codable {
    case count, nanoseconds, bytes, words
  }

  /// A number, or words.
  public enum Amount: Sendable, Equatable {
    case number(Int)
    case text(String)
  }

  /// What it is called on the page.
  public let name: String
  /// The heading it stands under, if it stands under one.
  public let section: String?
  /// What was seen.
  public let amount: Amount
  /// What the number counts.
  public let unit: Unit
  /// Out of how many.
  public let total: Int?
  /// Whether this is as it should be, where that can be said.
  public let good: Bool?

  /// A number; beside a total and without a verdict of its own it is good when it equals the total.
  public init(
    _ name: String, _ value: Int, of total: Int? = nil, _ unit: Unit = .count, good: Bool? = nil,
    section: String? = nil
  ) {
    self.name = name
    self.section = section
    self.amount = .number(value)
    self.unit = unit
    self.total = total
    self.good = good ?? total.map { $0 == value }
  }

  /// Something seen, in words.
  public init(_ name: String, _ text: String, good: Bool? = nil, section: String? = nil) {
    self.name = name
    self.section = section
    self.amount = .text(text)
    self.unit = .words
    self.total = nil
    self.good = good
  }
}

extension Metric.Amount: Codable {
  /// Reads a bare number or a bare string.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let number = try? container.decode(Int.self) {
      self = .number(number)
    } else {
      self = .text(try container.decode(String.self))
    }
  }

  /// Writes a bare number or a bare string.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .number(let number): try container.encode(number)
    case .text(let text): try container.encode(text)
    }
  }
}

extension Metric {
  static let mainLoop = "main loop at 60 Hz"
  static let framesDropped = "frames dropped"
  static let longestStall = "longest stall"
  static let engine = "engine"
  static let work = "at work (S: saved)"
  static let statements = "statements"
  static let commits = "commits"
  static let faultsFired = "faults fired"
  static let rowsFetched = "rows fetched"
  static let conflicts = "conflicts"
  static let violations = "violations"
  static let queueWait = "waited for a queue"
  static let memory = "resident memory"
  static let liveObjects = "live objects"
  static let peakLiveObjects = "peak live objects"
  static let peakMemory = "peak memory"
  static let total = "total"
}
