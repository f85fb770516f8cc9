import SQLiteConnection
import TestSupport
import XCTest

@testable import Faultline

/// Reads that began before a commit, and whose rows come when nobody holds the committed ones any
/// more: the row cache must not take them for current.
///
///     reader           writer            row cache
///     begins
///                      commits           the newer row
///                      lets go of it     nothing
///     steps                              nothing
final class LateReadTests: XCTestCase {
  private var store: TestStore!
  private var database: Database!
  private var cache: WeakTable<Snapshot>!
  private var writer: NSManagedObjectContext!
  private var ids: [NSManagedObjectID] = []

  override func setUpWithError() throws {
    store = try TestStore()
    let attached = try XCTUnwrap(
      store.container.persistentStoreCoordinator.persistentStores.first)
    database = attached.database
    cache = attached.rowCache
    writer = store.container.newBackgroundContext()
    ids = try writer.performOnThisThread {
      let notes = (0..<3).map { _ in Note(context: writer) }
      try writer.save()
      defer { writer.reset() }
      return notes.map(\.objectID)
    }
  }

  override func tearDown() { store.remove() }

  /// Reads all three rows as they were before the writer did something.
  private func read(
    _ ids: [NSManagedObjectID], after change: (Note) throws -> Void
  ) throws -> [Snapshot] {
    try database.read { connection in
      let filling = CacheFilling(cache)
      try connection.execute("BEGIN")
      let look = try connection.statement("SELECT COUNT(*) FROM ZNOTE")
      XCTAssertTrue(try look.step())
      look.reset()
      try writer.performOnThisThread {
        try change(XCTUnwrap(writer.existingObject(with: ids[1]) as? Note))
        try writer.save()
        writer.reset()
      }
      let reader = RowReader(connection, database.schema)
      var rows = try reader.rows(ids[0].layout, keys: ids.map(\.key), filling: filling)
      try connection.execute("COMMIT")
      return rows.indices.map { rows[$0].take() }
    }
  }

  func testARowThatWasChangedMeanwhileIsNotTakenForCurrent() throws {
    let rows = try read(ids) { $0.number = 7 }
    XCTAssertEqual(rows.map(\.isCached), [true, false, true])
    let other = store.container.newBackgroundContext()
    try other.performOnThisThread {
      XCTAssertEqual((try other.existingObject(with: ids[1]) as? Note)?.number, 7)
    }
    withExtendedLifetime(rows) {}
  }

  func testARowThatWasDeletedMeanwhileIsNotTakenForOneThatIsThere() throws {
    let rows = try read(ids) { writer.delete($0) }
    XCTAssertEqual(rows.map(\.isCached), [true, false, true])
    let other = store.container.newBackgroundContext()
    try other.performOnThisThread {
      XCTAssertThrowsError(try other.existingObject(with: ids[1]))
    }
    withExtendedLifetime(rows) {}
  }

  func testARowThatAMergeTookOutOfTheCacheMeanwhileIsNotTakenForCurrent() throws {
    let other = store.container.newBackgroundContext()
    let held = other.performOnThisThread { other.object(with: ids[1]) }
    let rows = try read(ids) { note in
      let batch = NSBatchUpdateRequest(entityName: "Note")
      batch.predicate = NSPredicate(format: "SELF == %@", note)
      batch.propertiesToUpdate = ["number": 9]
      _ = try writer.execute(batch)
      NSManagedObjectContext.mergeChanges(
        fromRemoteContextSave: [NSUpdatedObjectsKey: [note.objectID]], into: [other])
    }
    XCTAssertEqual(rows.map(\.isCached), [true, false, true])
    try other.performOnThisThread {
      XCTAssertEqual((try other.existingObject(with: ids[1]) as? Note)?.number, 9)
    }
    withExtendedLifetime((rows, held)) {}
  }

  func testASaveThatInstallsLateIsNotTakenForTheLastOne() throws {
    let era = cache.era
    let row = try XCTUnwrap(try read([ids[0], ids[1]]) { $0.number = 7 }.first)
    let older = try XCTUnwrap(row.copy(version: row.version + 1))
    // As if somebody else had committed and installed the next version meanwhile.
    let newer = try XCTUnwrap(row.copy(version: row.version + 2))
    XCTAssertNil(newer.enter(cache, since: era, mark: cache.beginEra()))
    cache.forget(newer)
    XCTAssertNil(older.enter(cache, since: era, mark: cache.beginEra()))
    XCTAssertFalse(older.isCached)
  }

