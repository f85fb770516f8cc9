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
  /// Whether the value is right; nil where a value is neither right nor wrong.
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
  /// The most figures that are taken from a run of code that is not ours, those that it noted last:
  /// pages compare each with each.
  static let countMax = 1_000
  /// The section of the main loop.
  static let mainLoop = "main loop at 60 Hz"
  /// Frames in which no tick came.
  static let framesDropped = "frames dropped"
  /// The longest time without a turn of the main loop.
  static let longestStall = "longest stall"
  /// The section of the engine's counts.
  static let engine = "engine"
  /// The curve of what the process did.
  static let work = "working (S: a commit)"
  /// SQL statements run.
  static let statements = "statements"
  /// Transactions committed.
  static let commits = "commits"
  /// Object faults fulfilled.
  static let faultsFired = "faults fired"
  /// Rows read from the store.
  static let rowsFetched = "rows fetched"
  /// Optimistic-locking conflicts found.
  static let conflicts = "conflicts"
  /// Broken queue rules.
  static let violations = "violations"
  /// Data races that the thread sanitizer reported.
  static let races = "data races seen"
  /// Time that threads spent blocked on a queue.
  static let queueWait = "time blocked on a queue"
  /// Virtual time that threads and tasks spent blocked on the store's writer.
  static let storeWait = "time blocked on the store"
  /// The most bytes of rows in memory at one time.
  static let rowBytes = "bytes of rows"
  /// The section and the curve of memory.
  static let memory = "resident memory"
  /// The curve of registered objects.
  static let liveObjects = "live objects"
  /// The most objects registered at one time.
  static let peakLiveObjects = "peak live objects"
  /// The most memory the process held.
  static let peakMemory = "peak memory"
  /// The time from the side's first line to its last.
  static let total = "total"
}
