/// Something to put right: a file with gaps, and what must hold when they are filled.
public struct Exercise: Sendable {
  /// The number of its scenario.
  public let number: Int
  /// The folder of its scenario, and of the learner's copy.
  public let folder: String
  /// The heading.
  public let title: String
  /// The name of the file to change.
  public let file: String
  /// How much the check asks of it: the number handed to the learner's function.
  public let size: Int
  /// What must hold, in the order it is said.
  public let requirements: [Requirement]

  /// Declares the exercise of a scenario.
  public init(of card: Card, file: String, size: Int, requirements: [Requirement]) {
    let digits = card.number < 10 ? "0\(card.number)" : "\(card.number)"
    self.number = card.number
    self.folder = "\(digits)-\(card.slug)"
    self.title = card.title
    self.file = file
    self.size = size
    self.requirements = requirements
  }
}

/// One thing that must hold for a learner's code.
public enum Requirement: Sendable, Equatable {
  /// The main loop drops no more frames than this in the best of the runs.
  ///
  /// The best run counts: a busy machine drops frames too, a blocked main thread drops them always.
  case framesDropped(atMost: Int)
  /// The file holds as many rows of the entity as were asked for.
  case allStored(entity: String)
  /// The function returns what the file holds.
  case returnsWhatIsStored(entity: String)
  /// None of these words stands in the code; comments and strings do not count.
  case free(of: String, words: Set<String>)

  /// No waiting by the clock.
  public static let noSleep = Requirement.free(
    of: "sleep", words: ["sleep", "usleep", "nanosleep", "asyncAfter", "sleepForTimeInterval"])
}
