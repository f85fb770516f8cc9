import Foundation

/// Says which requirements of an exercise a learner's folder meets.
///
/// 1. The code is built into a program (`LearnerBuild`).
/// 2. The program is run, with limits, in every schedule up to the exercise's bound, twice
///    (`GradedRuns`), with the values that are shown and, where it is right for those, with hidden
///    ones.
/// 3. Each requirement is held against those runs and the databases they left, against the text, or
///    against the answers in words.
///
/// This process never runs the learner's code.
public struct Judge {
  let exercise: Exercise
  let folder: LearnerFolder
  /// The names of the requirements to check; all when empty.
  public var only: Set<String> = []
  /// Whether each schedule is run a second time, to see that it comes out the same.
  package var isRepeating = true
  /// The most schedules once something is wrong: the rest would only say it again.
  package var schedulesMaxOfWrong = 2_000

  /// A judge of a folder.
  public init(_ exercise: Exercise, _ folder: LearnerFolder) {
    (self.exercise, self.folder) = (exercise, folder)
  }

  /// Builds, runs and judges.
  ///
  /// - Throws: `Complaint` when the code does not build, or something of ours fails.
  public func record() throws -> CheckRecord {
    try record(with: exercise.questions.isEmpty ? nil : WrittenAnswers(exercise, folder))
  }

  /// The same with answers that were read already.
  func record(with written: WrittenAnswers?) throws -> CheckRecord {
    let workspace = try Workspace()
    // Not left to the end of its life: the thread of a second pass may still hold it when we exit.
    defer { workspace.removeFiles() }
    return try Interruption.cleaningUp(
      after: { try workspace.naming { try record(with: written, in: workspace) } },
      with: { workspace.removeFiles() })
  }

  private func record(
    with written: WrittenAnswers?, in workspace: Workspace
  ) throws -> CheckRecord {
    let chosen = exercise.requirements.filter { only.isEmpty || only.contains($0.name) }
    let runs = JudgedRuns(
      exercise, folder, asking: chosen, isRepeating: isRepeating,
      schedulesMaxOfWrong: schedulesMaxOfWrong, in: workspace)
    // Code that does not build is told before anything else.
    if chosen.contains(where: { !JudgedRuns.parts(of: $0).isEmpty }) { try runs.build() }
    var findings: [CheckRecord.Finding] = []
    for requirement in chosen {
      // Hidden data say something only about code that is right for the shown data.
      let open = findings.first { $0.name == requirement.needs && $0.status != .pass }
      if let open, requirement.data == .hidden {
        findings.append(.open(requirement, "Checked once “\(open.what)” holds."))
      } else {
        findings.append(try finding(requirement, runs, written))
      }
    }
    return CheckRecord(
      number: exercise.card.number ?? 0, title: exercise.card.title, folder: folder.path,
      isSide: exercise.notASide == nil, findings: Self.settled(findings, chosen),
      schedules: runs.count(), schedulesHidden: runs.count { $0.isHidden }, limit: runs.limit,
      sandbox: runs.count() == 0 ? nil : Sandbox.word)
  }

  /// Takes the points of those that need another one which does not hold, and says why there is no
  /// answer once.
  private static func settled(
    _ findings: [CheckRecord.Finding], _ requirements: [Requirement]
  ) -> [CheckRecord.Finding] {
    var findings = findings
    var said: Set<String> = []
    for (index, requirement) in requirements.enumerated() {
      if let open = Self.open(requirement.needs, findings, requirements) {
        findings[index].points = 0
        if findings[index].status == .pass {
          findings[index].message += " No points without “\(open.what)”."
        }
      }
      if findings[index].status == .error, !said.insert(findings[index].message).inserted {
        findings[index].message = "No answer, for the same reason."
      }
    }
    return findings
  }

