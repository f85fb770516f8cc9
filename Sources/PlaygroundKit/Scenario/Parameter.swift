/// A number in a scenario that a learner may change with `--set name=value`.
public struct Parameter: Sendable {
  /// What stands before the equals sign.
  public let name: String
  /// The value when nobody says otherwise.
  public let standard: Int
  /// The values that make sense.
  public let range: ClosedRange<Int>
  /// What the number means, in a few words.
  public let meaning: String
  /// The value when every order of steps is tried: small, because each step more multiplies them.
  public let explored: Int

  /// Declares a parameter; explored with its standard value unless another is given.
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
}
