import CoreData
import Foundation

/// Somebody who writes; every relationship to what they wrote has a delete rule of its own.
final class Author: NSManagedObject {
  /// The author's name.
  @Managed var name: String?
  /// The year of birth; 0 when unknown.
  @Managed var born: Int64
  /// Nullified when the author goes.
  @Managed var articles: Set<Article>
  /// Cascaded when the author goes.
  @Managed var drafts: Set<Draft>
  /// Forbids that the author goes.
  @Managed var contracts: Set<Contract>
  /// Left alone when the author goes.
  @Managed var letters: Set<Letter>
  /// Nullified when the author goes, though an invoice cannot do without a payer.
  @Managed var invoices: Set<Invoice>
  /// The one profile, cascaded.
  @Managed var profile: Profile?
}

/// A text; the parent entity of `Review`.
class Article: NSManagedObject {
  /// Mandatory, "Untitled" by default.
  @Managed var title: String
  /// The text.
  @Managed var body: String?
  /// A mandatory scalar, 0 by default.
  @Managed var wordCount: Int64
  /// A mandatory flag, true by default.
  @Managed var isOpen: Bool
  /// When it was published.
  @Managed var publishedAt: Date?
  /// Transient: tracked, never stored.
  @Managed var remark: String?
  /// Who wrote it.
  @Managed var author: Author?
  /// Many to many.
  @Managed var tags: Set<Tag>
  /// Many to many; the anthologies know an order, the articles do not.
  @Managed var anthologies: Set<Anthology>
}

/// A sub-entity of `Article`.
final class Review: Article {
  /// What the review says.
  @Managed var verdict: String?
}

/// A word that many articles share.
final class Tag: NSManagedObject {
  /// The word; mandatory without a default.
  @Managed var name: String?
  /// The articles that carry it.
  @Managed var articles: Set<Article>
}

/// Goes with its author (cascade).
final class Draft: NSManagedObject {
  /// A label.
  @Managed var name: String?
  /// Who writes it.
  @Managed var owner: Author?
}

/// Keeps its author from going (deny).
final class Contract: NSManagedObject {
  /// A label.
  @Managed var name: String?
  /// Who signed.
  @Managed var signatory: Author?
}

/// Is not told when its author goes (no action).
final class Letter: NSManagedObject {
  /// A label.
  @Managed var name: String?
  /// Who wrote it.
  @Managed var sender: Author?
}

/// Must have a payer.
final class Invoice: NSManagedObject {
  /// The sum.
  @Managed var amount: Int64
  /// Mandatory.
  @Managed var payer: Author?
}

/// One to one with its author.
final class Profile: NSManagedObject {
  /// A label.
  @Managed var name: String?
  /// Whose it is.
  @Managed var author: Author?
}

/// Keeps what it holds in order.
final class Anthology: NSManagedObject {
  /// A label.
  @Managed var name: String?
  /// Ordered, one to many; nullified when the anthology goes.
  @Managed var pieces: NSOrderedSet
  /// Ordered, many to many.
  @Managed var sources: NSOrderedSet

  /// The names of the pieces in their order.
  var pieceNames: [String] { pieces.array.map { ($0 as? Piece)?.name ?? "nameless" } }
}

/// Has a place in an anthology.
final class Piece: NSManagedObject {
  /// A label.
  @Managed var name: String?
  /// Where it stands.
  @Managed var anthology: Anthology?
}

/// The models of the specs, written in code, each made once in the process.
enum SpecModel {
  /// The model most specs share.
  static var library: NSManagedObjectModel { shared.model }

  private static let shared = ModelHolder(model: makeLibrary())