  /// Whoever installs what was committed marks it, though a reader or a later save came first.
  func testTheKeyOfASaveIsMarkedWhoeverComesFirst() throws {
    let row = try XCTUnwrap(try read([ids[0], ids[1]]) { $0.number = 7 }.first)
    let before = cache.era
    do {
      // Somebody has read the row between the commit and this moment.
      let seen = try XCTUnwrap(row.copy(version: row.version + 1))
      let written = try XCTUnwrap(row.copy(version: row.version + 1))
      XCTAssertNil(seen.enter(cache, since: cache.era))
      XCTAssertTrue(written.enter(cache, since: before, mark: cache.beginEra()) === seen)
    }
    let late = try XCTUnwrap(row.copy(version: row.version))
    XCTAssertNil(late.enter(cache, since: before))
    XCTAssertFalse(late.isCached)
    let (first, second) = (cache.beginEra(), cache.beginEra())
    do {
      let newer = try XCTUnwrap(row.copy(version: row.version + 3))
      let older = try XCTUnwrap(row.copy(version: row.version + 2))
      XCTAssertNil(newer.enter(cache, since: before + 1, mark: second))
      cache.forget(newer)
      XCTAssertNil(older.enter(cache, since: before + 1, mark: first))
      XCTAssertFalse(older.isCached)
    }
    let between = try XCTUnwrap(row.copy(version: row.version + 2))
    XCTAssertNil(between.enter(cache, since: first))
    XCTAssertFalse(between.isCached, "a mark is never taken back to an earlier era")
  }

  /// As above, where the merging contexts hold nothing of the record.
  func testARowWhoseIdWasMergedMeanwhileIsNotTakenForCurrentThoughNoContextHoldsIt() throws {
    for key in [NSUpdatedObjectsKey, NSInsertedObjectsKey] {
      let other = store.container.newBackgroundContext()
      let rows = try read(ids) { note in
        let batch = NSBatchUpdateRequest(entityName: "Note")
        batch.predicate = NSPredicate(format: "SELF == %@", note)
        batch.propertiesToUpdate = ["number": 9]
        _ = try writer.execute(batch)
        NSManagedObjectContext.mergeChanges(
          fromRemoteContextSave: [key: [note.objectID]], into: [other])
      }
      XCTAssertEqual(rows.map(\.isCached), [true, false, true], key)
    }
  }

  ///     reader           writer            row cache
  ///     notes the era
  ///                      commits
  ///     reads
  ///                      marks             the new row
  ///     enters                             the new row, which the reader is to share
  func testAReaderOfTheNewRowSharesItThoughItBeganBeforeTheMark() throws {
    let before = cache.era
    try writer.performOnThisThread {
      let note = try XCTUnwrap(writer.existingObject(with: ids[1]) as? Note)
      note.number = 7
      try writer.save()
      let key = ids[1].key
      let read = try database.read {
        try RowReader($0, database.schema).row(ids[1].layout, key: key)
      }
      let cached = try XCTUnwrap(cache.member(table: ids[1].layout.rootNumber, key: key))
      XCTAssertTrue(try XCTUnwrap(read).enter(cache, since: before) === cached)
      XCTAssertEqual(note.number, 7)
    }
  }

  ///     reader           coordinator       row cache
  ///     reads A
  ///                      moves to file B   nothing
  ///     enters                             nothing: the row is of file A
  func testARowOfTheFormerFileIsNotEnteredAfterAMove() throws {
    let coordinator = store.container.persistentStoreCoordinator
    let attached = try XCTUnwrap(coordinator.persistentStores.first)
    let elsewhere = store.url.deletingLastPathComponent().appendingPathComponent("Moved.sqlite")
    try coordinator.replacePersistentStore(
      at: elsewhere, withPersistentStoreFrom: store.url, ofType: NSSQLiteStoreType)
    let rows = try database.read { connection in
      let filling = CacheFilling(cache)
      try connection.execute("BEGIN")
      let look = try connection.statement("SELECT COUNT(*) FROM ZNOTE")
      XCTAssertTrue(try look.step())
      look.reset()
      XCTAssertTrue(coordinator.setURL(elsewhere, for: attached))
      var rows = try RowReader(connection, database.schema)
        .rows(ids[0].layout, keys: ids.map(\.key), filling: filling)
      try connection.execute("COMMIT")
      return rows.indices.map { rows[$0].take() }
    }
    XCTAssertEqual(rows.map(\.isCached), [false, false, false])
    let reader = store.container.newBackgroundContext()
    try reader.performOnThisThread {
      let note = try XCTUnwrap(reader.existingObject(with: ids[0]) as? Note)
      XCTAssertEqual(note.snapshot?.isCached, true, "rows of the new file are entered")
    }
    withExtendedLifetime(rows) {}
  }
}
