import Foundation

/// Says which requirements of an exercise a learner's folder meets.
///
/// 1. The text is looked at.
/// 2. The code is built into a program (`LearnerBuild`), which is run, with limits, in every
///    schedule up to the exercise's bound, twice (`GradedRuns`); hidden requirements with values of
///    their own.
/// 3. Each requirement is held against those runs and the databases they left.
///
/// This process never runs the learner's code.
public struct Judge {
  let exercise: Exercise
  let folder: LearnerFolder
  /// The names of the requirements to check; all when empty.
  public var only: Set<String> = []

  /// A judge of a folder.
  public init(_ exercise: Exercise, _ folder: LearnerFolder) {
    (self.exercise, self.folder) = (exercise, folder)
  }

  /// Builds, runs and judges.
  ///
  /// - Throws: `Complaint` when the code does not build, or something of ours fails.
  public func record() throws -> CheckRecord {
    let workspace = try Workspace()
    return try Interruption.cleaningUp(
      after: { try workspace.naming { try record(in: workspace) } },
      with: { workspace.removeFiles() })
  }

  private func record(in workspace: Workspace) throws -> CheckRecord {
    let chosen = exercise.requirements.filter { only.isEmpty || only.contains($0.name) }
    let written = try exercise.questions.isEmpty ? nil : WrittenAnswers(exercise, folder)
    var answers: [Sizes: Result<GradedRuns, GradedRuns.Failure>] = [:]
    let needed = Set(chosen.flatMap { Self.sizes(for: $0) }).sorted()
    let program = needed.isEmpty ? "" : try LearnerBuild(folder, in: workspace).program()
    for sizes in needed {
      let asking = chosen.filter { Self.sizes(for: $0).contains(sizes) }
      let explored = sizes.isHidden ? exercise.hidden : exercise.shown
      let scenario = try exercise.scenario(program, of: folder, beside: [], sizes: explored)
      do {
        answers[sizes] = .success(
          try GradedRuns(
            of: scenario, bound: explored.bound, sizes.parameters, asking: asking, in: workspace))
      } catch let failure as GradedRuns.Failure {
        answers[sizes] = .failure(failure)
      }
    }
    return CheckRecord(
      number: exercise.card.number ?? 0, title: exercise.card.title, folder: folder.path,
      findings: try chosen.map { try finding($0, answers, written) },
      schedules: answers.values.reduce(0) { $0 + ((try? $1.get().runs.count) ?? 0) })
  }

  /// The values with which a requirement is checked.
  struct Sizes: Hashable, Comparable {
    var isHidden: Bool
    var parameter = ""
    var value = 0
    var parameters: [String: Int] { parameter.isEmpty ? [:] : [parameter: value] }
    static func < (one: Sizes, other: Sizes) -> Bool {
      (one.isHidden ? 1 : 0, one.parameter, one.value)
        < (other.isHidden ? 1 : 0, other.parameter, other.value)
    }
  }

  private static func sizes(for requirement: Requirement) -> [Sizes] {
    switch requirement.kind {
    case .free, .answer, .predict: []
    case .growth(_, let parameter, let values, _):
      values.map { Sizes(isHidden: requirement.isHidden, parameter: parameter, value: $0) }
    case .never, .reach, .schedules, .budget, .store, .golden:
      [Sizes(isHidden: requirement.isHidden)]
    }
  }

  // MARK: One requirement

  /// What was seen of one requirement.
  private struct Seen {
    var share: Double
    var words = ""
    var run: GradedRuns.Run?
  }

  /// Holds one requirement against what was seen.
  func finding(
    _ requirement: Requirement, _ answers: [Sizes: Result<GradedRuns, GradedRuns.Failure>],
    _ written: WrittenAnswers?
  ) throws -> CheckRecord.Finding {
    var finding = CheckRecord.Finding(
      name: requirement.name, what: requirement.what, status: .error, points: 0,
      pointsMax: requirement.points, isBonus: requirement.isBonus, message: "",
      basis: requirement.basis)
    let graded: [GradedRuns]
    do {
      graded = try Self.sizes(for: requirement).map { try answers[$0]!.get() }
    } catch let failure as GradedRuns.Failure {
      finding.message = words(failure)
      return finding
    }
    let seen = try seen(requirement, graded, written)
    let holds = seen.share >= 1
    finding.status = holds ? .pass : .fail
    finding.points = Int((Double(requirement.points) * seen.share + 0.5).rounded(.down))
    if let run = seen.run, !holds, !requirement.isHidden {
      finding.replay = graded[0].id(run.schedule).description
    }
    let say = requirement.say
    let text = holds ? say.pass : requirement.isHidden ? say.hidden : say.fail
    finding.message = text.replacing("{seen}", with: seen.words)
    return finding
  }

  private func words(_ failure: GradedRuns.Failure) -> String {
    switch failure {
    case .notDeterministic(let id):
      let place = id.isEmpty ? "" : " (\(id))"
      return "not deterministic: two runs of the same schedule differ\(place). The usual reasons"
        + " are a global variable and the order of a Set or a Dictionary."
    case .tooMany(let count):
      return "no answer: more than \(Figures.grouped(count)) schedules."
    }
  }

