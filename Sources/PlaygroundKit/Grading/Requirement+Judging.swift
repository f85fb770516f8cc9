extension Requirement.Kind {
  /// Whether it is about what a run leaves or notes, which one that is cut off cannot show.
  var asksForAnEnd: Bool {
    switch self {
    case .store, .golden, .budget: true
    case .never, .reach, .schedules, .growth, .confined, .mutants, .answer, .predict, .traced,
      .accepts, .refuses, .free:
      false
    }
  }

  /// Whether it does not hold as long as too few schedules were run.
  var counts: Bool {
    switch self {
    case .schedules, .reach: true
    case .never, .budget, .store, .golden, .growth, .confined, .mutants, .answer, .predict, .traced,
      .accepts, .refuses,
      .free:
      false
    }
  }
}

extension Requirement {
  /// The question whose answer it judges, if it judges one.
  package var question: String? {
    switch kind {
    case .answer(let key, _, _, _, _), .predict(let key, _), .traced(let key, _, _, _): key
    case .never, .reach, .schedules, .budget, .store, .golden, .growth, .confined, .mutants,
      .accepts, .refuses, .free:
      nil
    }
  }

  /// What it rests on.
  var basis: CheckRecord.Basis {
    switch kind {
    case .never, .reach, .store: .databases
    case .schedules, .budget, .golden, .growth, .confined, .mutants: .counts
    case .free, .accepts, .refuses: .text
    case .answer, .predict, .traced: .answers
    }
  }
}
