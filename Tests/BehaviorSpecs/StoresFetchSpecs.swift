import CoreData
import Foundation
import XCTest

/// Fetching from several stores as if they were one (section F.1).
final class StoresFetchSpecs: StoresCase {
  func testF21_resultsOfSeveralStoresAreMergedInTheOrderAskedFor() throws {
    let two = try makeTwoStores()
    let reader = makeContext(two.coordinator)
    XCTAssertEqual(try reader.titles(), ["a", "b", "c", "d", "e"])
    let request = reader.books()
    request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: false)]
    XCTAssertEqual(try reader.fetch(request).map(\.bookTitle), ["e", "d", "c", "b", "a"])
    request.sortDescriptors = nil
    XCTAssertEqual(Set(try reader.fetch(request).map(\.bookTitle)).count, 5)
  }

  func testF21_resultsOfSeveralStoresAreMergedByWhatTheirRelationshipsLeadTo() throws {
    let two = try makeTwoStores()
    for (store, names) in [(two.one, ["x", "z"]), (two.other, ["y", "w"])] {
      let books = try two.context.fetch(two.context.books()).filter {
        $0.objectID.persistentStore === store
      }
      for (name, book) in zip(names, books) {
        let shelf = NSEntityDescription.insertNewObject(
          forEntityName: "Shelf", into: two.context)
        two.context.assign(shelf, to: store)
        shelf.setValue(name, forKey: "name")
        book.setValue(shelf, forKey: "shelf")
      }
    }
    try two.context.save()
    let reader = makeContext(two.coordinator)
    let request = reader.books()
    request.sortDescriptors = [
      NSSortDescriptor(key: "shelf.name", ascending: false),
      NSSortDescriptor(key: "title", ascending: true),
    ]
    XCTAssertEqual(try reader.fetch(request).map(\.bookTitle), ["c", "b", "a", "d", "e"])
    #if FAULTLINE
      // Each store is asked for its books and for its shelves.
      let again = makeContext(two.coordinator)
      XCTAssertEqual(try work { _ = try again.fetch(request) }.statements, 4)
    #endif
  }

  func testF3_limitAndOffsetCutTheMergedResult() throws {
    let two = try makeTwoStores()
    let reader = makeContext(two.coordinator)
    for offset in 0...6 {
      for limit in 0...3 {
        let request = reader.books()
        request.fetchOffset = offset
        request.fetchLimit = limit
        let all = ["a", "b", "c", "d", "e"].dropFirst(offset)
        let expected = Array(limit == 0 ? all : all.prefix(limit))
        XCTAssertEqual(
          try reader.fetch(request).map(\.bookTitle), expected, "\(offset), \(limit)")
        XCTAssertEqual(try reader.count(for: request), expected.count, "\(offset), \(limit)")
      }
    }
  }

  func testF16_idsOfSeveralStoresComeInOrderToo() throws {
    let two = try makeTwoStores()
    let request = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
    request.resultType = .managedObjectIDResultType
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    request.includesPropertyValues = false
    let reader = makeContext(two.coordinator)
    let stores = try reader.fetch(request).map(\.persistentStore)
    XCTAssertEqual(stores, [two.one, two.other, two.one, two.other, two.one])
  }

  func testF32_F33_F34_pendingChangesStandAmongTheRowsOfAllStores() throws {
    let two = try makeTwoStores()
    two.context.book("bb", in: two.one)
    two.context.delete(try two.context.book(named: "c"))
    try two.context.book(named: "b").setValue("z", forKey: "title")
    #if FAULTLINE
      let counting = try work {
        XCTAssertEqual(try two.context.count(for: two.context.books()), 5)
      }
      XCTAssertEqual([counting.statements, counting.rowsFetched], [2, 0])
    #endif
    let request = two.context.books()
    request.affectedStores = [two.other]
    XCTAssertEqual(try two.context.count(for: request), 2)
    XCTAssertEqual(try two.context.titles(), ["a", "bb", "d", "e", "z"])
  }

  func testF13_dictionariesOfSeveralStoresFollowEachOther() throws {
    let two = try makeTwoStores()
    let request = NSFetchRequest<NSDictionary>(entityName: "Book")
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = ["title"]
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
    request.fetchLimit = 4
    let found = try two.context.fetch(request).compactMap { $0["title"] as? String }
    XCTAssertEqual(found, ["e", "c", "a", "d"])
  }

  func testC11_F18_affectedStoresNameTheOnesToAsk() throws {
    let two = try makeTwoStores()
    let request = two.context.books()
    request.affectedStores = [two.other]
    XCTAssertEqual(try two.context.fetch(request).map(\.bookTitle), ["b", "d"])
    XCTAssertEqual(try two.context.count(for: request), 2)
    two.context.book("first", in: two.one)
    two.context.book("second", in: two.other)
    XCTAssertEqual(try two.context.fetch(request).map(\.bookTitle), ["b", "d", "second"])
    request.affectedStores = [two.one, two.other]
    XCTAssertEqual(try two.context.fetch(request).count, 7)
  }

  func testF18_F73_aControllerFollowsTheStoresThatItsRequestNames() throws {
    let two = try makeTwoStores()
    let request = two.context.books()
    request.affectedStores = [two.other]
    let controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: two.context, sectionNameKeyPath: nil,
      cacheName: nil)
    let journal = ResultsJournal()
    controller.delegate = journal
    try controller.performFetch()
    two.context.book("first", in: two.one)
    two.context.book("second", in: two.other)
    try two.context.book(named: "a").setValue("aa", forKey: "title")
    two.context.processPendingChanges()
    XCTAssertEqual(controller.fetchedObjects?.map(\.bookTitle), ["b", "d", "second"])
    try two.context.save()
    XCTAssertEqual(controller.fetchedObjects?.map(\.bookTitle), ["b", "d", "second"])
  }

  func testF48_F55_objectsOfBothStoresAreFoundByIdentity() throws {
    let two = try makeTwoStores()
    let reader = makeContext(two.coordinator)
    let some = try ["a", "b"].map { try two.context.book(named: $0).objectID }
    XCTAssertEqual(
      try reader.fetch(reader.books("SELF IN %@", some)).map(\.bookTitle), ["a", "b"])
    XCTAssertEqual(try reader.fetch(reader.books("SELF == %@", some[1])).map(\.bookTitle), ["b"])
    let shelf = NSEntityDescription.insertNewObject(forEntityName: "Shelf", into: two.context)
    two.context.assign(shelf, to: two.other)
    try two.context.book(named: "d").setValue(shelf, forKey: "shelf")
    try two.context.save()
    let request = reader.books("shelf == %@", shelf.objectID)
    XCTAssertEqual(try reader.fetch(request).map(\.bookTitle), ["d"])
    XCTAssertEqual(try reader.fetch(reader.books("shelf == nil")).count, 4)
  }

  func testF84_F86_F87_batchRequestsReachAllStoresOrThoseTheyName() throws {
    let two = try makeTwoStores()
    let update = NSBatchUpdateRequest(entityName: "Book")
    update.propertiesToUpdate = ["pages": 7]
    update.resultType = .updatedObjectIDsResultType
    let updated = try two.context.execute(update) as? NSBatchUpdateResult
    let all = try two.context.fetch(two.context.books()).map(\.objectID)
    XCTAssertEqual(Set(updated?.result as? [NSManagedObjectID] ?? []), Set(all))
    let delete = NSBatchDeleteRequest(
      fetchRequest: NSFetchRequest<any NSFetchRequestResult>(entityName: "Book"))
    delete.affectedStores = [two.other]
    try two.context.execute(delete)
    XCTAssertEqual(try titles(in: "One"), ["a", "c", "e"])
    XCTAssertEqual(try titles(in: "Other"), [])
    let insert = NSBatchInsertRequest(entityName: "Book", objects: [["title": "new"]])
    insert.affectedStores = [two.other]
    try two.context.execute(insert)
    XCTAssertEqual(try titles(in: "Other"), ["new"])
    let reader = makeContext(two.coordinator)
    XCTAssertEqual(try reader.fetch(reader.books("pages == 7")).count, 3)
  }

  func testB40_aChildReadsAllStoresThroughItsParent() throws {
    let two = try makeTwoStores()
    two.context.book("pending", in: two.other)
    let child = makeMainChild(of: two.context)
    XCTAssertEqual(try child.titles(), ["a", "b", "c", "d", "e", "pending"])
    let request = child.books()
    request.affectedStores = [two.other]
    XCTAssertEqual(try child.fetch(request).map(\.bookTitle), ["b", "d", "pending"])
  }
}
