import CoreData
import Foundation
import Testing

/// Contexts that wait for each other, which the checker stops with the whole cycle (section B.6).
///
/// Without the checker each of these programs hangs.
@Suite struct DeadlockStops {
  //   one thread                       another
  //   inside X                         inside Y
  //        ────── both are inside ──────
  //   performAndWait on Y …            performAndWait on X …
  @Test("B53: two contexts entered in opposite orders stop with both threads")
  func twoContextsEnteredInOppositeOrdersStop() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      switchCheckerOn()
      let container = try openThrowawayContainer()
      embrace(["importer", "exporter"].map { name in named(name, container) })
    }
    #expect(reachedTheMistake(result))
    for words in [
      "deadlock: 2 threads", "holds    queue \"importer\"", "holds    queue \"exporter\"",
      "waits    for queue \"importer\"", "waits    for queue \"exporter\"", "DeadlockStops.swift:",
    ] {
      #expect(says(result, words), "\(words)")
    }
  }

  @Test("B53: three contexts that wait in a cycle stop with all three threads")
  func threeContextsInACircleStop() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      switchCheckerOn()
      let container = try openThrowawayContainer()
      embrace(["importer", "exporter", "indexer"].map { name in named(name, container) })
    }
    #expect(reachedTheMistake(result))
    #expect(says(result, "deadlock: 3 threads"))
  }

  @Test("B19, B53: contexts entered in one order by everybody are left alone")
  func oneOrderIsLeftAlone() async {
    await #expect(processExitsWith: .success) {
      switchCheckerOn()
      let container = try openThrowawayContainer()
      let first = named("first", container)
      let second = named("second", container)
      DispatchQueue.concurrentPerform(iterations: 4) { _ in
        for _ in 0..<100 { first.performAndWait { second.performAndWait {} } }
      }
    }
  }

  //   main                             background's queue
  //                                    inside a block
  //        ────── both are there ───────
  //   performAndWait on background …   save, whose observer
  //                                    does performAndWait on main …
  @Test("B54: an observer of a save may not wait for the main queue while main waits for the saver")
  func anObserverThatWaitsForMainStops() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      switchCheckerOn()
      let container = try openThrowawayContainer()
      let background = named("background", container)
      _ = NotificationCenter.default.addObserver(
        forName: .NSManagedObjectContextDidSave, object: background, queue: nil
      ) { _ in container.viewContext.performAndWait {} }
      await meetOnMain(background) {
        _ = Author(context: background)
        try? background.save()
      }
    }
    #expect(reachedTheMistake(result))
    for words in ["deadlock: 2 threads", "  main\n", "holds    queue \"main\"", "background"] {
      #expect(says(result, words), "\(words)")
    }
  }

  //   main                             child's queue
  //                                    inside a block
  //        ────── both are there ───────
  //   performAndWait on child …        save, which is a push into the parent on main …
  @Test(
    "B40, B42, B55: a child that needs its main-queue parent stops while main waits for the child",
    arguments: Need.allCases)
  func aChildThatNeedsMainStops(_ need: Need) async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [need] in
      switchCheckerOn()
      let container = try openThrowawayContainer()
      let id = try await MainActor.run {
        let author = Author(context: container.viewContext)
        author.name = "Ada"
        try container.viewContext.save()
        return author.objectID
      }
      let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      child.parent = container.viewContext
      child.name = "child"
      await meetOnMain(child) { need.meet(in: child, id) }
    }
    #expect(reachedTheMistake(result))
    #expect(says(result, "deadlock: 2 threads"))
    #expect(says(result, "(inside queue \"child\")"))
  }

  //   main                             child's queue
  //   save                             merge: asks main for the new row,
  //   performAndWait on child …        and its observer asks for more
  //
  // The merge cannot end before main waits: it needs main, which does nothing else meanwhile.
  @Test(
    "B55, B57, B60: main answers a child's automatic merge while it waits for the child",
    arguments: MergeNeed.allCases)
  func aMergeThatNeedsMainIsAnswered(_ need: MergeNeed) async {
    await #expect(processExitsWith: .success) { [need] in
      switchCheckerOn()
      let container = try openThrowawayContainer()
      try await MainActor.run {
        let main = container.viewContext
        let author = try main.savedAuthor("before")
        let other = try main.savedAuthor("other").objectID
        let child = merging(childOf: main, author.objectID)
        _ = NotificationCenter.default.addObserver(
          forName: .NSManagedObjectContextObjectsDidChange, object: child, queue: nil
        ) { _ in need.meet(in: child, other) }
        author.name = "after"
        try main.save()
        let id = author.objectID
        let name = child.performAndWait { child.author(id)?.name }
        precondition(name == "after", "\(name ?? "nil")")
      }
    }
  }

  //   main                                       grandchild's queue
  //   inside child: save, a push into main       merge: asks the child for the new row,
  //   performAndWait on grandchild …             which asks main, if main is not inside the child
  @Test(
    "B55, B57, B60: at any depth a merge is answered by the thread that waits for it",
    arguments: [false, true])
  func aMergeAtAnyDepthIsAnswered(_ isInsideChild: Bool) async {
    await #expect(processExitsWith: .success) { [isInsideChild] in
      switchCheckerOn()
      let container = try openThrowawayContainer()
      try await MainActor.run {
        let id = try container.viewContext.savedAuthor("before").objectID
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = container.viewContext
        let grandchild = merging(childOf: child, id)
        @Sendable func name() -> String? {
          grandchild.performAndWait { grandchild.author(id)?.name }
        }
        let inside = try child.performAndWait { () throws -> String? in
          child.author(id)?.name = "after"
          try child.save()
          if !isInsideChild { child.reset() }
          return isInsideChild ? name() : nil
        }
        let found = isInsideChild ? inside : name()
        precondition(found == "after", "\(found ?? "nil")")
      }
    }
  }

  //   main                          grandchild's queue        child's queue
  //                                                           a block, which
  //   save inside child …           merge: waits for child    asks main
  //   performAndWait on grandchild
  @Test("B55, B57: main answers a block that holds up the merge which main waits for")
  func aBlockThatHoldsUpAMergeIsAnswered() async {
    await #expect(processExitsWith: .success) {
      switchCheckerOn()
      let container = try openThrowawayContainer()
      try await MainActor.run {
        let main = container.viewContext
        let id = try main.savedAuthor("before").objectID
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = main
        let grandchild = merging(childOf: child, id)
        child.performAndWait {
          child.author(id)?.name = "after"
          try? child.save()
          child.enqueue { _ = try? child.all(Article.self) }
        }
        let name = grandchild.performAndWait { grandchild.author(id)?.name }
        precondition(name == "after", "\(name ?? "nil")")
      }
    }
  }
}

