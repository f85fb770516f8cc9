import Foundation

/// The folder in which one run keeps everything it writes, gone when the run is.
///
///     …/faultline-1000/4711-x7.lock     held by the run as long as it lives
///     …/faultline-1000/4711-x7/         its folder; 4711-x7- while it is removed
///
/// The kernel releases the lock when a process dies, however it dies. So the next start can tell
/// which folders are abandoned, and removes them. The lock is taken before the folder is made.
///
/// The common folder is used only if it is this user's own and no other user may write to it, and
/// only names of the form above are ever removed from it: a file of another program keeps its name.
public final class Workspace: Sendable {
  /// The folder of this run.
  public let folder: URL
  private let lockPath: String
  /// The lock, inherited by every supervisor: the folder is needed until the last program has
  /// ended, with all that it started. A program never has it.
  let lock: Int32

  /// Makes a folder under `base`, and removes the folders of dead runs there.
  ///
  /// - Throws: `Complaint` when the folder cannot be used, or too few files may be open.
  public init(in base: URL = Workspace.base) throws(Complaint) {
    try Self.allowFiles()
    let name = "\(getpid())-\(String(UInt32.random(in: .min ... .max), radix: 36))"
    lockPath = base.appendingPathComponent(name + ".lock").path
    folder = base.appendingPathComponent(name, isDirectory: true)
    lock = try Self.takeLock(lockPath, in: base)
    // The folder that holds `base` is not ours to make: a wrong TMPDIR must be reported.
    guard mkdir(folder.path, 0o700) == 0 else { throw Self.unusable(base) }
  }

  deinit {
    removeFiles()
    close(lock)
  }

