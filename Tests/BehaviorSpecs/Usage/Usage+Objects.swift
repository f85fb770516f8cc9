import CoreData
import Foundation
import XCTest

extension Usage {
  /// Objects and their ids.
  static let objects: [Usage] = [
    Usage("NSManagedObject") { scene in
      let object = NSManagedObject(entity: Tag.entity(), insertInto: scene.context)
      object.setValue("t", forKey: "name")
      scene.expect(object.value(forKey: "name") as? String, "t")
    },
    Usage("NSManagedObject.init(context:)") { scene in
      scene.expect(Article(context: scene.context).isInserted)
    },
    Usage("NSManagedObject.init(entity:insertInto:)") { scene in
      scene.expect(Article(entity: Article.entity(), insertInto: nil).managedObjectContext == nil)
    },
    Usage("NSManagedObject.managedObjectContext") { scene in
      scene.expect(Article(context: scene.context).managedObjectContext === scene.context)
    },
    Usage("NSManagedObject.entity()") { scene in
      scene.expect(Article.entity().name, "Article")
    },
    Usage("NSManagedObject.entity") { scene in
      scene.expect(Article(context: scene.context).entity === Article.entity())
    },
    Usage("NSManagedObject.fetchRequest()") { scene in
      try scene.articles()
      let request: NSFetchRequest<Article> = Article.fetchRequest()
      scene.expect(try scene.context.fetch(request).count, 3)
    },
    Usage("NSManagedObject.value(forKey:)") { scene in
      scene.expect(try scene.articles()[0].value(forKey: "title") as? String, "a")
    },
    Usage("NSManagedObject.setValue(_:forKey:)") { scene in
      let article = try scene.articles()[0]
      article.setValue("z", forKey: "title")
      scene.expect(article.title, "z")
    },
    Usage("NSManagedObject.isInserted") { scene in
      let article = Article(context: scene.context)
      article.title = "a"
      scene.expect(article.isInserted)
      try scene.context.save()
      scene.expect(article.isInserted, false)
    },
    Usage("NSManagedObject.awakeFromInsert()") { scene in
      let counter = WakingTag.awakened
      _ = WakingTag(entity: Tag.entity(), insertInto: scene.context)
      scene.expect(WakingTag.awakened, counter + 1)
    },
    Usage("NSManagedObject.objectID") { scene in
      let article = try scene.articles()[0]
      scene.expect(scene.context.object(with: article.objectID) === article)
    },
    Usage("NSManagedObjectID") { scene in
      let id: NSManagedObjectID = try scene.articles()[0].objectID
      scene.expect(id.entity.name, "Article")
      scene.expect(id.persistentStore === scene.coordinator.persistentStores.first)
    },
    Usage("NSManagedObjectID.uriRepresentation()") { scene in
      let id = try scene.articles()[0].objectID
      let uri = id.uriRepresentation()
      scene.expect(uri.scheme, "x-coredata")
      scene.expect(scene.coordinator.managedObjectID(forURIRepresentation: uri), id)
    },
    Usage("NSManagedObjectID.isTemporaryID") { scene in
      let article = Article(context: scene.context)
      article.title = "a"
      scene.expect(article.objectID.isTemporaryID)
      try scene.context.save()
      scene.expect(article.objectID.isTemporaryID, false)
    },
    Usage("NSSet") { scene in
      let author = Author(context: scene.context)
      let articles = try scene.articles()
      author.setValue(NSSet(array: articles), forKey: "articles")
      scene.expect(author.articles, Set(articles))
    },
    Usage("NSOrderedSet") { scene in
      let articles = try scene.articles()
      let ordered = NSOrderedSet(array: articles)
      scene.expect(ordered.array as? [Article], articles)
    },
    Usage("NSManagedObjectContext.object(with:)") { scene in
      let article = try scene.articles()[0]
      scene.expect(scene.context.object(with: article.objectID) === article)
    },
    Usage("NSManagedObjectContext.existingObject(with:)") { scene in
      let article = try scene.articles()[0]
      scene.expect(try scene.context.existingObject(with: article.objectID) === article)
      scene.context.delete(article)
      try scene.context.save()
      XCTAssertThrowsError(try scene.context.existingObject(with: article.objectID))
    },
  ]

