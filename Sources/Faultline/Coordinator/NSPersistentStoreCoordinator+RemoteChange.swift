// The names are Core Data's own.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Foundation

/// The option that has a store's coordinator post `NSPersistentStoreRemoteChange`.
public let NSPersistentStoreRemoteChangeNotificationPostOptionKey =
  "NSPersistentStoreRemoteChangeNotificationOptionKey"
/// The key, in a notification of a remote change, of the URL of the store that was written.
public let NSPersistentStoreURLKey = "storeURL"
/// The key, in a notification of a remote change, of the newest token of the store's history.
public let NSPersistentHistoryTokenKey = "historyToken"

extension Notification.Name {
  /// A store was written, by whomever; posted by its coordinator on some thread of its own.
  ///
  /// Another process is heard of if it opened the store with the same option. One notification may
  /// stand for several writes.
  public static let NSPersistentStoreRemoteChange = Notification.Name(
    "NSPersistentStoreRemoteChangeNotification")
}

extension NSPersistentStoreCoordinator {
  /// Begins to announce what is written to a store, if that was asked for; again after it moved.
  func beginAnnouncing(_ store: NSPersistentStore) {
    guard store.announcesWrites else { return }
    let announcer = StoreAnnouncer(self, store)
    attached.withLock { $0.announcers[ObjectIdentifier(store)] = announcer }
  }

  /// Tells whoever asked for it, later and elsewhere, that a save or a batch request wrote a store.
  func announceWrite(to store: NSPersistentStore) {
    guard store.announcesWrites else { return }
    attached.withLock { $0.announcers[ObjectIdentifier(store)] }?.wrote()
  }
}
