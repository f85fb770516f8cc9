import CoreData
import Foundation
import XCTest

/// What happens in a context that merges the saves of others by itself (section B.7).
final class AutomaticMergeSpecs: SpecCase {
  func testB56_B58_aSiblingsSaveReachesARegisteredObject() throws {
    let container = try makeContainer()
    let (writer, reader) = (makeMainContext(container), container.viewContext)
    let id = try writer.savedAuthor("before").objectID
    let author = try XCTUnwrap(reader.existingObject(with: id) as? Author)
    reader.automaticallyMergesChangesFromParent = true
    try writer.only(Author.self).name = "after"
    try writer.save()
    drain(reader)
    XCTAssertEqual(author.name, "after")
    XCTAssertFalse(reader.hasChanges)
  }

  func testB56_K5_K15_withoutTheFlagNothingIsMerged() throws {
    let container = try makeContainer()
    let (writer, reader) = (makeMainContext(container), container.viewContext)
    let id = try writer.savedAuthor("before").objectID
    let author = try XCTUnwrap(reader.existingObject(with: id) as? Author)
    XCTAssertFalse(reader.automaticallyMergesChangesFromParent)
    try writer.only(Author.self).name = "after"
    try writer.save()
    drain(reader)
    XCTAssertEqual(author.name, "before")
  }

  //   writer                        reader's queue
  //   ──────                        ──────────────
  //                                 block waits at the gate
  //   save() returns
  //   opens the gate                block ends, still old
  //                                 merge, then new
  func testB57_theMergeRunsOnTheReceiversQueueAfterTheSaveReturned() throws {
    let container = try makeContainer()
    let writer = container.viewContext
    let reader = container.newBackgroundContext()
    reader.automaticallyMergesChangesFromParent = true
    let id = try writer.savedAuthor("before").objectID
    let kept = Box<[String?]>([])
    let (gate, busy) = (Gate(), Gate())
    reader.perform {
      reader.retainsRegisteredObjects = true
      let author = try? reader.existingObject(with: id) as? Author
      busy.open()
      let opened = gate.pass()
      kept.update { $0.append(opened ? author?.name : "the save waited for the receiver") }
    }
    XCTAssertTrue(busy.pass())
    try writer.only(Author.self).name = "after"
    try writer.save()
    gate.open()
    drain(reader)
    let name = reader.performAndWait { (reader.object(with: id) as? Author)?.name }
    XCTAssertEqual(kept.value, ["before"])
    XCTAssertEqual(name, "after")
  }

  func testB58_localChangesAreKeptUnderAMerge() throws {
    let container = try makeContainer()
    let (writer, reader) = (makeMainContext(container), container.viewContext)
    let id = try writer.savedAuthor("stored").objectID
    let author = try XCTUnwrap(reader.existingObject(with: id) as? Author)
    reader.automaticallyMergesChangesFromParent = true
    author.name = "mine"
    let theirs = try writer.only(Author.self)
    theirs.name = "theirs"
    theirs.born = 1815
    try writer.save()
    drain(reader)
    XCTAssertEqual(author.name, "mine")
    XCTAssertEqual(author.born, 1815)
    XCTAssertTrue(author.isUpdated)
    XCTAssertNoThrow(try reader.save(), "the new version was adopted")
  }

  func testB58_aDeletedRecordIsDeletedInTheReceiver() throws {
    let container = try makeContainer()
    let (writer, reader) = (makeMainContext(container), container.viewContext)
    let id = try writer.savedAuthor("doomed").objectID
    let author = try reader.existingObject(with: id)
    reader.automaticallyMergesChangesFromParent = true
    writer.delete(try writer.only(Author.self))
    try writer.save()
    let log = NotificationLog([.NSManagedObjectContextObjectsDidChange], from: reader)
    drain(reader)
    reader.processPendingChanges()
    XCTAssertTrue(log.entries.contains { $0.ids[NSDeletedObjectsKey]?.contains(id) ?? false })
    XCTAssertTrue(author.isDeleted || author.managedObjectContext == nil)
    XCTAssertTrue(try reader.all(Author.self).isEmpty)
  }