  /// Changing, saving and merging.
  static let saving: [Usage] = [
    Usage("NSManagedObjectContext.save()") { scene in
      try scene.articles()
      let other = scene.spec.makeMainContext(scene.container)
      scene.expect(try other.count(for: scene.request()), 3)
    },
    Usage("NSManagedObjectContext.hasChanges") { scene in
      let article = try scene.articles()[0]
      scene.expect(scene.context.hasChanges, false)
      article.title = "z"
      scene.expect(scene.context.hasChanges && article.hasChanges)
    },
    Usage("NSManagedObjectContext.insertedObjects") { scene in
      let article = Article(context: scene.context)
      scene.expect(scene.context.insertedObjects, [article])
    },
    Usage("NSManagedObjectContext.delete(_:)") { scene in
      scene.context.delete(try scene.articles()[0])
      try scene.context.save()
      scene.expect(try scene.context.fetch(scene.request()).map(\.title), ["b", "c"])
    },
    Usage("NSManagedObjectContext.reset()") { scene in
      try scene.articles()[0].title = "z"
      scene.context.reset()
      scene.expect(scene.context.registeredObjects.isEmpty && !scene.context.hasChanges)
    },
    Usage("NSManagedObjectContext.refresh(_:mergeChanges:)") { scene in
      let article = try scene.articles()[0]
      article.title = "z"
      scene.context.refresh(article, mergeChanges: false)
      scene.expect(article.isFault)
      scene.expect(article.title, "a")
    },
    Usage("NSManagedObjectContext.obtainPermanentIDs(for:)") { scene in
      let article = Article(context: scene.context)
      try scene.context.obtainPermanentIDs(for: [article])
      scene.expect(article.objectID.isTemporaryID, false)
    },
    Usage("NSManagedObjectContext.mergePolicy") { scene in
      scene.expect(scene.context.mergePolicy as? NSMergePolicy == NSMergePolicy.error)
      scene.context.mergePolicy = NSMergePolicy.overwrite
      scene.expect(scene.context.mergePolicy as? NSMergePolicy == NSMergePolicy.overwrite)
    },
    Usage("NSMergePolicy") { scene in
      let policy = NSMergePolicy(merge: .rollbackMergePolicyType)
      scene.expect(policy.mergeType, .rollbackMergePolicyType)
    },
    Usage("NSMergeByPropertyObjectTrumpMergePolicy") { scene in
      let article = try scene.articles()[0]
      let other = scene.spec.makeMainContext(scene.container)
      try XCTUnwrap(other.existingObject(with: article.objectID) as? Article).title = "theirs"
      try other.save()
      article.title = "ours"
      scene.context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
      try scene.context.save()
      scene.expect(article.title, "ours")
    },
    Usage("Notification.Name.NSManagedObjectContextDidSave") { scene in
      let seen = try scene.notifications(.NSManagedObjectContextDidSave) { try scene.articles() }
      scene.expect(seen.count, 1)
    },
    Usage("Notification.Name.NSManagedObjectContextObjectsDidChange") { scene in
      let seen = scene.notifications(.NSManagedObjectContextObjectsDidChange) {
        Article(context: scene.context).title = "a"
        scene.context.processPendingChanges()
      }
      scene.expect(seen.count, 1)
    },
    Usage("NSInsertedObjectsKey") { scene in
      let seen = try scene.notifications(.NSManagedObjectContextDidSave) { try scene.articles() }
      let set = seen.first?.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject>
      scene.expect(set?.count, 3)
    },
    Usage("NSUpdatedObjectsKey") { scene in
      let article = try scene.articles()[0]
      article.title = "z"
      let seen = try scene.notifications(.NSManagedObjectContextDidSave) {
        try scene.context.save()
      }
      scene.expect(seen.first?.userInfo?[NSUpdatedObjectsKey] as? Set<NSManagedObject>, [article])
    },
    Usage("NSDeletedObjectsKey") { scene in
      let article = try scene.articles()[0]
      scene.context.delete(article)
      let seen = try scene.notifications(.NSManagedObjectContextDidSave) {
        try scene.context.save()
      }
      scene.expect(seen.first?.userInfo?[NSDeletedObjectsKey] as? Set<NSManagedObject>, [article])
    },
    Usage("NSManagedObjectContext.mergeChanges(fromContextDidSave:)") { scene in
      let article = try scene.articles()[0]
      let other = scene.spec.makeMainContext(scene.container)
      try XCTUnwrap(other.existingObject(with: article.objectID) as? Article).title = "theirs"
      nonisolated(unsafe) var saved: Notification?
      let token = NotificationCenter.default.addObserver(
        forName: .NSManagedObjectContextDidSave, object: other, queue: nil
      ) { saved = $0 }
      defer { NotificationCenter.default.removeObserver(token) }
      try other.save()
      scene.expect(article.title, "a")
      scene.context.mergeChanges(fromContextDidSave: try XCTUnwrap(saved))
      scene.expect(article.title, "theirs")
    },
  ]
}

/// A tag that counts how often one wakes.
final class WakingTag: NSManagedObject {
  nonisolated(unsafe) static var awakened = 0

  override func awakeFromInsert() {
    super.awakeFromInsert()
    Self.awakened += 1
  }
}
