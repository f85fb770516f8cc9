import CoreData
import Foundation
import XCTest

extension Usage {
  /// Fetch requests, predicates and batch requests.
  static let fetching: [Usage] = [
    Usage("NSFetchRequest") { scene in
      let request: NSFetchRequest<any NSFetchRequestResult> = NSFetchRequest(entityName: "Article")
      try scene.articles()
      scene.expect(try scene.context.fetch(request).count, 3)
    },
    Usage("NSFetchRequest.init(entityName:)") { scene in
      scene.expect(NSFetchRequest<Article>(entityName: "Article").entityName, "Article")
    },
    Usage("NSFetchRequestResult") { scene in
      let article = try scene.articles()[0]
      scene.expect(try scene.first(of: scene.request()), article)
    },
    Usage("NSManagedObjectContext.fetch(_:)") { scene in
      try scene.articles()
      scene.expect(try scene.context.fetch(scene.request()).map(\.title), ["a", "b", "c"])
    },
    Usage("NSManagedObjectContext.count(for:)") { scene in
      try scene.articles()
      scene.expect(try scene.context.count(for: scene.request()), 3)
    },
    Usage("NSFetchRequest.predicate") { scene in
      try scene.articles()
      let request = scene.request()
      request.predicate = NSPredicate(format: "wordCount > %d", 1)
      scene.expect(try scene.context.fetch(request).map(\.title), ["b", "c"])
    },
    Usage("NSPredicate") { scene in
      let predicate = NSPredicate(format: "%K == %@", "title", "a")
      scene.expect(try scene.articles().map { predicate.evaluate(with: $0) }, [true, false, false])
    },
    Usage("NSCompoundPredicate") { scene in
      try scene.articles()
      let parts = [
        NSPredicate(format: "wordCount < 3"), NSPredicate(format: "title != %@", "a"),
      ]
      let request = scene.request()
      request.predicate = NSCompoundPredicate(andPredicateWithSubpredicates: parts)
      scene.expect(try scene.context.fetch(request).map(\.title), ["b"])
    },
    Usage("NSFetchRequest.sortDescriptors") { scene in
      try scene.articles()
      let request = scene.request()
      request.sortDescriptors = [NSSortDescriptor(key: "wordCount", ascending: false)]
      scene.expect(try scene.context.fetch(request).map(\.title), ["c", "b", "a"])
    },
    Usage("NSSortDescriptor") { scene in
      try scene.articles()
      let request = scene.request()
      request.sortDescriptors = [NSSortDescriptor(keyPath: \Article.wordCount, ascending: false)]
      scene.expect(try scene.context.fetch(request).first?.title, "c")
    },
    Usage("NSFetchRequest.fetchLimit") { scene in
      try scene.articles()
      let request = scene.request()
      request.fetchLimit = 2
      scene.expect(try scene.context.fetch(request).map(\.title), ["a", "b"])
    },
    Usage("NSFetchRequest.fetchBatchSize") { scene in
      try scene.articles()
      let request = scene.request()
      request.fetchBatchSize = 2
      scene.expect(try scene.context.fetch(request).map(\.title), ["a", "b", "c"])
    },
    Usage("NSFetchRequest.returnsObjectsAsFaults") { scene in
      try scene.articles()
      scene.context.reset()
      let request = scene.request()
      request.returnsObjectsAsFaults = false
      scene.expect(try scene.context.fetch(request).contains { $0.isFault }, false)
    },
    Usage("NSFetchRequest.resultType") { scene in
      let ids = try scene.articles().map(\.objectID)
      let request = NSFetchRequest<NSManagedObjectID>(entityName: "Article")
      request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
      request.resultType = .managedObjectIDResultType
      scene.expect(try scene.context.fetch(request), ids)
    },
    Usage("NSFetchRequestResultType.dictionaryResultType") { scene in
      try scene.articles()
      let request = NSFetchRequest<NSDictionary>(entityName: "Article")
      request.resultType = .dictionaryResultType
      let rows = try scene.context.fetch(request)
      scene.expect(Set(rows.compactMap { $0["title"] as? String }), ["a", "b", "c"])
    },
    Usage("NSFetchRequest.propertiesToFetch") { scene in
      try scene.articles()
      let request = NSFetchRequest<NSDictionary>(entityName: "Article")
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = ["title"]
      scene.expect(try scene.context.fetch(request).first?.count, 1)
    },
    Usage("NSExpression") { scene in
      try scene.articles()
      let sum = NSExpressionDescription()
      sum.name = "words"
      sum.expression = NSExpression(
        forFunction: "sum:", arguments: [NSExpression(forKeyPath: "wordCount")])
      sum.expressionResultType = .integer64AttributeType
      let request = NSFetchRequest<NSDictionary>(entityName: "Article")
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = [sum]
      scene.expect(try scene.context.fetch(request).first?["words"] as? Int, 6)
    },
    Usage("NSManagedObjectContext.execute(_:)") { scene in
      try scene.articles()
      let batch = NSBatchUpdateRequest(entityName: "Article")
      batch.propertiesToUpdate = ["title": "z"]
      _ = try scene.context.execute(batch)
      scene.context.reset()
      scene.expect(Set(try scene.context.fetch(scene.request()).map(\.title)), ["z"])
    },
    Usage("NSBatchDeleteRequest") { scene in
      let articles = try scene.articles()
      _ = try scene.context.execute(NSBatchDeleteRequest(objectIDs: [articles[0].objectID]))
      scene.context.reset()
      scene.expect(try scene.context.fetch(scene.request()).map(\.title), ["b", "c"])
    },
    Usage("NSBatchDeleteRequest.init(fetchRequest:)") { scene in
      try scene.articles()
      let request: NSFetchRequest<any NSFetchRequestResult> = Article.fetchRequest()
      request.predicate = NSPredicate(format: "title == 'a'")
      _ = try scene.context.execute(NSBatchDeleteRequest(fetchRequest: request))
      scene.context.reset()
      scene.expect(try scene.context.count(for: scene.request()), 2)
    },
    Usage("NSBatchDeleteResult") { scene in
      try scene.articles()
      let request: NSFetchRequest<any NSFetchRequestResult> = Article.fetchRequest()
      let result = try scene.context.execute(NSBatchDeleteRequest(fetchRequest: request))
      scene.expect(result is NSBatchDeleteResult)
    },
    Usage("NSBatchDeleteResult.result") { scene in
      let ids = try scene.articles().map(\.objectID)
      let request: NSFetchRequest<any NSFetchRequestResult> = Article.fetchRequest()
      let batch = NSBatchDeleteRequest(fetchRequest: request)
      batch.resultType = .resultTypeObjectIDs
      let result = try scene.context.execute(batch) as? NSBatchDeleteResult
      scene.expect(Set(result?.result as? [NSManagedObjectID] ?? []), Set(ids))
    },
  ]

