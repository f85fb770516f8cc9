import Foundation

/// A learner's answers in words, and the runs of ours that they are held against.
final class WrittenAnswers {
  private let exercise: Exercise
  private let scenario: RunnableScenario
  /// The sheet as it was written.
  let sheet: AnswerSheet
  private var explored: Exploration?

  /// Reads the sheet in a learner's folder.
  init(_ exercise: Exercise, _ folder: LearnerFolder) throws(Complaint) {
    self.exercise = exercise
    scenario = RunnableScenario(exercise.scenario, executable: Supervisor.executable)
    let path = "\(folder.path)/\(AnswerSheet.fileName)"
    guard let text = try WholeFile.text(of: path) else {
      throw Complaint(
        .input,
        "There is no \(path): `faultline reset \(folder.path.quotedForShell)` brings it back.")
    }
    sheet = try AnswerSheet(text, exercise.questions, path: path)
  }

  /// The answers to a question.
  subscript(key: String) -> [String] { sheet[key] }

  /// What our sides do, explored as the task says.
  func exploration() throws -> Exploration {
    if let explored { return explored }
    var options = Explorer.Options()
    options.bound = exercise.shown.bound
    options.parameters = exercise.shown.values
    let found = try Explorer(version: "").explore(scenario, options)
    explored = found
    return found
  }

  /// Whether the schedule that answers a question leads a side to an outcome, and what was seen.
  ///
  /// - Parameter isShortest: whether no other schedule that leads there may have fewer switches.
  func leads(
    _ key: String, _ side: String, to outcome: String, isShortest: Bool
  ) throws -> (Bool, String) {
    guard let text = sheet[key].first else { return (false, "no answer yet") }
    let id: ScheduleID
    do { id = try ScheduleShelf().id(text) } catch { return (false, error.description) }
    guard let named = scenario.side(of: id), named.name == side else {
      return (false, "\(id) is not a schedule of side \(side) of scenario \(exercise.card.name)")
    }
    let switchesMax = isShortest ? try switchesMin(side, outcome) : .max
    return try Replayer.with(scenario, side: named, parameters: exercise.shown.values) { replayer in
      let replay = try replayer.replay(id.schedule)
      let switches = Exploration.counted(replay.trace.switches, "switch", "switches")
      let words = "\(id) ends as \(replay.trace.outcome), with \(switches)"
      let isShort = replay.trace.switches <= switchesMax
      return (replay.fits && replay.trace.outcome == outcome && isShort, words)
    }
  }

  /// The fewest switches with which a side has an outcome, if it has it.
  private func switchesMin(_ side: String, _ outcome: String) throws -> Int {
    let found = try exploration().sides.first { $0.name == side }
    return found?.outcomes.first { $0.name == outcome }?.smallest?.switches ?? 0
  }
}
