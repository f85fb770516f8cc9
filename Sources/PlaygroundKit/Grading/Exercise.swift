/// An exercise: a file with gaps, and the requirements for the filled file.
public struct Exercise: Sendable {
  /// The number of its scenario.
  public let number: Int
  /// The folder of its scenario, and of the learner's copy.
  public let folder: String
  /// The heading.
  public let title: String
  /// The name of the file to change.
  public let file: String
  /// The number that the check passes to the learner's function.
  public let size: Int
  /// What must hold, in the order of the page.
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

extension Exercise {
  /// The entity whose rows are counted, if a requirement counts rows.
  var entity: String? {
    for requirement in requirements {
      switch requirement {
      case .allStored(let entity), .returnsWhatIsStored(let entity): return entity
      case .framesDropped, .free: continue
      }
    }
    return nil
  }
}

/// One thing that must hold for a learner's code.
public enum Requirement: Sendable, Equatable {
  /// The main loop drops no more than this share of its frames in the best of the runs.
  ///
  /// A busy machine drops some frames in some runs; a blocked main thread drops nearly all of them
  /// in every run.
  case framesDropped(percentMax: Int)
  /// The store file holds the requested number of rows of the entity, beside those it had before.
  case allStored(entity: String)
  /// The function returns the number of rows in the store file.
  case returnsWhatIsStored(entity: String)
  /// The code contains none of these words; comments and strings do not count.
  case free(of: String, words: Set<String>)

  /// The code does not wait for time to pass.
  public static let noSleep = Requirement.free(
    of: "sleep", words: ["sleep", "usleep", "nanosleep", "asyncAfter", "sleepForTimeInterval"])
}
