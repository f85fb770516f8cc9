import Foundation

/// One article as a plain value: what the raw side reads and writes, and what all sides store.
struct ArticleRow: Codable {
  /// The key in tables that have none of their own.
  var id: Int64
  /// About twenty letters.
  var name: String
  /// About a hundred and twenty letters, or four thousand.
  var content: String
  /// A number.
  var views: Int64
  /// A moment.
  var timestamp: Date
  /// Who wrote it: one of a hundred.
  var authorID: Int64

  /// How many authors there are.
  static let authors: Int64 = 100

  /// The same articles for the same count, always.
  static func sample(_ count: Int, contentLength: Int? = nil) -> [ArticleRow] {
    (1...Int64(count)).map { number in
      let words = contentLength.map { $0 / 21 } ?? 5 + Int(number % 3)
      return ArticleRow(
        id: number, name: "Article number \(100_000 + number)",
        content: "\(number): " + String(repeating: "words of a paragraph ", count: words),
        views: number % 1000, timestamp: Date(timeIntervalSinceReferenceDate: Double(number)),
        authorID: number % authors)
    }
  }

  /// A number that depends on every column, so that none can be left unread.
  @inline(__always)
  static func fold(
    _ name: String, _ content: String, _ views: Int64, _ timestamp: Date, _ authorID: Int64
  ) -> Int64 {
    Int64(name.utf8.count + content.utf8.count) &+ views
      &+ Int64(timestamp.timeIntervalSinceReferenceDate) &+ authorID
  }

  /// The number of this article.
  var folded: Int64 { Self.fold(name, content, views, timestamp, authorID) }
}

/// Orders that are the same in every run.
enum Shuffle {
  /// The elements in an order without pattern.
  static func of<Element>(_ elements: [Element]) -> [Element] {
    var result = elements
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    for index in stride(from: result.count - 1, to: 0, by: -1) {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      result.swapAt(index, Int((state >> 33) % UInt64(index + 1)))
    }
    return result
  }
}
