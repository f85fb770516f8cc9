import Foundation
import TestSupport
import Testing

@testable import Faultline

/// Runs every party at once on the one thread and writes down where the engine stood.
private final class RecordingHook: SchedulingHook {
  let points = Lock<[SwitchPoint]>([])
  let written = Lock<Set<SharedThing>>([])
  let values = Lock<[[ToldValue]]>([])
  let changes = Lock<[ToldChange]>([])
  let seed = Lock<UInt64>(1)
  let now = Lock<UInt64>(42)
  let party = Lock<UInt>(1)
  let onReach = Lock<(@Sendable (SwitchPoint) -> Void)?>(nil)
  let onWrite = Lock<(@Sendable (SharedThing) -> Void)?>(nil)

  func reach(_ point: SwitchPoint, subject: String) {
    points.withLock { $0.append(point) }
    onReach.withLock { $0 }?(point)
  }
  var wantsValues: Bool { true }
  func note(_ change: ToldChange) { changes.withLock { $0.append(change) } }
  func touch(_ thing: SharedThing, isWrite: Bool, version: Int64?, values: [ToldValue]) {
    if !values.isEmpty { self.values.withLock { $0.append(values) } }
    guard isWrite else { return }
    written.withLock { _ = $0.insert(thing) }
    onWrite.withLock { $0 }?(thing)
  }
  func enter(_ queue: SerialQueue) {}
  func leave(_ queue: SerialQueue) {}
  func charge(_ work: EngineCounters.Name, _ amount: Int) {}
  func start(_ body: @escaping @Sendable () -> Void, on queue: SerialQueue) { body() }
  func park(_ token: UInt64, for queue: SerialQueue) {
    preconditionFailure("nobody can wait on one thread")
  }
  func unpark(_ token: UInt64) {}
  var currentParty: UInt { party.withLock { $0 } }
  func name(of party: UInt) -> String? { nil }
  var nowNanoseconds: UInt64 { now.withLock { $0 } }
  func random() -> UInt64 {
    seed.withLock { seed in
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return seed
    }
  }
}

