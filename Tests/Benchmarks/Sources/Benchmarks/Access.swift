import Dispatch
import Faultline
import Foundation

/// What single calls cost, in nanoseconds a call; loops of many calls over realised objects.
enum Access {
  /// What is measured, with the figure it must not exceed; nil for a floor to compare with.
  static let figures: [(name: String, target: Double?)] = [
    ("get Int64 through @Managed", 12), ("get String through @Managed", 12),
    ("set Int64 through @Managed", 25), ("set String through @Managed", 25),
    ("value(forKey:) of Int64", 60), ("value(forKey:) of String", 60),
    ("first set of an unchanged object, beyond a set", 35),
    ("child save, an object changed", 60),
    ("performAndWait, uncontended", 90), ("await perform on a free context", 200),
    ("perform, until it returns", 400),
    ("floor: String of 28 bytes", nil), ("floor: NSNumber as? Int64", nil),
    ("floor: await DispatchQueue.async", nil), ("floor: DispatchQueue.sync", nil),
    ("floor: NSLock", nil),
    ("get Int64 with the queue checker on, beyond a get", 25),
  ]

  /// Measures all of them once but the last, which takes a process with the checker on.
  static func measure(file: URL) throws -> [Double] {
    let side = try EnginePeer(file)
    let context = side.context
    return try context.performAndWait {
      let articles = Array(try side.load().prefix(64))
      for article in articles { precondition(!article.name.isEmpty) }
      return properties(articles)
    } + [try firstSet(side), try childSave(side)] + blocks(context) + floors()
  }

  /// What a get costs in this process.
  static func measureGet(file: URL) throws -> Double {
    let side = try EnginePeer(file)
    return try side.context.performAndWait {
      let articles = Array(try side.load().prefix(64))
      return get(articles)
    }
  }

  private static func get(_ articles: [Article]) -> Double {
    var sum: Int64 = 0
    defer { precondition(sum != 0) }
    return each(4_000_000) { sum &+= articles[$0 & 63].views }
  }

  private static func properties(_ articles: [Article]) -> [Double] {
    var sum: Int64 = 0
    let text = "Another name, of some length"
    var results = [get(articles)]
    results.append(each(4_000_000) { sum &+= Int64(articles[$0 & 63].name.utf8.count) })
    results.append(each(4_000_000) { articles[$0 & 63].views = Int64($0) })
    results.append(each(4_000_000) { articles[$0 & 63].name = text })
    results.append(
      each(1_000_000) { sum &+= (articles[$0 & 63].value(forKey: "views") as? Int64) ?? 0 })
    results.append(
      each(1_000_000) {
        sum &+= Int64((articles[$0 & 63].value(forKey: "name") as? String)?.utf8.count ?? 0)
      })
    precondition(sum != 0)
    return results
  }

  private static func firstSet(_ side: EnginePeer) throws -> Double {
    try side.context.performAndWait {
      side.context.reset()
      let articles = try side.load()
      let (first, again) = (set(articles, 1), set(articles, 2))
      side.context.rollback()
      return first - again
    }
  }

  private static func set(_ articles: [Article], _ addend: Int64) -> Double {
    each(articles.count) { articles[$0].views = Int64($0) + addend }
  }

  private static func childSave(_ side: EnginePeer) throws -> Double {
    let parents = try side.context.performAndWait { try side.load() }
    defer { withExtendedLifetime(parents) {} }
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = side.context
    return try child.performAndWait {
      let articles = try child.fetch(NSFetchRequest<Article>(entityName: "Article"))
      _ = set(articles, 3)
      return try Measurement.of {
        try child.save()
        return Tally(checksum: 0)
      }.wall / Double(articles.count)
    }
  }

  private static func blocks(_ context: NSManagedObjectContext) -> [Double] {
    let counter = Counter()
    let direct = each(1_000_000) { _ in context.performAndWait { counter.count += 1 } }
    let awaited = awaiting { await context.perform { counter.count += 1 } }
    let queued = each(200_000) { _ in context.perform { counter.count += 1 } }
    context.performAndWait { precondition(counter.count == 1_250_000) }
    return [direct, awaited, queued]
  }

  /// A number that is counted up in one queue at a time.
  private final class Counter: @unchecked Sendable {
    var count = 0
    var nanoseconds = 0.0
  }

  /// Nanoseconds of something that a task awaits, one after the other.
  private static func awaiting(_ body: @escaping @Sendable () async -> Void) -> Double {
    let (result, done) = (Counter(), DispatchSemaphore(value: 0))
    Task.detached {
      let start = ContinuousClock.now
      for _ in 0..<50_000 { await body() }
      result.nanoseconds = start.duration(to: .now) / .nanoseconds(1) / 50_000
      done.signal()
    }
    done.wait()
    return result.nanoseconds
  }

  private static func floors() -> [Double] {
    var (sum, count) = (0, 0)
    let bytes = Array("Another name, of some length".utf8)
    let text = each(4_000_000) {
      sum &+= String(decoding: bytes[...], as: UTF8.self).utf8.count &+ $0
    }
    let number = each(1_000_000) { sum &+= Int((boxed($0) as? Int64) ?? 0) }
    let queue = DispatchQueue(label: "floor")
    let awaited = awaiting {
      await withCheckedContinuation { next in queue.async { next.resume() } }
    }
    let dispatch = each(1_000_000) { _ in queue.sync { count += 1 } }
    let lock = NSLock()
    let locked = each(1_000_000) { _ in lock.withLock { count += 1 } }
    precondition(count == 2_000_000 && sum != 0)
    return [text, number, awaited, dispatch, locked]
  }

  @inline(never)
  private static func boxed(_ number: Int) -> Any { NSNumber(value: Int64(number)) }

  @inline(__always)
  private static func each(_ count: Int, _ body: (Int) -> Void) -> Double {
    let measurement = Measurement.of {
      for index in 0..<count { body(index) }
      return Tally(checksum: 0)
    }
    return measurement.wall / Double(count)
  }
}
