import CoreData
import PlaygroundKit

/// The places of an app where two savers may have changed the same article.
enum Place: String, CaseIterable {
  case editors, feed, desk, backup
}

/// Edits of the same article by two savers, once for each place.
enum Edits {
  /// In each place the second saver reads and edits an article, the first one edits and saves it
  /// meanwhile, and then the second saves under the policy for this place.
  ///
  /// Notes the row that the file has then, and whether the second saver was told.
  @MainActor static func save(
    _ world: World, under policy: @Sendable (Place) -> NSMergePolicy
  ) async throws {
    for place in Place.allCases {
      let container = world.container
      let first = container.newBackgroundContext()
      let second = container.newBackgroundContext()
      second.mergePolicy = policy(place)

      let id = try await first.perform {
        let article = Article(context: first)
        (article.name, article.content) = ("old", "old")
        article.category = Category(context: first)
        article.category?.name = place.rawValue
        try first.save()
        return article.objectID
      }
      let (changes, firstChanges) = (world["second"], world["first"])
      await second.perform { edit(id, in: second, changes, "second", 2) }
      try await first.perform {
        edit(id, in: first, firstChanges, "first", 1)
        try first.save()
      }
      let isTold = try await second.perform {
        do {
          try second.save()
          return false
        } catch let error as CocoaError where error.code == .managedObjectMerge {
          return true
        }
      }
      let row = try world.stored(
        """
        SELECT A.ZNAME, A.ZCONTENT, A.ZVIEWS FROM ZARTICLE A JOIN ZCATEGORY C
        ON A.ZCATEGORY = C.Z_PK WHERE C.ZNAME = '\(place.rawValue)'
        """)
      world.observe(
        place.rawValue,
        (row.first ?? []).joined(separator: ", ") + (isTold ? ", told" : ", not told"))
    }
  }

  /// Changes name, content and views, each if its bit is set: 1, 2, 4.
  private static func edit(
    _ id: NSManagedObjectID, in context: NSManagedObjectContext, _ changes: Int, _ text: String,
    _ views: Int64
  ) {
    guard let article = context.object(with: id) as? Article else { return }
    // The whole row is read, also what is not changed.
    _ = (article.name, article.content, article.views)
    if changes & 1 != 0 { article.name = text }
    if changes & 2 != 0 { article.content = text }
    if changes & 4 != 0 { article.views = views }
  }
}
