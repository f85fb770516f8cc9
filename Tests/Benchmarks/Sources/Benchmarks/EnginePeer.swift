import Faultline
import Foundation

/// The article as the engine's users write it.
final class Article: NSManagedObject {
  @Managed var name: String
  @Managed var content: String
  @Managed var views: Int64
  @Managed var timestamp: Date
  @Managed var authorID: Int64

  /// The model with this one entity.
  static func makeModel() -> NSManagedObjectModel {
    let types: [(String, NSAttributeType)] = [
      ("name", .stringAttributeType), ("content", .stringAttributeType),
      ("views", .integer64AttributeType), ("timestamp", .dateAttributeType),
      ("authorID", .integer64AttributeType),
    ]
    let entity = NSEntityDescription()
    entity.name = "Article"
    entity.managedObjectClassName = NSStringFromClass(Article.self)
    entity.properties = types.map { name, type in
      let attribute = NSAttributeDescription()
      attribute.name = name
      attribute.attributeType = type
      attribute.isOptional = true
      return attribute
    }
    let model = NSManagedObjectModel()
    model.entities = [entity]
    return model
  }

  var folded: Int64 { ArticleRow.fold(name, content, views, timestamp, authorID) }
}

/// The engine, through nothing but Core Data's own names.
final class EnginePeer: Peer, Sendable {
  private let container: NSPersistentContainer
  private let url: URL
  /// The context all work is done on; its queue is its own.
  let context: NSManagedObjectContext

  /// Opens the store as the engine does it by itself, which is the mode of the raw side too.
  init(_ file: URL, synchronous: String = "NORMAL") throws {
    url = file
    container = NSPersistentContainer(name: "Benchmark", managedObjectModel: Article.makeModel())
    let description = NSPersistentStoreDescription(url: file)
    description.setValue(synchronous as NSString, forPragmaNamed: "synchronous")
    container.persistentStoreDescriptions = [description]
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
    context = container.newBackgroundContext()
  }

  func fill(_ file: Workload.File, rows: Int) throws {
    let all =
      file == .long ? ArticleRow.sample(rows / 5, contentLength: 4000) : ArticleRow.sample(rows)
    _ = try insert(all, all.count)
    // What a fetch index of the model becomes.
    if file == .indexed {
      RawConnection(url).run("CREATE INDEX byAuthor ON ZARTICLE(ZAUTHORID, ZTIMESTAMP)")
    }
  }

  func work(_ workload: Workload, rows: Int) throws -> () throws -> Tally {
    // Nothing but the one block calls it, one time after another.
    nonisolated(unsafe) let inner = try context.performAndWait {
      try innerWork(workload, rows: rows)
    }
    return { [context] in try context.performAndWait { try inner() } }
  }

  private func innerWork(_ workload: Workload, rows: Int) throws -> () throws -> Tally {
    switch workload {
    case .insert, .insertInParts:
      let all = ArticleRow.sample(rows)
      return { try self.insert(all, workload == .insert ? rows : 1000) }
    case .insertLong:
      let all = ArticleRow.sample(rows / 5, contentLength: 4000)
      return { try self.insert(all, rows) }
    case .fetch, .fetchLong:
      return { Tally(checksum: try self.load().reduce(0) { $0 &+ $1.folded }) }
    case .faults, .faultsAtRandom, .faultsAlone: return { try self.faults(workload) }
    case .batches: return batches
    case .update, .versionedUpdate: return try updating()
    case .delete: return try deleting()
    case .batchDelete: return batchDelete
    case .query:
      return {
        Tally(checksum: try Self.queries(self.context, workload.units(rows: rows)))
      }
    case .queryOne, .queryTwo:
      return { try self.besideWriter(workload == .queryOne ? 1 : 2, rows: rows) }
    case .save, .saveFully: return try saving(workload.units(rows: rows))
    }
  }

