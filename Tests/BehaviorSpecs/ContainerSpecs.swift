import CoreData
import Foundation
import XCTest

/// How a container finds, opens and hands out stores and contexts (sections C.3 and C.4).
final class ContainerSpecs: SpecCase {
  private func container(_ names: [String]) -> NSPersistentContainer {
    let container = NSPersistentContainer(
      name: "Library", managedObjectModel: SpecModel.library)
    container.persistentStoreDescriptions = names.map {
      NSPersistentStoreDescription(url: storeURL($0))
    }
    return container
  }

  /// The error with which the file at the URL refuses to be opened.
  private func refusal(
    of url: URL, model: NSManagedObjectModel = SpecModel.library
  ) -> NSError? {
    do {
      _ = try openContainer(model: model, at: url)
      return nil
    } catch { return error as NSError }
  }

  func testC25_theNameGivesTheDefaultFile() throws {
    let container = NSPersistentContainer(
      name: "Bookshelf", managedObjectModel: SpecModel.library)
    XCTAssertEqual(container.name, "Bookshelf")
    XCTAssertIdentical(container.managedObjectModel, SpecModel.library)
    let url = try XCTUnwrap(container.persistentStoreDescriptions.first?.url)
    XCTAssertEqual(url.lastPathComponent, "Bookshelf.sqlite")
    XCTAssertEqual(
      url.deletingLastPathComponent().standardizedFileURL,
      NSPersistentContainer.defaultDirectoryURL().standardizedFileURL)
  }

  func testC26_aSubclassMayPutItsStoresElsewhere() throws {
    let container = ElsewhereContainer(
      name: "Bookshelf", managedObjectModel: SpecModel.library)
    XCTAssertEqual(
      container.persistentStoreDescriptions.first?.url?.standardizedFileURL.path,
      ElsewhereContainer.defaultDirectoryURL().appendingPathComponent("Bookshelf.sqlite")
        .standardizedFileURL.path)
  }

  func testC27_theHandlerIsCalledOncePerDescription() throws {
    let container = container(["One", "Two"])
    let calls = Box<[String]>([])
    container.loadPersistentStores { description, error in
      let name = description.url?.deletingPathExtension().lastPathComponent ?? "?"
      calls.update { $0.append(error == nil ? name : "\(name) failed") }
    }
    XCTAssertEqual(calls.value, ["One", "Two"])
  }

  func testC27_oneStoreThatFailsDoesNotSilenceTheOther() throws {
    try Data("this is not a database, not at all, whatever its name says".utf8)
      .write(to: storeURL("One"))
    let container = container(["One", "Two"])
    let calls = Box<[Bool]>([])
    container.loadPersistentStores { _, error in calls.update { $0.append(error == nil) } }
    XCTAssertEqual(calls.value, [false, true])
    XCTAssertEqual(container.persistentStoreCoordinator.persistentStores.count, 1)
  }

  func testC28_aSynchronousStoreIsLoadedBeforeTheCallReturnsOnThisThread() throws {
    let container = container(["One"])
    XCTAssertEqual(
      container.persistentStoreDescriptions.map(\.shouldAddStoreAsynchronously), [false])
    let onMain = Box<Bool?>(nil)
    container.loadPersistentStores { _, _ in onMain.value = Thread.isMainThread }
    XCTAssertEqual(onMain.value, true)
    XCTAssertEqual(container.persistentStoreCoordinator.persistentStores.count, 1)
  }

  func testC28_anAsynchronousStoreIsReportedFromAnotherThread() throws {
    let container = container(["One"])
    container.persistentStoreDescriptions.first?.shouldAddStoreAsynchronously = true
    let loaded = expectation(description: "the store was loaded")
    let onMain = Box<Bool?>(nil)
    container.loadPersistentStores { _, error in
      XCTAssertNil(error)
      onMain.value = Thread.isMainThread
      loaded.fulfill()
    }
    wait(for: [loaded], timeout: 30)
    XCTAssertEqual(onMain.value, false)
    XCTAssertEqual(container.persistentStoreCoordinator.persistentStores.count, 1)
  }

  func testC29_loadingAgainOpensNothingTwice() throws {
    let container = container(["One"])
    let calls = Box(0)
    for _ in 0..<3 { container.loadPersistentStores { _, _ in calls.update { $0 += 1 } } }
    XCTAssertEqual(calls.value, 1)
    XCTAssertEqual(container.persistentStoreCoordinator.persistentStores.count, 1)
  }