  private func seen(
    _ requirement: Requirement, _ graded: [GradedRuns], _ written: WrittenAnswers?
  ) throws -> Seen {
    let runs = graded.flatMap(\.runs)
    switch requirement.kind {
    case .never(let outcomes):
      return share(runs, requirement) {
        outcomes.isEmpty ? !$0.isBad : !outcomes.contains($0.outcome)
      }
    case .reach(let outcome):
      return Seen(share: runs.contains { $0.outcome == outcome } ? 1 : 0)
    case .schedules(let least):
      let words = Exploration.counted(runs.count, "schedule", "schedules")
      return Seen(share: runs.count >= least ? 1 : 0, words: words)
    case .store, .golden:
      return share(runs, requirement) { $0.isRight[requirement.name] ?? false }
    case .budget(let name, let range):
      return budget(runs, name, range, requirement)
    case .growth(let name, _, let values, let percentMax):
      return growth(graded, name, values, percentMax)
    case .answer(let key, let side, let outcome, let switchesMax):
      guard let written else { return Seen(share: 0) }
      let (isRight, words) = try written.leads(key, side, to: outcome, switchesMax: switchesMax)
      return Seen(share: isRight ? 1 : 0, words: words)
    case .predict(let key, let truth):
      guard let written else { return Seen(share: 0) }
      return predict(written[key], truth(try written.exploration()), requirement)
    case .free(let words):
      let text = folder.files.map(\.text).joined(separator: "\n")
      let found = Token.all(in: SwiftText(text).code).first { token in
        words.contains(token.text.filter { $0 != "`" })
      }
      return Seen(
        share: found == nil ? 1 : 0, words: found.map { "\($0.text), line \($0.line + 1)" } ?? "")
    }
  }

  /// How many of the answers are right; each that is wrong takes away one that is right.
  private func predict(
    _ given: [String], _ truth: Set<String>, _ requirement: Requirement
  ) -> Seen {
    let right = Set(given).intersection(truth).count
    let wrong = Set(given).subtracting(truth).count
    let words = "\(right) of \(truth.count)" + (wrong > 0 ? ", and \(wrong) wrong" : "")
    guard right < truth.count || wrong > 0 else { return Seen(share: 1, words: words) }
    guard case .fraction = requirement.credit else { return Seen(share: 0, words: words) }
    return Seen(share: max(0, Double(right - wrong) / Double(max(1, truth.count))), words: words)
  }

  /// Those runs in which something holds, and the smallest in which it does not.
  private func share(
    _ runs: [GradedRuns.Run], _ requirement: Requirement, _ holds: (GradedRuns.Run) -> Bool
  ) -> Seen {
    let wrong = runs.filter { !holds($0) }
    let smallest = wrong.min { ($0.switches, $0.steps) < ($1.switches, $1.steps) }
    let all = Exploration.counted(runs.count, "schedule", "schedules")
    guard !wrong.isEmpty else { return Seen(share: 1, words: all) }
    let words = "\(Figures.grouped(wrong.count)) of \(all)"
    var share = 0.0
    if case .fraction = requirement.credit {
      share = min(0.999, Double(runs.count - wrong.count) / Double(runs.count))
    }
    let outcome = smallest.map { "\($0.outcome) in " } ?? ""
    return Seen(share: share, words: outcome + words, run: smallest)
  }

  private func budget(
    _ runs: [GradedRuns.Run], _ name: String, _ range: ClosedRange<Int>, _ requirement: Requirement
  ) -> Seen {
    let figures = runs.map { ($0, $0.figure(name)) }
    // A run that did not come to its end has no figures, and meets no budget.
    if let missing = figures.first(where: { $0.1 == nil }) {
      return Seen(share: 0, words: "\(missing.0.outcome), no figure", run: missing.0)
    }
    let worst = figures.max { Self.excess($0.1!, range) < Self.excess($1.1!, range) }
    guard let worst, case (let run, let value?) = worst else {
      return Seen(share: 0, words: "no run")
    }
    let words = "\(name): \(Figures.grouped(value))"
    guard !range.contains(value) else { return Seen(share: 1, words: words) }
    var share = 0.0
    if case .curve(let none) = requirement.credit, value > range.upperBound {
      let left = Double(none - value) / Double(max(1, none - range.upperBound))
      share = max(0, min(0.999, left))
    }
    return Seen(share: share, words: words, run: run)
  }

  private static func excess(_ value: Int, _ range: ClosedRange<Int>) -> Int {
    max(range.lowerBound - value, value - range.upperBound)
  }

  private func growth(
    _ graded: [GradedRuns], _ name: String, _ values: [Int], _ percentMax: Int
  ) -> Seen {
    let figures = graded.map { $0.runs.compactMap { $0.figure(name) }.max() }
    let words = zip(values, figures).map { "\($0): \($1.map(Figures.grouped) ?? "none")" }
      .joined(separator: ", ")
    for (index, next) in figures.enumerated().dropFirst() {
      guard let before = figures[index - 1], let next else { return Seen(share: 0, words: words) }
      let grown = Double(next - before) / Double(max(1, before))
      let wanted = Double(values[index] - values[index - 1]) / Double(max(1, values[index - 1]))
      if grown > wanted * Double(percentMax) / 100 {
        return Seen(share: 0, words: words, run: graded[index].runs.first)
      }
    }
    return Seen(share: 1, words: words)
  }
}

extension Requirement {
  /// What it rests on.
  var basis: CheckRecord.Basis {
    switch kind {
    case .never, .reach, .store: .databases
    case .schedules, .budget, .golden, .growth: .counts
    case .free: .text
    case .answer, .predict: .answers
    }
  }
}
