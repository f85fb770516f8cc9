import CoreData
import Foundation
import Testing

/// A context that saves, one that wrote before it, and the words for what they leave behind.
final class ConstraintScene {
  /// The context whose save is under test.
  let local: NSManagedObjectContext
  /// The context that writes the rows that are there before.
  let writer: NSManagedObjectContext
  private let cell: ConstraintCell
  private let url: URL
  private let type: String
  private var kept: [AnyObject] = []
  private var names: [NSManagedObjectID: String] = [:]
  private var named: [(name: String, object: Product)] = []

  /// Opens a store, twice if the writer works elsewhere.
  init(_ cell: ConstraintCell, at url: URL, type: String) throws {
    self.cell = cell
    self.url = url
    self.type = type
    let first = try openCatalogue(at: url, type: type)
    let second =
      cell.place == .sameCoordinator ? first : try openCatalogue(at: url, type: type)
    local = context(.privateQueueConcurrencyType, on: first)
    writer = context(.privateQueueConcurrencyType, on: second)
    kept = [first, second]
  }

  /// Writes a product with a tag, a shelf and a pointer; L gets to know of E what the cell says.
  func givenRow(
    _ label: String, key: String, _ name: String, _ note: String, tag: String, shelf: String,
    pointer: String
  ) throws {
    let knowledge = label == "E" ? cell.knowledge : .nothing
    let isOld = knowledge == .olderValues
    let product = writer.product(isOld ? "former " + key : key, "Former", note: note)
    product.name = name
    dress(product, tag: tag, shelf: shelf, pointer: pointer, in: writer)
    try writer.save()
    names[product.objectID] = label
    switch knowledge {
    case .nothing: break
    case .aFault: kept.append(local.object(with: product.objectID))
    case .itsValues, .olderValues: _ = try stored(label).name
    }
    if isOld {
      product.key = key
      try writer.save()
    }
  }

  /// The object of a row in the saving context, its values loaded.
  func stored(_ label: String) throws -> Product {
    let id = try #require(names.first { $0.value == label }?.key)
    let product = try #require(try local.existingObject(with: id) as? Product)
    kept.append(product)
    return product
  }

  /// Inserts a product with key k.
  @discardableResult
  func insert(
    _ label: String, _ name: String, _ note: String?, tag: String, shelf: String?, pointer: String
  ) -> Product {
    let product = local.product("k", name, note: note)
    dress(product, tag: tag, shelf: shelf, pointer: pointer, in: local)
    named.append((label, product))
    return product
  }

  /// Inserts a bookmark that leads to a product.
  func bookmark(_ name: String, _ product: Product) {
    let bookmark = Bookmark(context: local)
    bookmark.name = name
    bookmark.product = product
  }

  private func dress(
    _ product: Product, tag: String, shelf: String?, pointer: String,
    in context: NSManagedObjectContext
  ) {
    let label = ProductTag(context: context)
    label.name = tag
    product.tags = [label]
    if let shelf {
      product.shelf = Shelf(context: context)
      product.shelf?.name = shelf
    }
    let other = Pointer(context: context)
    other.name = pointer
    other.target = product
  }

  /// Saves, and compares error, file, context and what is pending with the cell.
  func saveAndCompare(_ outcomes: [Policy: ConstraintOutcome], loser: Product?) throws {
    let code = errorCode { try local.save() }
    switch try #require(outcomes[cell.policy]) {
    case .refused(let file, let context, let pending):
      #expect(code == 133021)
      #expect(try lines(in: reread()) == file.sorted())
      #expect(try lines(in: local) == context.sorted())
      #expect(Pending(local) == pending)
      #expect(errorCode { try local.save() } == 133021)
    case .saved(let expected):
      #expect(code == nil)
      #expect(try lines(in: local) == expected.sorted())
      #expect(try lines(in: reread()) == expected.sorted())
      #expect(Pending(local) == Pending(inserted: 0, updated: 0))
      #expect(!local.hasChanges)
      if let loser { #expect(loser.managedObjectContext == nil) }
      // The next save finds nothing left to resolve.
      local.mergePolicy = NSMergePolicy.error
      for product in try local.all(Product.self) { product.note = "later" }
      #expect(errorCode { try local.save() } == nil)
    }
  }

  /// A context on a coordinator that saw nothing before, or another one on the store in memory.
  func reread() throws -> NSManagedObjectContext {
    let coordinator = try #require(local.persistentStoreCoordinator)
    let fresh =
      type == NSInMemoryStoreType ? coordinator : try openCatalogue(at: url, type: type)
    kept.append(fresh)
    return context(.privateQueueConcurrencyType, on: fresh)
  }

  /// Every product and everybody who points to one, a line each, in order.
  func lines(in context: NSManagedObjectContext) throws -> [String] {
    for (name, object) in named where object.managedObjectContext != nil {
      names[object.objectID] = name
    }
    return try context.performOnThisThread {
      let products = try context.all(Product.self).map { product in
        let tags = product.tags.compactMap(\.name).sorted().joined(separator: " ")
        return [
          name(of: product), product.key ?? "-", product.name ?? "-", product.note ?? "-",
          "[\(tags)]", product.shelf?.name ?? "-",
        ].joined(separator: " ")
      }
      let pointers = try context.all(Pointer.self).map { pointer in
        #expect(pointer.target?.pointers.contains(pointer) != false)
        return "\(pointer.name ?? "?")→\(name(of: pointer.target))"
      }
      let bookmarks = try context.all(Bookmark.self).map {
        "\($0.name ?? "?")→\(name(of: $0.product))"
      }
      return (products + pointers + bookmarks).sorted()
    }
  }

  private func name(of product: Product?) -> String {
    product.map { names[$0.objectID] ?? "?" } ?? "-"
  }
}

/// A coordinator with one store of the catalogue.
func openCatalogue(
  at url: URL?, type: String = NSSQLiteStoreType
) throws -> NSPersistentStoreCoordinator {
  let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SpecModel.catalogue)
  try coordinator.addPersistentStore(
    ofType: type, configurationName: nil, at: type == NSInMemoryStoreType ? nil : url)
  return coordinator
}
