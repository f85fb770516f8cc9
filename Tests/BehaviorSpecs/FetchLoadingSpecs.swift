#if FAULTLINE
  import CoreData
  import Foundation
  import XCTest

  /// What a fetch loads and when, counted in statements and rows (section F.1).
  final class FetchLoadingSpecs: SpecCase {
    private var reader: NSManagedObjectContext!
    private var saver: NSManagedObjectContext!

    /// Ten articles named a to j, which a context has saved that holds nothing.
    override func setUpWithError() throws {
      try super.setUpWithError()
      let container = try makeContainer()
      saver = makeMainContext(container)
      for (number, title) in "abcdefghij".enumerated() {
        let article = Article(context: saver)
        article.title = String(title)
        article.wordCount = Int64(number)
      }
      try saver.save()
      saver.reset()
      reader = makeMainContext(container)
    }

    private func request(batchSize: Int = 0) -> NSFetchRequest<Article> {
      let request = NSFetchRequest<Article>(entityName: "Article")
      request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
      request.fetchBatchSize = batchSize
      return request
    }

    /// Fails unless the body runs so many statements and reads so many rows.
    private func expect(
      statements: Int, rows: Int, line: UInt = #line, _ body: () throws -> Void
    ) rethrows {
      let done = try work(body)
      XCTAssertEqual(done.statements, statements, "statements", line: line)
      XCTAssertEqual(done.rowsFetched, rows, "rows", line: line)
    }

    func testF4_I2_idsAreRecordedAtOnceAndRowsLoadedPageByPage() throws {
      var found: [Article] = []
      try expect(statements: 1, rows: 0) { found = try reader.fetch(request(batchSize: 4)) }
      XCTAssertTrue(found.allSatisfy(\.isFault))
      expect(statements: 1, rows: 4) { XCTAssertEqual(found[5].title, "f") }
      expect(statements: 0, rows: 0) {
        XCTAssertEqual([4, 6, 7].map { found[$0].title }, ["e", "g", "h"])
      }
      expect(statements: 1, rows: 2) { XCTAssertEqual(found[9].title, "j") }
      expect(statements: 1, rows: 4) { XCTAssertEqual(found.map(\.title).joined(), "abcdefghij") }
    }

    func testF4_pagesFollowTheOrderOfTheResultAndLeaveOutWhatIsLoaded() throws {
      let request = request(batchSize: 3)
      request.sortDescriptors = [NSSortDescriptor(key: "wordCount", ascending: false)]
      request.fetchOffset = 1
      request.fetchLimit = 7
      let held = try reader.fetch(self.request()).first { $0.title == "h" }
      XCTAssertNotNil(held)
      let found = try reader.fetch(request)
      expect(statements: 0, rows: 0) { XCTAssertEqual(found[1].title, "h") }
      expect(statements: 1, rows: 3) { XCTAssertEqual(found[0].title, "i") }
      expect(statements: 1, rows: 1) { XCTAssertEqual(found[6].title, "c") }
      expect(statements: 1, rows: 3) { XCTAssertEqual(found.map(\.title).joined(), "ihgfedc") }
    }

    func testF4_aPageIsReadWhenItIsLoaded() throws {
      let found = try reader.fetch(request(batchSize: 5))
      let stored = try saver.fetch(request())
      stored[9].body = "changed meanwhile"
      saver.delete(stored[8])
      Article(context: saver).title = "k"
      try saver.save()
      XCTAssertEqual(found.count, 10)
      XCTAssertEqual(found[9].body, "changed meanwhile")
      XCTAssertFalse(found[8].isDeleted)
      XCTAssertNil(found[8].body)
      XCTAssertTrue(found[8].isDeleted)
    }

    func testF4_withUnsavedChangesOfTheEntityEverythingIsLoadedAtOnce() throws {
      let new = Article(context: reader)
      new.title = "bb"
      var found: [Article] = []
      try expect(statements: 1, rows: 10) { found = try reader.fetch(request(batchSize: 3)) }
      XCTAssertEqual(found.map(\.title).joined(), "abbbcdefghij")
    }

    func testF4_aChildContextLoadsPagesFromItsParent() throws {
      let child = makeMainChild(of: reader)
      let changed = try XCTUnwrap(try reader.fetch(request())[1])
      changed.body = "not saved"
      let found = try child.fetch(request(batchSize: 4))
      XCTAssertTrue(found.allSatisfy(\.isFault))
      XCTAssertEqual(found[1].body, "not saved")
      expect(statements: 0, rows: 0) { XCTAssertEqual(found[3].title, "d") }
    }

    func testF5_F6_I3_theResultIsAnOrdinaryArrayWhoseCopiesLoadNothing() throws {
      let found = try reader.fetch(request(batchSize: 4))
      expect(statements: 0, rows: 0) {
        XCTAssertEqual(Set(found).count, 10)
        XCTAssertEqual(found.reversed().map(\.objectID).count, 10)
      }
      expect(statements: 3, rows: 10) { XCTAssertEqual(found.filter { $0.wordCount > 4 }.count, 5) }
    }

    func testF8_withoutPropertyValuesOnlyIdsAreRead() throws {
      let request = request()
      request.includesPropertyValues = false
      var found: [Article] = []
      try expect(statements: 1, rows: 0) { found = try reader.fetch(request) }
      expect(statements: 2, rows: 2) {
        XCTAssertEqual([found[3].title, found[4].title, found[3].title], ["d", "e", "d"])
      }
      request.includesPropertyValues = true
      reader.reset()
      try expect(statements: 1, rows: 10) { found = try reader.fetch(request) }
      expect(statements: 0, rows: 0) { XCTAssertEqual(found.map(\.title).joined(), "abcdefghij") }
    }

    func testF9_rowsOfFaultsAreAtHandAndIdsNeedNone() throws {
      let request = request()
      var found: [Article] = []
      try expect(statements: 1, rows: 10) { found = try reader.fetch(request) }
      XCTAssertTrue(found.allSatisfy(\.isFault))
      request.returnsObjectsAsFaults = false
      request.includesPropertyValues = false
      try expect(statements: 1, rows: 10) { found = try reader.fetch(request) }
      XCTAssertFalse(found.contains(where: \.isFault))
      let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Article")
      ids.resultType = .managedObjectIDResultType
      ids.returnsObjectsAsFaults = false
      try expect(statements: 1, rows: 0) { XCTAssertEqual(try reader.fetch(ids).count, 10) }
    }

    func testF19_aRequestExecutesItselfInTheContextWhoseBlockRuns() throws {
      let request = request()
      let other = makeMainChild(of: reader)
      try reader.performOnThisThread {
        let own = try request.execute()
        XCTAssertEqual(own.map(\.managedObjectContext), Array(repeating: reader, count: 10))
        try other.performOnThisThread {
          XCTAssertEqual(try request.execute().first?.managedObjectContext, other)
        }
        XCTAssertEqual(try request.execute(), own)
        let background = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        background.persistentStoreCoordinator = reader.persistentStoreCoordinator
        try background.performOnThisThread {
          XCTAssertEqual(try request.execute().first?.managedObjectContext, background)
        }
        XCTAssertEqual(try request.execute(), own)
      }
    }

    func testF23_aFetchLocksNothing() throws {
      let mine = try reader.fetch(request())
      mine[0].body = "mine"
      let theirs = try saver.fetch(request())
      theirs[1].body = "theirs"
      try saver.save()
      try reader.save()
      XCTAssertEqual(mine[0].body, "mine")
    }

    func testF29_aPinnedContextLoadsItsPagesFromItsOwnState() throws {
      try reader.setQueryGenerationFrom(.current)
      let found = try reader.fetch(request(batchSize: 5))
      let stored = try saver.fetch(request())
      stored[9].body = "changed meanwhile"
      saver.delete(stored[8])
      try saver.save()
      XCTAssertNil(found[9].body)
      XCTAssertEqual(found[8].title, "i")
      XCTAssertEqual(try reader.fetch(request()).count, 10)
    }
  }
#endif
