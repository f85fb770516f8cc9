import CoreData
import Foundation
import XCTest

/// Both ends of a relationship say the same after a merge, whoever won (D47, D54, A91).
final class MergedEndsSpecs: SpecCase {
  private typealias Context = NSManagedObjectContext

  /// An object of Ada's, whom the local context gives to Bob, and the other one to Carl.
  private struct Tug<Object: NSManagedObject> {
    let crossing: Crossing
    let object: Object
    let ada: Author
    let bob: Author
    let carl: Author
    let foreignObject: Object
    let foreignCarl: Author
    let saved: Set<NSManagedObjectID>

    /// Merges what the other context saved.
    func merge() {
      NSManagedObjectContext.mergeChanges(
        fromRemoteContextSave: [NSUpdatedObjectIDsKey: Array(saved)], into: [crossing.local])
    }
  }

  private func makeTug<Object: NSManagedObject>(
    _ type: Object.Type, _ key: String, place: Crossing.Place = .sameCoordinator
  ) throws -> Tug<Object> {
    let crossing = try makeCrossing(place)
    let (local, external) = (crossing.local, crossing.external)
    let authors = try ["Ada", "Bob", "Carl"].map { try local.savedAuthor($0) }
    let object = Object(context: local)
    object.setValue(authors[0], forKey: key)
    try local.save()
    let foreign = try XCTUnwrap(external.existingObject(with: object.objectID) as? Object)
    let foreignCarl = try crossing.realised(authors[2].objectID, in: external)
    for author in authors { _ = (author.drafts.count, author.profile) }
    object.setValue(authors[1], forKey: key)
    foreign.setValue(foreignCarl, forKey: key)
    let log = NotificationLog([Context.didSaveObjectsNotification], from: external)
    try external.save()
    return Tug(
      crossing: crossing, object: object, ada: authors[0], bob: authors[1], carl: authors[2],
      foreignObject: foreign, foreignCarl: foreignCarl,
      saved: log.entries.first?.ids[NSUpdatedObjectsKey] ?? [])
  }

  func testD46_underStoreTrumpTheFormerOwnerLetsGoOfWhatTheStoreKeeps() throws {
    for place in Crossing.Place.allCases {
      let tug = try makeTug(Draft.self, "owner", place: place)
      let local = tug.crossing.local
      local.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
      try local.save()
      XCTAssertEqual(tug.object.owner?.name, "Carl")
      XCTAssertEqual(tug.bob.drafts, [])
      XCTAssertEqual(tug.ada.drafts, [])
      local.delete(tug.bob)
      try local.save()
      let stored = try tug.crossing.reread().only(Draft.self)
      XCTAssertEqual(stored.owner?.name, "Carl", "the rule of the author who never had it")
      try reset(tug.crossing)
    }
  }

  func testD47_whoseChangeIsDroppedMayMakeItAgain() throws {
    let tug = try makeTug(Draft.self, "owner")
    let local = tug.crossing.local
    local.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
    try local.save()
    tug.object.owner = tug.ada
    XCTAssertEqual(tug.ada.drafts, [tug.object])
    try local.save()
    let stored = try tug.crossing.reread().only(Draft.self)
    XCTAssertEqual(stored.owner?.name, "Ada")
  }

  func testD46_underObjectTrumpTheOtherOwnerLetsGo() throws {
    for place in Crossing.Place.allCases {
      let tug = try makeTug(Draft.self, "owner", place: place)
      let local = tug.crossing.local
      local.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      try local.save()
      XCTAssertEqual(tug.object.owner?.name, "Bob")
      XCTAssertEqual(tug.carl.drafts, [])
      local.delete(tug.carl)
      try local.save()
      let stored = try tug.crossing.reread().only(Draft.self)
      XCTAssertEqual(stored.owner?.name, "Bob")
      try reset(tug.crossing)
    }
  }

  func testA91_D37_aMergingRefreshTakesAKeptMoveFromWhereTheObjectIsNow() throws {
    let tug = try makeTug(Draft.self, "owner")
    let local = tug.crossing.local
    for object in [tug.object, tug.ada] { local.refresh(object, mergeChanges: true) }
    XCTAssertEqual(tug.object.owner?.name, "Bob")
    XCTAssertEqual(tug.carl.drafts, [])
    XCTAssertEqual(tug.ada.drafts, [])
    XCTAssertTrue(tug.carl.isUpdated, "who has read Carl must hear of it")
    XCTAssertNoThrow(try local.save())
    tug.foreignCarl.born = 3
    XCTAssertEqual(try conflicts(savingFails: tug.crossing.external).count, 1)
  }

  func testE26_D42_aMergeTakesAKeptMoveFromWhereTheObjectIsNow() throws {
    let tug = try makeTug(Draft.self, "owner")
    let local = tug.crossing.local
    tug.merge()
    XCTAssertEqual(tug.bob.drafts, [tug.object])
    XCTAssertEqual(tug.carl.drafts, [])
    local.delete(tug.carl)
    XCTAssertNoThrow(try local.save())
    XCTAssertEqual(try tug.crossing.reread().only(Draft.self).owner?.name, "Bob")
  }

