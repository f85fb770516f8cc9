import CoreData
import Foundation
import XCTest

/// To-many relationships whose members have an order.
final class OrderedSpecs: SpecCase {
  /// An anthology with pieces of these names, saved.
  private func anthology(
    _ names: String, in context: NSManagedObjectContext
  ) throws -> Anthology {
    let anthology = Anthology(context: context)
    anthology.pieces = NSOrderedSet(array: names.map { piece("\($0)", context) })
    try context.save()
    return anthology
  }

  private func piece(_ name: String, _ context: NSManagedObjectContext) -> Piece {
    let piece = Piece(context: context)
    piece.name = name
    return piece
  }

  private func order(_ anthology: Anthology) -> String { anthology.pieceNames.joined() }

  /// The order that the file has.
  private func stored() throws -> String {
    let reader = try openContainer(model: SpecModel.library, at: storeURL())
    return try withExtendedLifetime(reader) { try order(reader.viewContext.only(Anthology.self)) }
  }

  private func pieces(_ anthology: Anthology) -> NSMutableOrderedSet {
    anthology.mutableOrderedSetValue(forKey: "pieces")
  }

  func testTheOrderOutlivesSaveFaultAndFile() throws {
    let context = try makeContainer().viewContext
    let anthology = try anthology("CADB", in: context)
    XCTAssertEqual(order(anthology), "CADB")
    context.refresh(anthology, mergeChanges: false)
    XCTAssertEqual(order(anthology), "CADB")
    context.reset()
    XCTAssertEqual(order(try context.only(Anthology.self)), "CADB")
    XCTAssertEqual(try stored(), "CADB")
  }

  func testEveryNewOrderIsStored() throws {
    let context = try makeContainer().viewContext
    let anthology = try anthology("ABCDE", in: context)
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<60 {
      anthology.pieces = NSOrderedSet(array: anthology.pieces.array.shuffled(using: &generator))
      let shown = order(anthology)
      try context.save()
      context.refresh(anthology, mergeChanges: false)
      XCTAssertEqual(order(anthology), shown)
    }
    XCTAssertEqual(try stored(), order(anthology))
  }

  func testFrontAndMiddleTakeAnyNumberOfInsertions() throws {
    let context = try makeContainer().viewContext
    let anthology = try anthology("AZ", in: context)
    var names = ["A", "Z"]
    for number in 0..<24 {
      let place = number % 3 == 0 ? 0 : 1
      pieces(anthology).insert(piece("\(number)", context), at: place)
      names.insert("\(number)", at: place)
      try context.save()
    }
    context.reset()
    XCTAssertEqual(try context.only(Anthology.self).pieceNames, names)
  }

  func testA66_settingTheOtherEndAppends() throws {
    let context = try makeContainer().viewContext
    let first = try anthology("AB", in: context)
    let second = Anthology(context: context)
    for name in ["C", "D"] { piece(name, context).anthology = first }
    XCTAssertEqual(order(first), "ABCD")
    (first.pieces[0] as? Piece)?.anthology = second
    XCTAssertEqual(order(first), "BCD")
    (second.pieces[0] as? Piece)?.anthology = first
    XCTAssertEqual(order(first), "BCDA")
    try context.save()
    context.refresh(first, mergeChanges: false)
    XCTAssertEqual(order(first), "BCDA")
  }

  func testA41_A66_appendingFromTheOtherEndLoadsNothing() throws {
    let context = try makeContainer().viewContext
    let anthology = try anthology("BA", in: context)
    context.refresh(anthology, mergeChanges: false)
    for name in ["D", "C"] { piece(name, context).anthology = anthology }
    XCTAssertTrue(anthology.hasFault(forRelationshipNamed: "pieces"))
    try context.save()
    XCTAssertTrue(anthology.hasFault(forRelationshipNamed: "pieces"))
    XCTAssertEqual(order(anthology), "BADC")
    context.refresh(anthology, mergeChanges: false)
    let piece = try XCTUnwrap(context.all(Piece.self).first { $0.name == "B" })
    piece.anthology = nil
    piece.anthology = anthology
    XCTAssertTrue(anthology.hasFault(forRelationshipNamed: "pieces"))
    try context.save()
    XCTAssertEqual(order(anthology), "ADCB", "it came back as the last")
  }

