import Foundation

/// Where whole ids are kept that are printed as digests: a file each, named by the digest.
///
/// What is kept is kept for good; a file is as long as its id and a line break.
public struct ScheduleShelf: Sendable {
  private let folder: URL

  /// The shelf in a folder, which need not exist yet.
  public init(folder: URL) { self.folder = folder }

  /// The shelf of this user.
  public init(environment: [String: String] = ProcessInfo.processInfo.environment) {
    self.init(
      folder: StateFolder.url(environment).appendingPathComponent("schedules", isDirectory: true))
  }

  /// Keeps those of some ids that are printed as digests.
  public func keep(_ ids: [ScheduleID]) throws(Complaint) { for id in ids { try keep(id) } }

  /// Keeps an id if it is printed as a digest, so that the digest can be replayed.
  public func keep(_ id: ScheduleID) throws(Complaint) {
    guard id.isLong else { return }
    try StateFolder.write(id.whole + "\n", to: file(of: id.description))
  }

  /// The id that somebody typed; the turns of a digest are taken from the shelf.
  public func id(_ text: String) throws(Complaint) -> ScheduleID {
    let digest: String
    switch try ScheduleID.read(text.trimmingCharacters(in: .whitespacesAndNewlines)) {
    case .whole(let id): return id
    case .digest(let spelt): digest = spelt
    }
    let file = file(of: digest)
    guard let kept = try WholeFile.text(of: file.path) else {
      throw Complaint(
        .input,
        "The schedule \(digest) is not stored in \(folder.path): explore again on this machine, or"
          + " copy the file of that name into this folder.")
    }
    let id = try ScheduleID(kept.trimmingCharacters(in: .newlines))
    guard id.description == digest else {
      throw Complaint(
        .input, "The file \(file.path) holds a schedule other than \(digest): remove the file.")
    }
    return id
  }

  private func file(of digest: String) -> URL { folder.appendingPathComponent(digest) }
}
