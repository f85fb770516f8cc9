import Foundation

/// The processes of this machine, as `/proc` shows them at one moment; none where there is no
/// `/proc`.
struct ProcessTable {
  /// One process.
  struct Row {
    let id: pid_t
    let parent: pid_t
    let session: pid_t
    /// Whether all of its threads have ended, and only its parent must still be told.
    let isDead: Bool
    /// The memory that the system holds for it, in bytes; pages that two processes share count in
    /// both.
    let residentBytes: Int
  }

  /// Every process that was seen.
  let rows: [Row]

  /// Looks at every process of this machine.
  static func read() -> ProcessTable {
    ProcessTable(rows: names(in: "/proc").compactMap { pid_t($0) }.compactMap(Row.init))
  }

  /// The children of a process, their children, and so on.
  func descendants(of root: pid_t) -> [Row] {
    let children = Dictionary(grouping: rows, by: \.parent)
    var found: [Row] = []
    var open = [root]
    while let next = open.popLast() {
      let rows = children[next] ?? []
      found += rows
      open += rows.map(\.id)
    }
    return found
  }

  /// Kills every process that `find` picks; false if it picks none that lives and may be killed.
  ///
  /// 1. Stops them, and those that they started meanwhile: a process that hears of another's death
  /// could start a new one.
  /// 2. Kills what stands still.
  @discardableResult static func sweep(_ find: (ProcessTable) -> [Row]) -> Bool {
    var stopped: Set<pid_t> = []
    var isComplete = false
    while !isComplete {
      let fresh = find(read()).filter {
        !$0.isDead && !stopped.contains($0.id) && kill($0.id, SIGSTOP) == 0
      }
      stopped.formUnion(fresh.map(\.id))
      isComplete = fresh.isEmpty
    }
    for id in stopped { kill(id, SIGKILL) }
    return !stopped.isEmpty
  }

  /// The names of the files and folders in a folder.
  static func names(in folder: String) -> [String] {
    names(in: open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
  }

  /// The names of the files and folders in an open folder, which is closed.
  static func names(in folder: Int32) -> [String] {
    guard folder >= 0 else { return [] }
    guard let stream = fdopendir(folder) else {
      close(folder)
      return []
    }
    defer { closedir(stream) }
    // A descriptor that was duplicated shares its place.
    rewinddir(stream)
    var names: [String] = []
    while let entry = readdir(stream) {
      // The name is as long as it is, and not as long as its type says.
      let offset = MemoryLayout<dirent>.offset(of: \.d_name)!
      let name = String(
        cString: UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self))
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}

extension ProcessTable.Row {
  /// Looks at one process; nil if it is gone.
  init?(_ id: pid_t) {
    guard let seen = Self.numbers("/proc/\(id)/stat") else { return nil }
    self.id = id
    parent = pid_t(seen.numbers[0])
    session = pid_t(seen.numbers[2])
    let hasEnded = seen.state == UInt8(ascii: "Z") || seen.state == UInt8(ascii: "X")
    // The first thread may have ended while others go on; then the memory is known of them only.
    isDead = hasEnded && seen.numbers[16] < 2
    var pages = seen.numbers[20]
    if hasEnded, !isDead {
      pages =
        ProcessTable.names(in: "/proc/\(id)/task")
        .compactMap { Self.numbers("/proc/\(id)/task/\($0)/stat")?.numbers[20] }.max() ?? 0
    }
    residentBytes = pages * Self.pageBytes
  }

  /// The number of a process in the innermost sandbox that it is in; nil if it is gone.
  static func innerID(of id: pid_t) -> pid_t? {
    let status = FileManager.default.contents(atPath: "/proc/\(id)/status") ?? Data()
    let line = String(decoding: status, as: UTF8.self).split(separator: "\n")
      .first { $0.hasPrefix("NSpid:") }
    return line?.split(separator: "\t").last.flatMap { pid_t($0) }
  }

  private static let pageBytes = sysconf(Int32(_SC_PAGESIZE))

  /// Reads a file `stat`: the state, and the 21 numbers after it from the parent's id to the
  /// resident pages.
  private static func numbers(_ path: String) -> (state: UInt8, numbers: [Int])? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1024) { text in
      let count = Foundation.read(file, text.baseAddress, text.count - 1)
      guard count > 0 else { return nil }
      text[count] = 0
      // Anything may stand in the name, which ends with the last parenthesis.
      guard let end = strrchr(text.baseAddress!, 0x29), strlen(end) > 3 else { return nil }
      var place: UnsafeMutablePointer<CChar>? = end + 3
      let numbers = (0..<21).map { _ in strtol(place!, &place, 10) }
      return (UInt8(bitPattern: end[2]), numbers)
    }
  }
}