  func testA70_theOrderIsReachableByKey() throws {
    let context = try makeContainer().viewContext
    let anthology = try anthology("AB", in: context)
    let set = try XCTUnwrap(anthology.value(forKey: "pieces") as? NSOrderedSet)
    XCTAssertEqual(set.array.compactMap { ($0 as? Piece)?.name }, ["A", "B"])
    anthology.setValue(NSOrderedSet(array: set.array.reversed()), forKey: "pieces")
    XCTAssertEqual(order(anthology), "BA")
    anthology.setValue(nil, forKey: "pieces")
    XCTAssertEqual(order(anthology), "")
    XCTAssertNil((set[0] as? Piece)?.anthology)
  }

  func testA71_everyMethodOfTheMutableSetChangesTheRelationship() throws {
    let context = try makeContainer().viewContext
    let anthology = try anthology("ABCD", in: context)
    let set = pieces(anthology)
    let new = piece("X", context)
    set.insert(new, at: 1)
    XCTAssertEqual(order(anthology), "AXBCD")
    XCTAssertIdentical(new.anthology, anthology)
    set.moveObjects(at: [0, 1], to: 3)
    XCTAssertEqual(order(anthology), "BCDAX")
    set.exchangeObject(at: 0, withObjectAt: 4)
    XCTAssertEqual(order(anthology), "XCDAB")
    set.remove(new)
    XCTAssertNil(new.anthology)
    set.replaceObject(at: 0, with: new)
    XCTAssertEqual(order(anthology), "XDAB")
    set.removeObject(at: 3)
    set.add(piece("E", context))
    XCTAssertEqual(order(anthology), "XDAE")
    set.sort { a, b in
      ((a as? Piece)?.name ?? "") < ((b as? Piece)?.name ?? "")
        ? .orderedAscending : .orderedDescending
    }
    XCTAssertEqual(order(anthology), "ADEX")
    set.sort(using: [NSSortDescriptor(key: "name", ascending: false)])
    XCTAssertEqual(order(anthology), "XEDA")
    set.sortRange(NSRange(location: 1, length: 3)) { a, b in
      ((a as? Piece)?.name ?? "") < ((b as? Piece)?.name ?? "")
        ? .orderedAscending : .orderedDescending
    }
    XCTAssertEqual(order(anthology), "XADE")
    set.moveObjects(at: [0], to: 3)
    XCTAssertEqual(order(anthology), "ADEX")
    set.minusSet([new])
    set.intersectSet(Set(set.array.dropFirst().compactMap { $0 as? Piece }))
    XCTAssertEqual(order(anthology), "DE")
    set.addObjects(from: [new, new])
    XCTAssertEqual(order(anthology), "DEX", "a member is in the set once")
    XCTAssertEqual(set.index(of: new), 2)
    set.removeAllObjects()
    XCTAssertEqual(anthology.pieces.count, 0)
    new.anthology = anthology
    XCTAssertEqual(set.count, 1, "it looks at the relationship again")
    XCTAssertTrue(set.contains(new))
  }

  func testA55_A57_changedAndCommittedValuesHaveAnOrder() throws {
    let context = try makeContainer().viewContext
    let anthology = try anthology("ABC", in: context)
    XCTAssertTrue(anthology.changedValues().isEmpty)
    pieces(anthology).moveObjects(at: [2], to: 0)
    func names(_ value: Any?) -> String? {
      (value as? NSOrderedSet)?.array.compactMap { ($0 as? Piece)?.name }.joined()
    }
    XCTAssertEqual(names(anthology.changedValues()["pieces"]), "CAB")
    XCTAssertEqual(names(anthology.committedValues(forKeys: ["pieces"])["pieces"]), "ABC")
    let ids = anthology.objectIDs(forRelationshipNamed: "pieces")
    XCTAssertEqual(
      ids, anthology.pieces.array.compactMap { ($0 as? Piece)?.objectID },
      "ids come in the same order")
  }

