import CoreData
import Foundation
import XCTest

/// How values are read and written: public, primitive and by key (section A.4, second half).
final class ValueAccessSpecs: SpecCase {
  func testA66_settingAToOneKeepsTheInverseInStepAtOnce() throws {
    let context = try makeContainer().viewContext
    let author = try context.savedAuthor("Ada")
    let other = try context.savedAuthor("Ida")
    let article = try context.savedArticle(by: author)
    XCTAssertEqual(author.articles, [article])

    article.author = other
    XCTAssertTrue(author.articles.isEmpty)
    XCTAssertEqual(other.articles, [article])
    XCTAssertTrue(author.isUpdated)
    XCTAssertTrue(other.isUpdated)
    XCTAssertTrue(article.isUpdated)
  }

  func testA66_settingAToManyKeepsTheInverseInStepAtOnce() throws {
    let context = try makeContainer().viewContext
    let author = try context.savedAuthor("Ada")
    let one = try context.savedArticle("one")
    let two = try context.savedArticle("two", by: author)
    author.articles = [one]
    XCTAssertIdentical(one.author, author)
    XCTAssertNil(two.author)
    XCTAssertTrue(one.isUpdated)
    XCTAssertTrue(two.isUpdated)
    try context.save()
    let fresh = try makeContainer().viewContext
    XCTAssertEqual(
      try fresh.all(Article.self, by: "title").map { $0.author?.name }, ["Ada", nil])
  }

  func testA66_aOneToOneLetsGoOfTheFormerPartners() throws {
    let context = try makeContainer().viewContext
    let ada = try context.savedAuthor("Ada")
    let ida = try context.savedAuthor("Ida")
    let profile = Profile(context: context)
    let other = Profile(context: context)
    ada.profile = profile
    ida.profile = other
    try context.save()
    ida.profile = profile
    XCTAssertIdentical(profile.author, ida)
    XCTAssertNil(ada.profile)
    XCTAssertNil(other.author)
  }

