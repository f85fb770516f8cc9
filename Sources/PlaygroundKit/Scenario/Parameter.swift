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

  /// Declares a parameter.
  public init(_ name: String, _ standard: Int, in range: ClosedRange<Int>, _ meaning: String) {
    precondition(range.contains(standard), "\(name): \(standard) is not in \(range)")
    self.name = name
    self.standard = standard
    self.range = range
    self.meaning = meaning
  }
}
