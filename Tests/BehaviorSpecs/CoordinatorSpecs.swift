import CoreData
import Foundation
import XCTest

/// What the coordinator shares, serialises and looks up (sections C.1 and C.2).
final class CoordinatorSpecs: SpecCase {
  func testC1_theCoordinatorsOwnBlocksRunOneAfterTheOther() throws {
    let coordinator = try makeContainer().persistentStoreCoordinator
    let inside = Box(0)
    let insideMax = Box(0)
    let order = Box<[Int]>([])
    for number in 0..<20 {
      coordinator.perform {
        inside.update { $0 += 1 }
        insideMax.value = max(insideMax.value, inside.value)
        order.update { $0.append(number) }
        inside.update { $0 -= 1 }
      }
    }
    let answer = coordinator.performAndWait { order.value.count }
    XCTAssertEqual(answer, 20, "performAndWait waits for what was enqueued before")
    XCTAssertEqual(order.value, Array(0..<20))
    XCTAssertEqual(insideMax.value, 1)
  }

  func testC2_contextsOfOneCoordinatorShareTheRowCacheAndOthersDoNot() throws {
    let crossing = try makeCrossing(.sameCoordinator)
    let (mine, theirs) = try crossing.givenAuthor()
    theirs.name = "S1"
    try crossing.external.save()
    crossing.local.refresh(mine, mergeChanges: false)
    XCTAssertEqual(mine.name, "S1")

    let apart = try Crossing(at: storeURL("Apart"), place: .otherCoordinator) { self.keep($0) }
    let (here, there) = try apart.givenAuthor()
    there.name = "S1"
    try apart.external.save()
    apart.local.refresh(here, mergeChanges: true)
    XCTAssertEqual(here.name, "A", "the cache of this coordinator was not told")
  }

  func testC2_aSaveThroughAnotherCoordinatorIsNotMergedAutomatically() throws {
    let crossing = try makeCrossing(.otherCoordinator)
    crossing.local.automaticallyMergesChangesFromParent = true
    let (mine, theirs) = try crossing.givenAuthor()
    theirs.name = "S1"
    try crossing.external.save()
    drain(crossing.local)
    XCTAssertEqual(mine.name, "A")
  }

  func testC4_I26_readersDoNotWaitForAWriterInTheMiddleOfItsSave() throws {
    let container = try makeContainer()
    try container.viewContext.savedAuthor("A")
    let writer = container.newBackgroundContext()
    let writing = Gate()
    let read = Gate()
    let token = NotificationCenter.default.addObserver(
      forName: NSManagedObjectContext.willSaveObjectsNotification, object: writer, queue: nil
    ) { _ in
      writing.open()
      read.pass()
    }
    defer { NotificationCenter.default.removeObserver(token) }
    writer.perform {
      Author(context: writer).name = "B"
      _ = errorCode { try writer.save() }
    }
    XCTAssertTrue(writing.pass())
    let reader = container.newBackgroundContext()
    let names = try reader.performAndWait { try reader.all(Author.self).map(\.name) }
    XCTAssertEqual(names, ["A"])
    read.open()
    drain(writer)
    XCTAssertEqual(try container.viewContext.all(Author.self).count, 2)
  }

  /// ```
  /// writer                 reader
  /// begin, insert
  /// (waits inside)         fetch: nothing
  /// commit
  ///                        fetch: one
  /// ```
  func testC4_aReaderAnswersWhileATransactionIsHeldOpen() throws {
    let container = try makeContainer()
    let (isInside, mayCommit) = (Gate(), Gate())
    let writer = container.newBackgroundContext()
    let finished = expectation(description: "the insertion is committed")
    writer.enqueue {
      let isFirst = Box(true)
      let insertion = NSBatchInsertRequest(
        entityName: "Author",
        dictionaryHandler: { author in
          guard isFirst.value else {
            isInside.open()
            mayCommit.pass()
            return true
          }
          isFirst.value = false
          author["name"] = "Ada"
          return false
        })
      XCTAssertNil(errorCode { try writer.execute(insertion) })
      finished.fulfill()
    }
    XCTAssertTrue(isInside.pass())
    XCTAssertEqual(try makeMainContext(container).all(Author.self).count, 0)
    mayCommit.open()
    wait(for: [finished], timeout: 30)
    XCTAssertEqual(try makeMainContext(container).all(Author.self).count, 1)
  }

