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
      faultline list --kind break       exercises in which you find a schedule
      faultline list --todo             exercises that you have not passed

      The kinds: predict what runs do; break: find a schedule that goes wrong; repair code; test: \
      write a test; compile: let wrong callers not compile; measure: keep several limits at once.

      Beside a title stands what you have done: “run”, and of its exercise “started”, the points \
      of your best check, or “passed”.
      """)

  /// The part to show; all when nil.
  @Option(help: "List only this part of the catalogue, by number.")
  var part: Int?

  /// Words in the title of a source; all when nil.
  @Option(help: "List only scenarios from a document whose title contains this text.")
  var source: String?

  /// What there is to do in the exercise; anything when nil.
  @Option(help: "List only scenarios whose exercise is of this kind.")
  var kind: Exercise.Work?

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
    /// Whether `run` has run it here.
    var isRun: Bool
    var exercise: Work?
  }

  /// What `--json` prints for an exercise.
  private struct Work: Codable {
    var kinds: [Exercise.Work]
    var minutes: Int
    var pointsMax: Int
    /// The points of the best check; nil before the first.
    var points: Int?
    var isStarted: Bool
    var isPassed: Bool
  }

  /// Prints the catalogue.
  func run() throws {
    let record = try progress()
    let cards = try chosen(record)
    let output = try page.destination()
    let entries = entries(cards, record)
    let isWhole = part == nil && source == nil && kind == nil && !todo
    if page.json {
      try output.write(try Output.json(entries))
    } else if page.plain {
      let lines =
        ["number\tslug\ttitle\tpart\tkinds\trun\tpoints\tpassed"]
        + zip(cards, entries).map { card, entry in
          [
            card.name, card.slug, card.title, "\(card.part?.rawValue ?? 0)",
            entry.exercise?.kinds.map(\.rawValue).joined(separator: ",") ?? "",
            entry.isRun ? "yes" : "no", entry.exercise?.points.map(String.init) ?? "",
            entry.exercise?.isPassed ?? false ? "yes" : "no",
          ].joined(separator: "\t")
        }
      try output.write(lines.joined(separator: "\n") + "\n")
    } else {
      let states = entries.compactMap { entry in
        entry.number.flatMap { number in Self.state(entry).map { (number, $0) } }
      }
      let list = CatalogueList(
        cards, anomalies: isWhole ? Matrix.scenarios.map { $0.card } : [],
        states: Dictionary(uniqueKeysWithValues: states),
        next: todo ? cards.first.map(next) : nil,
        none: todo ? "Every exercise here is passed." : "No scenario matches.", page.style)
      try output.write(list.text)
    }
  }

  /// What the user has reached. A list without `--todo` does not need it, and is printed anyway.
  private func progress() throws -> ProgressRecord {
    let file = DeskOptions.progress(in: desk.folder)
    do {
      return try file.read()
    } catch {
      if todo { throw error }
      Output.complain("\(error)")
      return ProgressRecord(version: FaultlineCommand.version)
    }
  }

  private func entries(_ cards: [Card], _ record: ProgressRecord) -> [Entry] {
    let run = ScenariosRun.slugs()
    return cards.map { card in
      let exercise = Catalogue.exercises.first { $0.card.number == card.number }
      return Entry(
        number: card.number, slug: card.slug, title: card.title, part: card.part?.rawValue,
        partTitle: card.part?.title, claim: card.claim, sources: card.sources,
        isRun: run.contains(card.slug),
        exercise: exercise.map { exercise in
          let reached = record[exercise]
          return Work(
            kinds: exercise.works, minutes: exercise.minutes, pointsMax: exercise.pointsMax,
            points: reached.points, isStarted: isStarted(exercise), isPassed: reached.isPassed)
        })
    }
  }

  /// What was done about a scenario, in a few words; nil if it is nothing.
  private static func state(_ entry: Entry) -> String? {
    var words = entry.isRun ? ["run"] : []
    if let work = entry.exercise {
      if work.isPassed {
        words.append("passed")
      } else if let points = work.points {
        words.append("\(points) of \(work.pointsMax) points")
      } else if work.isStarted {
        words.append("started")
      }
    }
    return words.isEmpty ? nil : words.joined(separator: " · ")
  }

  private func isStarted(_ exercise: Exercise) -> Bool {
    FileManager.default.fileExists(atPath: desk.desk.file(of: exercise).path)
  }

  private func next(_ card: Card) -> String {
    let exercise = Catalogue.exercises.first { $0.card.number == card.number }
    return exercise.map(isStarted) ?? false
      ? "Check one: faultline check \(card.name)\(desk.dirWords)"
      : "Start one: faultline start \(card.name)\(desk.dirWords)"
  }

  private func chosen(_ record: ProgressRecord) throws -> [Card] {
    var cards = Catalogue.all.map { $0.card }
    if todo || kind != nil {
      cards = Catalogue.exercises.filter { exercise in
        !(todo && record[exercise].isPassed) && kind.map(exercise.works.contains) ?? true
      }.map(\.card)
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

extension Exercise.Work: ExpressibleByArgument {}
