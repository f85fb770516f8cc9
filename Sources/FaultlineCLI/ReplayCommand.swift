import ArgumentParser
import Foundation
import PlaygroundKit
import Scenarios

/// Runs one schedule again, exactly.
struct ReplayCommand: PageCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay", abstract: "Run one schedule again, step by step, by its id.",
    usage: "faultline replay [<folder>] <id> [<options>]",
    discussion: """
      faultline replay s3-27-K8C8-W
      faultline replay s3-27-K8C8-W --explain
      faultline replay s3-27-K8C8-W --side right
      faultline replay s3-27-9XR-P --minimise

      `faultline explore` prints ids. If you explored with --set, replay with the same --set. \
      The exit code is 1 when the outcome is not declared, or when a right side has a forbidden \
      outcome, and 5 when the run reaches its limit of steps.
      """)

  /// The schedule, and which side it is run on.
  @OptionGroup var order: OrderOptions

  /// The last step to print.
  @Option(parsing: .unconditional, help: "Print only the steps up to this one.")
  var until: String?

  /// Whether a smaller schedule is looked for.
  @Flag(help: "Look for a smaller schedule with the same outcome.")
  var minimise = false

  /// Whether the explanation is printed.
  @Flag(help: "Explain the outcome from what the steps read and wrote.")
  var explain = false

  /// How to print, and where to.
  @OptionGroup var page: PageOptions

  /// Runs the schedule and prints what happened.
  func run() throws {
    _ = try lastStep()
    let output = try page.destination()
    let status = try replayed { found in
      try output.write(try printed(found))
      return found.replay.status
    }
    if status != .done { throw Leave(status: status) }
  }

  func text(_ style: PageStyle) throws -> String {
    let last = try lastStep()
    return try replayed { text($0, until: last, style) }
  }

  /// A schedule that was run, and if it was made smaller, which choices it needs and what it was.
  private struct Found {
    var replay: Replay
    var needed: Set<Int>?
    var minimisedFrom: ScheduleID?
  }

  private func printed(_ found: Found) throws -> String {
    let replay = found.replay
    if page.json {
      return try Output.json(
        ReplayRecord(replay, needed: found.needed, minimisedFrom: found.minimisedFrom))
    }
    if page.plain { return PlainReplay(replay).text }
    if page.quiet { return "\(replay.id): \(replay.trace.outcome)\n" }
    return text(found, until: try lastStep(), page.style)
  }

  /// Whether a page is printed, which marks the choices that the outcome depends on.
  private var printsPage: Bool { !page.json && !page.plain && !page.quiet }

  private func text(_ found: Found, until last: Int?, _ style: PageStyle) -> String {
    ReplayPage(
      found.replay, needed: found.needed ?? [], minimisedFrom: found.minimisedFrom, until: last,
      explains: explain, style
    ).text
  }

  /// Runs the schedule, and makes it smaller first if that is asked for.
  private func replayed<R>(_ body: (Found) throws -> R) throws -> R {
    try order.withReplayer(for: "replay") { replayer, id in
      let minimiser = Minimiser(replayer.run)
      var found = Found(replay: try order.replay(id, with: replayer))
      if minimise {
        let schedule = try minimiser.minimised(id.schedule)
        found = Found(
          replay: try replayer.replay(schedule), needed: try minimiser.needed(schedule),
          minimisedFrom: replayer.id(of: id.schedule))
      } else if printsPage {
        found.needed = try minimiser.needed(found.replay.trace.schedule)
      }
      let result = try body(found)
      Output.keep([found.replay.id] + (found.minimisedFrom.map { [$0] } ?? []))
      return result
    }
  }

  private func lastStep() throws(Complaint) -> Int? {
    guard let until else { return nil }
    guard let last = Int(until), last > 0 else {
      throw Complaint(.usage, "--until \(until): give the number of a step, 1 or more.")
    }
    return last
  }
}

/// A schedule by its id, and which side it is run on.
struct OrderOptions: ParsableArguments {
  /// The id, as typed, after the folder if it is one of the learner's code.
  @Argument(
    help: ArgumentHelp(
      "The id of a schedule, as explore prints it; before it a folder of yours.",
      valueName: "id"))
  var words: [String] = []

  /// Whether an id of other code is run on today's.
  @Flag(help: "Make the choices of an id of other code in the code that is there now.")
  var anyway = false

  /// The side to run instead of the side in the id.
  @Option(help: "Run the same schedule on this side.")
  var side: String?

  /// Parameters with their values.
  @OptionGroup var settings: SettingOptions

  /// Does something with the runs of the chosen side.
  func withReplayer<R>(
    for command: String, _ body: (Replayer, ScheduleID) throws -> R
  ) throws -> R {
    guard (1...2).contains(words.count), let last = words.last else {
      throw Complaint(
        .usage,
        "Give the id of a schedule, as `faultline explore` prints it; before it the folder"
          + " if it is one of your code.")
    }
    let folder = try words.count == 2 ? LearnerFolder(words[0], among: Catalogue.exercises) : nil
    if words.count == 2, folder == nil {
      throw Complaint(
        .usage, "\(words[0]) is not a folder of yours: give the id of a schedule alone.")
    }
    try folder?.checkIsSide()
    if words.count == 1, let folder = try LearnerFolder(last, among: Catalogue.exercises) {
      try folder.checkIsSide()
      throw Complaint(
        .usage, "Give an id after \(last), as `faultline explore \(last)` prints it.")
    }
    let id = try ScheduleShelf().id(last)
    if let folder = try folder ?? Self.here(for: id) {
      Replayer.trouble.map(Output.complain)
      return try folder.withScenario { scenario in
        let side = try Replayer.side(self.side, in: scenario, of: id, anyway: anyway)
        return try Replayer.with(
          scenario, side: side, parameters: try settings.values(for: [scenario])
        ) { try body($0, id) }
      }
    }
    let (scenario, side) = try Replayer.target(
      of: id, side: side, in: Catalogue.everything,
      words: "\(command) \(Self.near(id)?.quotedForShell ?? "my-race")")
    ChosenScenario.tellTrouble(with: [scenario])
    Replayer.trouble.map(Output.complain)
    return try Replayer.with(
      scenario, side: side, parameters: try settings.values(for: [scenario])
    ) { try body($0, id) }
  }

  /// The current folder, for an id of a learner's code, if it holds such code.
  private static func here(for id: ScheduleID) throws -> LearnerFolder? {
    guard case .source = id.subject else { return nil }
    return try? LearnerFolder(".", among: Catalogue.exercises)
  }

  /// A folder below the current one, or below that of the exercises, that holds the code of an id.
  private static func near(_ id: ScheduleID) -> String? {
    for around in ["", "exercises/"] {
      let names = try? FileManager.default.contentsOfDirectory(atPath: around + ".")
      for path in (names ?? []).sorted().map({ around + $0 }) {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder),
          isFolder.boolValue, let folder = try? LearnerFolder(path, among: Catalogue.exercises)
        else { continue }
        if folder.subject == id.subject { return path }
      }
    }
    return nil
  }

  /// Runs the schedule; on its own side every turn of it must be possible.
  func replay(_ id: ScheduleID, with replayer: Replayer) throws -> Replay {
    let replay = try replayer.replay(id.schedule)
    guard replay.fits || replay.id != id else {
      throw Complaint(
        .input,
        "\(id) asks for a choice that the run does not offer: \(replay.scenario.name) or its --set"
          + " values have changed since the id was made.")
    }
    return replay
  }
}