  func testB58_unregisteredObjectsAreNotLoaded() throws {
    let container = try makeContainer()
    let (writer, reader) = (makeMainContext(container), container.viewContext)
    let author = try writer.savedAuthor("nobody looks")
    reader.automaticallyMergesChangesFromParent = true
    author.name = "still nobody"
    try writer.save()
    drain(reader)
    XCTAssertNil(reader.registeredObject(for: author.objectID))
    XCTAssertTrue(reader.registeredObjects.isEmpty)
  }

  func testB58_insertsThatNobodyWantsAreAnnouncedAndLetGo() throws {
    let container = try makeContainer()
    let (writer, reader) = (makeMainContext(container), container.viewContext)
    reader.automaticallyMergesChangesFromParent = true
    let log = NotificationLog([.NSManagedObjectContextObjectsDidChange], from: reader)
    let id = try writer.savedAuthor("new").objectID
    drain(reader)
    XCTAssertEqual(log.entries.map { $0.ids[NSInsertedObjectsKey] }, [[id]])
    XCTAssertTrue(reader.registeredObjects.isEmpty)
    XCTAssertFalse(reader.hasChanges)
  }

  func testB59_K5_aContextDoesNotMergeItsOwnSave() throws {
    let container = try makeContainer()
    let context = container.viewContext
    context.automaticallyMergesChangesFromParent = true
    let author = try context.savedAuthor("Ada")
    drain(context)
    author.name = "Ida"
    try context.save()
    let log = NotificationLog([.NSManagedObjectContextObjectsDidChange], from: context)
    drain(context)
    context.processPendingChanges()
    XCTAssertEqual(log.entries.count, 0)
    XCTAssertFalse(author.isFault)
    XCTAssertEqual(author.name, "Ida")
  }

  func testB60_aChildMergesItsParentsSaves() throws {
    let parent = try makeContainer().viewContext
    let author = try parent.savedAuthor("before")
    let child = makeMainChild(of: parent)
    child.automaticallyMergesChangesFromParent = true
    let mine = try XCTUnwrap(child.object(with: author.objectID) as? Author)
    XCTAssertEqual(mine.name, "before")
    author.name = "after"
    parent.processPendingChanges()
    drain(child)
    XCTAssertEqual(mine.name, "before", "a change in the parent is not a save")
    try parent.save()
    drain(child)
    XCTAssertEqual(mine.name, "after")
  }

  func testB49_B60_aSiblingsPushReachesAChildOnlyWithTheSaveOfTheirParent() throws {
    let parent = try makeContainer().viewContext
    let id = try parent.savedAuthor("before").objectID
    let (sibling, child) = (makeMainChild(of: parent), makeMainChild(of: parent))
    child.automaticallyMergesChangesFromParent = true
    let mine = try XCTUnwrap(child.existingObject(with: id) as? Author)
    (sibling.object(with: id) as? Author)?.name = "after"
    try sibling.save()
    drain(child)
    XCTAssertEqual(mine.name, "before", "what a sibling saved to the parent is not merged yet")
    try parent.save()
    drain(child)
    XCTAssertEqual(mine.name, "after")
  }

  func testB62_K5_aNewBackgroundContextDoesNotMergeByItself() throws {
    let container = try makeContainer()
    let id = try container.viewContext.savedAuthor("before").objectID
    let context = container.newBackgroundContext()
    XCTAssertFalse(context.automaticallyMergesChangesFromParent)
    context.performAndWait {
      context.retainsRegisteredObjects = true
      XCTAssertEqual((context.object(with: id) as? Author)?.name, "before")
    }
    try container.viewContext.only(Author.self).name = "after"
    try container.viewContext.save()
    drain(context)
    let name = context.performAndWait { (context.object(with: id) as? Author)?.name }
    XCTAssertEqual(name, "before")
  }

  func testB63_settingTheFlagDoesNotCatchUp() throws {
    let container = try makeContainer()
    let (writer, reader) = (makeMainContext(container), container.viewContext)
    let id = try writer.savedAuthor("first").objectID
    let author = try XCTUnwrap(reader.existingObject(with: id) as? Author)
    let written = try writer.only(Author.self)
    written.name = "second"
    try writer.save()
    reader.automaticallyMergesChangesFromParent = true
    drain(reader)
    XCTAssertEqual(author.name, "first")
    written.born = 1815
    try writer.save()
    drain(reader)
    XCTAssertEqual(author.name, "second")
    XCTAssertEqual(author.born, 1815)
  }
}