  /// How many connections this process has to a file.
  private func connections(to url: URL) throws -> Int {
    let folder = "/proc/self/fd"
    return try FileManager.default.contentsOfDirectory(atPath: folder).filter {
      let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
      return path.map { URL(fileURLWithPath: $0).lastPathComponent } == url.lastPathComponent
        && path?.contains(directory.lastPathComponent) == true
    }.count
  }

  func testC3_readersShareAsManyConnectionsAsTheOptionAllows() throws {
    for limit in [1, 3] {
      let container = NSPersistentContainer(name: "Pool", managedObjectModel: SpecModel.library)
      let description = NSPersistentStoreDescription(url: storeURL("Pool \(limit)"))
      description.setOption(
        limit as NSNumber, forKey: NSPersistentStoreConnectionPoolMaxSizeKey)
      container.persistentStoreDescriptions = [description]
      container.loadPersistentStores { XCTAssertNil($1) }
      keep(container)
      try container.viewContext.savedAuthor("A")
      let finished = expectation(description: "every reader ended")
      finished.expectedFulfillmentCount = 8
      for _ in 0..<8 {
        container.performBackgroundTask { context in
          for _ in 0..<20 {
            XCTAssertEqual(try? context.all(Author.self).map(\.name), ["A"])
            context.reset()
          }
          finished.fulfill()
        }
      }
      wait(for: [finished], timeout: 60)
      let count = try connections(to: storeURL("Pool \(limit)"))
      XCTAssertGreaterThanOrEqual(count, 2, "one writes, and somebody has read")
      XCTAssertLessThanOrEqual(count, 1 + limit)
    }
  }

  func testC4_severalContextsReadAtTheSameTime() throws {
    let container = try makeContainer()
    try container.viewContext.savedAuthor("A")
    let counts = Box<[Int]>([])
    let finished = expectation(description: "every reader ended")
    finished.expectedFulfillmentCount = 6
    for _ in 0..<6 {
      container.performBackgroundTask { context in
        for _ in 0..<20 {
          let count = (try? context.all(Author.self).compactMap(\.name).count) ?? -1
          counts.update { $0.append(count) }
          context.reset()
        }
        finished.fulfill()
      }
    }
    wait(for: [finished], timeout: 60)
    XCTAssertEqual(Set(counts.value), [1])
    XCTAssertEqual(counts.value.count, 120)
  }

  func testC5_writersTakeTurnsEvenFromTwoCoordinators() throws {
    let containers = [try makeContainer(), try makeContainer()]
    let finished = expectation(description: "every writer ended")
    finished.expectedFulfillmentCount = 4
    let failures = Box<[Int]>([])
    for number in 0..<4 {
      containers[number % 2].performBackgroundTask { context in
        for round in 0..<10 {
          Author(context: context).name = "\(number).\(round)"
          if let code = errorCode({ try context.save() }) { failures.update { $0.append(code) } }
        }
        finished.fulfill()
      }
    }
    wait(for: [finished], timeout: 60)
    XCTAssertEqual(failures.value, [])
    XCTAssertEqual(Set(try reopened().all(Author.self).compactMap(\.name)).count, 40)
  }