  func testE26_whoMovedAnObjectToTheSamePlaceMayMoveItOn() throws {
    let tug = try makeTug(Draft.self, "owner")
    let local = tug.crossing.local
    tug.object.owner = tug.carl
    tug.merge()
    XCTAssertEqual(tug.carl.drafts, [tug.object])
    local.refresh(tug.carl, mergeChanges: true)
    tug.object.owner = tug.bob
    XCTAssertEqual(tug.carl.drafts, [])
  }

  func testD46_D48_bothKeysOfAOneToOneRelationshipAgreeInTheFile() throws {
    let policies: [(NSMergePolicy, String)] = [
      (.mergeByPropertyStoreTrump, "Carl"), (.mergeByPropertyObjectTrump, "Bob"),
      (.overwrite, "Bob"), (.rollback, "Carl"),
    ]
    for (policy, owner) in policies {
      let tug = try makeTug(Profile.self, "author")
      tug.crossing.local.mergePolicy = policy
      try tug.crossing.local.save()
      let reader = try tug.crossing.reread()
      let stored = try reader.only(Profile.self)
      XCTAssertEqual(stored.author?.name, owner)
      for author in try reader.all(Author.self) {
        XCTAssertEqual(author.profile != nil, author.name == owner, "\(owner): \(author)")
      }
      try reset(tug.crossing)
    }
  }

  func testD48_whatIsOverwrittenUnmovedIsTakenFromBothEndsOfTheOtherSide() throws {
    let tug = try makeTug(Profile.self, "author")
    let local = tug.crossing.local
    local.rollback()
    tug.object.name = "mine"
    local.mergePolicy = NSMergePolicy.overwrite
    try local.save()
    let reader = try tug.crossing.reread()
    let stored = try reader.only(Profile.self)
    XCTAssertEqual(stored.author?.name, "Ada")
    XCTAssertEqual(stored.author?.profile, stored)
    for author in try reader.all(Author.self) where author.name != "Ada" {
      XCTAssertNil(author.profile)
    }
  }

  func testD24_D48_anOverwriteThatWouldStoreAReferenceToADeletedObjectIsRefused() throws {
    let crossing = try makeCrossing()
    let (local, external) = (crossing.local, crossing.external)
    let (bob, _) = try crossing.givenAuthor()
    let profile = Profile(context: local)
    profile.author = bob
    try local.save()
    local.mergePolicy = NSMergePolicy.overwrite
    for isRead in [true, false] {
      // Without a read the author holds its profile as a key, and not as an object.
      local.refresh(bob, mergeChanges: false)
      bob.born = 2
      if isRead { XCTAssertIdentical(bob.profile, profile) }
      local.refresh(profile, mergeChanges: false)
      let moved = try XCTUnwrap(external.existingObject(with: profile.objectID) as? Profile)
      let ada = try external.savedAuthor("Ada")
      moved.author = ada
      try external.save()
      // Bob's stale row still names the profile, which is deleted with Ada.
      local.delete(local.object(with: ada.objectID))
      let error = cocoaError(1550) { try local.save() }
      XCTAssertIdentical(error?.userInfo[NSValidationObjectErrorKey] as? NSManagedObject, bob)
      XCTAssertEqual(error?.userInfo[NSValidationKeyErrorKey] as? String, "profile")
      local.rollback()
      moved.author = external.object(with: bob.objectID) as? Author
      try external.save()
    }
  }

  func testE26_aMergeOfAOneToOneRelationshipKeepsOneEndForEach() throws {
    let tug = try makeTug(Profile.self, "author")
    let local = tug.crossing.local
    tug.merge()
    XCTAssertEqual(tug.object.author?.name, "Bob")
    XCTAssertNil(tug.carl.profile)
    try local.save()
    let reader = try tug.crossing.reread()
    XCTAssertEqual(
      try reader.all(Author.self).filter { $0.profile != nil }.map(\.name), ["Bob"])
  }

  func testB60_A91_aChildKeepsItsMoveOverThatOfItsParent() throws {
    let root = try makeContainer().viewContext
    let authors = try ["Ada", "Bob", "Carl"].map { try root.savedAuthor($0) }
    let draft = Draft(context: root)
    draft.owner = authors[0]
    try root.save()
    let child = makeMainChild(of: root)
    let twins = authors.compactMap { child.object(with: $0.objectID) as? Author }
    let twin = try XCTUnwrap(child.object(with: draft.objectID) as? Draft)
    for author in twins { _ = author.drafts.count }
    twin.owner = twins[1]
    draft.owner = authors[2]
    for object in [twin, twins[0]] { child.refresh(object, mergeChanges: true) }
    XCTAssertEqual(twins.map(\.drafts), [[], [twin], []])
    try child.save()
    XCTAssertEqual(authors.map(\.drafts), [[], [draft], []])
    try root.save()
    XCTAssertEqual(try reopened().only(Draft.self).owner?.name, "Bob")
  }