  func testA66_manyToManyIsKeptOnBothSidesAndStored() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let article = Article(context: context)
    let tags = ["a", "b"].map { name in
      let tag = Tag(context: context)
      tag.name = name
      return tag
    }
    article.tags = Set(tags)
    XCTAssertEqual(tags[0].articles, [article])
    try context.save()
    tags[0].articles = []
    XCTAssertEqual(article.tags, [tags[1]])
    try context.save()
    let stored = try makeContainer().viewContext.only(Article.self)
    XCTAssertEqual(stored.tags.compactMap(\.name), ["b"])
  }

  func testA66_deletionDoesNotReachTheNeighboursAtOnce() throws {
    let context = try makeContainer().viewContext
    let author = try context.savedAuthor()
    let article = try context.savedArticle(by: author)
    context.delete(author)
    XCTAssertIdentical(article.author, author)
    XCTAssertFalse(article.isUpdated)
    context.processPendingChanges()
    XCTAssertNil(article.author)
    XCTAssertTrue(article.isUpdated)
  }

  func testA67_primitiveSettersTellNobody() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let author = try context.savedAuthor("Ada")
    let article = try context.savedArticle()
    author.setPrimitiveValue("Ida", forKey: "name")
    XCTAssertEqual(author.name, "Ida")
    XCTAssertFalse(author.isUpdated)
    XCTAssertFalse(context.hasChanges)
    article.setPrimitiveValue(author, forKey: "author")
    XCTAssertIdentical(article.author, author)
    XCTAssertTrue(author.articles.isEmpty, "the inverse is not maintained")
  }

  func testA67_primitiveSettersBetweenWillAndDidChangeAreTracked() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let author = try context.savedAuthor("Ada")
    author.willChangeValue(forKey: "name")
    author.setPrimitiveValue("Ida", forKey: "name")
    author.didChangeValue(forKey: "name")
    XCTAssertTrue(author.isUpdated)
    try context.save()
    XCTAssertEqual(try makeMainContext(container).only(Author.self).name, "Ida")
  }

  func testA67_aPrimitiveSetterOnAFaultKeepsTheOtherValues() throws {
    let container = try makeContainer()
    let stored = try container.viewContext.savedArticle("title")
    stored.body = "body"
    try container.viewContext.save()
    let article = try makeMainContext(container).only(Article.self)
    XCTAssertTrue(article.isFault)
    article.setPrimitiveValue("new body", forKey: "body")
    XCTAssertEqual(article.title, "title")
    XCTAssertEqual(article.body, "new body")
  }

  func testA68_primitiveGettersDoNotFireTheFault() throws {
    let container = try makeContainer()
    try container.viewContext.savedAuthor("Ada")
    let author = try makeMainContext(container).only(Author.self)
    XCTAssertNil(author.primitiveValue(forKey: "name"))
    XCTAssertTrue(author.isFault)
    author.willAccessValue(forKey: "name")
    XCTAssertEqual(author.primitiveValue(forKey: "name") as? String, "Ada")
    author.didAccessValue(forKey: "name")
  }

  func testA70_everyModelledPropertyIsReachableByKeyWithoutASubclass() throws {
    let container = try makeContainer(model: Self.plainModel)
    let context = container.viewContext
    let box = NSEntityDescription.insertNewObject(forEntityName: "PlainBox", into: context)
    let thing = NSEntityDescription.insertNewObject(forEntityName: "PlainThing", into: context)
    box.setValue("box", forKey: "name")
    box.setValue(3, forKey: "size")
    thing.setValue(box, forKey: "box")
    try context.save()

    let request = NSFetchRequest<NSManagedObject>(entityName: "PlainBox")
    let fetched = try XCTUnwrap(makeMainContext(container).fetch(request).first)
    XCTAssertEqual(fetched.value(forKey: "name") as? String, "box")
    XCTAssertEqual(fetched.value(forKey: "size") as? Int, 3)
    XCTAssertEqual((fetched.value(forKey: "things") as? NSSet)?.count, 1)
    fetched.setValue(nil, forKey: "name")
    XCTAssertNil(fetched.value(forKey: "name"))
  }

  func testA71_aMutableSetByKeyChangesTheRelationship() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let author = try context.savedAuthor()
    let article = try context.savedArticle()
    let articles = author.mutableSetValue(forKey: "articles")
    articles.add(article)
    XCTAssertIdentical(article.author, author)
    XCTAssertTrue(author.isUpdated)
    XCTAssertTrue(article.isUpdated)
    try context.save()
    XCTAssertEqual(try makeMainContext(container).only(Author.self).articles.count, 1)
    articles.remove(article)
    XCTAssertNil(article.author)
    XCTAssertTrue(context.hasChanges)
  }

  func testA71_mutatingACopiedSetChangesNothing() throws {
    let context = try makeContainer().viewContext
    let author = try context.savedAuthor()
    let article = try context.savedArticle()
    var copy = author.articles
    copy.insert(article)
    XCTAssertNil(article.author)
    XCTAssertFalse(context.hasChanges)
    author.articles = copy
    XCTAssertIdentical(article.author, author)
  }

  func testA72_ordinarySwiftPropertiesAreNotTracked() throws {
    let context = try makeContainer(model: WitnessModel.model).viewContext
    let witness = Witness(context: context)
    try context.save()
    witness.label = "changed"
    XCTAssertFalse(witness.hasChanges)
    XCTAssertFalse(context.hasChanges)
  }

  func testA73_transientsAreNotStoredAndLostWithTheValues() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let article = try context.savedArticle()
    article.remark = "kept by merging"
    try context.save()
    XCTAssertEqual(article.remark, "kept by merging", "a save does not take it away")
    context.refresh(article, mergeChanges: true)
    XCTAssertEqual(article.remark, "kept by merging")
    context.refresh(article, mergeChanges: false)
    XCTAssertNil(article.remark)
    article.remark = "not stored"
    try context.save()
    XCTAssertNil(try makeMainContext(container).only(Article.self).remark)
  }

  func testA74_equalityIsIdentity() throws {
    let context = try makeContainer().viewContext
    let one = try context.savedAuthor("same")
    let two = try context.savedAuthor("same")
    XCTAssertNotEqual(one, two)
    XCTAssertEqual(Set([one, two, one]).count, 2)
  }

  /// Two entities that have no classes of their own.
  private static let plainModel: NSManagedObjectModel = {
    let box = SpecModel.entity(
      "PlainBox", NSManagedObject.self, [SpecModel.text("name"), SpecModel.integer("size")])
    let thing = SpecModel.entity("PlainThing", NSManagedObject.self, [SpecModel.text("name")])
    SpecModel.relate(
      SpecModel.toMany("things", box, .nullifyDeleteRule), SpecModel.toOne("box", thing))
    let model = NSManagedObjectModel()
    model.entities = [box, thing]
    return model
  }()

  func testA67_anAnnouncedPrimitiveToOneKeepsTheInverse() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let (ada, ida) = (try context.savedAuthor("Ada"), try context.savedAuthor("Ida"))
    let profiles = [Profile(context: context), Profile(context: context)]
    (ada.profile, ida.profile) = (profiles[0], profiles[1])
    let article = try context.savedArticle(by: ada)
    article.willChangeValue(forKey: "author")
    article.setPrimitiveValue(ida, forKey: "author")
    article.didChangeValue(forKey: "author")
    XCTAssertEqual(ada.articles, [])
    XCTAssertEqual(ida.articles, [article])
    ada.willChangeValue(forKey: "profile")
    ada.setPrimitiveValue(profiles[1], forKey: "profile")
    ada.didChangeValue(forKey: "profile")
    XCTAssertNil(ida.profile)
    XCTAssertNil(profiles[0].author)
    XCTAssertIdentical(profiles[1].author, ada)
    try context.save()
    let other = makeMainContext(container)
    XCTAssertEqual(try other.only(Article.self).author?.name, "Ida")
    XCTAssertEqual(
      try other.all(Author.self, by: "name").map { $0.profile?.objectID },
      [profiles[1].objectID, nil])
  }

  func testA67_anAnnouncedPrimitiveToManyIsSavedAtBothEnds() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let article = try context.savedArticle()
    let tags = ["a", "b", "c"].map { name in
      let tag = Tag(context: context)
      tag.name = name
      return tag
    }
    article.tags = [tags[0], tags[1]]
    try context.save()
    article.willChangeValue(forKey: "tags")
    article.setPrimitiveValue(NSSet(array: [tags[1], tags[2]]), forKey: "tags")
    article.didChangeValue(forKey: "tags")
    XCTAssertTrue(article.isUpdated)
    XCTAssertEqual(tags.map(\.articles.count), [0, 1, 1])
    try context.save()
    let found = try makeMainContext(container).only(Article.self)
    XCTAssertEqual(found.tags.compactMap(\.name).sorted(), ["b", "c"])
  }

  func testA67_anAnnouncedPrimitiveOrderIsSaved() throws {
    let container = try makeContainer()
    let context = container.viewContext
    let anthology = Anthology(context: context)
    let pieces = ["a", "b", "c"].map { name in
      let piece = Piece(context: context)
      piece.name = name
      return piece
    }
    anthology.pieces = NSOrderedSet(array: [pieces[0], pieces[1]])
    try context.save()
    anthology.willChangeValue(forKey: "pieces")
    anthology.setPrimitiveValue(NSOrderedSet(array: [pieces[2], pieces[1]]), forKey: "pieces")
    anthology.didChangeValue(forKey: "pieces")
    XCTAssertNil(pieces[0].anthology)
    try context.save()
    XCTAssertEqual(try makeMainContext(container).only(Anthology.self).pieceNames, ["c", "b"])
  }

  func testA70_aPathThroughAToManyCollectsWhatTheMembersHave() throws {
    let context = try makeContainer().viewContext
    let author = try context.savedAuthor("Ada")
    let days = [Date(timeIntervalSinceReferenceDate: 1), Date(timeIntervalSinceReferenceDate: 2)]
    for (title, count) in [("one", 1), ("two", 2), ("three", 2)] {
      let article = try context.savedArticle(title, by: author)
      article.wordCount = Int64(count)
      article.publishedAt = count == 1 ? nil : days[title == "two" ? 0 : 1]
    }
    let article = try XCTUnwrap(author.articles.first)
    let titles = author.value(forKeyPath: "articles.title") as? NSSet
    XCTAssertEqual(titles, NSSet(array: ["one", "two", "three"]))
    XCTAssertEqual((author.value(forKeyPath: "articles.publishedAt") as? NSSet)?.count, 2)
    XCTAssertEqual(author.value(forKeyPath: "articles.@count") as? Int, 3)
    XCTAssertEqual(author.value(forKeyPath: "articles.@sum.wordCount") as? Int, 5)
    XCTAssertEqual(author.value(forKeyPath: "articles.@max.publishedAt") as? Date, days[1])
    let counts = author.value(forKeyPath: "articles.@distinctUnionOfObjects.wordCount") as? [Any]
    XCTAssertEqual(counts?.count, 2)
    XCTAssertEqual(article.value(forKeyPath: "author.articles.@count") as? Int, 3)
    XCTAssertEqual(article.value(forKeyPath: "author.name") as? String, "Ada")
    XCTAssertEqual(article.value(forKey: "objectID") as? NSManagedObjectID, article.objectID)
    article.author = nil
    XCTAssertNil(article.value(forKeyPath: "author.articles.@count"))
    let anthology = Anthology(context: context)
    let pieces = ["b", "a"].map { name in
      let piece = Piece(context: context)
      piece.name = name
      return piece
    }
    anthology.pieces = NSOrderedSet(array: pieces)
    let names = anthology.value(forKeyPath: "pieces.name") as? NSOrderedSet
    XCTAssertEqual(names?.array as? [String], ["b", "a"])
  }

  func testA71_theMutableSetShowsItsMembersInEveryWay() throws {
    let container = try makeContainer()
    let saved = try container.viewContext.savedAuthor()
    for title in ["one", "two"] { try container.viewContext.savedArticle(title, by: saved) }
    let context = makeMainContext(container)
    let author = try context.only(Author.self)
    let set = author.mutableSetValue(forKey: "articles")
    XCTAssertTrue("\(set)".contains("Article"))
    XCTAssertEqual(set.adding(author).count, 3)
    XCTAssertEqual(set.addingObjects(from: [author, author]).count, 3)
    XCTAssertEqual(set.addingObjects(from: author.articles).count, 2)
    XCTAssertTrue(set.isEqual(author.value(forKey: "articles")))
    XCTAssertEqual((author.value(forKey: "articles") as? NSSet)?.isEqual(set), true)
    XCTAssertTrue(set.isEqual(author.mutableSetValue(forKey: "articles")))
    XCTAssertFalse(set.isEqual(NSSet()))
    XCTAssertEqual((set.copy() as? Set<Article>)?.count, 2)
    XCTAssertEqual((set.mutableCopy() as? NSMutableSet)?.count, 2)
    XCTAssertFalse(context.hasChanges)
  }

  func testA70_severalValuesAreReadAndSetByTheirKeys() throws {
    let context = try makeContainer().viewContext
    let author = try context.savedAuthor("Ada")
    let values = author.dictionaryWithValues(forKeys: ["name", "born", "profile"])
    XCTAssertEqual(values["name"] as? String, "Ada")
    XCTAssertEqual(values["born"] as? Int64, 0)
    XCTAssertTrue(values["profile"] is NSNull)
    let profile = Profile(context: context)
    author.setValuesForKeys(["name": NSNull(), "born": 1815, "profile": profile])
    XCTAssertNil(author.name)
    XCTAssertEqual(author.born, 1815)
    XCTAssertIdentical(profile.author, author)
  }

  func testA70_A71_valuesAreSetAlongAPath() throws {
    let context = try makeContainer().viewContext
    let author = try context.savedAuthor("Ada")
    let articles = try ["one", "two"].map { try context.savedArticle($0, by: author) }
    articles[0].setValue("Ida", forKeyPath: "author.name")
    XCTAssertEqual(author.name, "Ida")
    author.setValue("Bea", forKeyPath: "name")
    XCTAssertEqual(author.name, "Bea")
    author.setValue(7, forKeyPath: "articles.wordCount")
    XCTAssertEqual(articles.map(\.wordCount), [7, 7])
    let tag = Tag(context: context)
    articles[0].mutableSetValue(forKeyPath: "tags").add(tag)
    XCTAssertEqual(tag.articles, [articles[0]])
    articles[0].mutableSetValue(forKeyPath: "author.articles").remove(articles[1])
    XCTAssertNil(articles[1].author)
    articles[1].setValue("nobody", forKeyPath: "author.name")
    XCTAssertEqual(author.name, "Bea", "there is nobody at the end of the path")
  }
}
