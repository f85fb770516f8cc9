#if FAULTLINE
  import CoreData
  import Foundation
  import XCTest

  /// What costs what (section I), counted in statements, rows, objects and notifications.
  final class CostSpecs: SpecCase {
    private var container: NSPersistentContainer!

    override func setUpWithError() throws {
      try super.setUpWithError()
      container = try makeContainer()
    }

    /// A context that nobody else uses.
    private func fresh() -> NSManagedObjectContext { makeMainContext(container) }

    /// Saves articles with these numbers, and lets go of them.
    private func store(_ numbers: Range<Int>) throws {
      let saver = fresh()
      for number in numbers { insert(number, into: saver) }
      try saver.save()
      saver.reset()
    }

    @discardableResult
    private func insert(_ number: Int, into context: NSManagedObjectContext) -> Article {
      let article = Article(context: context)
      article.title = "article \(number)"
      article.wordCount = Int64(number)
      return article
    }

    /// How many objects stood under the key in each `ObjectsDidChange` of the context.
    private func changes(
      of context: NSManagedObjectContext, _ key: String, during body: () throws -> Void
    ) rethrows -> [Int] {
      let log = NotificationLog([.NSManagedObjectContextObjectsDidChange], from: context)
      try body()
      return log.entries.map { $0.count(key) }
    }

    /// Runs the body and merges into the reader what the saver saves meanwhile.
    private func merging(
      _ saver: NSManagedObjectContext, into reader: NSManagedObjectContext,
      _ body: () throws -> Void
    ) rethrows {
      let token = NotificationCenter.default.addObserver(
        forName: NSManagedObjectContext.didSaveObjectsNotification, object: saver, queue: nil
      ) { reader.mergeChanges(fromContextDidSave: $0) }
      defer { NotificationCenter.default.removeObserver(token) }
      try body()
    }

    func testI4_countingReadsNoRowAndMakesNoObject() throws {
      try store(0..<20)
      let context = fresh()
      let request = NSFetchRequest<Article>(entityName: "Article")
      let before = EngineCounters.read().liveObjects
      let counting = try work { XCTAssertEqual(try context.count(for: request), 20) }
      XCTAssertEqual([counting.statements, counting.rowsFetched], [1, 0])
      XCTAssertEqual(EngineCounters.read().liveObjects, before)
      let fetching = try work { XCTAssertEqual(try context.fetch(request).count, 20) }
      XCTAssertEqual([fetching.statements, fetching.rowsFetched], [1, 20])
    }

    func testF28_I4_countingBesideUnsavedChangesReadsNoRowAndMakesNoObject() throws {
      try store(0..<20)
      let parent = fresh()
      let child = makeMainChild(of: parent)
      let request = NSFetchRequest<Article>(entityName: "Article")
      request.predicate = NSPredicate(format: "wordCount > 4")
      request.sortDescriptors = [NSSortDescriptor(key: "wordCount", ascending: true)]
      request.shouldRefreshRefetchedObjects = true
      /// One comes in, one stays, one goes and one is deleted; three are new, one does not match.
      func change(_ numbers: [Int], in context: NSManagedObjectContext) throws {
        let some = NSFetchRequest<Article>(entityName: "Article")
        some.predicate = NSPredicate(format: "wordCount IN %@", numbers)
        some.sortDescriptors = request.sortDescriptors
        let found = try context.fetch(some)
        for (article, number) in zip(found, [50, 60, 0]) { article.wordCount = Int64(number) }
        context.delete(found[3])
        for number in [0, 70] { insert(number, into: context) }
        Review(context: context).wordCount = 80
      }
      func expect(_ number: Int, in context: NSManagedObjectContext, line: UInt = #line) throws {
        EngineCounters.reset()
        let before = EngineCounters.read().liveObjects
        let counting = try work {
          XCTAssertEqual(try context.count(for: request), number, line: line)
        }
        XCTAssertEqual([counting.statements, counting.rowsFetched], [1, 0], line: line)
        let numbers = NSFetchRequest<NSNumber>(entityName: "Article")
        (numbers.resultType, numbers.predicate) = (.countResultType, request.predicate)
        (numbers.fetchOffset, numbers.fetchLimit) = (request.fetchOffset, request.fetchLimit)
        numbers.includesSubentities = request.includesSubentities
        numbers.includesPendingChanges = request.includesPendingChanges
        let fetching = try work {
          XCTAssertEqual(try context.fetch(numbers), [NSNumber(value: number)], line: line)
        }
        XCTAssertEqual(fetching.rowsFetched, 0, line: line)
        XCTAssertEqual(EngineCounters.read().liveObjectsPeak, before, line: line)
      }
      try change([1, 6, 7, 8], in: parent)
      try expect(16, in: parent)
      try expect(16, in: child)
      try change([2, 9, 10, 11], in: child)
      try expect(17, in: child)
      try expect(16, in: parent)
      request.includesSubentities = false
      try expect(15, in: child)
      for (offset, limit, number) in [(3, 0, 12), (3, 5, 5), (13, 5, 2), (20, 5, 0)] {
        (request.fetchOffset, request.fetchLimit) = (offset, limit)
        try expect(number, in: child)
      }
      (request.fetchOffset, request.fetchLimit) = (0, 0)
      request.includesPendingChanges = false
      try expect(15, in: child)
      (request.includesPendingChanges, request.shouldRefreshRefetchedObjects) = (true, false)
      XCTAssertEqual(try child.fetch(request).count, 15)
    }

    func testF36_aPageBesideUnsavedChangesLoadsNoMoreRowsThanCanGetOntoIt() throws {
      try store(0..<20)
      let context = fresh()
      let request = NSFetchRequest<Article>(entityName: "Article")
      request.sortDescriptors = [NSSortDescriptor(key: "wordCount", ascending: true)]
      request.fetchLimit = 3
      try XCTUnwrap(try context.fetch(request).first).wordCount = 100
      insert(2, into: context)
      request.fetchOffset = 1
      let fetching = try work {
        XCTAssertEqual(try context.fetch(request).map(\.wordCount), [2, 2, 3])
      }
      XCTAssertEqual([fetching.statements, fetching.rowsFetched], [1, 6])
    }

    func testI5_I6_anImportHoldsNoMoreThanABatchIfItResets() throws {
      let context = fresh()
      var held: [Article] = []
      for batch in 0..<5 {
        held += (0..<10).map { insert(batch * 10 + $0, into: context) }
        try context.save()
        XCTAssertEqual(context.registeredObjects.count, (batch + 1) * 10, "what is held stays")
      }
      context.reset()
      held = []
      for batch in 5..<10 {
        let ids = try autoreleased {
          let made = (0..<10).map { insert(batch * 10 + $0, into: context) }
          try context.save()
          return made.map(\.objectID)
        }
        XCTAssertTrue(context.registeredObjects.isEmpty, "what nobody holds goes with the save")
        XCTAssertTrue(ids.allSatisfy { !$0.isTemporaryID })
      }
      XCTAssertEqual(try context.count(for: NSFetchRequest<Article>(entityName: "Article")), 100)
    }

    func testI6_objectsThatPointToEachOtherStayUntilTheReset() throws {
      let context = fresh()
      try autoreleased {
        let author = Author(context: context)
        for number in 0..<10 { insert(number, into: context).author = author }
        try context.save()
        XCTAssertEqual(author.articles.count, 10)
      }
      XCTAssertEqual(context.registeredObjects.count, 11)
      context.reset()
      XCTAssertTrue(context.registeredObjects.isEmpty)
    }

    private func autoreleased<T>(_ body: () throws -> T) rethrows -> T { try body() }

    func testI8_anUndoManagerHoldsWhatAnImportTouches() throws {
      let context = fresh()
      XCTAssertNil(context.undoManager)
      for hasUndo in [false, true] {
        context.reset()
        context.undoManager = hasUndo ? UndoManager() : nil
        try autoreleased {
          for number in 0..<10 { insert(number, into: context) }
          try context.save()
        }
        XCTAssertEqual(context.registeredObjects.count, hasUndo ? 10 : 0)
      }
      context.undoManager = nil
    }

    func testI9_findOrCreateAsksOnceForAllKeys() throws {
      try store(0..<50)
      let context = fresh()
      let keys = (0..<100).map { "article \($0)" }
      func find(_ predicate: NSPredicate) throws -> [Article] {
        let request = NSFetchRequest<Article>(entityName: "Article")
        request.predicate = predicate
        return try context.fetch(request)
      }
      let onceEach = try work {
        for key in keys { _ = try find(NSPredicate(format: "title == %@", key)) }
      }
      XCTAssertEqual(onceEach.statements, 100)
      let together = try work {
        let known = Set(try find(NSPredicate(format: "title IN %@", keys)).map(\.title))
        XCTAssertEqual(keys.filter { !known.contains($0) }.count, 50)
      }
      XCTAssertEqual(together.statements, 1)
    }

    func testI10_aContextIsCheapAndItsObjectsAreItsOwn() throws {
      try store(0..<10)
      let before = EngineCounters.read().liveObjects
      var contexts: [NSManagedObjectContext] = []
      XCTAssertEqual(work { contexts = (0..<4).map { _ in fresh() } }.statements, 0)
      XCTAssertEqual(EngineCounters.read().liveObjects, before)
      let held = try contexts.map { try $0.all(Article.self) }
      XCTAssertEqual(EngineCounters.read().liveObjects - before, 40)
      XCTAssertEqual(held.count, 4)
    }

    func testI10_aCachedRowLastsAsLongAsAContextHasItsObject() throws {
      try store(0..<1)
      let id = try XCTUnwrap(fresh().all(Article.self).first?.objectID)
      func ask() throws -> Int { try work { _ = try fresh().existingObject(with: id) }.statements }
      XCTAssertEqual(try [ask(), ask()], [1, 1], "a context that is gone has left its row behind")
      let context = fresh()
      let held = try context.existingObject(with: id)
      try withExtendedLifetime((context, held)) { XCTAssertEqual(try ask(), 0) }
    }

    func testI11_whatAChildSavesPassesThroughEveryContextAboveIt() throws {
      let root = fresh()
      let middle = makeMainChild(of: root)
      let child = makeMainChild(of: middle)
      for number in 0..<10 { insert(number, into: child) }
      let told = try changes(of: middle, NSInsertedObjectsKey) { try child.save() }
      XCTAssertEqual(told, [10])
      XCTAssertEqual(middle.insertedObjects.count, 10)
      XCTAssertEqual(try work { try middle.save() }.commits, 0)
      XCTAssertEqual(try work { try root.save() }.commits, 1)
    }

    func testI14_aMergeCostsWhatIsRegisteredAPushCostsWhatChanged() throws {
      try store(0..<20)
      let saver = fresh()
      let all = try saver.all(Article.self, by: "wordCount")
      for article in all { article.body = "new" }
      let reader = fresh()
      let held = try reader.all(Article.self, by: "wordCount").prefix(3).map { $0 }
      XCTAssertEqual(held.compactMap(\.body), [])
      let told = try changes(of: reader, NSRefreshedObjectsKey) {
        try merging(saver, into: reader) { try saver.save() }
      }
      XCTAssertEqual(told, [3])
      XCTAssertEqual(reader.registeredObjects.count, 3)

      let child = makeMainChild(of: reader)
      for article in try child.all(Article.self) { article.body = "newer" }
      try child.save()
      XCTAssertEqual(reader.updatedObjects.count, 20)
    }

    func testI15_eachMergedSaveIsOneNotification() throws {
      try store(0..<20)
      let saver = fresh()
      let reader = fresh()
      let held = try reader.all(Article.self)
      XCTAssertEqual(held.count, 20)
      let all = try saver.all(Article.self, by: "wordCount")
      let told = try changes(of: reader, NSRefreshedObjectsKey) {
        try merging(saver, into: reader) {
          for article in all { article.body = "one" }
          try saver.save()
          for half in [all.prefix(10), all.suffix(10)] {
            for article in half { article.body = "two" }
            try saver.save()
          }
        }
      }
      XCTAssertEqual(told, [20, 10, 10])
    }

    func testI16_everySaveIsATransaction() throws {
      let context = fresh()
      let single = try work {
        for number in 0..<20 {
          insert(number, into: context)
          try context.save()
        }
      }
      XCTAssertEqual(single.commits, 20)
      for number in 20..<40 { insert(number, into: context) }
      let together = try work { try context.save() }
      XCTAssertEqual(together.commits, 1)
      XCTAssertLessThan(together.statements, single.statements / 4)
    }

    func testI17_aBatchRequestMakesNoObjectsAndItsMergeRefreshesWhatIsRegistered() throws {
      try store(0..<20)
      let context = fresh()
      let held = try context.all(Article.self, by: "wordCount").prefix(2).map { $0 }
      XCTAssertEqual(held.compactMap(\.body), [])
      let before = EngineCounters.read().liveObjects
      let update = NSBatchUpdateRequest(entityName: "Article")
      update.propertiesToUpdate = ["body": "new"]
      update.resultType = .updatedObjectIDsResultType
      var ids: [NSManagedObjectID] = []
      let updating = try work {
        let result = try context.execute(update) as? NSBatchUpdateResult
        ids = try XCTUnwrap(result?.result as? [NSManagedObjectID])
      }
      XCTAssertEqual(ids.count, 20)
      XCTAssertEqual([updating.commits, updating.rowsFetched], [1, 0])
      XCTAssertEqual(EngineCounters.read().liveObjects, before)
      let merge = work {
        NSManagedObjectContext.mergeChanges(
          fromRemoteContextSave: [NSUpdatedObjectIDsKey: ids], into: [context])
      }
      XCTAssertEqual(merge.rowsFetched, 2)
      XCTAssertEqual(held.map(\.body), ["new", "new"])
    }

    func testI18_filteringMembersInMemoryLoadsThemAllAndTheStoreOnlyThoseThatMatch() throws {
      let saver = fresh()
      let author = Author(context: saver)
      for number in 0..<20 { insert(number, into: saver).author = author }
      try saver.save()
      saver.reset()
      let memory = fresh()
      let mine = try memory.only(Author.self)
      let inMemory = work {
        let found = mine.articles.filter { $0.wordCount > 17 }.sorted {
          $0.wordCount < $1.wordCount
        }
        XCTAssertEqual(found.count, 2)
      }
      XCTAssertEqual([inMemory.statements, inMemory.rowsFetched], [21, 20])
      let store = fresh()
      let theirs = try store.only(Author.self)
      let inStore = try work {
        let request = NSFetchRequest<Article>(entityName: "Article")
        request.predicate = NSPredicate(format: "author == %@ AND wordCount > 17", theirs)
        request.sortDescriptors = [NSSortDescriptor(key: "wordCount", ascending: true)]
        XCTAssertEqual(try store.fetch(request).map(\.wordCount), [18, 19])
      }
      XCTAssertEqual([inStore.statements, inStore.rowsFetched], [1, 2])
    }

    func testI20_objectsFetchedWithoutRowsToBeDeletedAreLoadedByTheDeletion() throws {
      try store(0..<10)
      let request = NSFetchRequest<Article>(entityName: "Article")
      request.includesPropertyValues = false
      let context = fresh()
      var found: [Article] = []
      let fetching = try work { found = try context.fetch(request) }
      XCTAssertEqual([fetching.statements, fetching.rowsFetched], [1, 0])
      let deleting = work { for article in found.prefix(3) { context.delete(article) } }
      XCTAssertEqual(deleting.rowsFetched, 3)
      let batch = NSBatchDeleteRequest(
        fetchRequest: NSFetchRequest<NSFetchRequestResult>(entityName: "Article"))
      XCTAssertEqual(try work { try context.execute(batch) }.rowsFetched, 0)
    }

    func testI23_processingCostsWhatChangedAndOneNotificationAnEvent() throws {
      try store(0..<20)
      let context = fresh()
      let held = try context.all(Article.self, by: "wordCount")
      let told = changes(of: context, NSUpdatedObjectsKey) {
        for round in 0..<5 {
          for article in held.prefix(4) { article.wordCount += Int64(round) }
        }
        context.processPendingChanges()
        held[10].body = "alone"
        context.processPendingChanges()
        context.processPendingChanges()
      }
      XCTAssertEqual(told, [4, 1])
    }

    func testI28_anAutomaticMergeRefreshesEveryUpdatedObjectThatIsRealised() throws {
      try store(0..<20)
      let reader = fresh()
      reader.automaticallyMergesChangesFromParent = true
      let held = try reader.all(Article.self, by: "wordCount")
      XCTAssertEqual(held.prefix(15).map(\.wordCount).count, 15)
      let saver = fresh()
      for article in try saver.all(Article.self) { article.body = "new" }
      let told = try changes(of: reader, NSRefreshedObjectsKey) {
        try saver.save()
        drain(reader)
      }
      XCTAssertEqual(held.filter { !$0.isFault }.count, 15)
      XCTAssertEqual(held.map(\.body).compactMap { $0 }.count, 20)
      XCTAssertEqual(told, [20])
    }
  }
#endif
