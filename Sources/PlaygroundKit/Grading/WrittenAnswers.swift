import Faultline
import Foundation

/// A learner's answers in words, and the runs of ours that they are held against.
final class WrittenAnswers {
  private let exercise: Exercise
  private let scenario: RunnableScenario
  /// The sheet as it was written.
  let sheet: AnswerSheet
  /// What our sides do, by exercise and values: it does not depend on what a learner writes.
  private static let explored = Lock<[String: Exploration]>([:])

  /// Reads the sheet in a learner's folder; what is wrong in it is told where its answer is judged.
  init(_ exercise: Exercise, _ folder: LearnerFolder) throws(Complaint) {
    self.exercise = exercise
    scenario = RunnableScenario(exercise.scenario, executable: Supervisor.executable)
    let path = "\(folder.path)/\(AnswerSheet.fileName)"
    guard let text = try WholeFile.text(of: path) else {
      throw Complaint(
        .input,
        "There is no \(path): `faultline reset \(folder.path.quotedForShell)` brings it back.")
    }
    sheet = AnswerSheet(readable: text, exercise.questions, path: path)
  }

  /// The answers to a question.
  subscript(key: String) -> [String] { sheet[key] }

  /// The values that are shown, of those parameters that our sides have.
  private var values: [String: Int] {
    exercise.shown.values.filter { value in
      scenario.parameters.contains { $0.name == value.key }
    }
  }

  /// What our sides do, explored as the task says, once a process.
  private func exploration() throws -> Exploration {
    var options = Explorer.Options()
    options.bound = exercise.shown.bound
    options.parameters = values
    let subject = "\(exercise.slug) \(exercise.shown.bound) \(values.sorted { $0.key < $1.key })"
    if let explored = Self.explored.withLock({ $0[subject] }) { return explored }
    let found = try Explorer(version: "").explore(scenario, options)
    Self.explored.withLock { $0[subject] = found }
    return found
  }

  /// Whether the schedule that answers a question leads a side to an outcome, and what was seen.
  ///
  /// - Parameters:
  ///   - isShortest: whether no other schedule that leads there may have fewer switches.
  ///   - wanted: how many switches it must have, if that is asked.
  func leads(
    _ key: String, _ side: String, to outcome: String, isShortest: Bool, switches wanted: Int?
  ) throws -> (Bool, String) {
    let answers = sheet[key]
    guard let text = answers.first else { return (false, "There is no answer yet") }
    guard answers.count == 1 else { return (false, "Give one id, not \(answers.count)") }
    let id: ScheduleID
    do { id = try ScheduleShelf().id(text) } catch {
      let words = error.description
      return (false, words.hasSuffix(".") ? String(words.dropLast()) : words)
    }
    guard let named = scenario.side(of: id) else {
      return (false, "The schedule \(id) is not one of scenario \(exercise.card.name)")
    }
    guard named.name == side else {
      return (false, "The schedule \(id) is one of side \(named.name); find one of side \(side)")
    }
    let switchesMax = isShortest ? try switchesMin(side, outcome) : .max
    return try Replayer.with(scenario, side: named, parameters: values) { replayer in
      let replay = try replayer.replay(id.schedule)
      let switches = Exploration.counted(replay.trace.switches, "switch", "switches")
      let words = "The schedule \(id) ends as \(replay.trace.outcome), with \(switches)"
      let isShort = replay.trace.switches <= switchesMax
      if let wanted, replay.trace.switches != wanted { return (false, "\(words), not \(wanted)") }
      return (replay.fits && replay.trace.outcome == outcome && isShort, words)
    }
  }

  /// The smallest schedule with which a side has an outcome, run again; nil if it never has it.
  /// Without an outcome, the schedule without any choice.
  private func trace(_ side: String, _ outcome: String?) throws -> Trace? {
    guard let named = scenario.sides.first(where: { $0.name == side }) else { return nil }
    var schedule = Schedule()
    if let outcome {
      let found = try exploration().sides.first { $0.name == side }
      let smallest = found?.outcomes.first { $0.name == outcome }?.smallest
      guard let smallest else { return nil }
      schedule = smallest.schedule
    }
    return try Replayer.with(scenario, side: named, parameters: values) {
      try $0.replay(schedule).trace
    }
  }

  /// The right answers that the runs give which a requirement names; nil if there are no such runs.
  func truth(_ kind: Requirement.Kind) throws -> Set<String>? {
    switch kind {
    case .predict(_, let truth): truth(try exploration())
    case .traced(_, let side, let outcome, let truth): try trace(side, outcome).map(truth)
    case .never, .reach, .schedules, .budget, .store, .golden, .growth, .answer, .confined,
      .mutants, .accepts, .refuses, .free:
      nil
    }
  }

  /// The fewest switches with which a side has an outcome, if it has it.
  private func switchesMin(_ side: String, _ outcome: String) throws -> Int {
    let found = try exploration().sides.first { $0.name == side }
    return found?.outcomes.first { $0.name == outcome }?.smallest?.switches ?? 0
  }
}