@Suite struct SchedulingHookTests {
  @Test("Under a hook a save passes its switch points in order, and time and ids are the hook's")
  func aSavePassesItsSwitchPointsInOrder() async {
    await #expect(processExitsWith: .success) {
      let hook = RecordingHook()
      Scheduling.install(hook)
      let store = try TestStore()
      defer { store.remove() }
      let context = store.container.newBackgroundContext()
      context.performAndWait {
        Note(context: context).number = 1
        hook.points.withLock { $0 = [] }
        try? context.save()
      }
      let saves = hook.points.withLock { $0 }.filter {
        if case .save = $0 { true } else { false }
      }
      let expected: [SwitchPoint] = [
        .save(.willSave), .save(.validated), .save(.begin), .save(.row), .save(.commit),
        .save(.committed),
      ]
      precondition(saves == expected, "\(saves)")
      let written = hook.written.withLock { $0 }
      precondition(written.contains(.rows(of: "Note")), "a commit tells whose rows it wrote")
      precondition(written.contains(.row(of: "Note", key: 1)), "\(written)")
      let change = hook.changes.withLock { $0 }.first
      precondition(change?.row == "new Note" && change?.kind == .inserted, "\(change as Any)")
      precondition(change?.fields.contains { $0.name == "number" && $0.own == "1" } == true)
      let values = hook.values.withLock { $0 }.joined()
      precondition(values.contains(ToldValue(name: "number", text: "1")), "\(Array(values))")
      precondition(Scheduling.nowNanoseconds == 42)
      precondition(Scheduling.date.timeIntervalSinceReferenceDate > 788_918_399)
      let ran = Lock(false)
      context.perform { ran.withLock { $0 = true } }
      precondition(ran.withLock { $0 }, "the hook starts parties, nobody else")
    }
  }

  @Test("Under a hook its time decides how old a cached row is")
  func theHooksTimeDecidesHowOldACachedRowIs() async {
    await #expect(processExitsWith: .success) {
      let hook = RecordingHook()
      Scheduling.install(hook)
      let store = try TestStore()
      defer { store.remove() }
      let context = store.container.newBackgroundContext()
      let holder = store.container.newBackgroundContext()
      let outside = try TestStore.open(store.url).newBackgroundContext()
      try context.performAndWait {
        context.stalenessInterval = 10
        let note = Note(context: context)
        note.title = "old"
        try context.save()
        context.refresh(note, mergeChanges: false)
        precondition(note.title == "old", "read now")
        let held = try holder.fetch(NSFetchRequest<Note>(entityName: "Note"))
        let theirs = try outside.fetch(NSFetchRequest<Note>(entityName: "Note"))
        theirs[0].title = "new"
        try outside.save()
        for (age, title) in [(UInt64(10_000_000_000), "old"), (1, "new")] {
          hook.now.withLock { $0 += age }
          context.refresh(note, mergeChanges: false)
          precondition(note.title == title, "\(age)")
        }
        precondition(held.count == 1)
      }
    }
  }

  @Test("C12: metadata that are set while a save commits are written by the next one")
  func metadataThatAreSetDuringACommitAreWrittenByTheNextSave() async {
    await #expect(processExitsWith: .success) {
      let hook = RecordingHook()
      Scheduling.install(hook)
      let store = try TestStore()
      defer { store.remove() }
      let persistent = store.container.persistentStoreCoordinator.persistentStores[0]
      let context = store.container.newBackgroundContext()
      try context.performAndWait {
        persistent.metadata = ["owner": "Ada"]
        hook.onReach.withLock {
          $0 = { if $0 == .save(.commit) { persistent.metadata = ["owner": "Grace"] } }
        }
        for owner in ["Ada", "Grace"] {
          Note(context: context).number = 1
          try context.save()
          hook.onReach.withLock { $0 = nil }
          let inFile = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSSQLiteStoreType, at: store.url)
          precondition(inFile["owner"] as? String == owner, "\(inFile)")
        }
      }
    }
  }

  @Test("A batch request tells which rows it wrote, and counts as writing every entity")
  func aBatchRequestTellsItsRows() async {
    await #expect(processExitsWith: .success) {
      let hook = RecordingHook()
      Scheduling.install(hook)
      let store = try TestStore()
      defer { store.remove() }
      let context = store.container.newBackgroundContext()
      let update = NSBatchUpdateRequest(entityName: "Note")
      update.propertiesToUpdate = ["number": 2]
      let delete = NSBatchDeleteRequest(fetchRequest: Note.fetchRequest())
      try context.performOnThisThread {
        Note(context: context).number = 1
        try context.save()
        for request in [update, delete] {
          hook.written.withLock { $0 = [] }
          try context.execute(request)
          let written = hook.written.withLock { $0 }
          precondition(written.isSuperset(of: [.row(of: "Note", key: 1), .allRows]), "\(written)")
        }
      }
    }
  }

  @Test("A fetch that puts a newer row into the row cache tells that it has written rows")
  func aFetchThatRenewsTheRowCacheTellsIt() async {
    await #expect(processExitsWith: .success) {
      let hook = RecordingHook()
      Scheduling.install(hook)
      let store = try TestStore()
      defer { store.remove() }
      let holder = store.container.newBackgroundContext()
      let reader = store.container.newBackgroundContext()
      let update = NSBatchUpdateRequest(entityName: "Note")
      update.propertiesToUpdate = ["number": 2]
      try holder.performOnThisThread {
        let note = Note(context: holder)
        try holder.save()
        try holder.execute(update)
        for expected in [true, false] {
          hook.written.withLock { $0 = [] }
          let read = try reader.performOnThisThread {
            try reader.fetch(NSFetchRequest<Note>(entityName: "Note"))
          }
          let written = hook.written.withLock { $0 }
          precondition(written.contains(.rows(of: "Note")) == expected, "\(written)")
          precondition(read.count == 1 && note.number == 0)
        }
      }
    }
  }

  @Test("D33: who reads a row before its save has shared it holds the row that the save shares")
  func whoReadsARowBeforeItsSaveHasSharedItHoldsTheSameRow() async {
    await #expect(processExitsWith: .success) {
      let hook = RecordingHook()
      Scheduling.install(hook)
      let store = try TestStore()
      defer { store.remove() }
      let (saver, reader) = (
        store.container.newBackgroundContext(), store.container.newBackgroundContext()
      )
      let outside = try TestStore.open(store.url).newBackgroundContext()
      let read = Lock<[Note]>([])
      hook.onWrite.withLock {
        $0 = { thing in
          guard thing == .rows(of: "Note"), read.withLock({ $0.isEmpty }) else { return }
          hook.party.withLock { $0 = 2 }
          reader.performAndWait {
            let notes = (try? reader.fetch(NSFetchRequest<Note>(entityName: "Note"))) ?? []
            read.withLock { $0 = notes }
          }
          hook.party.withLock { $0 = 1 }
        }
      }
      try saver.performAndWait {
        Note(context: saver).title = "saved"
        try saver.save()
      }
      let note = read.withLock { $0 }[0]
      try outside.performAndWait {
        try outside.fetch(NSFetchRequest<Note>(entityName: "Note"))[0].title = "outside"
        try outside.save()
      }
      try reader.performOnThisThread {
        note.title = "mine"
        do {
          try reader.save()
          preconditionFailure("two have changed the row")
        } catch let error as CocoaError {
          let conflict = (error.userInfo["conflictList"] as? [NSMergeConflict])?.first
          precondition(conflict?.persistedSnapshot?["title"] as? String == "outside")
          precondition(conflict?.cachedSnapshot?["title"] as? String == "saved")
        }
      }
    }
  }

  @Test("A child counts, and saves, inside its parent's queue")
  func aChildCountsInsideItsParentsQueue() async {
    await #expect(processExitsWith: .success) {
      let hook = RecordingHook()
      Scheduling.install(hook)
      let store = try TestStore()
      defer { store.remove() }
      let parent = store.container.newBackgroundContext()
      let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      child.parent = parent
      try child.performAndWait {
        hook.points.withLock { $0 = [] }
        let count = try child.count(for: NSFetchRequest<Note>(entityName: "Note"))
        precondition(count == 0)
        let points = hook.points.withLock { $0 }
        precondition(points.starts(with: [.fetch, .queueWait, .blockBegan]), "\(points)")
        Note(context: child).number = 1
        try child.save()
        let told = hook.written.withLock { $0 }.contains {
          if case .object("Note", _, parent.queue.number) = $0 { true } else { false }
        }
        precondition(told, "a save into a parent tells which objects it changed there")
      }
    }
  }

  @Test("A reader that comes while another is on its way in takes another place")
  func aReaderOnItsWayInHasItsPlace() async {
    await #expect(processExitsWith: .success) {
      let hook = RecordingHook()
      Scheduling.install(hook)
      let turns = ReaderTurns(2, label: "test")
      let places = Lock<[String]>([])
      let read: @Sendable () -> Void = {
        turns.sync { places.withLock { $0.append(SerialQueue.current?.label ?? "none") } }
      }
      hook.onReach.withLock {
        $0 = { point in
          guard point == .queueWait, hook.party.withLock({ $0 }) == 1 else { return }
          hook.party.withLock { $0 = 2 }
          read()
          hook.party.withLock { $0 = 1 }
        }
      }
      read()
      let taken = places.withLock { $0 }
      precondition(taken == ["reader 2 of test", "reader 1 of test"], "\(taken)")
    }
  }
}
