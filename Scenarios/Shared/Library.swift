import CoreData

#if FAULTLINE
  /// Something to read.
  public final class Article: NSManagedObject {
    /// Its title.
    @Managed public var name: String?
    /// Its text.
    @Managed public var content: String?
    /// How often it was read; some scenarios store a revision or another number in it.
    @Managed public var views: Int64
    /// When it was written.
    @Managed public var timestamp: Date?
    /// The category it belongs to, if any.
    @Managed public var category: Category?
  }

  /// A shelf that articles stand on.
  public final class Category: NSManagedObject {
    /// The name on the shelf's label.
    @Managed public var name: String?
    /// Every article that belongs to it; the other end of `Article.category`.
    @Managed public var articles: Set<Article>
  }

  /// A word to find articles by; its name is unique.
  public final class Keyword: NSManagedObject {
    /// The word.
    @Managed public var name: String?
    /// What it means, if a feed has said so.
    @Managed public var meaning: String?
    /// Another word for it, if a feed has said so.
    @Managed public var synonym: String?
  }
#else
  /// Something to read.
  public final class Article: NSManagedObject {
    /// Its title.
    @NSManaged public var name: String?
    /// Its text.
    @NSManaged public var content: String?
    /// How often it was read; some scenarios store a revision or another number in it.
    @NSManaged public var views: Int64
    /// When it was written.
    @NSManaged public var timestamp: Date?
    /// The category it belongs to, if any.
    @NSManaged public var category: Category?

    /// All articles, as Xcode's generated code has it.
    @nonobjc public class func fetchRequest() -> NSFetchRequest<Article> {
      NSFetchRequest(entityName: "Article")
    }
  }

  /// A shelf that articles stand on.
  public final class Category: NSManagedObject {
    /// The name on the shelf's label.
    @NSManaged public var name: String?
    /// Every article that belongs to it; the other end of `Article.category`.
    @NSManaged public var articles: Set<Article>
  }

  /// A word to find articles by; its name is unique.
  public final class Keyword: NSManagedObject {
    /// The word.
    @NSManaged public var name: String?
    /// What it means, if a feed has said so.
    @NSManaged public var meaning: String?
    /// Another word for it, if a feed has said so.
    @NSManaged public var synonym: String?
  }
#endif

/// The data model that all scenarios share, written in code: articles, categories to put them in,
/// and keywords.
@MainActor
public enum Library {
  /// The only model, because two models must not claim the same classes.
  public static let model: NSManagedObjectModel = {
    let article = entity(
      "Article", Article.self,
      [
        attribute("name", .stringAttributeType), attribute("content", .stringAttributeType),
        attribute("views", .integer64AttributeType, optional: false, standard: 0),
        attribute("timestamp", .dateAttributeType),
      ])
    let category = entity("Category", Category.self, [attribute("name", .stringAttributeType)])
    relate(article, "category", toMany: category, "articles")
    let keyword = entity(
      "Keyword", Keyword.self,
      ["name", "meaning", "synonym"].map { attribute($0, .stringAttributeType) })
    keyword.uniquenessConstraints = [["name"]]
    let model = NSManagedObjectModel()
    model.entities = [article, category, keyword]
    return model
  }()

  private static func entity(
    _ name: String, _ type: NSManagedObject.Type, _ properties: [NSPropertyDescription]
  ) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    entity.managedObjectClassName = String(reflecting: type)
    entity.properties = properties
    return entity
  }

  private static func attribute(
    _ name: String, _ type: NSAttributeType, optional: Bool = true, standard: Any? = nil
  ) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.isOptional = optional
    attribute.defaultValue = standard
    return attribute
  }

  /// Relates many rows of the first entity to one row of the second.
  private static func relate(
    _ many: NSEntityDescription, _ toOneName: String, toMany one: NSEntityDescription,
    _ toManyName: String
  ) {
    let toOne = NSRelationshipDescription()
    toOne.name = toOneName
    toOne.destinationEntity = one
    toOne.maxCount = 1
    toOne.deleteRule = .nullifyDeleteRule
    let toMany = NSRelationshipDescription()
    toMany.name = toManyName
    toMany.destinationEntity = many
    toMany.maxCount = 0
    toMany.deleteRule = .nullifyDeleteRule
    for relationship in [toOne, toMany] {
      relationship.isOptional = true
      relationship.minCount = 0
    }
    toOne.inverseRelationship = toMany
    toMany.inverseRelationship = toOne
    many.properties.append(toOne)
    one.properties.append(toMany)
  }
}
