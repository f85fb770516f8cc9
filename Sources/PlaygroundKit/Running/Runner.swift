import Foundation

/// Runs every side of a scenario as often as asked, each time in a process of its own, and keeps
/// the record.
///
/// The sides take turns (wrong, right, wrong, right), so that whatever the machine does meanwhile
/// falls on all of them alike.
public struct Runner: Sendable {
  /// What may be asked of a run.
  public struct Options: Sendable {
    /// How often each side runs; the scenario's own number when nil.
    public var repeats: Int?
    /// Values by the names of parameters.
    public var parameters: [String: Int] = [:]
    /// The names of the sides to run; all when empty.
    public var sides: [String] = []
    /// The seed of the first repeat.
    public var seed: UInt64 = 1
    /// How the concurrency checker is set on every side; as the side says when nil.
    public var checker: Side.Checker?

    /// Asks for nothing in particular.
    public init() {}
  }

  /// Where a run stands, told before each repeat of each side.
  public struct Step: Sendable {
    public var scenario: String
    public var side: String
    public var trial: Int
    public var repeats: Int
  }

  private let version: String
  private let progress: @Sendable (Step) -> Void

  /// Prepares runs whose records name the version of the tool.
  public init(version: String, progress: @escaping @Sendable (Step) -> Void = { _ in }) {
    self.version = version
    self.progress = progress
  }

  /// The path of the running executable.
  public static var thisExecutable: String {
    #if os(Linux)
      if let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") {
        return path
      }
    #endif
    return Bundle.main.executablePath ?? CommandLine.arguments[0]
  }

  /// Runs a scenario.
  public func run(_ scenario: RunnableScenario, _ options: Options = Options()) throws -> RunRecord
  {
    let parameters = try Self.values(options.parameters, for: scenario)
    let sides = try Self.sides(options.sides, of: scenario)
    let repeats = options.repeats ?? scenario.repeats
    guard repeats >= 1 else {
      throw Complaint(.usage, "--repeat \(repeats) runs nothing: give a number, 1 or more.")
    }
    let trials = try trials(
      of: sides, repeats: repeats, scenario: scenario, parameters: parameters, options: options)
    return RunRecord(
      tool: version, machine: .current, way: "real threads, SQLite file",
      scenario: ScenarioRecord(scenario.description, parameters: parameters),
      parameters: scenario.parameters.map {
        ParameterRecord(
          name: $0.name, value: parameters[$0.name] ?? $0.standard, meaning: $0.meaning)
      },
      settings: scenario.parameters.compactMap { parameter in
        let value = parameters[parameter.name] ?? parameter.standard
        return value == parameter.standard ? nil : "\(parameter.name)=\(value)"
      },
      seed: options.seed, repeats: repeats,
      sides: SideRecord.columns(
        zip(sides, trials).map { side, trials in
          (side, options.checker ?? side.checker, trials)
        }))
  }

  /// The repeats of every side, made in turns.
  private func trials(
    of sides: [Side.Description], repeats: Int, scenario: RunnableScenario,
    parameters: [String: Int],
    options: Options
  ) throws -> [[Trial]] {
    let workspace = try Workspace()
    var trials = [[Trial]](repeating: [], count: sides.count)
    try Interruption.cleaningUp(
      after: {
        let given = try GivenStore.files(for: sides, of: scenario, parameters, in: workspace)
        for number in 1...repeats {
          for (index, side) in sides.enumerated() {
            progress(
              Step(scenario: scenario.word, side: side.name, trial: number, repeats: repeats))
            let task = SideTask(
              scenario: scenario.card.slug, side: side.name, trial: number, seed: options.seed,
              parameters: parameters, limitNanoseconds: scenario.limitNanoseconds,
              isFilled: given[side.name] != nil)
            let run = TrialRun(
              scenario: scenario, side: side, task: task, checker: options.checker ?? side.checker,
              given: given[side.name])
            trials[index].append(try run.run(in: workspace))
          }
        }
      },
      with: { workspace.removeFiles() })
    return trials
  }

  /// The value of every parameter, those that were given checked.
  static func values(
    _ given: [String: Int], for scenario: RunnableScenario
  ) throws(Complaint) -> [String: Int] {
    var values: [String: Int] = [:]
    for parameter in scenario.parameters { values[parameter.name] = parameter.standard }
    for (name, value) in given.sorted(by: { $0.key < $1.key }) {
      guard let parameter = scenario.parameters.first(where: { $0.name == name }) else {
        throw Complaint(.usage, unknownParameter(name, scenario))
      }
      guard parameter.range.contains(value) else {
        throw Complaint(
          .usage,
          "--set \(name)=\(value): \(name) (\(parameter.meaning)) takes a number from"
            + " \(parameter.range.lowerBound) to \(parameter.range.upperBound).")
      }
      values[name] = value
    }
    return values
  }

  private static func unknownParameter(_ name: String, _ scenario: RunnableScenario) -> String {
    let names = scenario.parameters.map(\.name)
    if names.isEmpty { return "--set \(name): \(scenario.name) has no parameters." }
    if names.count == 1 {
      return "--set \(name): the only parameter of \(scenario.name) is \(names[0])."
    }
    let near = NearestName.of(name, among: names).map { "; did you mean \($0)?" } ?? "."
    return "--set \(name): \(scenario.name) has no parameter “\(name)”; choose from "
      + names.joined(separator: ", ") + near
  }

  /// The sides of these names; all when there are none.
  static func sides(
    _ names: [String], of scenario: RunnableScenario
  ) throws(Complaint) -> [Side.Description] {
    guard !names.isEmpty else { return scenario.sides }
    for name in names where !scenario.sides.contains(where: { $0.name == name }) {
      let known = scenario.sides.map(\.name)
      let near = NearestName.of(name, among: known).map { "; did you mean \($0)?" } ?? "."
      throw Complaint(
        .usage,
        "--side \(name): \(scenario.name) has the sides "
          + known.joined(separator: ", ") + near)
    }
    return scenario.sides.filter { names.contains($0.name) }
  }
}