  func testC9_contextsMayBeSetUpBeforeStoresAreAdded() throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SpecModel.library)
    let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    Author(context: context).name = "early"
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: storeURL(), options: nil)
    XCTAssertNoThrow(try context.save())
    XCTAssertEqual(try reopened().only(Author.self).name, "early")
  }

  func testC10_aRemovedStoreIsNoLongerAttachedAndItsFileStays() throws {
    let container = try makeContainer()
    try container.viewContext.savedAuthor()
    let coordinator = container.persistentStoreCoordinator
    let store = try XCTUnwrap(coordinator.persistentStores.first)
    XCTAssertIdentical(coordinator.persistentStore(for: storeURL()), store)
    XCTAssertEqual(coordinator.url(for: store), storeURL())
    container.viewContext.reset()
    try coordinator.remove(store)
    XCTAssertTrue(coordinator.persistentStores.isEmpty)
    XCTAssertNil(coordinator.persistentStore(for: storeURL()))
    XCTAssertEqual(try reopened().all(Author.self).count, 1)
  }

  func testC12_metadataHasTypeAndUuidAndTheUuidStays() throws {
    let uuids = try (0..<2).map { _ in
      let coordinator = try makeContainer().persistentStoreCoordinator
      let store = try XCTUnwrap(coordinator.persistentStores.first)
      let metadata = coordinator.metadata(for: store)
      XCTAssertEqual(metadata[NSStoreTypeKey] as? String, NSSQLiteStoreType)
      XCTAssertEqual(metadata[NSStoreUUIDKey] as? String, store.identifier)
      return try XCTUnwrap(metadata[NSStoreUUIDKey] as? String)
    }
    XCTAssertEqual(uuids[0], uuids[1])
    XCTAssertNotNil(UUID(uuidString: uuids[0]))
    let other = try makeContainer(name: "Other").persistentStoreCoordinator
    XCTAssertNotEqual(other.persistentStores.first?.identifier, uuids[0])
  }

  func testC16_aStoreAtDevNullLivesInMemoryAndAlone() throws {
    let url = URL(fileURLWithPath: "/dev/null")
    let first = try openContainer(model: SpecModel.library, at: url)
    let second = try openContainer(model: SpecModel.library, at: url)
    try first.viewContext.savedAuthor("A")
    let background = first.newBackgroundContext()
    let names = try background.performAndWait {
      try background.all(Author.self).map(\.name)
    }
    XCTAssertEqual(names, ["A"], "all contexts of the coordinator see it")
    XCTAssertTrue(try second.viewContext.all(Author.self).isEmpty)
  }

  func testC16_aStoreInMemoryIsWhereItWasSaidToBe() throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SpecModel.library)
    let url = URL(fileURLWithPath: "/dev/null")
    let options = [NSPersistentStoreTimeoutOption: 5]
    let store = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
    XCTAssertEqual(store.url, url)
    XCTAssertEqual(coordinator.persistentStore(for: url), store)
    XCTAssertEqual(store.options as? [String: Int], options)
    XCTAssertTrue(store.persistentStoreCoordinator === coordinator)
    let memory = try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: storeURL("Later"))
    XCTAssertEqual(memory.url, storeURL("Later"))
  }

  func testC16_twoStoresInMemoryAtOneURLShareNothing() throws {
    let contexts = try (0..<2).map { _ in
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SpecModel.library)
      _ = try coordinator.addPersistentStore(
        ofType: NSInMemoryStoreType, configurationName: nil, at: storeURL("Memory"))
      let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
      context.persistentStoreCoordinator = coordinator
      return context
    }
    try contexts[0].savedAuthor("A")
    XCTAssertEqual(try contexts.map { try $0.all(Author.self).count }, [1, 0])
  }

  func testC16_C18_destroyingAStoreThatIsNotThereLeavesEverythingAsItWas() throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SpecModel.library)
    let nowhere = URL(fileURLWithPath: "/dev/null")
    let stores = [
      try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: nowhere),
      try coordinator.addPersistentStore(
        ofType: NSInMemoryStoreType, configurationName: nil, at: storeURL("Memory")),
    ]
    let reader = context(.mainQueueConcurrencyType, on: coordinator)
    let author = try reader.savedAuthor("A")
    for options in [nil, [NSPersistentStoreForceDestroyOption: true]] as [[String: Any]?] {
      for type in [NSSQLiteStoreType, NSBinaryStoreType] {
        for url in [nowhere, storeURL("Memory"), storeURL("None")] {
          try coordinator.destroyPersistentStore(at: url, ofType: type, options: options)
        }
      }
    }
    XCTAssertEqual(coordinator.persistentStores, stores)
    reader.refresh(author, mergeChanges: false)
    XCTAssertEqual(author.name, "A")
    XCTAssertTrue(FileManager.default.fileExists(atPath: nowhere.path))
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: directory.path), [])
  }

  func testC1_aBlockOfTheCoordinatorsQueueIsAwaited() async throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SpecModel.library)
    let answer = await coordinator.perform { 7 }
    XCTAssertEqual(answer, 7)
    do {
      try await coordinator.perform { throw CocoaError(.userCancelled) }
      XCTFail("what the block throws is thrown")
    } catch { XCTAssertEqual((error as? CocoaError)?.code, .userCancelled) }
  }

  func testC16_D31_aStoreAtDevNullChecksVersionsToo() throws {
    let container = try openContainer(
      model: SpecModel.library, at: URL(fileURLWithPath: "/dev/null"))
    let mine = try container.viewContext.savedAuthor("A")
    let other = makeMainContext(container)
    let theirs = try XCTUnwrap(try other.existingObject(with: mine.objectID) as? Author)
    theirs.name = "S1"
    try other.save()
    mine.name = "L1"
    cocoaError(133020) { try container.viewContext.save() }
  }

  func testC17_theStoreIsThreeFilesAndTheMainOneAloneMayLackTheData() throws {
    let container = try makeContainer()
    try container.viewContext.savedAuthor("A")
    let files = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
    XCTAssertEqual(files, ["Library.sqlite", "Library.sqlite-shm", "Library.sqlite-wal"])
    try FileManager.default.copyItem(at: storeURL(), to: storeURL("Main"))
    for suffix in ["", "-wal", "-shm"] {
      try FileManager.default.copyItem(
        atPath: storeURL().path + suffix, toPath: storeURL("Whole").path + suffix)
    }
    let whole = try makeContainer(name: "Whole")
    XCTAssertEqual(try whole.viewContext.all(Author.self).count, 1)
    let mainOnly = (try? makeContainer(name: "Main").viewContext.all(Author.self).count) ?? 0
    XCTAssertEqual(mainOnly, 0)
    withExtendedLifetime(container) {}
  }

  func testC24_aReadOnlyStoreIsReadAndNeverSaved() throws {
    do {
      let container = try makeContainer()
      try container.viewContext.savedAuthor("A")
    }
    let container = NSPersistentContainer(
      name: "Library", managedObjectModel: SpecModel.library)
    let description = NSPersistentStoreDescription(url: storeURL())
    description.isReadOnly = true
    container.persistentStoreDescriptions = [description]
    container.loadPersistentStores { _, error in XCTAssertNil(error) }
    XCTAssertEqual(container.persistentStoreCoordinator.persistentStores.map(\.isReadOnly), [true])
    let author = try container.viewContext.only(Author.self)
    XCTAssertEqual(author.name, "A")
    author.name = "L1"
    cocoaError(513) { try container.viewContext.save() }
    XCTAssertTrue(container.viewContext.hasChanges)
    XCTAssertEqual(try reopened().only(Author.self).name, "A")
  }

  func testC24_aFileThatIsNotThereIsNotMadeToBeRead() {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SpecModel.library)
    for type in [NSSQLiteStoreType, NSBinaryStoreType] {
      let error = cocoaError(260) {
        try coordinator.addPersistentStore(
          ofType: type, configurationName: nil, at: storeURL("Nothing"),
          options: [NSReadOnlyPersistentStoreOption: true])
      }
      XCTAssertEqual(
        error?.userInfo["reason"] as? String, "Attempt to open missing file read only")
    }
    XCTAssertFalse(FileManager.default.fileExists(atPath: storeURL("Nothing").path))
  }

  func testC14_aStoreIsMadeInAFolderThatIsThere() throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SpecModel.library)
    let folder = directory.appendingPathComponent("folder")
    func add() throws {
      try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil,
        at: folder.appendingPathComponent("Library.sqlite"))
    }
    let error = cocoaError(512) { try add() }
    XCTAssertEqual(error?.userInfo["reason"] as? String, "Failed to create file; code = 2")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    try add()
  }

  func testC14_anUnknownTypeOfStoreIsRefusedWith134000() {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SpecModel.library)
    cocoaError(134000) {
      try coordinator.addPersistentStore(
        ofType: "Papyrus", configurationName: nil, at: storeURL(), options: nil)
    }
    XCTAssertTrue(coordinator.persistentStores.isEmpty)
  }
}
