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
      faultline list --todo             exercises that you have not passed
      """)

  /// The part to show; all when nil.
  @Option(help: "List only this part of the catalogue, by number.")
  var part: Int?

  /// Words in the title of a source; all when nil.
  @Option(help: "List only scenarios from a document whose title contains this text.")
  var source: String?

  /// Whether only exercises are listed that are not passed.
  @Flag(help: "List only scenarios whose exercise you have not passed.")
  var todo = false

  /// Where the learner's exercises are.
  @OptionGroup var desk: DeskOptions

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
      let isWhole = part == nil && source == nil && !todo
      let anomalies = isWhole ? Matrix.scenarios.map { $0.card } : []
      let list = CatalogueList(
        cards, anomalies: anomalies, next: todo ? cards.first.map(next) : nil,
        none: todo ? "Every exercise here is passed." : "No scenario matches.", page.style)
      try output.write(list.text)
    }
  }

  private func next(_ card: Card) -> String {
    let exercise = Catalogue.exercises.first { $0.card.number == card.number }
    let isStarted = exercise.map {
      FileManager.default.fileExists(atPath: desk.desk.file(of: $0).path)
    }
    return isStarted ?? false
      ? "Check one: faultline check \(card.name)\(desk.dirWords)"
      : "Start one: faultline start \(card.name)\(desk.dirWords)"
  }

  private func chosen() throws -> [Card] {
    if desk.typed != nil, !todo {
      throw Complaint(.usage, "--dir says where your exercises are: it goes with --todo.")
    }
    var cards = Catalogue.all.map { $0.card }
    if todo {
      let record = try DeskOptions.progress(in: desk.folder).read()
      cards = Catalogue.exercises.filter { !record[$0].isPassed }.map(\.card)
    }
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
