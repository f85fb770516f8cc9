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
