import Foundation

/// One article as a plain value: what the raw side reads and writes, and what both sides store.
struct ArticleRow {
  /// The key in the raw table.
  var id: Int64
  /// About twenty letters.
  var name: String
  /// About a hundred and twenty letters.
  var content: String
  /// A number.
  var views: Int64
  /// A moment.
  var timestamp: Date
  /// A fraction.
  var rating: Double
  /// Yes or no.
  var isOpen: Bool

  /// The same articles for the same count, always.
  static func sample(_ count: Int) -> [ArticleRow] {
    (1...Int64(count)).map { number in
      ArticleRow(
        id: number, name: "Article number \(100_000 + number)",
        content: "\(number): "
          + String(repeating: "words of a paragraph ", count: 5 + Int(number % 3)),
        views: number % 1000, timestamp: Date(timeIntervalSinceReferenceDate: Double(number)),
        rating: Double(number % 10) / 2, isOpen: number % 2 == 0)
    }
  }

  /// A number that depends on every column, so that none can be left unread.
  @inline(__always)
  static func fold(
    _ name: String, _ content: String, _ views: Int64, _ timestamp: Date, _ rating: Double,
    _ isOpen: Bool
  ) -> Int64 {
    Int64(name.utf8.count + content.utf8.count) &+ views
      &+ Int64(timestamp.timeIntervalSinceReferenceDate) &+ Int64(rating * 2) &+ (isOpen ? 1 : 0)
  }
}