  func testA54_movingAMemberIsAChangeAndMovingItBackIsNone() throws {
    let context = try makeContainer().viewContext
    let anthology = try anthology("ABC", in: context)
    pieces(anthology).moveObjects(at: [0], to: 2)
    XCTAssertTrue(anthology.isUpdated)
    XCTAssertTrue(anthology.hasPersistentChangedValues)
    pieces(anthology).moveObjects(at: [2], to: 0)
    XCTAssertEqual(order(anthology), "ABC")
    XCTAssertFalse(anthology.hasPersistentChangedValues)
  }

  func testA90_A91_A96_A98_theOrderGoesBackOrStaysAsTheOtherValuesDo() throws {
    let context = try makeContainer().viewContext
    var anthology = try anthology("ABC", in: context)
    func move() { pieces(anthology).moveObjects(at: [0], to: 2) }
    move()
    context.rollback()
    XCTAssertEqual(order(anthology), "ABC")
    move()
    context.refresh(anthology, mergeChanges: true)
    XCTAssertEqual(order(anthology), "BCA", "a merging refresh keeps what was done here")
    context.refresh(anthology, mergeChanges: false)
    XCTAssertEqual(order(anthology), "ABC")
    move()
    context.reset()
    anthology = try context.only(Anthology.self)
    XCTAssertEqual(order(anthology), "ABC")
  }

  func testD14_aDeletedMemberLeavesAGapThatCloses() throws {
    let context = try makeContainer().viewContext
    let anthology = try anthology("ABC", in: context)
    context.delete(try XCTUnwrap(anthology.pieces[1] as? Piece))
    context.processPendingChanges()
    XCTAssertEqual(order(anthology), "AC")
    try context.save()
    XCTAssertEqual(try stored(), "AC")
  }

  func testA102_D13_aDeletedMemberComesBackToItsPlaceWhereverTheOrderWasRead() throws {
    let context = try makeContainer().viewContext
    context.undoManager = UndoManager()
    let anthology = try anthology("ABC", in: context)
    let piece = try XCTUnwrap(anthology.pieces[1] as? Piece)
    for reads in [false, true] {
      context.refreshAllObjects()
      context.delete(piece)
      if reads { XCTAssertEqual(order(anthology), "ABC") }
      context.processPendingChanges()
      XCTAssertEqual(order(anthology), "AC")
      context.undo()
      XCTAssertEqual(order(anthology), "ABC", "\(reads)")
      context.rollback()
    }
  }

  func testManyToManyKeepsAnOrderForEachOwner() throws {
    let context = try makeContainer().viewContext
    let articles = try ["A", "B", "C"].map { try context.savedArticle($0) }
    let anthologies = (0..<2).map { _ in Anthology(context: context) }
    anthologies[0].sources = NSOrderedSet(array: [articles[2], articles[0], articles[1]])
    anthologies[1].sources = NSOrderedSet(array: [articles[1], articles[2]])
    articles[0].anthologies.insert(anthologies[1])
    try context.save()
    context.refreshAllObjects()
    func titles(_ anthology: Anthology) -> String {
      anthology.sources.array.compactMap { ($0 as? Article)?.title }.joined()
    }
    XCTAssertEqual(titles(anthologies[0]), "CAB")
    XCTAssertEqual(titles(anthologies[1]), "BCA")
    XCTAssertEqual(articles[1].anthologies, Set(anthologies))
    anthologies[0].mutableOrderedSetValue(forKey: "sources").moveObjects(at: [0], to: 2)
    try context.save()
    context.refreshAllObjects()
    XCTAssertEqual(titles(anthologies[0]), "ABC")
    XCTAssertEqual(titles(anthologies[1]), "BCA")
  }
}