  private static func makeLibrary() -> NSManagedObjectModel {
    let author = entity("Author", Author.self, [text("name"), integer("born")])
    let article = entity(
      "Article", Article.self,
      [
        text("title", optional: false, default: "Untitled"), text("body"), integer("wordCount"),
        attribute("rating", .doubleAttributeType),
        attribute("isOpen", .booleanAttributeType, optional: false, default: true),
        attribute("publishedAt", .dateAttributeType), transient("remark"),
      ])
    let review = entity("Review", Review.self, [text("verdict")])
    article.subentities = [review]
    let tag = entity("Tag", Tag.self, [text("name", optional: false)])
    let draft = entity("Draft", Draft.self, [text("name")])
    let contract = entity("Contract", Contract.self, [text("name")])
    let letter = entity("Letter", Letter.self, [text("name")])
    let invoice = entity("Invoice", Invoice.self, [integer("amount")])
    let profile = entity("Profile", Profile.self, [text("name")])
    let anthology = entity("Anthology", Anthology.self, [text("name")])
    let piece = entity("Piece", Piece.self, [text("name")])

    relate(toMany("articles", author, .nullifyDeleteRule), toOne("author", article))
    relate(toMany("drafts", author, .cascadeDeleteRule), toOne("owner", draft))
    relate(toMany("contracts", author, .denyDeleteRule), toOne("signatory", contract))
    relate(toMany("letters", author, .noActionDeleteRule), toOne("sender", letter))
    relate(
      toMany("invoices", author, .nullifyDeleteRule), toOne("payer", invoice, optional: false))
    relate(toOne("profile", author, rule: .cascadeDeleteRule), toOne("author", profile))
    relate(toMany("tags", article, .nullifyDeleteRule), toMany("articles", tag, .nullifyDeleteRule))
    relate(ordered("pieces", anthology), toOne("anthology", piece))
    relate(ordered("sources", anthology), toMany("anthologies", article, .nullifyDeleteRule))

    let model = NSManagedObjectModel()
    model.entities = [
      author, article, review, tag, draft, contract, letter, invoice, profile, anthology, piece,
    ]
    return model
  }
}

/// Carries a finished model between threads.
private struct ModelHolder { let model: NSManagedObjectModel }

// The model is finished before it is handed out and not changed afterwards.
extension ModelHolder: @unchecked Sendable {}

extension SpecModel {
  /// An entity whose objects are of the class, with these properties.
  static func entity(
    _ name: String, _ type: NSManagedObject.Type, _ properties: [NSPropertyDescription]
  ) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    entity.managedObjectClassName = NSStringFromClass(type)
    entity.properties = properties
    return entity
  }

  /// An attribute of any type.
  static func attribute(
    _ name: String, _ type: NSAttributeType, optional: Bool = true, default value: Any? = nil
  ) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.isOptional = optional
    attribute.defaultValue = value
    return attribute
  }

  /// A string attribute.
  static func text(
    _ name: String, optional: Bool = true, default value: String? = nil
  ) -> NSAttributeDescription {
    attribute(name, .stringAttributeType, optional: optional, default: value)
  }

  /// A mandatory 64-bit integer that is 0 by default.
  static func integer(_ name: String) -> NSAttributeDescription {
    attribute(name, .integer64AttributeType, optional: false, default: 0)
  }

  /// A transient string.
  static func transient(_ name: String) -> NSAttributeDescription {
    let attribute = text(name)
    attribute.isTransient = true
    return attribute
  }

  /// One end of a relationship, not yet related.
  struct End {
    /// The relationship that leaves `source`.
    let relationship: NSRelationshipDescription
    /// The entity it leaves.
    let source: NSEntityDescription
  }

  /// A to-one end that leaves `source`.
  static func toOne(
    _ name: String, _ source: NSEntityDescription, optional: Bool = true,
    rule: NSDeleteRule = .nullifyDeleteRule
  ) -> End {
    let end = toMany(name, source, rule)
    end.relationship.maxCount = 1
    end.relationship.minCount = optional ? 0 : 1
    end.relationship.isOptional = optional
    return end
  }

  /// An unordered to-many end that leaves `source`.
  static func toMany(_ name: String, _ source: NSEntityDescription, _ rule: NSDeleteRule) -> End {
    let relationship = NSRelationshipDescription()
    relationship.name = name
    relationship.deleteRule = rule
    relationship.isOptional = true
    relationship.minCount = 0
    relationship.maxCount = 0
    return End(relationship: relationship, source: source)
  }

  /// An ordered to-many end that leaves `source` and is nullified with it.
  static func ordered(_ name: String, _ source: NSEntityDescription) -> End {
    let end = toMany(name, source, .nullifyDeleteRule)
    end.relationship.isOrdered = true
    return end
  }

  /// Makes the two ends each other's inverse and hangs them on their entities.
  static func relate(_ one: End, _ other: End) {
    one.relationship.destinationEntity = other.source
    other.relationship.destinationEntity = one.source
    one.relationship.inverseRelationship = other.relationship
    other.relationship.inverseRelationship = one.relationship
    one.source.properties.append(one.relationship)
    other.source.properties.append(other.relationship)
  }
}