  private func insert(_ rows: [ArticleRow], _ perSave: Int) throws -> Tally {
    try context.performAndWait {
      for start in stride(from: 0, to: rows.count, by: perSave) {
        for row in rows[start..<min(start + perSave, rows.count)] {
          let article = Article(context: context)
          article.name = row.name
          article.content = row.content
          article.views = row.views
          article.timestamp = row.timestamp
          article.authorID = row.authorID
        }
        try context.save()
      }
      return Tally(checksum: Int64(rows.count))
    }
  }

  /// Fetches every object, ready to be read.
  func load() throws -> [Article] {
    let request = NSFetchRequest<Article>(entityName: "Article")
    request.returnsObjectsAsFaults = false
    return try context.fetch(request)
  }

  private func faults(_ workload: Workload) throws -> Tally {
    // A pinned context reads in one transaction, as Core Data's does.
    if workload != .faultsAlone { try context.setQueryGenerationFrom(.current) }
    let request = NSFetchRequest<Article>(entityName: "Article")
    request.includesPropertyValues = false
    var all = try context.fetch(request)
    if workload == .faultsAtRandom { all = Shuffle.of(all) }
    return Tally(checksum: all.reduce(0) { $0 &+ $1.folded })
  }

  private func batches() throws -> Tally {
    let request = NSFetchRequest<Article>(entityName: "Article")
    request.fetchBatchSize = 100
    return Tally(checksum: try context.fetch(request).reduce(0) { $0 &+ $1.folded })
  }

  /// Every save of the engine checks versions; W5 and W10 differ in what they are compared with.
  private func updating() throws -> () throws -> Tally {
    let articles = try load()
    for article in articles { precondition(!article.name.isEmpty) }
    return { [context] in
      var sum: Int64 = 0
      for article in articles {
        article.views += 1
        sum += article.views
      }
      try context.save()
      return Tally(checksum: sum)
    }
  }

  private func deleting() throws -> () throws -> Tally {
    let articles = try load()
    for article in articles { precondition(!article.name.isEmpty) }
    return { [context] in
      for article in articles { context.delete(article) }
      try context.save()
      return Tally(checksum: Int64(articles.count))
    }
  }

  private func batchDelete() throws -> Tally {
    let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Article")
    request.predicate = NSPredicate(format: "views >= 0")
    let batch = NSBatchDeleteRequest(fetchRequest: request)
    batch.resultType = .resultTypeCount
    let result = try context.execute(batch) as? NSBatchDeleteResult
    return Tally(checksum: Int64(result?.result as? Int ?? 0))
  }

  private static func queries(_ context: NSManagedObjectContext, _ count: Int) throws -> Int64 {
    var sum: Int64 = 0
    for number in 0..<count {
      let request = NSFetchRequest<Article>(entityName: "Article")
      let author = Int64(number) % ArticleRow.authors
      request.predicate = NSPredicate(format: "authorID == %@", author)
      request.sortDescriptors = [NSSortDescriptor(key: "timestamp", ascending: false)]
      request.fetchLimit = 50
      for article in try context.fetch(request) { sum &+= article.folded }
    }
    return sum
  }

  private func besideWriter(_ readers: Int, rows: Int) throws -> Tally {
    let count = Workload.queryOne.units(rows: rows)
    let request = NSFetchRequest<Article>(entityName: "Article")
    request.fetchLimit = 100
    let articles = try context.fetch(request)
    let contexts = (0..<readers).map { _ in container.newBackgroundContext() }
    return Crowd.run(
      readers: readers, queries: count,
      read: { reader in
        let context = contexts[reader]
        return context.performAndWait { (try? Self.queries(context, Crowd.queriesPerSave)) ?? 0 }
      },
      write: { number in
        // Of the same length as the name was, so that it changes no sum.
        articles[number % articles.count].name = "Article number \(200_000 + number)"
        try? context.save()
      })
  }

  private func saving(_ count: Int) throws -> () throws -> Tally {
    let request = NSFetchRequest<Article>(entityName: "Article")
    request.fetchLimit = count
    request.returnsObjectsAsFaults = false
    let articles = try context.fetch(request)
    return { [context] in
      try Saves.run(count) { number in
        articles[number - 1].views = Int64(number) + 1000
        try context.save()
      }
    }
  }
}
