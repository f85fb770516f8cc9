import CoreData
import Foundation
import PlaygroundKit

/// A scenario whose sides use Dispatch, operations, locks, threads and sleeps, each so little that
/// its orders can be counted by hand. The outcome is the order in which letters were written.
public enum OutsideProbe: Scenario {
  public static let card = Card(
    97, "outside-probe", "Every order of Dispatch", part: .queues, claim: "Every order is seen.",
    question: "In which order?", why: "Because each is run.", given: "nothing",
    guide: "none.md#97")

  public static let parameters: [Parameter] = []
  public static let limit = Duration.seconds(3)
  public static let outcomes = [none, stuck, twice]
  public static let twice = Outcome("TWICE", .forbidden, "two rows were made for one")
  public static let none = Outcome("NONE", .accepted, "nothing was written")
  public static let stuck = Outcome("STUCK", .forbidden, "each waits for another", when: .deadlock)

  public static let sides = programs + small + refused

  private static let small: [Side] = [
    .writing(2, "async", "two serial queues, a block each") { page in
      for letter in "ab" { DispatchQueue(label: "com.\(letter)").async { page.write(letter) } }
    },
    .writing(2, "serial", "a serial queue, two blocks") { page in
      let queue = DispatchQueue(label: "com.x")
      for letter in "ab" { queue.async { page.write(letter) } }
    },
    .writing(2, "concurrent", "a concurrent queue, two blocks") { page in
      let queue = DispatchQueue(label: "com.x", attributes: .concurrent)
      for letter in "ab" { queue.async { page.write(letter) } }
    },
    .writing(4, "barrier", "a barrier between two blocks and one") { page in
      let queue = DispatchQueue(label: "com.x", attributes: .concurrent)
      queue.async { page.write("a") }
      queue.async { page.write("b") }
      queue.async(flags: .barrier) { page.write("|") }
      queue.async { page.write("c") }
    },
    .writing(4, "barrier item", "a work item that is a barrier, between blocks") { page in
      let queue = DispatchQueue(label: "com.x", attributes: .concurrent)
      queue.async { page.write("a") }
      queue.async { page.write("b") }
      queue.async(execute: DispatchWorkItem(flags: .barrier) { page.write("|") })
      queue.async { page.write("c") }
    },
    .writing(2, "early notice", "a work item is to be told of before a queue has it") { page in
      let item = DispatchWorkItem { page.write("i") }
      item.notify(queue: .global()) { page.write("n") }
      DispatchQueue(label: "com.x").async(execute: item)
    },
    .writing(4, "target", "two serial queues that go on to a third") { page in
      let target = DispatchQueue(label: "com.target")
      for letter in "ab" {
        DispatchQueue(label: "com.\(letter)", target: target).async {
          page.write(letter)
          SwitchPoints.pass(touching: "shared")
          page.write(letter)
        }
      }
    },
    .writing(3, "global", "a global queue, three blocks") { page in
      for letter in "abc" { DispatchQueue.global().async { page.write(letter) } }
    },
    .writing(2, "main", "a block for the main queue, one for another") { page in
      DispatchQueue.main.async { page.write("m") }
      DispatchQueue(label: "com.x").async { page.write("a") }
    },
    .writing(2, "sync", "two threads enter one queue") { page in
      let queue = DispatchQueue(label: "com.x")
      DispatchQueue.global().async { queue.sync { page.write("a") } }
      queue.sync { page.write("m") }
    },
    .writing(2, "sync on main", "a block asks for the main queue") { page in
      DispatchQueue.global().async { DispatchQueue.main.sync { page.write("a") } }
      page.write("m")
    },
    .writing(3, "barrier sync", "a block and a caller that wants the queue for itself") { page in
      let queue = DispatchQueue(label: "com.x", attributes: .concurrent)
      queue.async {
        page.write("a")
        SwitchPoints.pass(touching: "shared")
        page.write("a")
      }
      queue.sync(flags: .barrier) { page.write("m") }
    },
    .writing(3, "semaphore", "main waits for a block's signal") { page in
      let semaphore = DispatchSemaphore(value: 0)
      DispatchQueue.global().async {
        page.write("a")
        semaphore.signal()
        page.write("b")
      }
      semaphore.wait()
      page.write("m")
    },
    .writing(2, "semaphore in time", "main waits for a signal, but not for ever") { page in
      let semaphore = DispatchSemaphore(value: 0)
      DispatchQueue.global().async {
        page.write("a")
        semaphore.signal()
      }
      let isThere = semaphore.wait(timeout: .now() + .milliseconds(10)) == .success
      page.write(isThere ? "m" : "t")
    },
    .writing(4, "group", "main waits for two blocks of a group") { page in
      let group = DispatchGroup()
      for letter in "ab" { DispatchQueue.global().async(group: group) { page.write(letter) } }
      group.notify(queue: .global()) { page.write("n") }
      group.wait()
      page.write("m")
    },
    .writing(3, "group of one", "main waits for a block of a group, and is told of it") { page in
      let group = DispatchGroup()
      DispatchQueue.global().async(group: group) { page.write("a") }
      group.notify(queue: .global()) { page.write("n") }
      group.wait()
      page.write("m")
    },
    .writing(3, "item", "main waits for a work item, and is told of it") { page in
      let item = DispatchWorkItem { page.write("a") }
      DispatchQueue(label: "com.x").async(execute: item)
      item.notify(queue: .global()) { page.write("n") }
      item.wait()
      page.write("m")
    },
    .writing(2, "early wait", "a thread waits for a work item that no queue may have yet") { page in
      let item = DispatchWorkItem { page.write("i") }
      nonisolated(unsafe) let awaited = item
      DispatchQueue.global().async {
        awaited.wait()
        page.write("w")
      }
      DispatchQueue(label: "com.x").async(execute: item)
    },
    .writing(1, "cancelled item", "a work item is cancelled, perhaps in time") { page in
      let item = DispatchWorkItem { page.write("a") }
      DispatchQueue(label: "com.x").async(execute: item)
      item.cancel()
      item.wait()
      page.end()
    },
    .writing(3, "after", "two blocks after a time, in the wrong order, and one at once") { page in
      let queue = DispatchQueue(label: "com.x")
      queue.asyncAfter(deadline: .now() + .milliseconds(20)) { page.write("2") }
      queue.asyncAfter(deadline: .now() + .milliseconds(10)) { page.write("1") }
      queue.async { page.write("0") }
    },
    .writing(3, "perform", "three iterations at the same time") { page in
      DispatchQueue.concurrentPerform(iterations: 3) { page.write(["0", "1", "2"][$0]) }
    },
    .writing(2, "operations", "an operation queue of width two") { page in
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 2
      for letter in "ab" { queue.addOperation { page.write(letter) } }
      queue.waitUntilAllOperationsAreFinished()
    },
    .writing(2, "operation", "an operation beside main, which waits for it") { page in
      let queue = OperationQueue()
      queue.addOperation { page.write("a") }
      page.write("m")
      queue.waitUntilAllOperationsAreFinished()
    },
    .writing(2, "barrier block", "an operation that comes after another") { page in
      let queue = OperationQueue()
      queue.addOperation { page.write("a") }
      queue.addBarrierBlock { page.write("|") }
    },
    .writing(3, "one by one", "an operation queue of width one") { page in
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 1
      for letter in "ab" { queue.addOperation { page.write(letter) } }
      queue.waitUntilAllOperationsAreFinished()
      page.write("m")
    },
    .writing(2, "dependency", "an operation that depends on another") { page in
      let queue = OperationQueue()
      let (first, second) = (
        BlockOperation { page.write("1") }, BlockOperation { page.write("2") }
      )
      second.addDependency(first)
      queue.addOperations([second, first], waitUntilFinished: true)
    },
    .writing(4, "lock", "two threads take a lock") { page in
      let lock = NSLock()
      DispatchQueue.global().async {
        lock.withLock {
          page.write("a")
          page.write("a")
        }
      }
      lock.lock()
      page.write("m")
      page.write("m")
      lock.unlock()
    },
    .writing(2, "condition", "main waits until a condition is signalled") { page in
      let condition = NSCondition()
      nonisolated(unsafe) var isThere = false
      DispatchQueue.global().async {
        condition.lock()
        isThere = true
        page.write("a")
        condition.signal()
        condition.unlock()
      }
      condition.lock()
      while !isThere { condition.wait() }
      page.write("m")
      condition.unlock()
    },
    .writing(2, "thread", "a thread beside main") { page in
      let thread = Thread { page.write("a") }
      thread.start()
      page.write("m")
    },
    .writing(2, "sleep", "main sleeps to be late") { page in
      DispatchQueue.global().async { page.write("a") }
      Thread.sleep(forTimeInterval: 1)
      page.write("m")
    },
    .writing(2, "work item inside", "two threads run a work item inside one queue") { page in
      let queue = DispatchQueue(label: "com.x")
      DispatchQueue.global().async { queue.sync(execute: DispatchWorkItem { page.write("a") }) }
      queue.sync(execute: DispatchWorkItem { page.write("m") })
    },
    .writing(2, "enter and leave", "a group that is entered and left") { page in
      let group = DispatchGroup()
      group.enter()
      DispatchQueue.global().async {
        page.write("a")
        group.leave()
      }
      group.wait()
      page.write("m")
    },
    .writing(4, "recursive", "two threads take a lock twice") { page in
      let lock = NSRecursiveLock()
      @Sendable func twice(_ letter: Character) {
        lock.lock()
        page.write(letter)
        lock.withLock { page.write(letter) }
        lock.unlock()
      }
      DispatchQueue.global().async { twice("a") }
      twice("m")
    },
    .writing(2, "usleep", "a block sleeps") { page in
      DispatchQueue.global().async {
        usleep(5)
        page.write("a")
      }
      page.write("m")
    },
    .writing(3, "barrier operation", "an operation that comes after all others") { page in
      let queue = OperationQueue()
      for letter in "ab" { queue.addOperation { page.write(letter) } }
      queue.addBarrierBlock { page.write("|") }
      queue.waitUntilAllOperationsAreFinished()
    },
    .writing(2, "spins", "main asks again and again, and sleeps between") { page in
      let flag = Lock(false)
      DispatchQueue.global().async {
        page.write("a")
        flag.withLock { $0 = true }
      }
      while !flag.withLock({ $0 }) { usleep(10) }
      page.write("m")
    },
    .column("idle threads", "two threads wait for work when the side has ended") { _ in
      for _ in 1...2 { Thread { DispatchSemaphore(value: 0).wait() }.start() }
    },
    .column("kept lock", "a lock of all runs is taken in two orders") { _ in
      let other = NSLock()
      DispatchQueue.global().async { other.withLock { OutsideProbe.shared.withLock {} } }
      OutsideProbe.shared.withLock { other.withLock {} }
    },
    .writing(3, "timer", "main waits until a timer has come twice") { page in
      let (timer, semaphore) = (
        DispatchSource.makeTimerSource(queue: DispatchQueue(label: "com.x")),
        DispatchSemaphore(value: 0)
      )
      nonisolated(unsafe) var count = 0
      timer.setEventHandler {
        page.write("t")
        count += 1
        if count < 2 { return }
        timer.cancel()
        semaphore.signal()
      }
      timer.schedule(deadline: .now() + 0.01, repeating: 0.01)
      timer.resume()
      semaphore.wait()
      page.write("m")
    },
    .column("itself", "a queue waits for itself") { _ in
      let queue = DispatchQueue(label: "com.x")
      DispatchQueue.global().async { queue.sync { queue.sync {} } }
    },
    .column("nobody signals", "a semaphore that nothing signals") { _ in
      func wait() { DispatchSemaphore(value: 0).wait() }
      wait()
    },
    .column("each other", "two queues and a lock wait in a circle") { _ in
      let (one, two) = (DispatchQueue(label: "com.one"), DispatchQueue(label: "com.two"))
      one.async { two.sync {} }
      two.async { one.sync {} }
    },
    .column("await", "main awaits a task that hands it a block") { world in
      let page = Page(world, letters: 2)
      async let handed: Void = Task.detached {
        DispatchQueue.main.async { page.write("b") }
      }.value
      await handed
      page.write("m")
    },
    .column("hop", "main calls a function that hands it a block, elsewhere") { world in
      let page = Page(world, letters: 2)
      await hand(page)
      page.write("m")
    },
    .writing(2, "yield", "a task that yields") { page in
      Task.detached {
        await Task.yield()
        page.write("a")
      }
      page.write("m")
    },
    .writing(2, "task sleep", "a task that sleeps") { page in
      Task.detached {
        try await Task.sleep(for: .seconds(1))
        page.write("a")
      }
      page.write("m")
    },
  ]

