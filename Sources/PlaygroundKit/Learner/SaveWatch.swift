import Faultline
import Foundation

/// Tells when files in a folder are saved, however an editor saves: by writing, or by renaming
/// another file to the name.
///
/// The system tells it through a descriptor that becomes readable (inotify). Where it does not,
/// because there is no inotify or none is left, the files are looked at once a second.
public final class SaveWatch: Sendable {
  /// What has happened since the last question.
  public enum News: Sendable, Equatable {
    case nothing, saved
    /// The folder was removed or renamed.
    case gone
  }

  /// Becomes readable when there may be news; -1 if nothing does.
  public let descriptor: Int32
  /// How long to wait for news before the next question, in the words of `poll`.
  public var pauseMilliseconds: Int32 { descriptor < 0 ? 1_000 : -1 }

  private let folder: String
  private let names: Set<String>
  private let seen: Lock<[String: Stamp]>

  /// How long a folder must be quiet before a save is told: a formatter may save again.
  private static let quietMilliseconds: Int32 = 50
  /// How often it may be not quiet.
  private static let unquietMax = 10

  /// Watches the files of these names.
  ///
  /// - Parameter isPolling: whether to look once a second even where the system would tell.
  /// - Throws: `Complaint` when there is no such folder.
  public init(
    _ folder: String, names: Set<String>, isPolling: Bool = false
  ) throws(Complaint) {
    (self.folder, self.names) = (folder, names)
    descriptor = isPolling ? -1 : Self.descriptor(of: folder)
    guard access(folder, F_OK) == 0 else {
      if descriptor >= 0 { close(descriptor) }
      throw Complaint(.input, "There is no \(folder).")
    }
    seen = Lock(Self.stamps(folder, names))
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// What has happened since the last question; returns at once unless a file was saved just now.
  public func news() -> News {
    guard descriptor >= 0 else { return look() }
    var news = take()
    for _ in 0..<Self.unquietMax where news != .nothing {
      var file = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&file, 1, Self.quietMilliseconds) > 0 else { break }
      if take() == .gone { news = .gone }
    }
    return news
  }

  // MARK: Looking

  /// What tells one content of a file from another.
  private struct Stamp: Equatable {
    var file: UInt64
    var size: Int64
    var seconds: Int
    var nanoseconds: Int
  }

  private static func stamps(_ folder: String, _ names: Set<String>) -> [String: Stamp] {
    var stamps: [String: Stamp] = [:]
    for name in names {
      var information = stat()
      guard stat("\(folder)/\(name)", &information) == 0 else { continue }
      #if os(Linux)
        let time = information.st_mtim
      #else
        let time = information.st_mtimespec
      #endif
      stamps[name] = Stamp(
        file: UInt64(information.st_ino), size: Int64(information.st_size), seconds: time.tv_sec,
        nanoseconds: time.tv_nsec)
    }
    return stamps
  }

  private func look() -> News {
    guard access(folder, F_OK) == 0 else { return .gone }
    let now = Self.stamps(folder, names)
    return seen.withLock { before in
      // A file that is missing is not saved.
      let isSaved = now.contains { $0.value != before[$0.key] }
      before.merge(now) { $1 }
      return isSaved ? .saved : .nothing
    }
  }

  // MARK: Being told

  #if os(Linux)
    private static func descriptor(of folder: String) -> Int32 {
      let descriptor = inotify_init1(Int32(O_CLOEXEC | O_NONBLOCK))
      guard descriptor >= 0 else { return -1 }
      let events =
        IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR
      guard inotify_add_watch(descriptor, folder, UInt32(events)) >= 0 else {
        close(descriptor)
        return -1
      }
      return descriptor
    }

    /// Takes the events that are there.
    private func take() -> News {
      var news = News.nothing
      var buffer = [UInt8](repeating: 0, count: 16 << 10)
      while true {
        let count = read(descriptor, &buffer, buffer.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return news }
        for (mask, name) in Self.events(in: buffer[..<count]) {
          if mask & UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT) != 0 {
            news = .gone
          } else if news == .nothing, names.contains(name) || mask & UInt32(IN_Q_OVERFLOW) != 0 {
            news = .saved
          }
        }
      }
    }

    /// The events with the names of their files: a head of four numbers, the last of which is the
    /// length of the name that follows, filled up with zeros.
    private static func events(in bytes: ArraySlice<UInt8>) -> [(mask: UInt32, name: String)] {
      bytes.withUnsafeBytes { bytes in
        var events: [(UInt32, String)] = []
        var place = 0
        let head = MemoryLayout<inotify_event>.size
        while place + head <= bytes.count {
          let mask = bytes.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self)
          let length = Int(bytes.loadUnaligned(fromByteOffset: place + 12, as: UInt32.self))
          let name = bytes[(place + head)..<min(place + head + length, bytes.count)]
          events.append((mask, String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)))
          place += head + length
        }
        return events
      }
    }
  #else
    private static func descriptor(of folder: String) -> Int32 { -1 }

    private func take() -> News { .nothing }
  #endif
}
