import CoreData
import Foundation
import XCTest

/// What is added to, and taken out of, a to-many relationship that nobody has read.
final class UnreadRelationshipSpecs: SpecCase {
  /// A context in which nobody has read anything, with an article that has one of two tags.
  private func scene() throws -> (article: Article, member: Tag, other: Tag) {
    let container = try makeContainer()
    let saved = try container.viewContext.savedArticle()
    let tags = ["member", "other"].map { name in
      let tag = Tag(context: container.viewContext)
      tag.name = name
      return tag
    }
    saved.tags = [tags[0]]
    try container.viewContext.save()
    let context = makeMainContext(container)
    let found = try context.all(Tag.self, by: "name")
    return (try context.only(Article.self), found[0], found[1])
  }

  /// The names of the article's tags in the file, and of the tags that have the article.
  private func stored() throws -> [String] {
    let reader = try openContainer(model: SpecModel.library, at: storeURL())
    return try withExtendedLifetime(reader) {
      let article = try reader.viewContext.only(Article.self)
      let tags = try reader.viewContext.all(Tag.self, by: "name")
      let names = tags.filter { article.tags.contains($0) }.compactMap(\.name)
      XCTAssertEqual(tags.filter { !$0.articles.isEmpty }.compactMap(\.name), names)
      return names
    }
  }

  private func tags(_ article: Article) -> NSMutableSet {
    article.mutableSetValue(forKey: "tags")
  }

  func testA71_whatIsTakenOutAndPutInAgainUnreadIsAMember() throws {
    let (article, _, other) = try scene()
    tags(article).remove(other)
    tags(article).add(other)
    XCTAssertTrue(article.hasFault(forRelationshipNamed: "tags"))
    try article.managedObjectContext?.save()
    XCTAssertEqual(try stored(), ["member", "other"])
    XCTAssertEqual(article.tags.count, 2)
  }

  func testA71_whatIsPutInAndTakenOutAgainUnreadIsNoMember() throws {
    let (article, member, _) = try scene()
    tags(article).add(member)
    tags(article).remove(member)
    try article.managedObjectContext?.save()
    XCTAssertEqual(try stored(), [])
    XCTAssertEqual(article.tags, [])
  }

  func testA71_whatIsPutInUnreadIsTakenOutOnceTheMembersAreRead() throws {
    let (article, member, other) = try scene()
    tags(article).add(member)
    tags(article).remove(other)
    XCTAssertEqual(article.tags, [member])
    XCTAssertFalse(article.hasPersistentChangedValues, "nothing differs from what is stored")
    tags(article).remove(member)
    tags(article).add(other)
    try article.managedObjectContext?.save()
    XCTAssertEqual(try stored(), ["other"])
  }

  func testA66_theOtherEndOfAToOneAgreesWithAnUnreadToMany() throws {
    let container = try makeContainer()
    try container.viewContext.savedArticle(by: container.viewContext.savedAuthor())
    let context = makeMainContext(container)
    let article = try context.only(Article.self)
    let author = try XCTUnwrap(article.author)
    let articles = author.mutableSetValue(forKey: "articles")
    articles.add(article)
    articles.remove(article)
    XCTAssertNil(article.author)
    try context.save()
    XCTAssertTrue(author.articles.isEmpty)
    article.author = author
    article.author = nil
    article.author = author
    XCTAssertEqual(author.articles, [article])
  }

  func testA102_undoingAChangeThatChangedNothingChangesNothing() throws {
    let (article, member, other) = try scene()
    let context = try XCTUnwrap(article.managedObjectContext)
    context.undoManager = UndoManager()
    tags(article).add(member)
    tags(article).add(other)
    tags(article).remove(other)
    context.processPendingChanges()
    context.undo()
    XCTAssertEqual(article.tags, [member])
  }

