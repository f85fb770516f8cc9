import Foundation

/// The folder in which one run keeps everything it writes, gone when the run is.
///
///     …/faultline-1000/4711-x7.lock     held by the run as long as it lives
///     …/faultline-1000/4711-x7/         its folder; 4711-x7- while it is removed
///
/// The kernel releases the lock when a process dies, however it dies. So the next start can tell
/// which folders are abandoned, and removes them. The lock is taken before the folder is made.
public final class Workspace: Sendable {
  /// The folder of this run.
  public let folder: URL
  private let lockPath: String
  /// The lock, inherited by every supervisor: the folder is needed until the last program has
  /// ended, with all that it started. A program never has it.
  let lock: Int32

  /// Makes a folder under `base`, and removes the folders of dead runs there.
  public init(in base: URL = Workspace.base) throws(Complaint) {
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

  /// Makes a folder, for one repeat of one side as a rule; a name that is taken gets a number.
  func makeFolder(_ name: String) throws(Complaint) -> URL {
    for number in 1... {
      let name = number == 1 ? name : "\(name).\(number)"
      let url = folder.appendingPathComponent(name, isDirectory: true)
      if mkdir(url.path, 0o700) == 0 { return url }
      guard errno == EEXIST else { break }
    }
    throw Self.unusable(folder)
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

  /// Removes the folders whose runs no longer hold their locks.
  static func removeLeftovers(in base: URL) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: base.path)) ?? []
    for name in names where name.hasSuffix(".lock") {
      let path = base.appendingPathComponent(name).path
      let lock = open(path, O_RDWR | O_CLOEXEC)
      guard lock >= 0 else { continue }
      if flock(lock, LOCK_EX | LOCK_NB) == 0 {
        remove(base.appendingPathComponent(String(name.dropLast(".lock".count))), path)
      }
      close(lock)
    }
  }

  /// Removes a folder and its lock.
  ///
  /// The folder gets another name first, so that no side that is just starting can add a file while
  /// the others are removed. The next start tries again to remove what is left.
  private static func remove(_ folder: URL, _ lockPath: String) {
    let leaving = folder.path + "-"
    rename(folder.path, leaving)
    try? FileManager.default.removeItem(atPath: leaving)
    if access(folder.path, F_OK) != 0, access(leaving, F_OK) != 0 { unlink(lockPath) }
  }

  /// Does something with the files of the run; if it fails, a full disk is named as the reason.
  func naming<R>(_ body: () throws -> R) throws -> R {
    do { return try body() } catch  where DiskSpace.isMissing(error) {
      throw Self.full(folder)
    }
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
