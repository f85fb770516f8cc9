import Foundation

/// Memory that processes find by a number (System V) and that was made since this looked first. It
/// stays when they let go of it and when they end, and no figure of a process shows it then.
struct SharedMemory {
  /// One piece of it, as `/proc` tells of it; there is none where there is no `/proc`.
  private struct Segment {
    let id: Int32
    let creator: pid_t
    let users: Int
    let residentBytes: Int
  }

  /// What was there before: the process that made it may have had the number of one of ours.
  private let before = Set(Self.segments.map(\.id))

  /// How much of it these processes have made; what they use right now counts in them as well.
  func bytes(madeBy processes: Set<pid_t>) -> Int {
    made(by: processes).reduce(0) { $0 + $1.residentBytes }
  }

  /// Removes what these processes have made and no process uses.
  func remove(madeBy processes: Set<pid_t>) {
    #if os(Linux)
      for segment in made(by: processes) where segment.users == 0 {
        shmctl(segment.id, Int32(IPC_RMID), nil)
      }
    #endif
  }

  private func made(by processes: Set<pid_t>) -> [Segment] {
    Self.segments.filter { processes.contains($0.creator) && !before.contains($0.id) }
  }

  private static var segments: [Segment] {
    let table = FileManager.default.contents(atPath: "/proc/sysvipc/shm") ?? Data()
    return String(decoding: table, as: UTF8.self).split(separator: "\n").compactMap { line in
      let columns = line.split(separator: " ")
      guard columns.count > 14, let id = Int32(columns[1]), let creator = pid_t(columns[4]),
        let users = Int(columns[6]), let bytes = Int(columns[14])
      else { return nil }
      return Segment(id: id, creator: creator, users: users, residentBytes: bytes)
    }
  }
}