  /// A requirement that does not hold: the one of this name, or one that it needs in turn.
  private static func open(
    _ name: String?, _ findings: [CheckRecord.Finding], _ requirements: [Requirement]
  ) -> CheckRecord.Finding? {
    var (next, seen) = (name, Set<String>())
    while let name = next, seen.insert(name).inserted {
      if let open = findings.first(where: { $0.name == name && $0.status != .pass }) { return open }
      next = requirements.first { $0.name == name }?.needs
    }
    return nil
  }

  // MARK: One requirement

  /// What was seen of one requirement.
  private struct Seen {
    var share: Double
    var words = ""
    var run: GradedRuns.Run?
  }

  private func finding(
    _ requirement: Requirement, _ runs: JudgedRuns, _ written: WrittenAnswers?
  ) throws -> CheckRecord.Finding {
    var finding = CheckRecord.Finding.open(requirement, "")
    if let key = requirement.question, let complaint = written?.sheet.complaint(about: key) {
      finding.message = complaint.description
      return finding
    }
    let parts = JudgedRuns.parts(of: requirement)
    var (seen, isHidden, cut) = (Seen(share: 1), false, String?.none)
    do {
      if parts.isEmpty { seen = try self.seen(requirement, [], written, runs.compiler()) }
      // Hidden data say something only about code that is right for the shown data.
      for part in parts where seen.share >= 1 && cut == nil {
        let graded = try part.map { try runs.runs(with: $0) }
        let next = try self.seen(requirement, graded, written, runs.compiler())
        isHidden = part.allSatisfy(\.isHidden)
        // Where both hold, the words are about the shown ones.
        if next.share < 1 || !isHidden || seen.words.isEmpty { seen = next }
        if let loss = graded.lazy.compactMap(\.loss).first {
          finding.message = words(loss: loss)
          return finding
        }
        cut = cut ?? graded.lazy.compactMap(\.cut).first
        if let run = seen.run, seen.share < 1, !isHidden, exercise.notASide == nil {
          finding.replay = graded[0].id(run.schedule).description
        }
      }
    } catch let failure as GradedRuns.Failure {
      finding.message = words(failure)
      return finding
    }
    let holds = seen.share >= 1
    if let cut, holds || requirement.kind.counts {
      finding.message = "No answer: \(cut), and no more were run."
      return finding
    }
    finding.status = holds ? .pass : .fail
    finding.points = Int((Double(requirement.points) * seen.share + 0.5).rounded(.down))
    finding.message = message(requirement, seen, isHidden: isHidden)
    return finding
  }

  private func message(_ requirement: Requirement, _ seen: Seen, isHidden: Bool) -> String {
    let say = requirement.say
    if seen.share < 1, requirement.kind.asksForAnEnd, seen.run?.comesToItsEnd == false {
      return isHidden
        ? "With other numbers a run does not come to its end: \(seen.words)."
        : "A run does not come to its end: \(seen.words)."
    }
    let text = seen.share >= 1 ? say.pass : isHidden ? say.hidden : say.fail
    return text.replacing("{seen}", with: seen.words)
  }

