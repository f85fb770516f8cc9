import Foundation

/// What a controlled run tells the process that asked for it, in memory that both share.
///
/// Choices are written as they are made, so that a run which ends in a trap has told them too.
///
///     0   number of steps          8   number of choices       16  flags
///     24  hash of the events       32  length of the words     40  the words, up to 64 KiB
///     64 KiB + …                   choices of 2,064 bytes each, of which most stay untouched
final class AnswerFile {
  /// The most choices of a run.
  static let choicesMax = 4_096
  /// The most parties that a choice tells of; a run in which more could go on is given up.
  static let optionsMax = 255

  /// What else is known of a run.
  struct Flags: OptionSet {
    let rawValue: UInt64
    /// Somebody used what a queue guards outside the queue.
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

  private let memory: UnsafeMutableRawPointer

  /// Maps a file, and makes it if there is none.
  init(_ path: String) throws(Complaint) {
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0, Self.reserve(file), ftruncate(file, off_t(Self.size)) == 0,
      let memory = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
      memory != MAP_FAILED
    else {
      if errno == ENOSPC {
        let side = URL(fileURLWithPath: path).deletingLastPathComponent()
        throw Workspace.full(side.deletingLastPathComponent())
      }
      throw Complaint(.ourBug, "cannot share \(path): \(String(cString: strerror(errno)))")
    }
    close(file)
    self.memory = memory
  }

  deinit { munmap(memory, Self.size) }

  /// Takes the disk space for a run of usual length: a full disk ends a process that writes to a
  /// mapped page without space.
  private static func reserve(_ file: Int32) -> Bool {
    #if os(Linux)
      let code = posix_fallocate(file, 0, off_t(choicesStart + 256 * choiceSize))
      errno = code
      return code == 0 || code == EOPNOTSUPP || code == EINVAL
    #else
      return true
    #endif
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
    get { Int(self[0]) }
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
    get { Data(bytes: memory + Self.wordsStart, count: Int(self[32])) }
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

  /// The choices that were made.
  var choices: [ChoiceSeen] {
    (0..<Int(self[8])).map { index in
      let start = Self.choicesStart + index * Self.choiceSize
      let packed = self[start]
      let count = Int(packed & 0xffff)
      return ChoiceSeen(
        optionCount: count, chosen: Int(packed >> 16 & 0xffff),
        isSwitchPoint: packed >> 32 & 1 == 1, isLocal: packed >> 33 & 1 == 1,
        past: self[start + 8], parties: (0..<count).map { self[start + 16 + 8 * $0] })
    }
  }
}
