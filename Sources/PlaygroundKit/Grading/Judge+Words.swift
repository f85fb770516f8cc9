/// How the judge says what it has seen.
extension Judge {
  /// In which schedules something holds that holds in all of them.
  static func each(of all: Int) -> String {
    all == 1 ? "in the only schedule" : "in each of \(Figures.grouped(all)) schedules"
  }

  /// In how many of all schedules something is wrong.
  static func some(_ count: Int, of all: Int) -> String {
    switch (count, all) {
    case (1, 1): "in the only schedule"
    case (2, 2): "in both schedules"
    case (all, all): "in all \(Figures.grouped(all)) schedules"
    default: "in \(Figures.grouped(count)) of \(Figures.grouped(all)) schedules"
    }
  }

  /// Why there is no answer.
  func words(_ failure: GradedRuns.Failure) -> String {
    switch failure {
    case .notDeterministic(let id):
      let place = id.isEmpty ? "" : " (\(id))"
      return "Not deterministic: two runs of the same schedule differ\(place). The usual reasons"
        + " are a global variable, an observer left by an earlier run, and the order of a Set or of"
        + " a Dictionary."
    case .tooMany(let count):
      return "No answer: more than \(Figures.grouped(count)) schedules. Fewer tasks, awaits and"
        + " blocks make fewer schedules; a loop that waits for something makes most."
    }
  }

  /// Why a run that was not under control says nothing about the code.
  func words(loss detail: String) -> String {
    "No answer: a run could not be judged, because \(detail). Endless loops,"
      + " sockets, processes and threads of C libraries are outside Faultline's control."
  }

  /// What a learner must know of an ending besides the outcome; a replay tells a cycle better.
  static func detail(of ending: Ending) -> String? {
    switch ending.kind {
    case .finished, .deadlock, .killed, .uncontrolled: nil
    case .threw, .crashed, .exited, .stopped, .hung, .limit, .diskFull:
      ending.detail.isEmpty ? nil : short(ending.detail)
    }
  }

  /// An error as a part of a sentence: its beginning if it is long, and its code.
  private static func short(_ detail: String) -> String {
    let detail = detail.replacing(". (", with: " (")
    guard detail.count > 220 else {
      return detail.hasSuffix(".") ? String(detail.dropLast()) : detail
    }
    let last = detail.split(separator: " ").last ?? ""
    return detail.prefix(200) + "…" + (last.hasPrefix("(") ? " \(last)" : "")
  }
}

extension CheckRecord.Finding {
  /// A requirement without an answer, and why there is none.
  static func open(_ requirement: Requirement, _ message: String) -> Self {
    Self(
      name: requirement.name, what: requirement.what, status: .error, points: 0,
      pointsMax: requirement.points, isBonus: requirement.isBonus, message: message,
      basis: requirement.basis)
  }
}