/// What a merge, or its observer, asks of the parent besides the row that it merges.
enum MergeNeed: String, CaseIterable, Codable, Sendable {
  case nothing, refresh, fetch, fault

  /// Asks it, inside the child's queue.
  func meet(in child: NSManagedObjectContext, _ id: NSManagedObjectID) {
    switch self {
    case .nothing: break
    case .refresh:
      for object in child.registeredObjects { child.refresh(object, mergeChanges: true) }
    case .fetch: _ = try? child.all(Author.self)
    case .fault: _ = child.author(id)?.name
    }
  }
}

extension NSManagedObjectContext {
  /// The author of an id.
  fileprivate func author(_ id: NSManagedObjectID) -> Author? { object(with: id) as? Author }
}

/// A private child that merges by itself and holds an author, read before.
private func merging(
  childOf parent: NSManagedObjectContext, _ id: NSManagedObjectID
) -> NSManagedObjectContext {
  let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
  child.parent = parent
  child.name = "merging"
  child.automaticallyMergesChangesFromParent = true
  child.retainsRegisteredObjects = true
  child.performAndWait { precondition(child.author(id)?.name == "before") }
  return child
}

/// What a child asks of its parent.
enum Need: String, CaseIterable, Codable, Sendable {
  case save, fetch, fault

  /// Asks it, inside the child's queue.
  func meet(in child: NSManagedObjectContext, _ id: NSManagedObjectID) {
    switch self {
    case .save:
      _ = Author(context: child)
      try? child.save()
    case .fetch: _ = try? child.all(Author.self)
    case .fault: _ = (child.object(with: id) as? Author)?.name
    }
  }
}

private func named(_ name: String, _ container: NSPersistentContainer) -> NSManagedObjectContext {
  let context = container.newBackgroundContext()
  context.name = name
  return context
}

/// A thread inside each context waits for the next, the last for the first.
private func embrace(_ contexts: [NSManagedObjectContext]) {
  let inside = Gate()
  let go = Gate()
  for (index, context) in contexts.enumerated() {
    let next = contexts[(index + 1) % contexts.count]
    Thread.detachNewThread {
      context.performAndWait {
        inside.open()
        go.pass()
        next.performAndWait {}
      }
    }
  }
  for _ in contexts { inside.pass() }
  nowStops()
  for _ in contexts { go.open() }
  // The report ends the process; finding the lines takes its time on a busy machine.
  for _ in 0..<20 { Gate().pass() }
}

/// Waits on the main thread for a context whose block does `work` when both are there.
private func meetOnMain(
  _ context: NSManagedObjectContext, _ work: @escaping @Sendable () -> Void
) async {
  let inside = Gate()
  let go = Gate()
  context.enqueue {
    inside.open()
    go.pass()
    work()
  }
  await MainActor.run {
    inside.pass()
    nowStops()
    go.open()
    context.performAndWait {}
  }
}
