import Foundation

extension ChildProcess {
  /// The most that a program may use together with all of its descendants; nil is no limit.
  package struct Limits: Codable, Sendable {
    /// Wall-clock time.
    var seconds: Double?
    /// Resident memory, summed over all processes.
    var memoryBytes: Int?
    /// What all of them print, together.
    var outputBytes: Int?
    /// What they add to their folder, and the size of any one file; in all they may write twice as
    /// much, wherever it is.
    var diskBytes: Int?
    /// How many processes there may be at a time, among them those that have ended and whose
    /// parent has not asked for their end.
    var processes: Int?

    /// Where they may be at home.
    var home: Home

    /// Where a program starts, and what it may write.
    package enum Home: String, Codable, Sendable {
      /// Where the tool is, and whatever the user may write: for programs that are no learner's.
      case anywhere
      /// In its own folder; it may write whatever the user may write.
      case ownFolder
      /// In its own folder, and nothing else can be written where a sandbox is to be had.
      case sandbox
    }

    /// The limits for code that is not ours, except where others are given.
    package init(
      seconds: Double?, memoryBytes: Int? = 512 << 20, outputBytes: Int? = 1 << 20,
      diskBytes: Int? = 200 << 20, processes: Int? = 64, home: Home = .sandbox
    ) {
      self.home = home
      self.seconds = seconds
      self.memoryBytes = memoryBytes
      self.outputBytes = outputBytes
      self.diskBytes = diskBytes
      self.processes = processes
    }

    /// The limits of code that is ours: its memory and its files are what a page shows.
    static func trusted(seconds: Double? = nil) -> Limits {
      Limits(
        seconds: seconds, memoryBytes: nil, outputBytes: nil, diskBytes: nil, processes: nil,
        home: .anywhere)
    }

    /// Whether the supervisor must look at the processes again and again.
    var needLooks: Bool {
      memoryBytes != nil || outputBytes != nil || diskBytes != nil || processes != nil
    }
  }
}

extension ChildProcess.Limits {
  /// What a program and its descendants use at one moment.
  struct Use {
    var memoryBytes = 0
    var outputBytes = 0
    var diskBytes = 0
    var writtenBytes = 0
    var processes = 0
  }

  /// Has the system refuse a file that is larger than the limit of the disk, to this process and
  /// to all that it starts; a lower limit that was there before stays.
  func holdFileSize() {
    guard let most = diskBytes.map({ rlim_t($0) }) else { return }
    var limit = rlimit()
    getrlimit(Self.fileSize, &limit)
    limit.rlim_cur = min(limit.rlim_cur, most)
    limit.rlim_max = min(limit.rlim_max, most)
    setrlimit(Self.fileSize, &limit)
  }

  /// The words for a file that the system has refused to make larger.
  static var fileWords: String {
    var limit = rlimit()
    getrlimit(fileSize, &limit)
    let bytes = limit.rlim_cur
    return "disk: a file of more than "
      + (bytes < 1 << 20 ? "\(bytes >> 10) KB" : "\(bytes >> 20) MB")
  }

  #if os(Linux)
    private static let fileSize = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
  #else
    private static let fileSize = RLIMIT_FSIZE
  #endif

  /// The words for the time limit.
  var timeWords: String {
    let seconds = seconds ?? 0
    let isWhole = seconds == seconds.rounded()
    return "time: more than " + (isWhole ? "\(Int(seconds))" : "\(seconds)") + " s"
  }

  /// The words for a limit that was hit, with its value; nil if none was.
  func hit(by use: Use) -> String? {
    func over(_ used: Int, _ most: Int?) -> Bool { most.map { used > $0 } ?? false }
    if over(use.processes, processes) { return "processes: more than \(processes!)" }
    if over(use.memoryBytes, memoryBytes) { return "memory: more than \(memoryBytes! >> 20) MB" }
    if over(use.outputBytes, outputBytes) { return "output: more than \(outputBytes! >> 20) MB" }
    if over(use.diskBytes, diskBytes) { return "disk: more than \(diskBytes! >> 20) MB" }
    if over(use.writtenBytes, diskBytes.map { 2 * $0 }) {
      return "disk: more than \(2 * diskBytes! >> 20) MB written in all"
    }
    return nil
  }
}

extension ChildProcess.Limits.Use {
  /// What is used by processes that print to a file and write into a folder, which held so many
  /// bytes before.
  init(
    by rows: [ProcessTable.Row], printingTo output: Int32, in folder: String, bytesBefore: Int,
    diskMax: Int?
  ) {
    memoryBytes = rows.reduce(0) { $0 + $1.residentBytes }
    processes = rows.count
    var status = stat()
    if fstat(output, &status) == 0 { outputBytes = Int(status.st_size) }
    guard let diskMax else { return }
    diskBytes = Self.bytes(in: folder, most: bytesBefore + diskMax) - bytesBefore
    if diskBytes <= diskMax { diskBytes += Self.unlinkedBytes(rows.map(\.id)) }
  }

  private static let blockBytes = 512

  /// How much room the files below a folder take, counted until it is more than `most`; an empty
  /// file takes 4 KB, so that the count of many files ends too.
  static func bytes(in folder: String, most: Int) -> Int {
    var sum = 0
    var folders = [folder]
    while let next = folders.popLast() {
      for name in ProcessTable.names(in: next) {
        var status = stat()
        let path = "\(next)/\(name)"
        guard lstat(path, &status) == 0 else { continue }
        if status.st_mode & S_IFMT == S_IFDIR { folders.append(path) }
        sum += max(4096, Int(status.st_blocks) * blockBytes)
        if sum > most { return sum }
      }
    }
    return sum
  }

  /// How much room is taken by files that the processes hold open and that have no name any more.
  private static func unlinkedBytes(_ processes: [pid_t]) -> Int {
    var seen: Set<[UInt64]> = []
    var sum = 0
    for process in processes {
      let folder = "/proc/\(process)/fd"
      for name in ProcessTable.names(in: folder) {
        var status = stat()
        guard stat("\(folder)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG,
          status.st_nlink == 0
        else { continue }
        let isNew = seen.insert([UInt64(status.st_dev), UInt64(status.st_ino)]).inserted
        if isNew { sum += Int(status.st_blocks) * blockBytes }
      }
    }
    return sum
  }
}
