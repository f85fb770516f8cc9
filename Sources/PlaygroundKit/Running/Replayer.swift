import Foundation

/// Runs schedules of one side, each exactly as its id says.
public final class Replayer {
  /// The scenario.
  public let scenario: RunnableScenario
  /// The side.
  public let side: Side.Description
  /// The values of the parameters by their names.
  let parameters: [String: Int]
  private let controlled: ControlledSide
  private let lines: SourceLines

  private init(
    _ scenario: RunnableScenario, _ side: Side.Description, _ parameters: [String: Int],
    _ controlled: ControlledSide, _ lines: SourceLines
  ) {
    self.scenario = scenario
    self.side = side
    self.parameters = parameters
    self.controlled = controlled
    self.lines = lines
  }

  /// Why steps have no lines, in a sentence; nil where they can have them.
  public static var trouble: String? { SourceLines.trouble }

  /// Does something with the runs of a side; its process is gone afterwards.
  public static func with<R>(
    _ scenario: RunnableScenario, side: Side.Description, parameters: [String: Int],
    _ body: (Replayer) throws -> R
  ) throws -> R {
    let values = try Explorer.parameters(parameters, of: scenario)
    let workspace = try Workspace()
    return try Interruption.cleaningUp(
      after: {
        let given = try GivenStore.files(for: [side], of: scenario, values, in: workspace)
        let controlled = try ControlledSide(
          scenario, side: side, parameters: values, given: given[side.name], in: workspace)
        let lines = SourceLines(of: scenario.origin(of: side).executable, in: workspace)
        return try body(Replayer(scenario, side, values, controlled, lines))
      },
      with: { workspace.removeFiles() })
  }

  /// The scenario of an id and the side it names, or another side of it; `words` are a command and
  /// a folder, which an id of a learner's code needs.
  public static func target(
    of id: ScheduleID, side name: String?, in catalogue: [any Scenario.Type], words: String
  ) throws(Complaint) -> (scenario: RunnableScenario, side: Side.Description) {
    guard case .scenario(let number) = id.subject else {
      throw Complaint(
        .input,
        "\(id) is a schedule of code of yours: name the folder before the id, as in"
          + " `faultline \(words) \(id)`.")
    }
    guard let found = catalogue.first(where: { $0.card.number == number }) else {
      throw Complaint(
        .input, "\(id) is a schedule of scenario \(number), which this version does not have.")
    }
    let scenario = RunnableScenario(found)
    return (scenario, try side(name, of: scenario, id))
  }

  /// The side of a name, else the side of an id.
  private static func side(
    _ name: String?, of scenario: RunnableScenario, _ id: ScheduleID
  ) throws(Complaint) -> Side.Description {
    if let name { return try side(name, of: scenario) }
    guard let side = scenario.side(of: id) else {
      throw Complaint(
        .input,
        "\(id) is a schedule of side \(id.side + 1), and \(scenario.name) has only"
          + " \(scenario.sides.count) sides.")
    }
    return side
  }

  /// The side that an id names in a folder of the learner's, or another side of it.
  ///
  /// - Throws: `Complaint` when the id was made from other code, unless any code will do.
  public static func side(
    _ name: String?, in folder: RunnableScenario, of id: ScheduleID, anyway: Bool
  ) throws(Complaint) -> Side.Description {
    if !folder.subjects.contains(id.subject) {
      guard case .source = id.subject else {
        throw Complaint(
          .input, "\(id) is a schedule of a scenario of ours: leave out \(folder.name).")
      }
      guard anyway else {
        throw Complaint(
          .input,
          "\(id) was made from other code than \(folder.name) holds now: explore again, or add"
            + " --anyway to make the same choices in today's code.")
      }
      let place = min(id.side, folder.sides.count - 1)
      return if let name { try side(name, of: folder) } else { folder.sides[place] }
    }
    return try side(name, of: folder, id)
  }

  /// The side of a name; without one the first wrong side, else the first.
  public static func side(
    _ name: String?, of scenario: RunnableScenario
  ) throws(Complaint) -> Side.Description {
    if let name { return try Runner.sides([name], of: scenario)[0] }
    return scenario.sides.first { $0.kind == .wrong } ?? scenario.sides[0]
  }

  /// The id of a schedule of this side.
  public func id(of schedule: Schedule) -> ScheduleID {
    let origin = scenario.origin(of: side)
    return ScheduleID(origin.subject, side: origin.place, schedule: schedule)
  }

  /// Runs a schedule and tells everything about it.
  public func replay(_ schedule: Schedule) throws -> Replay {
    let (seen, trace) = try controlled.trace(.replay(schedule))
    return Replay(
      scenario: ScenarioRecord(scenario.description, parameters: parameters), side: side.name,
      kind: side.kind,
      heading: side.heading, settings: Explorer.settings(parameters, of: scenario),
      id: id(of: schedule), trace: lines.placed(trace), fits: !seen.isMisfit)
  }

  /// Runs a schedule and tells what a search wants to know.
  public func run(_ schedule: Schedule) throws -> Minimiser.Run {
    let seen = try controlled.run(.replay(schedule))
    return Minimiser.Run(outcome: seen.cause, choices: seen.choices)
  }

  /// The first schedule with a forbidden outcome of those in which one choice is made differently
  /// and defaults follow.
  public func badNeighbour(of schedule: Schedule) throws -> ScheduleID? {
    let own = try controlled.run(.replay(schedule))
    for (index, choice) in own.choices.enumerated() {
      for option in 0..<choice.optionCount where option != choice.chosen {
        let changed = own.schedule.turns.filter { $0.choice < index }
        let turn = option == 0 ? [] : [Schedule.Turn(choice: index, option: option)]
        let seen = try controlled.run(.replay(Schedule(changed + turn)))
        if seen.isBad { return id(of: seen.schedule) }
      }
    }
    return nil
  }
}

/// One schedule that was run again: what it was a schedule of, and everything that happened.
public struct Replay: Sendable {
  /// The scenario.
  public var scenario: ScenarioRecord
  /// The side's name.
  public var side: String
  /// The side's kind.
  public var kind: Side.Kind
  /// What stands over the side's column.
  public var heading: String
  /// The values that are not those for exploring, as `name=value`.
  public var settings: [String]
  /// The schedule's id on this side.
  public var id: ScheduleID
  /// What happened.
  public var trace: Trace
  /// Whether every turn could be taken.
  public var fits: Bool

  /// The title of pages and pictures.
  public var title: String {
    "\(scenario.heading) · \(side)"
  }

  /// Whether the outcome is forbidden.
  public var isBad: Bool { Verdict.isBad(trace.grade, trace.ending.kind) }

  /// The exit code: whether the outcome was declared, and not a bad one of a side that should be
  /// right, and whether a limit was hit.
  public var status: ExitStatus {
    ExitStatus(grade: trace.grade, ending: trace.ending.kind, on: kind)
  }

  /// A command about this schedule, with the values it had.
  public func command(_ words: String) -> String {
    (["faultline \(words)"] + settings.map { "--set \($0)" }).joined(separator: " ")
  }
}