  func testD54_aPieceThatStaysWithTheOthersAnthologyStandsInOneOrderOnly() throws {
    let crossing = try makeCrossing()
    let (local, external) = (crossing.local, crossing.external)
    let anthologies = ["a", "b", "c"].map { name in
      let anthology = Anthology(context: local)
      anthology.name = name
      return anthology
    }
    let piece = Piece(context: local)
    piece.name = "piece"
    piece.anthology = anthologies[0]
    try local.save()
    for anthology in anthologies { _ = anthology.pieceNames }
    let foreign = try XCTUnwrap(external.existingObject(with: piece.objectID) as? Piece)
    foreign.anthology = external.object(with: anthologies[2].objectID) as? Anthology
    try external.save()
    piece.anthology = anthologies[1]
    local.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
    try local.save()
    XCTAssertEqual(piece.anthology?.name, "c")
    XCTAssertEqual(anthologies[..<2].map(\.pieceNames), [[], []])
    XCTAssertFalse(local.hasChanges)
  }

  // MARK: A row that comes back

  func testT6_D56_aRowThatComesBackHasItsTagsInTheFileToo() throws {
    let crossing = try makeCrossing()
    let (local, external) = (crossing.local, crossing.external)
    let article = try local.savedArticle()
    let tag = Tag(context: local)
    tag.name = "word"
    article.tags = [tag]
    let anthology = Anthology(context: local)
    let others = try ["one", "two"].map { try local.savedArticle($0) }
    anthology.sources = NSOrderedSet(array: [others[1], article, others[0]])
    try local.save()
    _ = (article.tags.count, anthology.sources.count)
    for object in [article, anthology] {
      external.delete(try external.existingObject(with: object.objectID))
    }
    try external.save()
    article.title = "L"
    anthology.name = "L"
    local.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    try local.save()
    let reader = try crossing.reread()
    let stored = try XCTUnwrap(reader.existingObject(with: article.objectID) as? Article)
    XCTAssertEqual(stored.tags.map(\.name), ["word"])
    let sources = try reader.only(Anthology.self).sources.array as? [Article]
    XCTAssertEqual(sources?.map(\.title), ["two", "L", "one"])
  }

  func testT6_E25_aRowThatComesBackIsInsertedForThoseWhoMergedItsDeletion() throws {
    let crossing = try makeCrossing()
    let (mine, theirs) = try crossing.givenAuthor()
    let third = makeMainContext(try makeContainer())
    let observed = try crossing.realised(mine.objectID, in: third)
    let ids = [mine.objectID]
    crossing.external.delete(theirs)
    try crossing.external.save()
    Context.mergeChanges(fromRemoteContextSave: [NSDeletedObjectsKey: ids], into: [third])
    XCTAssertNil(observed.managedObjectContext)
    mine.name = "L"
    crossing.local.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    let log = NotificationLog([Context.didSaveObjectsNotification], from: crossing.local)
    try crossing.local.save()
    XCTAssertEqual(log.entries.first?.ids[NSInsertedObjectsKey], Set(ids))
    XCTAssertNil(log.entries.first?.ids[NSUpdatedObjectsKey])
    Context.mergeChanges(fromRemoteContextSave: [NSInsertedObjectsKey: ids], into: [third])
    XCTAssertEqual(try third.only(Author.self).name, "L")
  }

  /// Empties the file for another round.
  private func reset(_ crossing: Crossing) throws {
    let context = try crossing.reread()
    for type in [Draft.self, Profile.self, Author.self] as [NSManagedObject.Type] {
      let request = NSFetchRequest<NSManagedObject>(entityName: "\(type)")
      for object in try context.fetch(request) { context.delete(object) }
    }
    try context.save()
    crossing.local.reset()
    crossing.external.reset()
  }

  func testD17_D24_aLinkToARecordWhoseLackIsKnownIsRefusedWhicheverObjectItNames() throws {
    let container = try makeContainer()
    let (saver, view) = (makeMainContext(container), makeMainContext(container))
    let author = try saver.savedAuthor()
    let letter = Letter(context: view)
    letter.sender = try view.existingObject(with: author.objectID) as? Author
    let token = NotificationCenter.default.addObserver(
      forName: NSManagedObjectContext.didSaveObjectsNotification, object: saver, queue: nil
    ) { view.mergeChanges(fromContextDidSave: $0) }
    defer { NotificationCenter.default.removeObserver(token) }
    saver.delete(author)
    try saver.save()
    XCTAssertNil(view.registeredObject(for: author.objectID), "the object that was linked has left")
    let later = view.object(with: author.objectID) as? Author
    XCTAssertNil(later?.name)
    XCTAssertEqual(later?.isDeleted, true)
    cocoaError(1550) { try view.save() }
  }
}
