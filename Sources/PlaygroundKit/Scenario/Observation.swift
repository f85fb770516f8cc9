import Foundation

/// What is known of one run of one side after its process ended: its notes, its ending, its store
/// file.
public final class Observation {
  /// How the process ended.
  public let ending: Ending
  /// The concurrency violations that the checker recorded.
  public let violations: [ViolationRecord]

  /// The store the side left.
  let store: StoreFile
  /// The values of the parameters by their names.
  let parameters: [String: Int]
  /// Everything noted so far.
  private(set) var metrics: [Metric]

  init(
    ending: Ending, violations: [ViolationRecord], store: StoreFile, parameters: [String: Int],
    metrics: [Metric]
  ) {
    self.ending = ending
    self.violations = violations
    self.store = store
    self.parameters = parameters
    self.metrics = metrics
  }

  /// Takes everything noted elsewhere.
  func replaceMetrics(_ metrics: [Metric]) { self.metrics = metrics }

  /// The value of a parameter in this run.
  public subscript(_ parameter: Parameter) -> Int {
    parameters[parameter.name, default: parameter.standard]
  }

  /// The value of the parameter of a name; a name that no parameter has stops the program.
  public subscript(name: String) -> Int { parameters.value(named: name) }

  /// The number noted under a name, by the side or by the kit.
  public func number(_ name: String) -> Int? {
    if case .number(let number)? = metrics.last(where: { $0.name == name })?.amount {
      number
    } else {
      nil
    }
  }

  /// The words noted under a name.
  public func text(_ name: String) -> String? {
    if case .text(let text)? = metrics.last(where: { $0.name == name })?.amount {
      text
    } else {
      nil
    }
  }

  /// How many 60 Hz ticks of the main loop were late.
  public var framesDropped: Int { number(Metric.framesDropped) ?? 0 }

  /// How many rows of an entity the file holds now.
  public func storedRows(of entity: String) throws -> Int {
    try store.rows(of: entity)
  }

  /// What a query says about the file now: rows of columns, as text.
  public func stored(_ sql: String) throws -> [[String]] {
    try store.query(sql)
  }

  /// Notes a number, beside what was expected if that is known.
  public func observe(
    _ name: String, _ value: Int, of total: Int? = nil, _ unit: Metric.Unit = .count,
    good: Bool? = nil, section: String? = nil
  ) {
    metrics.append(Metric(name, value, of: total, unit, good: good, section: section))
  }

  /// Notes an observation, in words.
  public func observe(_ name: String, _ text: String, good: Bool? = nil, section: String? = nil) {
    metrics.append(Metric(name, text, good: good, section: section))
  }
}
