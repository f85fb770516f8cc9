import Faultline
import Foundation

/// The article as the engine's users write it.
final class Article: NSManagedObject {
  /// About twenty letters.
  @Managed var name: String
  /// About a hundred and twenty letters.
  @Managed var content: String
  /// A number.
  @Managed var views: Int64
  /// A moment.
  @Managed var timestamp: Date
  /// A fraction.
  @Managed var rating: Double
  /// Yes or no.
  @Managed var isOpen: Bool

  /// The model with this one entity.
  static func makeModel() -> NSManagedObjectModel {
    let types: [(String, NSAttributeType)] = [
      ("name", .stringAttributeType), ("content", .stringAttributeType),
      ("views", .integer64AttributeType), ("timestamp", .dateAttributeType),
      ("rating", .doubleAttributeType), ("isOpen", .booleanAttributeType),
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
}

/// The engine, through nothing but Core Data's own names.
struct EngineSide {
  private let container: NSPersistentContainer
  /// The context all work is done on; its queue is its own.
  let context: NSManagedObjectContext

  /// Opens the store as the engine does it by itself, which is the mode of the raw side too.
  init(_ url: URL) throws {
    container = NSPersistentContainer(name: "Benchmark", managedObjectModel: Article.makeModel())
    let description = NSPersistentStoreDescription(url: url)
    container.persistentStoreDescriptions = [description]
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
    context = container.newBackgroundContext()
  }

  /// W1: makes an object of each row and saves once.
  func insert(_ rows: [ArticleRow]) throws -> Int64 {
    try context.performAndWait {
      for row in rows {
        let article = Article(context: context)
        article.name = row.name
        article.content = row.content
        article.views = row.views
        article.timestamp = row.timestamp
        article.rating = row.rating
        article.isOpen = row.isOpen
      }
      try context.save()
      return Int64(rows.count)
    }
  }

  /// Fetches every object, ready to be read.
  func load() throws -> [Article] {
    let request = NSFetchRequest<Article>(entityName: "Article")
    request.returnsObjectsAsFaults = false
    return try context.fetch(request)
  }

  /// W3: fetches every object, then reads every attribute of every object.
  func fetch() throws -> Int64 {
    try context.performAndWait {
      var sum: Int64 = 0
      for article in try load() {
        sum &+= ArticleRow.fold(
          article.name, article.content, article.views, article.timestamp, article.rating,
          article.isOpen)
      }
      return sum
    }
  }

  /// W5 and W10: changes one attribute of objects that are loaded and saves once.
  ///
  /// Every save of the engine checks versions; the two differ in what they are compared with.
  func update(_ articles: [Article]) throws -> Int64 {
    var sum: Int64 = 0
    for article in articles {
      article.views += 1
      sum += article.views
    }
    try context.save()
    return sum
  }
}
