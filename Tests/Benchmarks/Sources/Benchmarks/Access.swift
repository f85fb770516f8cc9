import Dispatch
import Faultline
import Foundation

/// What single calls cost, in nanoseconds a call; loops of many calls over a few realised objects.
enum Access {
  /// What is measured, with the figure it must not exceed; nil for a floor to compare with.
  static let figures: [(name: String, target: Double?)] = [
    ("get Int64 through @Managed", 12), ("get String through @Managed", 12),
    ("set Int64 through @Managed", 25), ("set String through @Managed", 25),
    ("value(forKey:) of Int64", 60), ("value(forKey:) of String", 60),
    ("performAndWait, uncontended", 90), ("floor: DispatchQueue.sync", nil),
    ("floor: NSLock", nil),
  ]

  /// Measures all of them once.
  static func measure(file: URL) throws -> [Double] {
    let side = try EnginePeer(file)
    var results: [Double] = try side.context.performAndWait {
      let articles = Array(try side.load().prefix(64))
      for article in articles { precondition(!article.name.isEmpty) }
      return properties(articles)
    }
    let context = side.context
    var count = 0
    results.append(each(1_000_000) { _ in context.performAndWait { count += 1 } })
    let queue = DispatchQueue(label: "floor")
    results.append(each(1_000_000) { _ in queue.sync { count += 1 } })
    let lock = NSLock()
    results.append(each(1_000_000) { _ in lock.withLock { count += 1 } })
    precondition(count == 3_000_000)
    return results
  }

  private static func properties(_ articles: [Article]) -> [Double] {
    var sum: Int64 = 0
    let text = "Another name, of some length"
    var results: [Double] = []
    results.append(each(4_000_000) { sum &+= articles[$0 & 63].views })
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

  @inline(__always)
  private static func each(_ count: Int, _ body: (Int) -> Void) -> Double {
    let measurement = Measurement.of {
      for index in 0..<count { body(index) }
      return Tally(checksum: 0)
    }
    return measurement.wall / Double(count)
  }
}
