import Foundation

/// The catalogue as a page: parts with the scenarios under them, then the anomalies of the matrix.
public struct CatalogueList {
  private let cards: [Card]
  private let anomalies: [Card]
  private let states: [Int: String]
  private let next: String
  private let none: String
  private let style: PageStyle

  /// Prepares the list of some scenarios and of the anomalies that only a matrix runs, with what
  /// the user has done about the scenarios, by their numbers, with the line under it, and with what
  /// is said if there is nothing to list.
  public init(
    _ cards: [Card], anomalies: [Card] = [], states: [Int: String] = [:], next: String? = nil,
    none: String = "No scenario matches.", _ style: PageStyle = PageStyle()
  ) {
    self.cards = cards
    self.anomalies = anomalies
    self.states = states
    self.next = next ?? "Run one: faultline run \(cards.first?.name ?? "8")"
    self.none = none
    self.style = style
  }

  /// The whole list, ending with a line break.
  public var text: String {
    guard !cards.isEmpty else { return none + "\n" }
    var lines: [String] = []
    for part in Part.allCases {
      let cards = cards.filter { $0.part == part }
      guard !cards.isEmpty else { continue }
      if !lines.isEmpty { lines.append("") }
      lines.append("Part \(part.rawValue) · \(part.title)")
      lines += cards.flatMap(entry)
    }
    if !anomalies.isEmpty {
      lines += [""]
      lines += Wrapping.hanging(
        "", "Matrix · each anomaly in every stack, under every merge policy", width: style.width)
      lines += anomalies.flatMap(entry)
    }
    lines += ["", next]
    if !anomalies.isEmpty {
      lines += Wrapping.hanging(
        "",
        "Explore an anomaly: faultline matrix --anomaly \(MatrixLine.anomaly(anomalies[0].slug))",
        width: style.width)
    }
    if style.ascii { lines = lines.map(PageStyle.ascii) }
    return lines.joined(separator: "\n") + "\n"
  }

  private func entry(_ card: Card) -> [String] {
    let number = "  " + card.heading.dropLast(card.title.count)
    let indent = String(repeating: " ", count: number.count)
    let state = card.number.flatMap { states[$0] }
    let title =
      state.map { style.justified(number + card.title, $0) }
      ?? Wrapping.hanging(number, card.title, width: style.width)
    return title + Wrapping.hanging(indent, card.claim, width: style.width)
  }
}
