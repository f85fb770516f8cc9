import ArgumentParser
import Foundation
import PlaygroundKit
import Scenarios

/// Prints the catalogue.
struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List all scenarios.",
    discussion: """
      faultline list
      faultline list --part 2
      faultline list --source "Threading"
      """)

  /// The part to show; all when nil.
  @Option(help: "List only this part of the catalogue, by number.")
  var part: Int?

  /// Words in the title of a source; all when nil.
  @Option(help: "List only scenarios from a document whose title contains this text.")
  var source: String?

  /// How to print, and where to.
  @OptionGroup var page: PageOptions

  /// What `--json` prints for one scenario.
  private struct Entry: Codable {
    var number: Int?
    var slug: String
    var title: String
    var part: Int?
    var partTitle: String?
    var claim: String
    var sources: [Source]
  }

  /// Prints the catalogue.
  func run() throws {
    let cards = try chosen()
    let output = try page.destination()
    if page.json {
      let entries = cards.map { card in
        Entry(
          number: card.number, slug: card.slug, title: card.title, part: card.part?.rawValue,
          partTitle: card.part?.title, claim: card.claim, sources: card.sources)
      }
      try output.write(try Output.json(entries))
    } else if page.plain {
      let lines =
        ["number\tslug\ttitle\tpart"]
        + cards.map { card in
          "\(card.name)\t\(card.slug)\t\(card.title)\t\(card.part?.rawValue ?? 0)"
        }
      try output.write(lines.joined(separator: "\n") + "\n")
    } else {
      let isWhole = part == nil && source == nil
      let anomalies = isWhole ? Matrix.scenarios.map { $0.card } : []
      try output.write(CatalogueList(cards, anomalies: anomalies, page.style).text)
    }
  }

  private func chosen() throws -> [Card] {
    var cards = Catalogue.all.map { $0.card }
    if let part {
      guard Part(rawValue: part) != nil else {
        throw Complaint(
          .usage, "There is no part \(part): give a number from 1 to \(Part.allCases.count).")
      }
      cards = cards.filter { $0.part?.rawValue == part }
    }
    if let source {
      cards = cards.filter { card in
        card.sources.contains { $0.title.localizedCaseInsensitiveContains(source) }
      }
    }
    return cards
  }
}
