import CoreData
import Foundation

/// Something with a key that no other product may have.
class Product: NSManagedObject {
  /// Unique among products, special ones included.
  @Managed var key: String?
  /// What it is called.
  @Managed var name: String?
  /// What else there is to say.
  @Managed var note: String?
  /// Many to many.
  @Managed var tags: Set<ProductTag>
  /// Those that point here.
  @Managed var pointers: Set<Pointer>
  /// Where it stands.
  @Managed var shelf: Shelf?
}

/// A sub-entity of `Product` with a constraint of its own.
final class SpecialProduct: Product {
  /// Unique among special products.
  @Managed var code: String?
}

/// A word that many products share.
final class ProductTag: NSManagedObject {
  /// The word.
  @Managed var name: String?
  /// The products that carry it.
  @Managed var products: Set<Product>
}

/// Points to one product, which knows it.
final class Pointer: NSManagedObject {
  /// A label.
  @Managed var name: String?
  /// The product.
  @Managed var target: Product?
}

/// Holds many products.
final class Shelf: NSManagedObject {
  /// A label.
  @Managed var name: String?
  /// The products on it.
  @Managed var products: Set<Product>
}

/// Leads to a product, which does not know it.
final class Bookmark: NSManagedObject {
  /// A label.
  @Managed var name: String?
  /// The product; no inverse.
  @Managed var product: Product?
}

/// A place in a hall; no two have the same row, number and hall.
final class Seat: NSManagedObject {
  /// The row.
  @Managed var row: String?
  /// The number in the row.
  @Managed var number: Int64
  /// The hall.
  @Managed var hall: Hall?
}

/// Where seats are.
final class Hall: NSManagedObject {
  /// A label.
  @Managed var name: String?
  /// Its seats.
  @Managed var seats: Set<Seat>
}

extension SpecModel {
  /// A model with uniqueness constraints: of one attribute, inherited, and of three properties.
  static var catalogue: NSManagedObjectModel { sharedCatalogue.model }

  private static let sharedCatalogue = CatalogueHolder(model: makeCatalogue(isConstrained: true))

  /// The catalogue, with or without its constraints.
  static func makeCatalogue(isConstrained: Bool) -> NSManagedObjectModel {
    let product = entity("Product", Product.self, [text("key"), text("name"), text("note")])
    let special = entity("SpecialProduct", SpecialProduct.self, [text("code")])
    product.subentities = [special]
    let tag = entity("ProductTag", ProductTag.self, [text("name")])
    let pointer = entity("Pointer", Pointer.self, [text("name")])
    let shelf = entity("Shelf", Shelf.self, [text("name")])
    let bookmark = entity("Bookmark", Bookmark.self, [text("name")])
    let seat = entity("Seat", Seat.self, [text("row"), integer("number")])
    let hall = entity("Hall", Hall.self, [text("name")])

    relate(
      toMany("tags", product, .nullifyDeleteRule), toMany("products", tag, .nullifyDeleteRule))
    // Cascading, so that whatever is not moved away from a loser is seen to vanish.
    relate(toMany("pointers", product, .cascadeDeleteRule), toOne("target", pointer))
    relate(toOne("shelf", product), toMany("products", shelf, .nullifyDeleteRule))
    relate(toMany("seats", hall, .nullifyDeleteRule), toOne("hall", seat))
    let oneWay = toOne("product", bookmark)
    oneWay.relationship.destinationEntity = product
    bookmark.properties.append(oneWay.relationship)

    if isConstrained {
      product.uniquenessConstraints = [["key"]]
      special.uniquenessConstraints = [["code"]]
      seat.uniquenessConstraints = [["row", "number", "hall"]]
    }
    let model = NSManagedObjectModel()
    model.entities = [product, special, tag, pointer, shelf, bookmark, seat, hall]
    return model
  }
}

/// Carries a finished model between threads.
private struct CatalogueHolder { let model: NSManagedObjectModel }

// The model is finished before it is handed out and not changed afterwards.
extension CatalogueHolder: @unchecked Sendable {}

extension NSManagedObjectContext {
  /// Inserts a product.
  @discardableResult
  func product(_ key: String?, _ name: String? = nil, note: String? = nil) -> Product {
    let product = Product(context: self)
    product.key = key
    product.name = name
    product.note = note
    return product
  }
}
