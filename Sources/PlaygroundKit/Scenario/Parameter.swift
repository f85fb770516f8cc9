/// A number in a scenario that a learner may change with `--set name=value`.
public struct Parameter: Sendable, Codable {
  /// The name before the equals sign.
  public let name: String
  /// The default value.
  public let standard: Int
  /// The allowed values.
  public let range: ClosedRange<Int>
  /// What the number means, in a few words.
  public let meaning: String
  /// The default value of an exploration: small, because each step multiplies the schedules.
  public let explored: Int

  /// Declares a parameter; it is explored with its default value unless another is given.
  public init(
    _ name: String, _ standard: Int, in range: ClosedRange<Int>, _ meaning: String,
    explored: Int? = nil
  ) {
    for value in [standard, explored ?? standard] {
      precondition(range.contains(value), "\(name): \(value) is not in \(range)")
    }
    self.name = name
    self.standard = standard
    self.range = range
    self.meaning = meaning
    self.explored = explored ?? standard
  }

  /// The same with another value for exploring.
  func explored(with value: Int) -> Parameter {
    Parameter(name, standard, in: range, meaning, explored: value)
  }
}

extension [String: Int] {
  /// The value of the parameter of a name, which there must be.
  func value(named name: String) -> Int {
    guard let value = self[name] else {
      let names = keys.sorted().joined(separator: ", ")
      preconditionFailure(
        "there is no parameter “\(name)”: this scenario has \(names.isEmpty ? "none" : names)")
    }
    return value
  }
}
