import CoreData
import Foundation
import XCTest

extension SpecModel {
  /// A model with three entities without classes, and configurations that divide them.
  ///
  /// `Books`: Book and Shelf, which are related. `Remarks`: Remark. `All`: everything.
  static var divided: NSManagedObjectModel { sharedDivided.model }

  private static let sharedDivided = DividedModel(model: makeDivided())

  private static func makeDivided() -> NSManagedObjectModel {
    let book = entity("Book", NSManagedObject.self, [text("title"), integer("pages")])
    let shelf = entity("Shelf", NSManagedObject.self, [text("name")])
    let remark = entity("Remark", NSManagedObject.self, [text("text")])
    relate(toMany("books", shelf, .cascadeDeleteRule), toOne("shelf", book))
    let model = NSManagedObjectModel()
    model.entities = [book, shelf, remark]
    model.setEntities([book, shelf], forConfigurationName: "Books")
    model.setEntities([remark], forConfigurationName: "Remarks")
    model.setEntities([book, shelf, remark], forConfigurationName: "All")
    return model
  }
}

/// Carries a finished model between threads.
private struct DividedModel { let model: NSManagedObjectModel }

// The model is finished before it is handed out and not changed afterwards.
extension DividedModel: @unchecked Sendable {}

/// A spec's coordinators with several stores, and the objects in them.
class StoresCase: SpecCase {
  /// A coordinator of the divided model, kept until the test ends.
  func makeCoordinator() -> NSPersistentStoreCoordinator {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SpecModel.divided)
    keep(coordinator)
    return coordinator
  }

  /// Adds a SQLite store of this test's directory.
  @discardableResult
  func add(
    _ name: String, _ configuration: String? = "All", readOnly: Bool = false,
    to coordinator: NSPersistentStoreCoordinator
  ) throws -> NSPersistentStore {
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: configuration, at: storeURL(name),
      options: [NSReadOnlyPersistentStoreOption: NSNumber(value: readOnly)])
  }

  /// A main-queue context on the coordinator, kept until the test ends.
  func makeContext(_ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
    let made = context(.mainQueueConcurrencyType, on: coordinator)
    keep(made)
    return made
  }

  /// What a store of this test's directory holds, read alone: the titles of its books, sorted.
  func titles(in name: String, _ configuration: String? = "All") throws -> [String] {
    let coordinator = makeCoordinator()
    try add(name, configuration, to: coordinator)
    return try makeContext(coordinator).titles()
  }

  /// Fills two stores that accept everything with the books a, c, e and b, d, and a shelf each.
  func makeTwoStores() throws -> TwoStores {
    let coordinator = makeCoordinator()
    let two = TwoStores(
      coordinator: coordinator, one: try add("One", to: coordinator),
      other: try add("Other", to: coordinator), context: makeContext(coordinator))
    for (index, title) in ["a", "b", "c", "d", "e"].enumerated() {
      let book = two.context.book(title, in: index % 2 == 0 ? two.one : two.other)
      book.setValue(Int64(index), forKey: "pages")
    }
    try two.context.save()
    return two
  }
}

/// Two stores of one coordinator that accept every entity, and a context.
struct TwoStores {
  /// The coordinator.
  let coordinator: NSPersistentStoreCoordinator
  /// The store that was added first.
  let one: NSPersistentStore
  /// The store that was added second.
  let other: NSPersistentStore
  /// A main-queue context.
  let context: NSManagedObjectContext
}

extension NSManagedObjectContext {
  /// Inserts a book, into a certain store if one is given.
  @discardableResult
  func book(_ title: String, in store: NSPersistentStore? = nil) -> NSManagedObject {
    let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: self)
    book.setValue(title, forKey: "title")
    if let store { assign(book, to: store) }
    return book
  }

  /// A request for books in the order of their titles.
  func books(
    _ format: String? = nil, _ arguments: Any...
  ) -> NSFetchRequest<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    if let format { request.predicate = NSPredicate(format: format, argumentArray: arguments) }
    return request
  }

  /// The titles of all books, sorted.
  func titles() throws -> [String] { try fetch(books()).map(\.bookTitle) }

  /// The book with a title.
  func book(named title: String) throws -> NSManagedObject {
    try XCTUnwrap(try fetch(books()).first { $0.bookTitle == title }, "no book \(title)")
  }
}

extension NSManagedObject {
  /// The title of a book, or an empty text.
  var bookTitle: String { value(forKey: "title") as? String ?? "" }
}
