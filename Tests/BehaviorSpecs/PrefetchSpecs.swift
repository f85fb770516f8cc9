#if FAULTLINE
  import CoreData
  import Foundation
  import XCTest

  /// Relationships that a fetch loads along with what it finds (rule F22), counted in statements.
  final class PrefetchSpecs: SpecCase {
    private var container: NSPersistentContainer!
    private var reader: NSManagedObjectContext!

    /// Three authors with a profile and two articles each, which share two tags, in a store that
    /// nobody has read yet.
    override func setUpWithError() throws {
      try super.setUpWithError()
      container = try makeContainer()
      let saver = makeMainContext(container)
      let tags = ["red", "blue"].map { word in
        let tag = Tag(context: saver)
        tag.name = word
        return tag
      }
      for name in ["Ada", "Bob", "Cy"] {
        let author = Author(context: saver)
        author.name = name
        author.profile = Profile(context: saver)
        author.profile?.name = "who \(name) is"
        for number in 1...2 {
          let article = Article(context: saver)
          article.title = "\(name) \(number)"
          article.author = author
          article.tags = Set(tags)
        }
      }
      try saver.save()
      saver.reset()
      reader = makeMainContext(container)
    }

    private func articles(_ paths: [String], batchSize: Int = 0) -> NSFetchRequest<Article> {
      let request = NSFetchRequest<Article>(entityName: "Article")
      request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
      request.relationshipKeyPathsForPrefetching = paths
      request.fetchBatchSize = batchSize
      return request
    }

    private func authors(_ paths: [String]) -> NSFetchRequest<Author> {
      let request = NSFetchRequest<Author>(entityName: "Author")
      request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      request.relationshipKeyPathsForPrefetching = paths
      return request
    }

    func testF22_I1_withoutPrefetchingEachRelationshipIsAStatementOfItsOwn() throws {
      let found = try reader.fetch(articles([]))
      let done = work { XCTAssertEqual(found.map { $0.author?.name }.count, 6) }
      XCTAssertEqual(done.statements, 3)
      let authors = Set(found.compactMap(\.author))
      XCTAssertEqual(work { for author in authors { _ = author.articles.count } }.statements, 3)
    }

    func testF22_I1_theDestinationsOfAToOneCostOneMoreStatement() throws {
      var found: [Article] = []
      let done = try work { found = try reader.fetch(articles(["author"])) }
      XCTAssertEqual(done.statements, 2)
      XCTAssertEqual(done.rowsFetched, 6 + 3)
      XCTAssertTrue(found.allSatisfy(\.isFault))
      let names = work {
        XCTAssertEqual(found.map { $0.author?.name }, ["Ada", "Ada", "Bob", "Bob", "Cy", "Cy"])
      }
      XCTAssertEqual(names.statements, 0)
    }

    func testF22_aToManyCostsOneMoreStatementForMembersAndRows() throws {
      var found: [Author] = []
      XCTAssertEqual(
        try work { found = try reader.fetch(authors(["articles"])) }.statements, 2)
      let reading = work {
        XCTAssertEqual(
          found.map { $0.articles.map(\.title).sorted().joined(separator: ", ") },
          ["Ada 1, Ada 2", "Bob 1, Bob 2", "Cy 1, Cy 2"])
        XCTAssertEqual(found[0].articles.first?.author, found[0])
      }
      XCTAssertEqual(reading.statements, 0)
    }

    func testF22_manyToManyAndEmptyRelationshipsAreLoadedToo() throws {
      var found: [Article] = []
      let request = articles(["tags", "anthologies"])
      XCTAssertEqual(try work { found = try reader.fetch(request) }.statements, 3)
      let reading = work {
        XCTAssertEqual(Set(found.map { $0.tags.compactMap(\.name).sorted() }), [["blue", "red"]])
        XCTAssertTrue(found.allSatisfy { $0.anthologies.isEmpty })
      }
      XCTAssertEqual(reading.statements, 0)
    }

    func testF22_keyPathsMayHaveSeveralSteps() throws {
      var found: [Article] = []
      let request = articles(["author.profile", "author", "author.articles.tags"])
      XCTAssertEqual(try work { found = try reader.fetch(request) }.statements, 5)
      let reading = work {
        XCTAssertEqual(found.first?.author?.profile?.name, "who Ada is")
        XCTAssertEqual(found.first?.author?.articles.count, 2)
        XCTAssertEqual(found.first?.author?.articles.first?.tags.count, 2)
      }
      XCTAssertEqual(reading.statements, 0)
    }

    func testF22_orderedMembersKeepTheirOrder() throws {
      let saver = makeMainContext(container)
      for letters in ["cab", "bca"] {
        let anthology = Anthology(context: saver)
        anthology.name = letters
        anthology.pieces = NSOrderedSet(
          array: letters.map { letter in
            let piece = Piece(context: saver)
            piece.name = String(letter)
            return piece
          })
      }
      try saver.save()
      saver.reset()
      let request = NSFetchRequest<Anthology>(entityName: "Anthology")
      request.relationshipKeyPathsForPrefetching = ["pieces"]
      var found: [Anthology] = []
      XCTAssertEqual(try work { found = try reader.fetch(request) }.statements, 2)
      let reading = work {
        for anthology in found { XCTAssertEqual(anthology.pieceNames.joined(), anthology.name) }
      }
      XCTAssertEqual(reading.statements, 0)
    }

    func testF22_withABatchSizeEachPageIsPrefetchedWhenItIsLoaded() throws {
      var found: [Article] = []
      let request = articles(["author"], batchSize: 2)
      XCTAssertEqual(try work { found = try reader.fetch(request) }.statements, 1)
      XCTAssertEqual(work { _ = found[0].title }.statements, 2)
      XCTAssertEqual(work { XCTAssertEqual(found[1].author?.name, "Ada") }.statements, 0)
      XCTAssertEqual(work { XCTAssertEqual(found[5].author?.name, "Cy") }.statements, 2)
    }

    func testF22_unsavedChangesOfARelationshipStay() throws {
      let first = try XCTUnwrap(try reader.fetch(authors([])).first)
      let new = Article(context: reader)
      new.title = "Ada 3"
      new.author = first
      let gone = try XCTUnwrap(first.articles.first { $0.title == "Ada 1" })
      gone.author = nil
      let found = try reader.fetch(authors(["articles"]))
      XCTAssertEqual(found[0].articles.map(\.title).sorted(), ["Ada 2", "Ada 3"])
      XCTAssertEqual(found[1].articles.map(\.title).sorted(), ["Bob 1", "Bob 2"])
    }

    func testF22_aMergedSaveReplacesWhatWasPrefetched() throws {
      let found = try reader.fetch(authors(["articles"]))
      let saver = makeMainContext(container)
      let article = try XCTUnwrap(try saver.all(Article.self, by: "title").first)
      article.author = try saver.all(Author.self, by: "name")[2]
      let token = NotificationCenter.default.addObserver(
        forName: NSManagedObjectContext.didSaveObjectsNotification, object: saver, queue: nil
      ) { [reader] in reader?.mergeChanges(fromContextDidSave: $0) }
      defer { NotificationCenter.default.removeObserver(token) }
      try saver.save()
      XCTAssertEqual(found.map { $0.articles.count }, [1, 2, 3])
    }

    func testF22_aChildPrefetchesThroughItsParent() throws {
      let child = makeMainChild(of: reader)
      var found: [Author] = []
      XCTAssertEqual(
        try work { found = try child.fetch(authors(["articles"])) }.statements, 2)
      let reading = work { XCTAssertEqual(found.map { $0.articles.count }, [2, 2, 2]) }
      XCTAssertEqual(reading.statements, 0)
    }

    func testF22_whatAFetchLoadedGoesWithTheLastObjectOfIts() throws {
      try autoreleasingScope {
        let found = try reader.fetch(articles(["author.articles"]))
        XCTAssertEqual(found.count, 6)
        XCTAssertEqual(reader.registeredObjects.count, 9)
      }
      XCTAssertTrue(reader.registeredObjects.isEmpty)
    }

    private func autoreleasingScope(_ body: () throws -> Void) rethrows { try body() }
  }
#endif