  func testA64_aNewMemberThatGoesUnreadLeavesNoChange() throws {
    let (_, member, _) = try scene()
    let context = try XCTUnwrap(member.managedObjectContext)
    let article = Article(context: context)
    article.tags = [member]
    context.processPendingChanges()
    context.delete(article)
    context.processPendingChanges()
    XCTAssertTrue(member.hasFault(forRelationshipNamed: "articles"))
    XCTAssertFalse(member.hasPersistentChangedValues)
  }

  // MARK: With an order

  /// Pieces of these names in an anthology that nobody has read.
  private func anthology(_ names: String) throws -> (Anthology, [Piece]) {
    let container = try makeContainer()
    let saved = Anthology(context: container.viewContext)
    saved.pieces = NSOrderedSet(
      array: names.map { name in
        let piece = Piece(context: container.viewContext)
        piece.name = String(name)
        return piece
      })
    try container.viewContext.save()
    let context = makeMainContext(container)
    return (try context.only(Anthology.self), try context.all(Piece.self, by: "name"))
  }

  /// The order that the file has.
  private func storedOrder() throws -> String {
    let reader = try openContainer(model: SpecModel.library, at: storeURL())
    return try withExtendedLifetime(reader) {
      try reader.viewContext.only(Anthology.self).pieceNames.joined()
    }
  }

  func testA71_aMemberThatIsAppendedAgainUnreadKeepsItsPlace() throws {
    let (anthology, pieces) = try anthology("ABC")
    let new = Piece(context: try XCTUnwrap(anthology.managedObjectContext))
    new.name = "D"
    new.anthology = anthology
    pieces[0].anthology = nil
    pieces[0].anthology = anthology
    // Taken out and put in again it comes last; only named again it stays.
    #if FAULTLINE
      anthology.addToPieces(pieces[1])
      anthology.addToPieces(pieces[1])
    #endif
    XCTAssertTrue(anthology.hasFault(forRelationshipNamed: "pieces"))
    try anthology.managedObjectContext?.save()
    XCTAssertEqual(try storedOrder(), "BCDA")
    XCTAssertEqual(anthology.pieceNames.joined(), "BCDA")
  }

  func testA71_theOrderThatIsReadLaterIsTheOneThatWouldBeSaved() throws {
    let (anthology, pieces) = try anthology("ABC")
    pieces[0].anthology = nil
    pieces[0].anthology = anthology
    #if FAULTLINE
      anthology.addToPieces(pieces[1])
      anthology.addToPieces(pieces[1])
    #endif
    XCTAssertEqual(anthology.pieceNames.joined(), "BCA")
    pieces[1].anthology = nil
    XCTAssertEqual(anthology.pieceNames.joined(), "CA")
    try anthology.managedObjectContext?.save()
    XCTAssertEqual(try storedOrder(), "CA")
  }

  func testA71_inAManyToManyTooWhoIsNamedAgainUnreadStays() throws {
    let container = try makeContainer()
    let saved = Anthology(context: container.viewContext)
    let articles = try ["A", "B", "C"].map { try container.viewContext.savedArticle($0) }
    saved.sources = NSOrderedSet(array: [articles[0], articles[1]])
    try container.viewContext.save()
    let context = makeMainContext(container)
    let anthology = try context.only(Anthology.self)
    for article in try context.all(Article.self, by: "title").reversed() {
      article.mutableSetValue(forKey: "anthologies").add(anthology)
    }
    XCTAssertTrue(anthology.hasFault(forRelationshipNamed: "sources"))
    try context.save()
    let titles = anthology.sources.array.compactMap { ($0 as? Article)?.title }
    XCTAssertEqual(titles, ["A", "B", "C"])
  }
}

#if FAULTLINE
  extension Anthology {
    private static let piecesSlot = ManagedSlot<NSOrderedSet>("pieces")

    /// What a generator writes: adds a piece without reading the others.
    fileprivate func addToPieces(_ piece: Piece) { add(piece, to: Self.piecesSlot) }
  }
#endif
