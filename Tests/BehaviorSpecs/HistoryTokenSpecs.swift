import CoreData
import Foundation
import XCTest

/// Tokens, their archives, and merging by history (section C.5).
final class HistoryTokenSpecs: HistoryCase {
  /// A token that names a store.
  private func makeToken() throws -> NSPersistentHistoryToken {
    let container = try makeMemos()
    container.viewContext.new("Memo")
    try container.viewContext.save()
    return try XCTUnwrap(
      container.persistentStoreCoordinator.currentPersistentHistoryToken(fromStores: nil))
  }

  private func token(in data: Data) throws -> NSPersistentHistoryToken? {
    try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPersistentHistoryToken.self, from: data)
  }

  func testC53_aTokenCanBeArchivedSecurelyAndUsedAfterwards() throws {
    let token = try makeToken()
    XCTAssertTrue(NSPersistentHistoryToken.supportsSecureCoding)
    let data = try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
    let read = try XCTUnwrap(try self.token(in: data))
    XCTAssertEqual(read, token)
    XCTAssertEqual(read.hash, token.hash)
    let context = try makeMemos().viewContext
    XCTAssertEqual(try context.history(after: read).count, 0)
    context.new("Memo")
    try context.save()
    XCTAssertEqual(try context.history(after: read).count, 1)
  }

  func testC53_tokensAreEqualIfTheyNameTheSamePlaces() throws {
    let context = try makeMemos().viewContext
    for _ in 0..<2 {
      context.new("Memo")
      try context.save()
    }
    let (all, again) = (try context.history(), try context.history())
    XCTAssertEqual(all[0].token, again[0].token)
    XCTAssertNotEqual(all[0].token, all[1].token)
    XCTAssertEqual(all[0].token.copy() as? NSPersistentHistoryToken, all[0].token)
    XCTAssertNotEqual(all[0].token, NSObject())
  }

  func testC53_anArchiveWithAFlippedBitIsRefusedOrIsAnotherToken() throws {
    let token = try makeToken()
    let data = try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
    let store = try XCTUnwrap(
      token.description.split(separator: " ").map(String.init).first { $0.contains("-") }
    ).dropLast()
    let text = try XCTUnwrap(data.range(of: Data(store.utf8)), "the archive holds the UUID as text")
    var refused = 0
    for index in text.lowerBound..<text.upperBound + 2 {
      for bit in UInt8(0)..<8 {
        var changed = data
        changed[index] ^= 1 << bit
        // Refused, or another place: of a store that nobody has, or at another number.
        if let read = try? self.token(in: changed) {
          XCTAssertNotEqual(read, token, "bit \(bit) of byte \(index)")
        } else {
          refused += 1
        }
      }
    }
    XCTAssertGreaterThan(refused, 0)
  }

  func testC53_archivesThatHoldNoTokenAreRefused() throws {
    let token = try makeToken()
    let good = try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
    let hostile: [Any] = [
      "", "no number", "STORE", "STORE -1", "STORE 1.5", "STORE 99999999999999999999",
      "STORE 1\nSTORE 2", "STORE 1\n", "\n", " 1", "STORE 1 2", "STORE 1 ", 7 as NSNumber,
      Data([1, 2]), ["STORE": 1] as NSDictionary, ["STORE"] as NSArray, NSNull(), Date() as NSDate,
    ]
    XCTAssertNotNil(try self.token(in: Self.archive("STORE 1")), "the forgery would pass")
    for content in hostile {
      let read = try? self.token(in: Self.archive(content))
      let isEmptyText = content as? String == ""
      XCTAssertEqual(read == nil, !isEmptyText, "\(content)")
      XCTAssertNotEqual(read, token)
    }
    XCTAssertEqual(try self.token(in: good), token)
    XCTAssertNil(try? self.token(in: Data()))
    for count in stride(from: 1, to: good.count, by: 7) {
      XCTAssertNil(try? self.token(in: good.prefix(count)))
    }
  }

  /// An archive that says it holds a token and holds this.
  private static func archive(_ content: Any) -> Data {
    let archiver = NSKeyedArchiver(requiringSecureCoding: false)
    archiver.outputFormat = .xml
    archiver.encode(TokenForgery(content), forKey: NSKeyedArchiveRootObjectKey)
    archiver.finishEncoding()
    let text = String(decoding: archiver.encodedData, as: UTF8.self).replacingOccurrences(
      of: NSStringFromClass(TokenForgery.self),
      with: NSStringFromClass(NSPersistentHistoryToken.self))
    return Data(text.utf8)
  }

  func testC54_theTokenOfAStoreWithoutHistoryExpiresLikeAnyOther() throws {
    let container = try makeMemos()
    let context = container.viewContext
    let token = try XCTUnwrap(
      container.persistentStoreCoordinator.currentPersistentHistoryToken(fromStores: nil))
    for _ in 0..<3 {
      context.new("Memo")
      try context.save()
    }
    let all = try context.history(after: token)
    XCTAssertEqual(all.count, 3)
    try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: all[2]))
    cocoaError(134301) { _ = try context.history(after: token) }
    XCTAssertEqual(try context.history().count, 1, "without a token it is all that there is")
  }

  func testC52_aHistoryBringsAStaleContextUpToDate() throws {
    let container = try makeMemos()
    let stale = container.viewContext
    let kept = stale.new("Memo", ["topic": "old"])
    let doomed = stale.new("Memo", ["topic": "doomed"])
    try stale.save()
    let token = container.persistentStoreCoordinator.currentPersistentHistoryToken(fromStores: nil)
    // Somebody of whom this context hears nothing: another coordinator, as in another process.
    let other = try makeMemos().viewContext
    try other.existingObject(with: kept.objectID).setValue("new", forKey: "topic")
    other.delete(try other.existingObject(with: doomed.objectID))
    let added = other.new("Memo", ["topic": "added"])
    try other.save()
    let passing = other.new("Memo")
    try other.save()
    other.delete(passing)
    try other.save()
    XCTAssertEqual(kept.value(forKey: "topic") as? String, "old")
    let log = NotificationLog([NSManagedObjectContext.didChangeObjectsNotification], from: stale)
    for transaction in try stale.history(after: token) {
      stale.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
    }
    XCTAssertEqual(kept.value(forKey: "topic") as? String, "new")
    XCTAssertTrue(doomed.isDeleted)
    XCTAssertEqual(log.entries.first?.ids[NSInsertedObjectsKey], [added.objectID])
    XCTAssertEqual(
      try stale.existingObject(with: added.objectID).value(forKey: "topic") as? String, "added")
    XCTAssertNoThrow(try stale.save())
    let topics = try stale.fetch(NSFetchRequest<NSManagedObject>(entityName: "Memo"))
      .map { $0.value(forKey: "topic") as? String }
    XCTAssertEqual(Set(topics), ["new", "added"])
  }

  func testC52_E39_aHistoryTellsOfABatchRequestWhoseResultNobodyKept() throws {
    let container = try makeMemos()
    let context = container.viewContext
    let memo = context.new("Memo", ["topic": "a"])
    try context.save()
    let token = container.persistentStoreCoordinator.currentPersistentHistoryToken(fromStores: nil)
    let update = NSBatchUpdateRequest(entityName: "Memo")
    update.propertiesToUpdate = ["topic": "b"]
    try context.execute(update)
    XCTAssertEqual(memo.value(forKey: "topic") as? String, "a")
    for transaction in try context.history(after: token) {
      context.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
    }
    XCTAssertEqual(memo.value(forKey: "topic") as? String, "b")
  }

  func testC51_C52_theRecipeMergesWhatOthersDidAndPurgesWhatEverybodyHas() throws {
    let container = try makeMemos()
    let mine = container.viewContext
    mine.transactionAuthor = "me"
    mine.new("Memo", ["topic": "mine"])
    try mine.save()
    let other = try makeMemos().viewContext
    other.transactionAuthor = "other"
    let theirs = other.new("Memo", ["topic": "theirs"])
    try other.save()
    let fetch = try XCTUnwrap(NSPersistentHistoryTransaction.fetchRequest)
    fetch.predicate = NSPredicate(format: "author != %@", "me")
    let request = NSPersistentHistoryChangeRequest.fetchHistory(
      after: nil as NSPersistentHistoryToken?)
    request.fetchRequest = fetch
    let found = try mine.history(request)
    XCTAssertEqual(found.map(\.author), ["other"])
    let log = NotificationLog([NSManagedObjectContext.didChangeObjectsNotification], from: mine)
    for transaction in found {
      mine.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
    }
    XCTAssertEqual(log.entries.map { $0.ids[NSInsertedObjectsKey] }, [[theirs.objectID]])
    let last = try XCTUnwrap(found.last)
    try mine.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: last))
    XCTAssertEqual(try mine.history().map(\.author), ["other"])
    XCTAssertEqual(try mine.history(after: last.token).count, 0)
  }
}

/// Archives itself as if it were a token.
final class TokenForgery: NSObject, NSCoding {
  private let content: Any

  /// Holds what stands where a token's text should.
  init(_ content: Any) { self.content = content }

  required init?(coder: NSCoder) { nil }

  func encode(with coder: NSCoder) { coder.encode(content, forKey: "stores") }
}
