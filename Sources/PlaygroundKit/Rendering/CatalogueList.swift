import Foundation

/// The catalogue as a page: parts with the scenarios under them.
public struct CatalogueList {
  private let cards: [Card]
  private let style: PageStyle

  /// Prepares the list of some scenarios.
  public init(_ cards: [Card], _ style: PageStyle = PageStyle()) {
    self.cards = cards
    self.style = style
  }

  /// The whole list, ending with a line break.
  public var text: String {
    guard !cards.isEmpty else { return "No scenario fits.\n" }
    var lines: [String] = []
    for part in Part.allCases {
      let cards = cards.filter { $0.part == part }
      guard !cards.isEmpty else { continue }
      if !lines.isEmpty { lines.append("") }
      lines.append("Part \(part.rawValue) · \(part.title)")
      for card in cards {
        let number = String(format: "  %02d  ", card.number)
        lines += Wrapping.hanging(number, card.title, width: style.width)
        lines += Wrapping.hanging("      ", card.claim, width: style.width)
      }
    }
    lines += ["", "Run one: faultline run \(cards[0].number)"]
    if style.ascii { lines = lines.map(PageStyle.ascii) }
    return lines.joined(separator: "\n") + "\n"
  }
}
