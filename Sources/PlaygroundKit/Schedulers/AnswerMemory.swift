import CSwiftRuntime
import Foundation

/// What a controlled run tells the process that asked for it, in memory that both share.
///
/// Choices are written as they are made, so that a run which ends in a trap has told them too. The
/// memory has no name in the file system and its size is sealed, so that no program can take it
/// away from the other. The program may be a learner's: whatever it writes here is read as an
/// answer that may be wrong, never as a length that is trusted.
///
///     0   number of steps          8   number of choices       16  flags
///     24  hash of the events       32  length of the words     40  the words, up to 64 KiB
///     64 KiB + …                   choices of 2,064 bytes each, of which most stay untouched
final class AnswerMemory {
  /// The most choices of a run.
  static let choicesMax = 4_096
  /// The most parties that a choice tells of; a run in which more could go on is given up.
  static let optionsMax = 255

  /// What else is known of a run.
  struct Flags: OptionSet {
    let rawValue: UInt64
    /// A thread used what a queue guards outside the queue.
    static let trespass = Flags(rawValue: 1)
    /// The process cannot make another run.
    static let isLast = Flags(rawValue: 2)
    /// The run has begun.
    static let begun = Flags(rawValue: 4)
  }

  private static let wordsStart = 40
  private static let choicesStart = 65_536
  private static let choiceSize = 24 + 8 * optionsMax
  private static let size = choicesStart + choicesMax * choiceSize
  /// No run makes more steps than this.
  private static let numberMask: UInt64 = 0xffff_ffff

  private let memory: UnsafeMutableRawPointer
  /// The descriptor that a program inherits.
  let file: Int32

  /// Makes the memory.
  ///
  /// - Throws: `Complaint` when the system has none to give.
  convenience init() throws(Complaint) {
    #if os(Linux)
      let file = faultline_make_memory()
    #else
      var name = Array("/tmp/faultline-answer.XXXXXX".utf8CString)
      let file = mkstemp(&name)
      unlink(name)
    #endif
    guard file >= 0, ftruncate(file, off_t(Self.size)) == 0 else {
      throw ChildProcess.complaint("There is no memory to share with a program", errno)
    }
    #if os(Linux)
      _ = faultline_seal_size(file)
    #endif
    try self.init(mapping: ChildProcess.lifted(file))
  }

  /// Maps the memory that this process has inherited.
  convenience init(inherited file: Int32) throws(Complaint) {
    try self.init(mapping: ChildProcess.lifted(dup(file)))
  }

  private init(mapping file: Int32) throws(Complaint) {
    guard let memory = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
      memory != MAP_FAILED
    else { throw ChildProcess.complaint("The answer of a program cannot be read", errno) }
    (self.memory, self.file) = (memory, file)
  }

  deinit {
    munmap(memory, Self.size)
    close(file)
  }

  private subscript(_ offset: Int) -> UInt64 {
    get { memory.load(fromByteOffset: offset, as: UInt64.self) }
    set { memory.storeBytes(of: newValue, toByteOffset: offset, as: UInt64.self) }
  }

  /// Begins anew.
  func clear() {
    for offset in stride(from: 0, through: 32, by: 8) { self[offset] = 0 }
  }

  /// How many steps were made; it grows while the run is running.
  var stepCount: Int {
    get { Int(truncatingIfNeeded: self[0] & Self.numberMask) }
    set { self[0] = UInt64(newValue) }
  }

  /// What else is known.
  var flags: Flags {
    get { Flags(rawValue: self[16]) }
    set { self[16] = newValue.rawValue }
  }

  /// A number for the whole order of events.
  var eventsHash: UInt64 {
    get { self[24] }
    set { self[24] = newValue }
  }

  /// What came of the run, in the words of whoever writes and reads them.
  var words: Data {
    get {
      let count = min(self[32], UInt64(Self.choicesStart - Self.wordsStart))
      return Data(bytes: memory + Self.wordsStart, count: Int(count))
    }
    set {
      let data = newValue.prefix(Self.choicesStart - Self.wordsStart)
      data.withUnsafeBytes {
        (memory + Self.wordsStart).copyMemory(from: $0.baseAddress!, byteCount: data.count)
      }
      self[32] = UInt64(data.count)
    }
  }

  /// Adds a choice; those beyond the limits are not kept, and the run is given up.
  func write(_ choice: ChoiceSeen) {
    let index = Int(self[8])
    guard index < Self.choicesMax, choice.optionCount <= Self.optionsMax else { return }
    let start = Self.choicesStart + index * Self.choiceSize
    self[start] =
      UInt64(choice.optionCount) | UInt64(choice.chosen) << 16
      | (choice.isSwitchPoint ? 1 << 32 : 0)
    self[start + 8] = choice.past
    for (option, party) in choice.parties.enumerated() { self[start + 16 + 8 * option] = party }
    self[8] = UInt64(index + 1)
  }

  /// Says of a choice that the step of its default touches nothing that is shared.
  func setLocal(_ choice: Int) {
    guard choice < Self.choicesMax else { return }
    self[Self.choicesStart + choice * Self.choiceSize] |= 1 << 33
  }

  /// The choices that were made, up to the first that cannot be one.
  var choices: [ChoiceSeen] {
    var choices: [ChoiceSeen] = []
    for index in 0..<Int(min(self[8], UInt64(Self.choicesMax))) {
      let start = Self.choicesStart + index * Self.choiceSize
      let packed = self[start]
      let (count, chosen) = (Int(packed & 0xffff), Int(packed >> 16 & 0xffff))
      guard (2...Self.optionsMax).contains(count), chosen < count else { break }
      choices.append(
        ChoiceSeen(
          optionCount: count, chosen: chosen, isSwitchPoint: packed >> 32 & 1 == 1,
          isLocal: packed >> 33 & 1 == 1, past: self[start + 8],
          parties: (0..<count).map { self[start + 16 + 8 * $0] }))
    }
    return choices
  }
}
