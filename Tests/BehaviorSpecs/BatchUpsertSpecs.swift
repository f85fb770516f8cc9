import CoreData
import Foundation
import XCTest

/// Batch insertions that meet rows of another entity of the family (section F.7).
final class BatchUpsertSpecs: SpecCase {
  /// Pictures and songs are works, and the key of a work is unique; both have a shelf.
  private func makeModel() -> NSManagedObjectModel {
    let work = SpecModel.entity("Work", NSManagedObject.self, [SpecModel.text("key")])
    let picture = SpecModel.entity(
      "Picture", NSManagedObject.self, [SpecModel.text("breadth"), SpecModel.text("name")])
    let song = SpecModel.entity(
      "Song", NSManagedObject.self, [SpecModel.text("name"), SpecModel.text("words")])
    let shelf = SpecModel.entity("Place", NSManagedObject.self, [])
    SpecModel.relate(
      SpecModel.toMany("works", shelf, .nullifyDeleteRule), SpecModel.toOne("place", work))
    work.uniquenessConstraints = [["key"]]
    work.subentities = [picture, song]
    let model = NSManagedObjectModel()
    model.entities = [work, picture, song, shelf]
    return model
  }

  func testA6_F88_C50_aRowThatIsOverwrittenStaysOfItsEntity() throws {
    let container = NSPersistentContainer(name: "Works", managedObjectModel: makeModel())
    let description = NSPersistentStoreDescription(url: storeURL())
    description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
    container.persistentStoreDescriptions = [description]
    container.loadPersistentStores { XCTAssertNil($1) }
    let context = container.viewContext
    let song = context.new("Song", ["key": "k", "words": "la"])
    try context.save()
    context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    let request = NSBatchInsertRequest(
      entityName: "Picture", objects: [["key": "k", "breadth": "1"], ["key": "l"]])
    request.resultType = .objectIDs
    let result = try context.execute(request) as? NSBatchInsertResult
    let ids = try XCTUnwrap(result?.result as? [NSManagedObjectID])
    XCTAssertEqual(ids.map(\.entity.name), ["Song", "Picture"])
    XCTAssertEqual(ids.first, song.objectID)
    let told = try XCTUnwrap(try context.history().last)
    XCTAssertEqual(told.words, ["update Song [key]", "insert Picture"])
    XCTAssertEqual(told.changes?.map(\.changedObjectID), ids)
    context.refreshAllObjects()
    XCTAssertEqual(song.value(forKey: "words") as? String, "la")
  }
}