  @MainActor public static var model: NSManagedObjectModel { Probe.model }

  public static func observed(_ run: Observation) throws -> Outcome {
    if try run.storedRows(of: "Note") > 1 { return twice }
    guard let order = run.text("order") else { return none }
    return Outcome(order, .accepted, "the order in which the letters came")
  }

  /// Runs elsewhere than the main actor, from where a task comes back in a later turn.
  @concurrent private static func hand(_ page: Page) async {
    DispatchQueue.main.async { page.write("b") }
  }

  /// A lock that every run of a process has.
  static let shared = NSLock()

  /// What the parties write on.
  final class Page: Sendable {
    private let text = Lock("")
    private let world: World
    private let letters: Int
    init(_ world: World, letters: Int) { (self.world, self.letters) = (world, letters) }

    /// The page is as it is to be told.
    func end() { world.observe("order", text.withLock { $0 }) }

    /// Writes a letter; others may go on before.
    func write(_ letter: Character) {
      SwitchPoints.pass(touching: "page")
      let text = text.withLock { text in
        text.append(letter)
        return text
      }
      if text.count == letters { world.observe("order", text) }
    }
  }
}

extension Side {
  /// A side that writes so many letters on a page.
  fileprivate static func writing(
    _ letters: Int, _ name: String, _ heading: String,
    _ body: @escaping @MainActor @Sendable (OutsideProbe.Page) throws -> Void
  ) -> Side {
    .column(name, heading) { world in try body(OutsideProbe.Page(world, letters: letters)) }
  }
}
