import Foundation

/// Posts that a store was written, by this coordinator, another one, or another process.
///
///     quiet ──a write of ours, or a sign at the file──▶ due ──the job begins──▶ quiet
///
/// - quiet: everything that is known of has been posted.
/// - due: a job stands on the queue; whatever is written until it begins is posted together.
///
/// Whoever writes a store that announces gives a sign at its file after the commit; that is how
/// other processes hear of it. The job looks whether there is a new commit, so that a write of ours
/// is not posted again for its own sign. Under control, in memory, and where a file is written as a
/// whole, nobody else is heard of, and each job posts.
final class StoreAnnouncer: @unchecked Sendable {
  private weak let coordinator: NSPersistentStoreCoordinator?
  private weak let store: NSPersistentStore?
  private let isDue = Lock(false)
  private let path: String?
  private let commits: CommitWatch?
  private let sign = Lock<FileSign?>(nil)

  init(_ coordinator: NSPersistentStoreCoordinator, _ store: NSPersistentStore) {
    self.coordinator = coordinator
    self.store = store
    path = Scheduling.hook == nil && store.database.isFile ? store.url?.path : nil
    commits = path == nil ? nil : try? CommitWatch(store.database)
    guard commits != nil, let path else { return }
    let heard = FileSign(at: path) { [weak self] in self?.note() }
    if heard == nil {
      StandardError.write(
        "CoreData: warning: what other processes write to \(path) cannot be announced; the system "
          + "gives no more inotify instances.")
    }
    sign.withLock { $0 = heard }
  }

  /// The store was written through the coordinator.
  func wrote() {
    if let path { FileSign.give(at: path) }
    note()
  }

  /// Something may have been written.
  private func note() {
    guard let coordinator, let store else { return }
    let isFirst = isDue.withLock { isDue in
      defer { isDue = true }
      return !isDue
    }
    if isFirst { coordinator.announcements.async { self.announce(store, coordinator) } }
  }

  private func announce(_ store: NSPersistentStore, _ coordinator: NSPersistentStoreCoordinator) {
    isDue.withLock { $0 = false }
    // A file that cannot be read now may well have been written.
    if let commits, (try? commits.hasNew()) == false { return }
    var info: [String: any Sendable] = [NSStoreUUIDKey: store.identityRecord.uuid]
    info[NSPersistentStoreURLKey] = store.url
    info[NSPersistentHistoryTokenKey] = coordinator.currentPersistentHistoryToken(
      fromStores: [store])
    NotificationCenter.default.post(
      name: .NSPersistentStoreRemoteChange, object: coordinator, userInfo: info)
  }
}

// Safe to share: the weak references are constant and may be read while their objects go; the rest
// is constant, a lock, or has one.
