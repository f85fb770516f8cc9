// The names are Core Data's own.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Foundation

/// The option that has a store's coordinator post `NSPersistentStoreRemoteChange`.
public let NSPersistentStoreRemoteChangeNotificationPostOptionKey =
  "NSPersistentStoreRemoteChangeNotificationOptionKey"
/// The key, in a notification of a remote change, of the URL of the store that was written.
public let NSPersistentStoreURLKey = "storeURL"

extension Notification.Name {
  /// A store was written, by whomever; posted by its coordinator on some thread of its own.
  public static let NSPersistentStoreRemoteChange = Notification.Name(
    "NSPersistentStoreRemoteChangeNotification")
}

extension NSPersistentStoreCoordinator {
  /// Tells whoever asked for it, later and elsewhere, that a save or a batch request wrote a store.
  func announceWrite(to store: NSPersistentStore) {
    guard store.announcesWrites else { return }
    var info: [String: any Sendable] = [NSStoreUUIDKey: store.identityRecord.uuid]
    if let url = store.url { info[NSPersistentStoreURLKey] = url }
    announcements.async { [self, info] in
      NotificationCenter.default.post(
        name: .NSPersistentStoreRemoteChange, object: self, userInfo: info)
    }
  }
}