  /// Where runs keep their folders: in `TMPDIR`, else in `/tmp`, one folder for each user.
  public static var base: URL {
    let parent = ProcessInfo.processInfo.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 }
    return URL(fileURLWithPath: parent ?? "/tmp", isDirectory: true)
      .appendingPathComponent("faultline-\(getuid())", isDirectory: true)
  }

  /// How many files may have to be open at a time, here and in a compiler.
  private static let filesMax: rlim_t = 128

  /// Lets this process and those that it starts have enough files open, as far as the system does.
  private static func allowFiles() throws(Complaint) {
    #if os(Linux)
      let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let files = RLIMIT_NOFILE
    #endif
    var limit = rlimit()
    guard getrlimit(files, &limit) == 0, limit.rlim_cur < filesMax else { return }
    let allowed = limit.rlim_cur
    limit.rlim_cur = min(filesMax, limit.rlim_max)
    guard limit.rlim_cur == filesMax, setrlimit(files, &limit) == 0 else {
      throw Complaint(
        .limit,
        "Only \(allowed) files may be open at a time, and programs that are compiled and run need"
          + " \(filesMax): start a shell with more (`ulimit -n 256`).")
    }
  }

  /// Makes a folder, for one repeat of one side as a rule; a name that is taken gets a number.
  func makeFolder(_ name: String) throws(Complaint) -> URL {
    for number in 1... {
      let name = number == 1 ? name : "\(name).\(number)"
      let url = folder.appendingPathComponent(name, isDirectory: true)
      if mkdir(url.path, 0o700) == 0 { return url }
      guard errno == EEXIST else { break }
    }
    throw Self.lost(folder.path)
  }

  /// Removes the folder now; the lock itself is given back when the process or this object ends.
  public func removeFiles() {
    Self.remove(folder, lockPath)
    // The last run to end removes the common folder; the system refuses while it is not empty.
    rmdir(folder.deletingLastPathComponent().path)
  }

  private static func takeLock(_ path: String, in base: URL) throws(Complaint) -> Int32 {
    // Between two of our steps another run may end as the last one, and remove the common folder.
    for _ in 0..<10 {
      guard mkdir(base.path, 0o700) == 0 || errno == EEXIST else { throw unusable(base) }
      guard try isOurs(base) else { continue }
      removeLeftovers(in: base)
      let lock = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      if lock >= 0 {
        flock(lock, LOCK_EX)
        return lock
      }
      guard errno == ENOENT else { throw unusable(base) }
    }
    throw unusable(base)
  }

  /// Whether the common folder is there; another run may have removed it again.
  ///
  /// - Throws: `Complaint` when it is a link, no folder, another user's, or open to other users:
  ///   what is removed there, and what programs are started from there, would be theirs to choose.
  private static func isOurs(_ base: URL) throws(Complaint) -> Bool {
    var status = stat()
    guard lstat(base.path, &status) == 0 else {
      if errno == ENOENT { return false }
      throw unusable(base)
    }
    let fault: String
    if status.st_mode & S_IFMT == S_IFLNK {
      fault = "is a symbolic link"
    } else if status.st_mode & S_IFMT != S_IFDIR {
      fault = "is not a folder"
    } else if status.st_uid != geteuid() {
      fault = "belongs to another user"
    } else if status.st_mode & 0o022 != 0 {
      fault = "can be written by other users"
    } else {
      return true
    }
    throw Complaint(
      .input,
      "\(base.path) \(fault), so nothing was written there: remove it, or set TMPDIR to another"
        + " folder.")
  }

  /// Removes the folders whose runs no longer hold their locks.
  static func removeLeftovers(in base: URL) {
    for lockName in ProcessTable.names(in: base.path) {
      guard let name = runName(ofLock: lockName) else { continue }
      let path = base.appendingPathComponent(lockName).path
      var status = stat()
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
        status.st_uid == geteuid()
      else { continue }
      let lock = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
      guard lock >= 0 else { continue }
      if flock(lock, LOCK_EX | LOCK_NB) == 0 { remove(base.appendingPathComponent(name), path) }
      close(lock)
    }
  }

  /// The name of the run whose lock has a name; nil if no lock of ours is named like that.
  private static func runName(ofLock name: String) -> String? {
    guard name.wholeMatch(of: /[1-9][0-9]{0,9}-[0-9a-z]{1,7}\.lock/) != nil else { return nil }
    return String(name.dropLast(".lock".count))
  }

  /// Removes a folder and its lock.
  ///
  /// The folder gets another name first, so that no side that is just starting can add a file while
  /// the others are removed. The next start tries again to remove what is left.
  private static func remove(_ folder: URL, _ lockPath: String) {
    let leaving = folder.path + "-"
    rename(folder.path, leaving)
    FileTree.remove(leaving)
    var status = stat()
    if lstat(folder.path, &status) != 0, lstat(leaving, &status) != 0 { unlink(lockPath) }
  }

  /// Does something with the files of the run; if it fails, a full disk or a folder that is gone is
  /// named as the reason.
  func naming<R>(_ body: () throws -> R) throws -> R {
    do { return try body() } catch {
      if error is Complaint { throw error }
      if DiskSpace.isMissing(error) { throw Self.full(folder) }
      throw access(folder.path, W_OK) == 0 ? error : Self.lost(folder.path)
    }
  }

  /// The complaint about a folder that another program has removed, or closed to us.
  static func lost(_ folder: String) -> Complaint {
    if errno == ENOSPC || errno == EDQUOT { return full(URL(fileURLWithPath: folder)) }
    return Complaint(
      .input,
      "\(folder) was removed or closed while it was in use, by the program that ran or by another"
        + " one: run the command again.")
  }

  /// The complaint about a full disk.
  static func full(_ folder: URL) -> Complaint {
    Complaint(
      .limit,
      "The disk is full where runs keep their temporary files"
        + " (\(folder.deletingLastPathComponent().path)):"
        + " make room there, or set TMPDIR to a folder with more room.")
  }

  /// Says why the last call failed.
  private static func unusable(_ base: URL) -> Complaint {
    if errno == ENOSPC || errno == EDQUOT { return full(base.appendingPathComponent("run")) }
    let reason = String(cString: strerror(errno)).lowercased()
    return Complaint(
      .input,
      "The folder for temporary files \(base.path) cannot be used (\(reason)):"
        + " set TMPDIR to a folder you may write to.")
  }
}