  private func seen(
    _ requirement: Requirement, _ graded: [GradedRuns], _ written: WrittenAnswers?,
    _ build: LearnerBuild
  ) throws -> Seen {
    let runs = graded.flatMap(\.runs)
    switch requirement.kind {
    case .never(let outcomes):
      return share(runs, requirement) {
        outcomes.isEmpty ? !$0.isBad : !outcomes.contains($0.outcome)
      }
    case .reach(let outcome, let isRight):
      let isReached = runs.contains {
        $0.outcome == outcome && (isRight == nil || $0.isRight[requirement.name] == true)
      }
      return Seen(share: isReached ? 1 : 0)
    case .schedules(let least):
      let words = Exploration.counted(runs.count, "schedule", "schedules")
      return Seen(
        share: runs.count >= least ? 1 : 0,
        words: runs.count >= least ? words : "\(words), not \(Figures.grouped(least)) or more")
    case .confined:
      return confined(runs, requirement)
    case .golden(let name, _):
      return golden(runs, name, requirement)
    case .store:
      return share(runs, requirement) { $0.isRight[requirement.name] ?? false }
    case .budget(let name, let range):
      return budget(runs, name, range, requirement)
    case .growth(let name, let parameter, let values, let percentMax):
      return growth(graded, name, parameter, values, percentMax)
    case .mutants(_, _, let note, let whatIsWrong):
      let programs = graded.map { graded in
        let verdicts = graded.runs.map { $0.text(note) ?? "nothing, as it ends as \($0.outcome)" }
        return (whatIsWrong(graded.parameters), verdicts)
      }
      return mutants(programs, requirement)
    case .answer(let key, let side, let outcome, let isShortest, let switches):
      guard let written else { return Seen(share: 0) }
      let (isRight, words) = try written.leads(
        key, side, to: outcome, isShortest: isShortest, switches: switches)
      return Seen(share: isRight ? 1 : 0, words: words)
    case .predict(let key, _), .traced(let key, _, _, _):
      guard let written, let truth = try written.truth(requirement.kind) else {
        return Seen(share: 0)
      }
      return predict(written[key], truth, requirement)
    case .accepts(let caller):
      let words = try build.refusal(of: caller)
      return Seen(share: words == nil ? 1 : 0, words: Self.firstError(in: words))
    case .refuses(let caller, let diagnostic):
      let words = try build.refusal(of: caller)
      let isRefused = words?.contains(diagnostic) ?? false
      return Seen(share: isRefused ? 1 : 0, words: Self.firstError(in: words))
    case .free(let words):
      return free(of: words)
    }
  }

  /// How many of the broken programs a test calls wrong, in each schedule; a test that does not
  /// call the right one right has seen nothing.
  private func mutants(
    _ programs: [(flaw: String?, verdicts: [String])], _ requirement: Requirement
  ) -> Seen {
    let broken = programs.filter { $0.flaw != nil }
    let accused = programs.filter { $0.flaw == nil }.flatMap(\.verdicts).first { $0 != "right" }
    if let accused {
      return Seen(
        share: 0, words: "0 of \(broken.count), because your test says of the right one: \(accused)"
      )
    }
    let unseen = broken.filter { !$0.verdicts.allSatisfy { $0 == "wrong" } }
    let words = "\(broken.count - unseen.count) of \(broken.count)"
    guard let flaw = unseen.first?.flaw,
      let verdict = unseen[0].verdicts.first(where: { $0 != "wrong" })
    else { return Seen(share: 1, words: words) }
    var share = 0.0
    if case .fraction = requirement.credit {
      share = Double(broken.count - unseen.count) / Double(broken.count)
    }
    return Seen(
      share: share, words: "\(words); of the one that \(flaw), your test says: \(verdict)")
  }

  /// Whether some words are not in the learner's code, and where the first of them is.
  private func free(of words: Set<String>) -> Seen {
    let text = folder.files.map(\.text).joined(separator: "\n")
    let found = Token.all(in: SwiftText(text).code).first { token in
      words.contains(token.text.filter { $0 != "`" })
    }
    return Seen(
      share: found == nil ? 1 : 0, words: found.map { "\($0.text), line \($0.line + 1)" } ?? "")
  }

  private static func firstError(in words: String?) -> String {
    guard let words else { return "it compiles" }
    return SwiftCompiler.first("error", in: words) ?? "it does not compile"
  }

  /// How many of the answers are right; each that is wrong takes away one that is right.
  private func predict(
    _ given: [String], _ truth: Set<String>, _ requirement: Requirement
  ) -> Seen {
    let right = Set(given).intersection(truth).count
    let wrong = Set(given).subtracting(truth).count
    // How many are right in all is part of the question.
    let words =
      given.isEmpty
      ? "no answer yet"
      : wrong > 0 ? "\(right) right, \(wrong) wrong" : "\(right) right, but there are more"
    guard right < truth.count || wrong > 0 else { return Seen(share: 1, words: words) }
    guard case .fraction = requirement.credit else { return Seen(share: 0, words: words) }
    return Seen(share: max(0, Double(right - wrong) / Double(max(1, truth.count))), words: words)
  }

