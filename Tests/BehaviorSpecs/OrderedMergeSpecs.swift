import CoreData
import Foundation
import XCTest

/// What becomes of an order that two contexts change.
final class OrderedMergeSpecs: SpecCase {
  /// Two contexts that show the same saved anthology of pieces with these names.
  private struct Scene {
    let container: NSPersistentContainer
    let here: Anthology
    let there: Anthology
    let contexts: [NSManagedObjectContext]
  }

  private func scene(_ names: String, _ policy: NSMergePolicy = .error) throws -> Scene {
    let container = try makeContainer()
    let contexts = [makeMainContext(container), makeMainContext(container)]
    let here = Anthology(context: contexts[0])
    for name in names { add("\(name)", to: here) }
    try contexts[0].save()
    contexts[0].mergePolicy = policy
    let there = try contexts[1].only(Anthology.self)
    XCTAssertEqual(order(there), names)
    return Scene(container: container, here: here, there: there, contexts: contexts)
  }

  private func add(_ name: String, to anthology: Anthology, at index: Int? = nil) {
    guard let context = anthology.managedObjectContext else { return }
    let piece = Piece(context: context)
    piece.name = name
    pieces(anthology).insert(piece, at: index ?? anthology.pieces.count)
  }

  private func order(_ anthology: Anthology) -> String { anthology.pieceNames.joined() }

  private func pieces(_ anthology: Anthology) -> NSMutableOrderedSet {
    anthology.mutableOrderedSetValue(forKey: "pieces")
  }

  /// Saves there, then here, and tells the order that both show and the file has.
  private func merged(_ scene: Scene) throws -> String {
    try scene.contexts[1].save()
    try scene.contexts[0].save()
    let result = order(scene.here)
    let reader = try openContainer(model: SpecModel.library, at: storeURL())
    try withExtendedLifetime(reader) {
      XCTAssertEqual(order(try reader.viewContext.only(Anthology.self)), result)
    }
    scene.contexts[1].refresh(scene.there, mergeChanges: true)
    XCTAssertEqual(order(scene.there), result)
    return result
  }

  func testD37_movingAMemberChangesTheVersionOfTheOwner() throws {
    let scene = try scene("ABC")
    pieces(scene.here).moveObjects(at: [0], to: 2)
    scene.there.name = "renamed"
    try scene.contexts[1].save()
    cocoaError(133020) { try scene.contexts[0].save() }
  }

  func testD37_movingAMemberLeavesTheVersionOfTheMember() throws {
    let scene = try scene("ABC")
    pieces(scene.here).moveObjects(at: [0], to: 2)
    (scene.there.pieces[0] as? Piece)?.name = "a"
    try scene.contexts[1].save()
    XCTAssertNoThrow(try scene.contexts[0].save())
    scene.contexts[0].refreshAllObjects()
    XCTAssertEqual(order(scene.here), "BCa")
  }

  func testD54_membersAppendedOnBothSidesStandAtTheEndTheOthersFirst() throws {
    let scene = try scene("AB", .mergeByPropertyObjectTrump)
    add("x", to: scene.here)
    add("y", to: scene.there)
    XCTAssertEqual(try merged(scene), "AByx")
  }

  func testD54_aMemberInsertedHereFollowsTheMemberItFollowed() throws {
    let scene = try scene("ABC", .mergeByPropertyStoreTrump)
    add("x", to: scene.here, at: 1)
    pieces(scene.there).moveObjects(at: [0], to: 2)
    XCTAssertEqual(try merged(scene), "BCAx")
  }

  func testD54_whoMovedMembersDecidesAboutTheOrder() throws {
    for policy in [NSMergePolicy.mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump] {
      let scene = try scene("ABC", policy)
      pieces(scene.here).moveObjects(at: [0], to: 2)
      add("y", to: scene.there, at: 1)
      XCTAssertEqual(try merged(scene), "BCAy")
      try FileManager.default.removeItem(at: storeURL())
    }
  }

  func testD54_whereBothMovedMembersTheTrumpDecides() throws {
    let results: [(NSMergePolicy, String)] = [
      (.mergeByPropertyStoreTrump, "CAB"), (.mergeByPropertyObjectTrump, "BCA"),
      (.overwrite, "BCA"), (.rollback, "CAB"),
    ]
    for (policy, result) in results {
      let scene = try scene("ABC", policy)
      pieces(scene.here).moveObjects(at: [0], to: 2)
      pieces(scene.there).moveObjects(at: [2], to: 0)
      XCTAssertEqual(try merged(scene), result, "\(policy.mergeType)")
      try FileManager.default.removeItem(at: storeURL())
    }
  }

  func testD54_removalsOfBothSidesHold() throws {
    let scene = try scene("ABCD", .mergeByPropertyObjectTrump)
    pieces(scene.here).removeObject(at: 1)
    pieces(scene.here).moveObjects(at: [0], to: 2)
    pieces(scene.there).removeObject(at: 2)
    XCTAssertEqual(try merged(scene), "DA")
  }

  func testE26_aMergeBringsTheOtherOrderAndKeepsWhatWasAddedHere() throws {
    let scene = try scene("ABC")
    let receiver = scene.contexts[0]
    let token = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextDidSave, object: scene.contexts[1], queue: nil
    ) { receiver.mergeChanges(fromContextDidSave: $0) }
    defer { NotificationCenter.default.removeObserver(token) }
    add("x", to: scene.here)
    pieces(scene.there).moveObjects(at: [0], to: 2)
    try scene.contexts[1].save()
    XCTAssertEqual(order(scene.here), "BCAx")
    XCTAssertEqual(try merged(scene), "BCAx")
  }

  func testB44_aChildsOrderJoinsWhatTheParentAddedMeanwhile() throws {
    let scene = try scene("ABC")
    let child = makeMainChild(of: scene.contexts[0])
    let inChild = try XCTUnwrap(child.object(with: scene.here.objectID) as? Anthology)
    XCTAssertEqual(order(inChild), "ABC")
    pieces(inChild).moveObjects(at: [0], to: 2)
    add("x", to: inChild, at: 0)
    add("y", to: scene.here)
    try child.save()
    XCTAssertEqual(order(scene.here), "xBCAy")
    XCTAssertEqual(try merged(scene), "xBCAy")
  }

  func testB40_B44_aChildShowsTheParentsUnsavedOrderAndAppendsUnread() throws {
    let scene = try scene("ABC")
    pieces(scene.here).moveObjects(at: [0], to: 2)
    let child = makeMainChild(of: scene.contexts[0])
    let inChild = try XCTUnwrap(child.object(with: scene.here.objectID) as? Anthology)
    let piece = Piece(context: child)
    piece.name = "x"
    piece.anthology = inChild
    XCTAssertTrue(inChild.hasFault(forRelationshipNamed: "pieces"))
    try child.save()
    XCTAssertEqual(order(scene.here), "BCAx")
    XCTAssertEqual(order(inChild), "BCAx")
  }
}
