import CoreData
import Foundation
import Testing

/// What stops with several stores, and what a save does whose second half fails.
@Suite struct StoresStops {
  @Test("A18: an object that was saved cannot be assigned to another store")
  func a18AssigningASavedObjectStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        let (coordinator, context) = try openDivided(["One", "Other"])
        let store = coordinator.persistentStores[1]
        try context.performAndWait {
          let book = context.book("A", in: store)
          try context.save()
          nowStops()
          context.assign(book, to: store)
        }
      }
    }
    #expect(reachedTheMistake(result))
  }

  @Test("C11: a store of a configuration that the model does not have stops")
  func c11AnUnknownConfigurationStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SpecModel.divided)
        nowStops()
        try coordinator.addPersistentStore(
          ofType: NSInMemoryStoreType, configurationName: "Unknown", at: nil)
      }
    }
    #expect(reachedTheMistake(result))
  }

  @Test("C14: a SQLite store without a place stops")
  func c14ASQLiteStoreWithoutAPlaceStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      mustStop {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SpecModel.divided)
        nowStops()
        try coordinator.addPersistentStore(
          ofType: NSSQLiteStoreType, configurationName: nil, at: nil)
      }
    }
    #expect(reachedTheMistake(result))
  }

  /// No file may grow beyond what the one store's log already has, so that its commit fails while
  /// the other's succeeds. Which of them commits first is the engine's business.
  @Test("D10: of two stores one may be saved while the other fails")
  func d10OneOfTwoStoresIsSavedWhileTheOtherFails() async {
    await #expect(processExitsWith: .success) {
      signal(SIGXFSZ, SIG_IGN)
      let (coordinator, context) = try openDivided(["One", "Other"])
      let first = try saveHalf(coordinator, context, full: 0)
      let second = try saveHalf(coordinator, context, full: 1)
      precondition(Set([first, second]).contains(.half), "\(first), \(second)")
    }
  }
}

/// How a save into two stores ended, of which one could not be written.
private enum Ending: Hashable {
  /// Nothing was written.
  case nothing
  /// One store was written, and the error names the other.
  case half
}

/// Opens stores that accept everything, with a private-queue context.
private func openDivided(
  _ names: [String]
) throws -> (coordinator: NSPersistentStoreCoordinator, context: NSManagedObjectContext) {
  let directory = try makeSpecDirectory()
  let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SpecModel.divided)
  for name in names {
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: "All",
      at: directory.appendingPathComponent("\(name).sqlite"))
  }
  return (coordinator, context(.privateQueueConcurrencyType, on: coordinator))
}

/// Saves a book into each of two stores, one of which cannot grow, and looks what came of it.
private func saveHalf(
  _ coordinator: NSPersistentStoreCoordinator, _ context: NSManagedObjectContext, full index: Int
) throws -> Ending {
  let full = coordinator.persistentStores[index]
  let free = coordinator.persistentStores[1 - index]
  let logSize = { (store: NSPersistentStore) throws -> Int in
    let path = coordinator.url(for: store).path + "-wal"
    return try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
  }
  return try context.performOnThisThread {
    while try logSize(full) < logSize(free) + 1_000_000 {
      context.book(String(repeating: "long ", count: 20_000), in: full)
      try context.save()
    }
    context.reset()
    let lost = context.book("lost \(index)", in: full)
    let kept = context.book("kept \(index)", in: free)
    let code = try limited(toFileSize: logSize(full)) { () -> Ending in
      let error = errorOf { try context.save() }
      if error?.code != 134040 {
        precondition(error?.code == 134180 && kept.isInserted && lost.isInserted, "\(error as Any)")
        return .nothing
      }
      let affected = error?.userInfo[NSAffectedStoresErrorKey] as? [NSPersistentStore]
      precondition(affected == [full], "\(error as Any)")
      precondition(!kept.hasChanges && !kept.objectID.isTemporaryID)
      precondition(lost.isInserted && lost.objectID.isTemporaryID)
      return .half
    }
    try context.save()
    precondition(!context.hasChanges)
    context.reset()
    let titles = ["kept \(index)", "lost \(index)"]
    let found = try context.fetch(context.books("title IN %@", titles))
    precondition(found.map(\.bookTitle) == titles)
    return code
  }
}

private func errorOf(_ body: () throws -> Void) -> NSError? {
  do { try body() } catch { return error as NSError }
  return nil
}

/// Runs the body while no file of this process may be longer.
private func limited<T>(toFileSize size: Int, _ body: () throws -> T) throws -> T {
  var former = rlimit()
  precondition(getrlimit(fileSizeLimit, &former) == 0)
  var limit = former
  limit.rlim_cur = rlim_t(size)
  precondition(setrlimit(fileSizeLimit, &limit) == 0)
  defer { setrlimit(fileSizeLimit, &former) }
  return try body()
}

#if os(Linux)
  private let fileSizeLimit = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
#else
  private let fileSizeLimit = RLIMIT_FSIZE
#endif
