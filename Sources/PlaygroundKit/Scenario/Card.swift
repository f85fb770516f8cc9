/// What the catalogue, the page and the guide say about a scenario.
public struct Card: Sendable, Codable {
  /// The catalogue number, which never changes; a scenario of one's own has none.
  public let number: Int?
  /// The name in words, as in `perform-and-wait-on-main`; also the folder's name after its number.
  public let slug: String
  /// The heading of the page.
  public let title: String
  /// The part of the catalogue it belongs to, if it has a number.
  public let part: Part?
  /// What the scenario shows, in one sentence.
  public let claim: String
  /// What a learner should try to answer before the run.
  public let question: String
  /// The cause, in one or two sentences.
  public let why: String
  /// What every side is given, with `{parameter}` in the place of a number, or
  /// `{parameter|one row|# rows}` in the place of a number with its noun.
  public internal(set) var given: String
  /// Where the guide tells the story, a file and an anchor, if it has a number.
  public let guide: String?
  /// The documents this comes from.
  public let sources: [Source]
  /// What the page shows in addition to the scenario's own observations.
  public let panels: [Panel]
  /// The commands to type next; where there are none, `show` and `explore`.
  public internal(set) var next: [Next]
  /// The file that tells the scenario.
  public internal(set) var file: String

  /// Makes a card; the number and the slug are what a learner types.
  public init(
    _ number: Int, _ slug: String, _ title: String, part: Part, claim: String, question: String,
    why: String, given: String, guide: String, sources: [Source] = [], panels: [Panel] = [.engine],
    next: [Next] = [], file: String = #filePath
  ) {
    self.number = number
    self.slug = slug
    self.title = title
    self.part = part
    self.claim = claim
    self.question = question
    self.why = why
    self.given = given
    self.guide = guide
    self.sources = sources
    self.panels = panels
    self.next = next
    self.file = BuildFolder.source(file)
  }

  /// Makes the card of a scenario of one's own, which is named by its folder.
  public init(
    _ slug: String, _ title: String, claim: String, question: String, why: String, given: String,
    panels: [Panel] = [.engine], file: String = #filePath
  ) {
    (number, part, guide) = (nil, nil, nil)
    self.slug = slug
    self.title = title
    self.claim = claim
    self.question = question
    self.why = why
    self.given = given
    (sources, next) = ([], [])
    self.panels = panels
    self.file = BuildFolder.source(file)
  }
}

extension Card {
  /// What messages call it: its number, else its slug.
  public var name: String { number.map(String.init) ?? slug }

  /// The name of its folder: `08-perform-and-wait-on-main`.
  public var folderName: String { number.map { String(format: "%02d-", $0) + slug } ?? slug }

  /// The heading of pages: the number, if there is one, and the title.
  public var heading: String { number.map { String(format: "%02d  ", $0) + title } ?? title }

  /// What the suggestion to explore promises.
  public static let exploring = "every schedule with at most 2 switches, and its outcome"
}

/// A part of the catalogue.
public enum Part: Int, Sendable, Codable, CaseIterable {
  case queues = 1
  case blocking, identity, merging, conflicts, parents, memory, swiftConcurrency

  /// The part with its number, as in `part 2 · Blocking`.
  var heading: String { "part \(rawValue) · \(title)" }

  /// The heading of the part.
  public var title: String {
    switch self {
    case .queues: "Queues and confinement"
    case .blocking: "Blocking"
    case .identity: "Identity"
    case .merging: "Merging"
    case .conflicts: "Conflicts"
    case .parents: "Parents and children"
    case .memory: "Loops, memory, batches"
    case .swiftConcurrency: "Swift concurrency and operations"
    }
  }

  /// The part in an id such as `blocking/perform-and-wait-on-main`.
  public var slug: String {
    switch self {
    case .queues: "queues"
    case .blocking: "blocking"
    case .identity: "identity"
    case .merging: "merging"
    case .conflicts: "conflicts"
    case .parents: "parents"
    case .memory: "memory"
    case .swiftConcurrency: "swift-concurrency"
    }
  }
}

/// A command worth typing after the page has been read.
public struct Next: Sendable, Codable, Equatable {
  /// The command.
  public let command: String
  /// What it does, in a few words.
  public let meaning: String

  /// Suggests a command.
  public init(_ command: String, _ meaning: String) {
    self.command = command
    self.meaning = meaning
  }
}

/// A document a scenario comes from, cited by its title.
public struct Source: Sendable, Codable, Equatable {
  /// The title of the document.
  public let title: String
  /// The places in it.
  public let passage: String

  /// Cites a passage of a document.
  public init(_ title: String, _ passage: String) {
    self.title = title
    self.passage = passage
  }
}

/// A group of figures that the kit measures for every side, shown where a scenario asks for it.
public enum Panel: String, Sendable, Codable, CaseIterable {
  /// The 60 Hz tick of the main loop: frames dropped, longest stall.
  case mainLoop
  /// What the engine counted: statements, commits, faults fired, conflicts, time blocked on queues.
  case engine
  /// Live objects, and the peak resident memory the operating system saw.
  case memory
  /// The columns are steps of one size: each count that grows tenfold over them, as a curve.
  case curve
}
