/// What one order of one side of one scenario is called: `s3-27-2M-9`, short enough for paper.
///
///     s3       the schedule ABI: by which rules a run has choices and numbers its options
///     27b      the scenario, with a letter for its second side (b), its third (c) …;
///              for a learner's code x and the digest of the source: x7K2Q
///     2M       the turns, see `ScheduleCode`; 0 for the order in which nobody is interrupted
///     9        the check character over all that, see `Crockford`
///
/// Parameters are not in it: an order is one of the values that are explored.
public struct ScheduleID: Sendable, Hashable, CustomStringConvertible {
  /// The rules by which this version makes choices. They change whenever an old id would lead
  /// somewhere else: other switch points, another default, another order of options.
  public static let currentABI = 3
  /// An id longer than this is printed as a digest: tables have no room for it.
  public static let lengthMax = 24

  /// The scenario, or the learner's code.
  public var subject: Subject
  /// The side, by its place among the sides.
  public var side: Int
  /// The order.
  public var schedule: Schedule

  /// Names an order.
  public init(_ subject: Subject, side: Int, schedule: Schedule) {
    if case .scenario(let number) = subject {
      precondition((1...999).contains(number), "no scenario has the number \(number)")
    }
    precondition(Self.letters.indices.contains(side), "no side has the place \(side)")
    self.subject = subject
    self.side = side
    self.schedule = schedule
  }

  /// The id as it is printed: whole, or as a digest if it is too long for a line.
  ///
  /// A digest alone leads nowhere: `ScheduleShelf` keeps the whole id.
  public var description: String { isLong ? digest : whole }

  /// Whether the id is printed as a digest.
  public var isLong: Bool { whole.count > Self.lengthMax }

  /// The id with all its turns, whatever its length.
  public var whole: String {
    Self.checked(head + Crockford.text(ScheduleCode.digits(of: schedule)))
  }

  /// The id with a number instead of its turns, between two `@`, of which a damaged id lacks one.
  private var digest: String {
    // 35 bits are many more than a shelf has ids.
    let hash = whole.utf8.fnvHash
    let digits = (0..<7).map { UInt8(truncatingIfNeeded: hash >> (5 * $0)) & 31 }
    return Self.checked(head + "@" + Crockford.text(digits) + "@")
  }

  private var head: String {
    let letter = side == 0 ? "" : Self.letters[side].lowercased()
    return "s\(Self.currentABI)-\(subject.text)\(letter)-"
  }

  /// The letter of each side; the first has none.
  private static let letters = Crockford.alphabet.filter(\.isLetter)

  private static func checked(_ text: String) -> String {
    "\(text)-\(Crockford.check(text.dropFirst()))"
  }
}

extension ScheduleID {
  /// What an id says before its digest, if it has one, is looked up.
  enum Reading {
    /// The id says all its turns.
    case whole(ScheduleID)
    /// It is a digest, spelt as it is printed.
    case digest(String)
  }

  /// Reads an id that says all its turns.
  public init(_ text: String) throws(Complaint) {
    guard case .whole(let id) = try Self.read(text) else {
      throw Complaint(.input, "\(text) is a digest, and its schedule is not stored here.")
    }
    self = id
  }

  /// Reads an id, in these steps:
  ///
  /// 1. cut at the hyphens, and refuse what cannot be an id
  /// 2. compare the check character, before anything in it is believed
  /// 3. compare the ABI
  /// 4. read scenario, side and turns
  static func read(_ text: String) throws(Complaint) -> Reading {
    let fields = Crockford.canonical(text).split(separator: "-", omittingEmptySubsequences: false)
    guard fields.count == 4, fields[0].first == "S", fields[3].count == 1,
      let abi = number(fields[0].dropFirst(), digitsMin: 1)
    else { throw unlike(text) }
    let (subject, letter) = subjectAndLetter(fields[1])
    guard let subject, let side = place(letter) else { throw unlike(text) }

    let checked = fields[0...2].joined(separator: "-").dropFirst()
    guard Crockford.check(checked) == fields[3].first else { throw damaged(text) }

    guard abi == currentABI else { throw foreign(text, abi) }

    let digits = fields[2]
    let head = ScheduleID(subject, side: side, schedule: Schedule()).head
    if digits.count == 9, digits.first == "@", digits.last == "@",
      digits.dropFirst().dropLast().allSatisfy({ Crockford.value(of: $0) != nil })
    {
      return .digest(Self.checked(head + digits))
    }
    let values = digits.compactMap(Crockford.value)
    guard values.count == digits.count, let schedule = ScheduleCode.schedule(of: values) else {
      throw damaged(text)
    }
    return .whole(ScheduleID(subject, side: side, schedule: schedule))
  }

  /// A number without sign, written with no more zeros in front than the fewest digits ask for.
  private static func number(_ text: Substring, digitsMin: Int) -> Int? {
    guard (digitsMin...3).contains(text.count), text.allSatisfy({ ("0"..."9").contains($0) }),
      text.count == digitsMin || text.first != "0", let number = Int(text), number > 0
    else { return nil }
    return number
  }

  private static func subjectAndLetter(_ text: Substring) -> (Subject?, letter: Substring) {
    if text.first == "X" {
      let digest = text.dropFirst().prefix(Subject.digits)
      let isWhole =
        digest.count == Subject.digits && digest.allSatisfy { Crockford.value(of: $0) != nil }
      return (isWhole ? .source(String(digest)) : nil, text.dropFirst(1 + digest.count))
    }
    let digits = text.prefix { ("0"..."9").contains($0) }
    return (number(digits, digitsMin: 2).map { .scenario($0) }, text.dropFirst(digits.count))
  }

  /// The place of a side among its scenario's sides; the first has no letter.
  private static func place(_ letter: Substring) -> Int? {
    guard let first = letter.first else { return 0 }
    guard letter.count == 1, let place = letters.firstIndex(of: first), place > 0 else {
      return nil
    }
    return place
  }

  private static func unlike(_ text: String) -> Complaint {
    let example = ScheduleID(
      .scenario(27), side: 0, schedule: Schedule([Schedule.Turn(choice: 3, option: 1)]))
    return Complaint(
      .input, "“\(text)” is not a schedule id; `faultline explore` prints ids like \(example).")
  }

  private static func damaged(_ text: String) -> Complaint {
    Complaint(
      .input,
      "The schedule id \(text) is damaged: its check character does not match. Compare the id with"
        + " the printed one.")
  }

  private static func foreign(_ text: String, _ abi: Int) -> Complaint {
    Complaint(
      .input,
      "The schedule id \(text) has schedule ABI \(abi) and this version reads ABI \(currentABI):"
        + " use the \(abi > currentABI ? "newer" : "older") version that printed it.")
  }
}