  /// Those runs without a violation, and the first violation of the smallest that has one.
  private func confined(_ runs: [GradedRuns.Run], _ requirement: Requirement) -> Seen {
    var seen = share(runs, requirement) { $0.violation == nil }
    if let violation = seen.run?.violation { seen.words = violation }
    return seen
  }

  /// Those runs in which the right text was noted, and what the smallest of the others noted.
  private func golden(
    _ runs: [GradedRuns.Run], _ name: String, _ requirement: Requirement
  ) -> Seen {
    var seen = share(runs, requirement) { $0.isRight[requirement.name] ?? false }
    if let run = seen.run, run.comesToItsEnd {
      seen.words = "“\(run.text(name) ?? "nothing")”, \(seen.words)"
    }
    return seen
  }

  /// Those runs in which something holds, and the smallest in which it does not.
  private func share(
    _ runs: [GradedRuns.Run], _ requirement: Requirement, _ holds: (GradedRuns.Run) -> Bool
  ) -> Seen {
    let wrong = runs.filter { !holds($0) }
    // What a run did is told of one that came to its end, if there is one.
    let ended = requirement.kind.asksForAnEnd ? wrong.filter(\.comesToItsEnd) : []
    let told = ended.isEmpty ? wrong : ended
    let smallest = told.min { ($0.switches, $0.steps) < ($1.switches, $1.steps) }
    guard let smallest else { return Seen(share: 1, words: Self.each(of: runs.count)) }
    let words = Self.some(told.count, of: runs.count)
    var share = 0.0
    if case .fraction = requirement.credit {
      share = min(0.999, Double(runs.count - wrong.count) / Double(runs.count))
    }
    // How the run ended is said where that is what is wrong, or where it did not come to its end.
    let detail = Self.detail(of: smallest.ending)
    var isAboutEndings = requirement.kind.asksForAnEnd ? !smallest.comesToItsEnd : detail != nil
    if case .never = requirement.kind { isAboutEndings = true }
    guard isAboutEndings else { return Seen(share: share, words: words, run: smallest) }
    return Seen(
      share: share, words: "\(smallest.outcome) \(words)" + (detail.map { ": \($0)" } ?? ""),
      run: smallest)
  }

  private func budget(
    _ runs: [GradedRuns.Run], _ name: String, _ range: ClosedRange<Int>, _ requirement: Requirement
  ) -> Seen {
    // A run that did not come to its end has no figures, and meets no budget.
    let measured = share(runs, requirement) { $0.figure(name) != nil }
    if let run = measured.run { return Seen(share: 0, words: measured.words, run: run) }
    let figures = runs.map { ($0, $0.figure(name)) }
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

  private static func excess(_ value: Int, _ range: ClosedRange<Int>) -> UInt {
    range.contains(value)
      ? 0 : value.distance(from: value < range.lowerBound ? range.lowerBound : range.upperBound)
  }

  private func growth(
    _ graded: [GradedRuns], _ name: String, _ parameter: String, _ values: [Int],
    _ percentMax: Int
  ) -> Seen {
    let figures = graded.map { $0.runs.compactMap { $0.figure(name) }.max() }
    let words = zip(values, figures).map { value, figure in
      "\(figure.map(Figures.grouped) ?? "no figure") with \(parameter)=\(value)"
    }.joined(separator: ", ")
    for (index, next) in figures.enumerated().dropFirst() {
      guard let before = figures[index - 1], let next else { return Seen(share: 0, words: words) }
      let grown = Double(next.difference(from: before)) / Double(max(1, before))
      let wanted = Double(values[index] - values[index - 1]) / Double(max(1, values[index - 1]))
      if grown > wanted * Double(percentMax) / 100 {
        return Seen(share: 0, words: words, run: graded[index].runs.first)
      }
    }
    return Seen(share: 1, words: words)
  }
}
