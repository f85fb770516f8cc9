import Foundation
import TestSupport
import XCTest

@testable import Faultline

final class PredicateTests: XCTestCase {
  private var store: TestStore!

  override func setUpWithError() throws {
    store = try TestStore()
    let context = store.container.viewContext
    let folders = ["Home", "Work"].map { name in
      let folder = Folder(context: context)
      folder.name = name
      return folder
    }
    let titles: [String?] = ["Apple", "apple pie", "Banana", "a*b", "[x]", "", nil, "Ärger"]
    for (number, title) in titles.enumerated() {
      let note = Note(context: context)
      note.title = title
      note.number = Int64(number)
      note.date =
        number.isMultiple(of: 2) ? Date(timeIntervalSinceReferenceDate: Double(number)) : nil
      note.folder = number < 3 ? folders[0] : number < 6 ? folders[1] : nil
    }
    try context.save()
  }

  override func tearDown() { store.remove() }

  func testALongListIsOneValueOfTheStatementWhateverItsType() throws {
    let coordinator = store.container.persistentStoreCoordinator
    let schema = try XCTUnwrap(coordinator.persistentStores.first).database.schema
    let layout = try XCTUnwrap(schema.layouts.values.first { $0.name == "Note" })
    let lists: [(String, [Any])] = [
      ("date", (0..<40).map { Date(timeIntervalSinceReferenceDate: Double($0)) }),
      ("number", (0..<40).map { Double($0) / 2 }), ("title", (0..<40).map { "\($0)" }),
    ]
    for (name, list) in lists {
      var writer = PredicateWriter(layout, schema)
      _ = writer.condition(of: NSPredicate(format: "%K IN %@", name, list))
      XCTAssertEqual(writer.constantCount, 1, name)
    }
  }

  /// Formats with their arguments, and how many of the eight notes satisfy each.
  private var cases: [(NSPredicate, Int)] {
    let epoch = Date(timeIntervalSinceReferenceDate: 2)
    return [
      (NSPredicate(format: "title == %@", "Apple"), 1),
      (NSPredicate(format: "title ==[c] %@", "APPLE"), 1),
      (NSPredicate(format: "title != %@", "Apple"), 6),
      (NSPredicate(format: "title == nil"), 1),
      (NSPredicate(format: "title != nil"), 7),
      (NSPredicate(format: "number > 2 AND number <= 5"), 3),
      (NSPredicate(format: "number < %d OR number >= %d", 1, 7), 2),
      (NSPredicate(format: "NOT (number == 3)"), 7),
      (NSPredicate(format: "NOT title == 'Apple'"), 7),
      (NSPredicate(format: "%K BEGINSWITH[c] %@", "title", "app"), 2),
      (NSPredicate(format: "title CONTAINS '*'"), 1),
      (NSPredicate(format: "title ENDSWITH ']'"), 1),
      (NSPredicate(format: "title LIKE 'a*'"), 2),
      (NSPredicate(format: "title LIKE '?anana'"), 1),
      (NSPredicate(format: "number IN %@", [1, 3, 99]), 2),
      (NSPredicate(format: "number IN {1, 2}"), 2),
      (NSPredicate(format: "date >= %@", epoch as NSDate), 3),
      (NSPredicate(format: "folder.name == %@", "Home"), 3),
      (NSPredicate(format: "folder == nil"), 2),
      (NSPredicate(format: "folder != nil AND number > 1"), 4),
      (NSPredicate(format: "TRUEPREDICATE"), 8),
      (NSPredicate(format: "FALSEPREDICATE"), 0),
      (
        NSCompoundPredicate(andPredicateWithSubpredicates: [
          NSPredicate(format: "number >= 2"), NSPredicate(format: "number < 4"),
        ]), 2
      ),
    ]
  }

  func testTheStoreAndTheMemoryAgreeOnEveryPredicate() throws {
    let context = store.container.viewContext
    let all = try context.fetch(NSFetchRequest<Note>(entityName: "Note"))
    for (predicate, count) in cases {
      let request = NSFetchRequest<Note>(entityName: "Note")
      request.predicate = predicate
      let fetched = Set(try context.fetch(request))
      XCTAssertEqual(fetched.count, count, "\(predicate.description) in the store")
      XCTAssertEqual(
        fetched, Set(all.filter { predicate.evaluate(with: $0) }), predicate.description)
      XCTAssertEqual(try context.count(for: request), count)
    }
  }

  func testSortDescriptorsByNameAndByKeyPathOrderAlike() throws {
    let context = store.container.viewContext
    let byName = NSFetchRequest<Note>(entityName: "Note")
    byName.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
    let byPath = NSFetchRequest<Note>(entityName: "Note")
    byPath.sortDescriptors = [NSSortDescriptor(keyPath: \Note.title, ascending: false)]
    let titles = try context.fetch(byName).map(\.title)
    XCTAssertEqual(titles, try context.fetch(byPath).map(\.title))
    XCTAssertEqual(titles.first, "Ärger")
    XCTAssertNil(titles[7])
  }

  func testLimitAndOffsetCountInTheSameOrderWithAndWithoutUnsavedChanges() throws {
    let context = store.container.viewContext
    let request = NSFetchRequest<Note>(entityName: "Note")
    request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
    request.fetchOffset = 2
    request.fetchLimit = 3
    XCTAssertEqual(try context.fetch(request).map(\.number), [2, 3, 4])
    let note = Note(context: context)
    note.number = -1
    XCTAssertEqual(try context.fetch(request).map(\.number), [1, 2, 3])
  }
}