  func testC29_aStoreThatIsBeingLoadedIsNotLoadedOnceMore() throws {
    let container = container(["One"])
    container.persistentStoreDescriptions.first?.shouldAddStoreAsynchronously = true
    let (entered, mayEnd, isFirst) = (Gate(), Gate(), Box(true))
    let token = NotificationCenter.default.addObserver(
      forName: .NSPersistentStoreCoordinatorStoresWillChange,
      object: container.persistentStoreCoordinator, queue: nil
    ) { _ in
      guard isFirst.value else { return }
      isFirst.value = false
      entered.open()
      mayEnd.pass()
    }
    defer { NotificationCenter.default.removeObserver(token) }
    let loaded = expectation(description: "the store was loaded")
    container.loadPersistentStores { _, error in
      XCTAssertNil(error)
      loaded.fulfill()
    }
    XCTAssertTrue(entered.pass())
    container.persistentStoreDescriptions.first?.shouldAddStoreAsynchronously = false
    container.loadPersistentStores { _, _ in XCTFail("it is being loaded") }
    cocoaError(134081) {
      try container.persistentStoreCoordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: storeURL("One"))
    }
    mayEnd.open()
    wait(for: [loaded], timeout: 30)
    container.loadPersistentStores { _, _ in XCTFail("it is loaded") }
    XCTAssertEqual(container.persistentStoreCoordinator.persistentStores.count, 1)
  }

  func testC29_aStoreThatWasRemovedIsLoadedAgain() throws {
    let container = container(["One"])
    let coordinator = container.persistentStoreCoordinator
    let calls = Box(0)
    for count in 1...3 {
      container.loadPersistentStores { _, error in
        XCTAssertNil(error)
        calls.update { $0 += 1 }
      }
      XCTAssertEqual(calls.value, count)
      XCTAssertEqual(coordinator.persistentStores.count, 1)
      try coordinator.remove(XCTUnwrap(coordinator.persistentStores.first))
    }
  }

  func testC29_aStoreThatFailedIsTriedAgain() throws {
    try Data("this is not a database, not at all, whatever its name says".utf8)
      .write(to: storeURL("One"))
    let container = container(["One"])
    let failed = Box<[Bool]>([])
    container.loadPersistentStores { _, error in failed.update { $0.append(error != nil) } }
    try FileManager.default.removeItem(at: storeURL("One"))
    container.loadPersistentStores { _, error in failed.update { $0.append(error != nil) } }
    XCTAssertEqual(failed.value, [true, false])
    XCTAssertNoThrow(try container.viewContext.savedAuthor())
  }

  func testC30_afterAFailedLoadTheContainerIsThereAndEmpty() throws {
    try Data("this is not a database, not at all, whatever its name says".utf8)
      .write(to: storeURL("One"))
    let container = container(["One"])
    container.loadPersistentStores { _, error in XCTAssertNotNil(error) }
    XCTAssertTrue(container.persistentStoreCoordinator.persistentStores.isEmpty)
    Author(context: container.viewContext).name = "in memory only"
    XCTAssertTrue(container.viewContext.hasChanges)
  }

  func testC31_theViewContextHangsOnTheCoordinatorAndMergesNothing() throws {
    let container = try makeContainer()
    let context = container.viewContext
    XCTAssertEqual(context.concurrencyType, .mainQueueConcurrencyType)
    XCTAssertIdentical(
      context.persistentStoreCoordinator, container.persistentStoreCoordinator)
    XCTAssertNil(context.parent)
    XCTAssertFalse(context.automaticallyMergesChangesFromParent)
    XCTAssertEqual((context.mergePolicy as? NSMergePolicy)?.mergeType, .errorMergePolicyType)
    XCTAssertIdentical(container.viewContext, context)
  }

  func testC32_everyBackgroundContextIsNewPrivateAndOnTheCoordinator() throws {
    let container = try makeContainer()
    let contexts = [container.newBackgroundContext(), container.newBackgroundContext()]
    XCTAssertNotIdentical(contexts[0], contexts[1])
    for context in contexts {
      XCTAssertEqual(context.concurrencyType, .privateQueueConcurrencyType)
      XCTAssertIdentical(
        context.persistentStoreCoordinator, container.persistentStoreCoordinator)
      XCTAssertNil(context.parent)
    }
  }

  func testC32_aBackgroundTasksContextIsNewEachTime() throws {
    let container = try makeContainer()
    let seen = Box<[NSManagedObjectContext]>([])
    let finished = expectation(description: "both tasks ran")
    finished.expectedFulfillmentCount = 2
    for _ in 0..<2 {
      container.performBackgroundTask { context in
        seen.update { $0.append(context) }
        finished.fulfill()
      }
    }
    wait(for: [finished], timeout: 30)
    XCTAssertEqual(Set(seen.value.map(ObjectIdentifier.init)).count, 2)
    XCTAssertEqual(
      seen.value.map(\.concurrencyType),
      [.privateQueueConcurrencyType, .privateQueueConcurrencyType])
    XCTAssertTrue(
      seen.value.allSatisfy {
        $0.persistentStoreCoordinator === container.persistentStoreCoordinator && $0.parent == nil
      })
  }

  func testC33_backgroundContextsInheritNoPolicyFromTheViewContext() throws {
    let container = try makeContainer()
    container.viewContext.mergePolicy = NSMergePolicy.overwrite
    let policies = Box<[NSMergePolicyType?]>([])
    policies.value = [(container.newBackgroundContext().mergePolicy as? NSMergePolicy)?.mergeType]
    let finished = expectation(description: "the task ran")
    container.performBackgroundTask { context in
      policies.update { $0.append((context.mergePolicy as? NSMergePolicy)?.mergeType) }
      finished.fulfill()
    }
    wait(for: [finished], timeout: 30)
    XCTAssertEqual(policies.value, [.errorMergePolicyType, .errorMergePolicyType])
  }

  func testC34_backgroundTasksRunBesideEachOther() throws {
    let container = try makeContainer()
    let gates = [Gate(), Gate()]
    let finished = expectation(description: "each task met the other")
    finished.expectedFulfillmentCount = 2
    for number in 0..<2 {
      container.performBackgroundTask { _ in
        gates[number].open()
        if gates[1 - number].pass() { finished.fulfill() }
      }
    }
    wait(for: [finished], timeout: 30)
  }

  func testC34_tasksThatReadBeforeEitherSavedConflict() throws {
    let container = try makeContainer()
    let id = try container.viewContext.savedAuthor("A").objectID
    let read = [Gate(), Gate()]
    let codes = Box<[Int?]>([])
    let finished = expectation(description: "both tasks saved")
    finished.expectedFulfillmentCount = 2
    for number in 0..<2 {
      container.performBackgroundTask { context in
        let author = context.object(with: id) as? Author
        author?.name = (author?.name ?? "") + "\(number)"
        read[number].open()
        _ = read[1 - number].pass()
        let code = errorCode { try context.save() }
        codes.update { $0.append(code) }
        finished.fulfill()
      }
    }
    wait(for: [finished], timeout: 30)
    XCTAssertEqual(codes.value.filter { $0 == nil }.count, 1)
    XCTAssertEqual(codes.value.filter { $0 == 133020 }.count, 1)
  }

  func testC35_aDescriptionHasTheDocumentedDefaults() {
    let description = NSPersistentStoreDescription(url: storeURL())
    XCTAssertEqual(description.type, NSSQLiteStoreType)
    XCTAssertEqual(description.url, storeURL())
    XCTAssertFalse(description.shouldAddStoreAsynchronously)
    XCTAssertTrue(description.shouldMigrateStoreAutomatically)
    XCTAssertTrue(description.shouldInferMappingModelAutomatically)
    XCTAssertFalse(description.isReadOnly)
    XCTAssertEqual(description.timeout, 240)
    XCTAssertNil(description.configuration)
  }

  func testC36_theVersionHashCoversWhatIsStoredAndNothingElse() {
    func hash(_ change: (NSEntityDescription, NSAttributeDescription) -> Void) -> Data? {
      let attribute = SpecModel.text("name")
      let entity = SpecModel.entity("Tag", Tag.self, [attribute])
      change(entity, attribute)
      let model = NSManagedObjectModel()
      model.entities = [entity]
      return model.entityVersionHashesByName.values.first
    }
    let plain = hash { _, _ in }
    XCTAssertEqual(hash { $1.defaultValue = "something" }, plain)
    XCTAssertEqual(hash { entity, _ in entity.userInfo = ["a": "b"] }, plain)
    XCTAssertEqual(hash { entity, _ in entity.managedObjectClassName = "NSManagedObject" }, plain)
    XCTAssertNotEqual(hash { $1.isOptional = false }, plain)
    XCTAssertNotEqual(hash { $1.attributeType = .dateAttributeType }, plain)
    XCTAssertNotEqual(hash { $1.name = "label" }, plain)
    XCTAssertNotEqual(hash { entity, _ in entity.name = "Label" }, plain)
    XCTAssertNotEqual(hash { entity, _ in entity.versionHashModifier = "2" }, plain)
  }

  func testC37_C38_aStoreOfAnotherModelIsRefusedWith134100() throws {
    try makeContainer().viewContext.savedAuthor()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ChainModel.model)
    cocoaError(134100) {
      try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: storeURL())
    }
    XCTAssertNil(refusal(of: storeURL()), "the right model opens it as before")
    let container = try makeContainer()
    let store = try XCTUnwrap(container.persistentStoreCoordinator.persistentStores.first)
    let metadata = container.persistentStoreCoordinator.metadata(for: store)
    XCTAssertTrue(
      SpecModel.library.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
    XCTAssertFalse(
      ChainModel.model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
  }

  func testC30_aFileThatIsNoDatabaseIsRefusedAndLeftAsItIs() throws {
    let text = "this is not a database, not at all, whatever its name says"
    try Data(text.utf8).write(to: storeURL())
    XCTAssertEqual(refusal(of: storeURL())?.domain, NSCocoaErrorDomain)
    XCTAssertEqual(try String(contentsOf: storeURL(), encoding: .utf8), text)
  }
}

/// A container whose stores live in the temporary directory.
private final class ElsewhereContainer: NSPersistentContainer, @unchecked Sendable {
  override class func defaultDirectoryURL() -> URL {
    URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent("elsewhere")
  }
}
