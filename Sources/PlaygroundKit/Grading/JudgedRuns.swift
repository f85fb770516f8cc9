import Foundation

/// The runs of a learner's folder that its requirements ask for, each made when it is first needed.
final class JudgedRuns {
  /// What is explored: the values that are shown or hidden, and another value of one parameter.
  struct Sizes: Hashable {
    var isHidden: Bool
    var parameter: String?
    var value = 0
  }

  private let exercise: Exercise
  private let folder: LearnerFolder
  private let requirements: [Requirement]
  private let workspace: Workspace
  private let isRepeating: Bool
  private let schedulesMaxOfWrong: Int
  private var program: String?
  private var known: LearnerBuild?
  private var answers: [Sizes: Result<GradedRuns, GradedRuns.Failure>] = [:]

  /// Prepares the runs that some requirements ask for, each made twice if they are repeated, and no
  /// more than so many once something is wrong.
  init(
    _ exercise: Exercise, _ folder: LearnerFolder, asking requirements: [Requirement],
    isRepeating: Bool, schedulesMaxOfWrong: Int, in workspace: Workspace
  ) {
    self.exercise = exercise
    self.folder = folder
    self.requirements = requirements
    self.isRepeating = isRepeating
    self.schedulesMaxOfWrong = schedulesMaxOfWrong
    self.workspace = workspace
  }

  /// What a requirement is checked with: parts that follow one another, each of several sizes.
  static func parts(of requirement: Requirement) -> [[Sizes]] {
    let isHidden: [Bool] =
      switch requirement.data {
      case .shown: [false]
      case .hidden: [true]
      case .both: [false, true]
      }
    switch requirement.kind {
    case .free, .accepts, .refuses, .answer, .predict, .traced: return []
    case .never, .reach, .schedules, .budget, .store, .golden, .confined:
      return isHidden.map { [Sizes(isHidden: $0)] }
    case .growth(_, let parameter, let values, _), .mutants(let parameter, let values, _, _):
      return isHidden.map { isHidden in
        values.map { Sizes(isHidden: isHidden, parameter: parameter, value: $0) }
      }
    }
  }

  /// What compiles the learner's files.
  func compiler() throws -> LearnerBuild {
    if let known { return known }
    let build = try LearnerBuild(folder, in: workspace)
    known = build
    return build
  }

  /// Builds the program, once.
  @discardableResult func build() throws -> String {
    if let program { return program }
    let built = try compiler().program()
    program = built
    return built
  }

  /// All runs with these sizes.
  ///
  /// - Throws: `GradedRuns.Failure` when there is no answer.
  func runs(with sizes: Sizes) throws -> GradedRuns {
    if let known = answers[sizes] { return try known.get() }
    let explored = sizes.isHidden ? exercise.hidden : exercise.shown
    let scenario = try exercise.scenario(
      build(), of: folder, beside: [], sizes: explored)
    let parameters = sizes.parameter.map { [$0: sizes.value] } ?? [:]
    let asking = requirements.filter { Self.parts(of: $0).joined().contains(sizes) }
    let answer: Result<GradedRuns, GradedRuns.Failure>
    do {
      answer = .success(
        try GradedRuns(
          of: scenario, bound: explored.bound, parameters, asking: asking,
          isRepeating: isRepeating, schedulesMaxOfWrong: schedulesMaxOfWrong, in: workspace))
    } catch let failure as GradedRuns.Failure {
      answer = .failure(failure)
    }
    answers[sizes] = answer
    return try answer.get()
  }

  /// How many schedules were run, with these values or with all.
  func count(where isCounted: (Sizes) -> Bool = { _ in true }) -> Int {
    answers.filter { isCounted($0.key) }.values
      .reduce(0) { $0 + ((try? $1.get().runs.count) ?? 0) }
  }

  /// The limit that a run hit, in words, if one did.
  var limit: String? {
    answers.sorted { !$0.key.isHidden && $1.key.isHidden }
      .lazy.compactMap { try? $0.value.get().limit }.first
  }
}
