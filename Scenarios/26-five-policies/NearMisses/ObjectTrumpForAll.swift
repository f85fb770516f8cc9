import CoreData
import PlaygroundKit

/// In four places of an app two savers change the same article; the second one saves under the
/// policy that you choose.
///
/// `Scenarios/26-five-policies/Exercise/Edits.swift` makes the edits of both.
@MainActor func yours(_ world: World) async throws {
  try await Edits.save(world) { policy(for: $0) }
}

/// The policy that is in most projects, in every place.
func policy(for place: Place) -> NSMergePolicy {
  switch place {
  // Two editors work on one article. If the first has saved, the second must be told, and none of
  // the second editor's changes may be saved until that editor has decided.
  case .editors: .mergeByPropertyObjectTrump
  // The first saver is the publisher's feed, the second an editor. Where both have changed a
  // property, the feed is right. What only the editor has changed is kept.
  case .feed: .mergeByPropertyObjectTrump
  // The first saver is the feed again, the second the desk that signs an article off. Where both
  // have changed a property, the desk is right. What only the feed has changed is kept.
  case .desk: .mergeByPropertyObjectTrump
  // The second saver puts a backup back. Whatever the first has saved, the article must be exactly
  // as in the backup.
  case .backup: .mergeByPropertyObjectTrump
  }
}