  /// Fetched results and who follows them.
  static let results: [Usage] = [
    Usage("NSFetchedResultsController") { scene in
      scene.expect(try scene.controller().fetchRequest.entityName, "Article")
    },
    Usage("init(fetchRequest:managedObjectContext:sectionNameKeyPath:cacheName:)") { scene in
      scene.expect(try scene.controller().sectionNameKeyPath, "title")
    },
    Usage("NSFetchedResultsController.performFetch()") { scene in
      let controller = try scene.controller()
      scene.expect(controller.fetchedObjects == nil)
      try controller.performFetch()
      scene.expect(controller.fetchedObjects?.count, 3)
    },
    Usage("NSFetchedResultsController.fetchedObjects") { scene in
      let controller = try scene.fetchedController()
      scene.expect(controller.fetchedObjects?.map(\.title), ["a", "b", "c"])
    },
    Usage("NSFetchedResultsController.object(at:)") { scene in
      let controller = try scene.fetchedController()
      scene.expect(controller.object(at: IndexPath(item: 0, section: 1)).title, "b")
    },
    Usage("NSFetchedResultsController.sections") { scene in
      scene.expect(try scene.fetchedController().sections?.count, 3)
    },
    Usage("NSFetchedResultsSectionInfo") { scene in
      let section: (any NSFetchedResultsSectionInfo)? = try scene.fetchedController().sections?[0]
      scene.expect(section?.name, "a")
      scene.expect(section?.numberOfObjects, 1)
    },
    Usage("NSFetchedResultsChangeType") { scene in
      scene.expect(NSFetchedResultsChangeType.insert.rawValue, 1)
      scene.expect(NSFetchedResultsChangeType.update.rawValue, 4)
    },
    Usage("NSFetchedResultsControllerDelegate") { scene in
      scene.expect(try scene.told().isEmpty, false)
    },
    Usage("controllerWillChangeContent(_:)") { scene in
      scene.expect(try scene.told().first, "will change")
    },
    Usage("controller(_:didChange:at:for:newIndexPath:)") { scene in
      scene.expect(try scene.told().contains("object 1"))
    },
    Usage("controllerDidChangeContent(_:)") { scene in
      scene.expect(try scene.told().last, "did change")
    },
  ]
}

extension UsageScene {
  /// The first result of a request of any type, as generic code asks for it.
  fileprivate func first<T: NSFetchRequestResult>(of request: NSFetchRequest<T>) throws -> T? {
    try context.fetch(request).first
  }

  fileprivate func controller() throws -> NSFetchedResultsController<Article> {
    try articles()
    return NSFetchedResultsController(
      fetchRequest: request(), managedObjectContext: context, sectionNameKeyPath: "title",
      cacheName: nil)
  }

  fileprivate func fetchedController() throws -> NSFetchedResultsController<Article> {
    let controller = try controller()
    try controller.performFetch()
    return controller
  }

  /// What a delegate is told of an insertion.
  fileprivate func told() throws -> [String] {
    let controller = try fetchedController()
    let listener = Listener()
    controller.delegate = listener
    Article(context: context).title = "d"
    context.processPendingChanges()
    return listener.told
  }
}

/// A delegate as people write it.
private final class Listener: NSObject, NSFetchedResultsControllerDelegate {
  var told: [String] = []

  func controllerWillChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {
    told.append("will change")
  }

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    told.append("object \(type.rawValue)")
  }

  func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {
    told.append("did change")
  }
}
