/// Why a run came out as it did, in two or three sentences made from what its steps read and wrote.
///
/// The forms are tried in this order, and the first that the trace bears out is told:
///
/// 1. a cycle of queues that wait for each other
/// 2. another ending than the side's last line
/// 3. trespass: objects were used outside their queue
/// 4. a ghost: a row was deleted before a context that had read it saved a change of it
/// 5. a mixture: a merge, or a child's save, put another's fields beside unsaved ones
/// 6. a lost update: both read a row before the other's commit, and both wrote it
/// 7. a write skew: each read a row before the other wrote it, and wrote another one
/// 8. duplicates: both looked through an entity before the other's commit, and both added to it
/// 9. a stale read: what a context read was replaced, and it never read again
/// 10. a stall: the main loop was kept from its next turn for longer than a frame
///
/// 3 to 10 are told of a forbidden outcome only: what they describe is often harmless. Where none
/// is borne out, the text says what is known and no more.
public struct Explanation {
  /// A row, or the rows of an entity, seen by a step.
  typealias Access = RunHistory.Access

  /// What is explained.
  let history: RunHistory

  /// Prepares the explanation of a run.
  public init(_ trace: Trace) { self.init(RunHistory(trace)) }

  init(_ history: RunHistory) { self.history = history }

  /// The sentences, each complete.
  public var sentences: [String] {
    if let cycle { return cycle }
    if history.trace.ending.kind == .deadlock, !history.trace.waits.isEmpty {
      return history.trace.waits.map { $0 + "." }
        + ["None of them can continue before another does."]
    }
    if history.trace.ending.kind != .finished { return ending }
    guard history.trace.grade == .forbidden else { return calm }
    let mixed = ghost ?? merged ?? mixture
    let lost = lostInParent ?? lostUpdate ?? lostAttempt
    if let argument = trespass ?? mixed ?? lost ?? writeSkew ?? duplicates ?? staleRead ?? stall {
      return argument
    }
    let hint = "No thread was interrupted, so look at the code rather than at the schedule."
    return known + ["The rows that the steps read and wrote do not show the reason."]
      + (history.trace.switches == 0 ? [hint] : [])
  }

  /// The sentences one after the other.
  public var text: String { sentences.joined(separator: " ") }

  // MARK: Words

  /// A lane's letter, or its name.
  func word(_ lane: Int) -> String { history.lanes[lane].word }
  /// The step of an access, as steps are numbered on pages.
  func at(_ access: Access) -> String { "step \(access.step + 1)" }
  /// The step of a read with the values that were read.
  func seen(_ access: Access) -> String {
    at(access) + (access.values.isEmpty ? "" : ": \(history.words(access.values))")
  }
  /// The version that was read or made, in words.
  func version(_ access: Access) -> String {
    access.version.map(RowVersion.words) ?? "a version"
  }
  /// A row without the word row.
  func bare(_ thing: String) -> String {
    thing.hasPrefix("row ") ? String(thing.dropFirst(4)) : thing
  }

  /// `Let A = the block on left, B = the block on right.`
  func introduction(_ lanes: [Int]) -> [String] {
    let named = lanes.sorted().compactMap { lane in
      history.lanes[lane].letter.map { letter in
        let blocks = history.laneOfParty.count { $0 == lane } == 1 ? "the block" : "the blocks"
        return "\(letter) = \(blocks) on \(history.lanes[lane].shortName)"
      }
    }
    return named.isEmpty ? [] : ["Let \(named.joined(separator: ", "))."]
  }

  // MARK: Cycles

  /// The blocks of which each waits for a queue that the next one holds.
  var cycle: [String]? {
    guard let found = waits else { return nil }
    let claims = found.map { lane, wants, holder in
      "\(word(lane)) waits for \(RunHistory.named(queue: wants)), which \(word(holder)) holds"
    }
    let (other, none) = found.count == 2 ? ("other", "neither") : ("next", "none")
    return introduction(found.map(\.0)) + [
      claims.joined(separator: "; ") + ".",
      "Each releases its queue only after it gets the \(other) one, so \(none) ever does.",
    ]
  }

  /// The same in one line, with the names of the lanes.
  var links: String? {
    waits?.map { lane, wants, holder in
      "\(history.lanes[lane].label) waits for \(RunHistory.named(queue: wants)), which"
        + " \(history.lanes[holder].label) holds"
    }.joined(separator: "; ")
  }

  /// Which lane waits for which queue, and which lane holds that one.
  private var waits: [(lane: Int, wants: String, holder: Int)]? {
    guard history.trace.ending.kind == .deadlock else { return nil }
    var stuck: [(lane: Int, inside: [String], wants: String)] = []
    for party in history.trace.parties.indices {
      let steps = history.trace.steps.filter { $0.party == party }
      guard let last = steps.last(where: { $0.stop != .abandoned }),
        case .waits(let queue) = last.stop
      else { continue }
      let lane = history.laneOfParty[party]
      let inside = [last.queue, history.lanes[lane].shortName].compactMap { $0 }
      stuck.append((lane, inside, queue))
    }
    let links = stuck.compactMap { one -> (lane: Int, wants: String, holder: Int)? in
      guard let holder = stuck.first(where: { $0.inside.contains(one.wants) }) else { return nil }
      return (one.lane, one.wants, holder.lane)
    }
    return links.count > 1 && links.count == stuck.count ? links : nil
  }

  // MARK: Arguments from reads and commits

  /// What a lane had read last of a thing before it committed it, or before the end.
  func lastRead(_ lane: Int, _ thing: String, before step: Int = .max) -> Access? {
    history.reads.last { $0.lane == lane && $0.thing == thing && $0.step < step }
  }

  /// Pairs of commits, or of saves into a parent, by different lanes, the earlier one first.
  func pairs(
    where isWanted: (Access, Access) -> Bool
  ) -> (first: Access, second: Access)? {
    for (index, second) in history.writes.enumerated() {
      for first in history.writes[..<index].reversed()
      where first.lane != second.lane && isWanted(first, second) {
        return (first, second)
      }
    }
    return nil
  }

  private var lostUpdate: [String]? {
    let found = pairs { first, second in
      guard first.thing == second.thing, first.version != nil, first.parent == nil,
        second.parent == nil,
        let read = lastRead(second.lane, second.thing, before: second.step)
      else { return false }
      return read.step < first.step && lastRead(first.lane, first.thing, before: first.step) != nil
    }
    guard let (first, second) = found,
      let late = lastRead(second.lane, second.thing, before: second.step),
      let early = lastRead(first.lane, first.thing, before: first.step)
    else { return nil }
    let (one, two) = (word(first.lane), word(second.lane))
    return introduction([first.lane, second.lane]) + [
      "\(two) read \(version(late)) of \(bare(late.thing)) (\(seen(late))) before"
        + " \(one)'s commit (\(at(first))); \(one) read \(version(early)) (\(seen(early)))"
        + " before \(two)'s commit (\(at(second))).",
      "Both wrote the row: \(one) made \(version(first))\(values(first)), and \(two) made"
        + " \(version(second))\(values(second)) from the older version that it had read.",
    ] + decisions(of: second) + [
      "\(two) never read \(one)'s change of \(bare(first.thing)), so this change is lost."
    ]
  }

  /// The same where the later save found the row changed, and a policy left it nothing to commit.
  private var lostAttempt: [String]? {
    for attempt in history.conflicts where attempt.thing.hasPrefix("row ") {
      guard
        let first = history.commits.last(where: {
          $0.thing == attempt.thing && $0.lane != attempt.lane && $0.step < attempt.step
        }), first.version != nil,
        !history.commits.contains(where: {
          $0.thing == attempt.thing && $0.lane == attempt.lane && $0.step > attempt.step
        }),
        let late = lastRead(attempt.lane, attempt.thing, before: attempt.step),
        late.step < first.step,
        let early = lastRead(first.lane, first.thing, before: first.step)
      else { continue }
      let (one, two) = (word(first.lane), word(attempt.lane))
      return introduction([first.lane, attempt.lane]) + [
        "\(two) read \(version(late)) of \(bare(late.thing)) (\(seen(late))) before"
          + " \(one)'s commit (\(at(first))); \(one) read \(version(early)) (\(seen(early)))"
          + " before \(two)'s save (\(at(attempt))).",
        "\(one) committed \(version(first))\(values(first)). \(two) tried to write"
          + " \(written(attempt)) over \(version(late)); the row already held \(version(first)).",
      ] + decisions(of: attempt) + end(of: attempt, one)
    }
    return nil
  }

  /// The values of an access, in brackets, if there are any.
  func values(_ access: Access) -> String {
    access.values.isEmpty ? "" : " (\(history.words(access.values)))"
  }

  private func written(_ access: Access) -> String {
    access.values.isEmpty ? "its change" : history.words(access.values)
  }

  /// What the merge policy made of a save's conflict about a row.
  private func decisions(of save: Access) -> [String] {
    let steps = history.trace.steps
    let party = steps[save.step].party
    let later = steps.indices[..<steps.endIndex].filter { steps[$0].party == party }
    let from = later.last { $0 <= save.step && steps[$0].point == "save" } ?? save.step
    let end = later.first { $0 > save.step && steps[$0].point == "save" } ?? steps.endIndex
    for index in later where index >= from && index < end {
      for change in steps[index].decided where "row \(change.row)" == save.thing {
        guard let decision = change.decision else { continue }
        if decision.result == "refused" {
          return ["The merge policy \(decision.policy) refused the save (step \(index + 1))."]
        }
        let lane = word(save.lane)
        let kept = change.fields.prefix(3).map { $0.decided(of: lane) }
        guard !kept.isEmpty else { continue }
        return [
          "In the conflict (step \(index + 1)) the merge policy \(decision.policy)"
            + " \(kept.joined(separator: ", and "))."
        ]
      }
    }
    return []
  }

  /// How a save ended that committed no version of its own.
  private func end(of attempt: Access, _ other: String) -> [String] {
    let steps = history.trace.steps
    let party = steps[attempt.step].party
    let two = word(attempt.lane)
    let rest = steps.indices[attempt.step...].dropFirst().filter { steps[$0].party == party }
      .prefix { steps[$0].point != "save" }
    guard rest.contains(where: { steps[$0].point == "save: committed" }) else {
      return ["\(two) committed no change of this row, so only the change of \(other) is stored."]
    }
    let decided = rest.flatMap { steps[$0].decided }.first { "row \($0.row)" == attempt.thing }
    let isThere = decided.map { $0.fields.allSatisfy { $0.kept == $0.stored } } ?? false
    let why = isThere ? "The row already held the result, so \(two)" : "\(two)"
    return [
      "\(why) wrote nothing, but its save() reported success. One of the two updates is lost."
    ]
  }

  private var writeSkew: [String]? {
    let found = pairs { first, second in
      guard first.thing != second.thing,
        let late = lastRead(second.lane, first.thing, before: second.step),
        lastRead(first.lane, second.thing, before: first.step) != nil
      else { return false }
      return late.step < first.step
        && !history.writes.contains { $0.lane == second.lane && $0.thing == first.thing }
        && !history.writes.contains {
          $0.lane == first.lane && $0.thing == second.thing && $0.step < second.step
        }
    }
    guard let (first, second) = found,
      let late = lastRead(second.lane, first.thing, before: second.step),
      let early = lastRead(first.lane, second.thing, before: first.step)
    else { return nil }
    let (one, two) = (word(first.lane), word(second.lane))
    return introduction([first.lane, second.lane]) + [
      "\(two) read \(bare(late.thing)) \(version(late)) (\(seen(late))) before"
        + " \(one)'s \(deed(first, of: " of it")) (\(at(first))); \(one) read"
        + " \(bare(early.thing)) \(version(early)) (\(seen(early))) before"
        + " \(two)'s \(deed(second)) (\(at(second))).",
      "\(one) wrote \(bare(first.thing))\(values(first)), and \(two) wrote"
        + " \(bare(second.thing))\(values(second)).",
      "Each wrote a row that the other had only read, so neither save met a conflict. This is write"
        + " skew (Adya: G2-item).",
      "Each based its decision on a value that the other was about to change.",
    ]
  }

  private var duplicates: [String]? {
    let found = pairs { first, second in
      guard first.step != second.step, entity(first) == entity(second), isNew(first), isNew(second),
        let late = lastRead(second.lane, table(of: first), before: second.step),
        lastRead(first.lane, table(of: first), before: first.step) != nil
      else { return false }
      return late.step < first.step
    }
    guard let (first, second) = found,
      let late = lastRead(second.lane, table(of: first), before: second.step),
      let early = lastRead(first.lane, table(of: first), before: first.step)
    else { return nil }
    let (one, two) = (word(first.lane), word(second.lane))
    let isNamed = [first, second].allSatisfy { $0.thing.hasPrefix("row ") }
    let names = isNamed ? "\(one) \(bare(first.thing)), \(two) \(bare(second.thing))" : ""
    return introduction([first.lane, second.lane]) + [
      "\(two) searched the \(late.thing) (\(seen(late))) before \(one)'s \(deed(first))"
        + " (\(at(first))); \(one) searched them (\(seen(early))) before"
        + " \(two)'s \(deed(second)) (\(at(second))).",
      "Neither could see the row of the other, so each inserted one"
        + (names.isEmpty ? "." : ": \(names)."),
    ]
  }

  /// The entity of a row, `Article` of `row Article 1`, or of a new object, `new Article`.
  private func entity(_ access: Access) -> Substring {
    let parts = access.thing.split(separator: " ")
    return parts.count > 1 ? parts[1] : ""
  }

  private func table(of access: Access) -> String {
    let names = history.reads.map(\.thing).filter { $0.hasPrefix("rows of ") }
    let own = "rows of \(entity(access))"
    // An entity's rows may be told by the name of the one it descends from.
    return names.contains(own) ? own : names.first ?? own
  }

  /// Whether no step had seen the row before this commit of it.
  private func isNew(_ access: Access) -> Bool {
    if access.thing.hasPrefix("new ") { return true }
    let isFirst = history.commits.first { $0.thing == access.thing } == access
    return isFirst && access.version ?? 1 == 1
      && !history.reads.contains { $0.thing == access.thing && $0.step < access.step }
  }

  private var staleRead: [String]? {
    for commit in history.commits where commit.thing.hasPrefix("row ") {
      for lane in history.lanes.indices where lane != commit.lane {
        guard let read = lastRead(lane, commit.thing), read.step < commit.step,
          // A lane that changed the row itself knows more than it has read.
          !history.writes.contains(where: {
            $0.lane == lane && $0.thing == commit.thing && read.step < $0.step
          })
        else { continue }
        let gone = commit.version.map { "replaced it by \(RowVersion.words($0))" } ?? "deleted it"
        return introduction([lane, commit.lane]) + [
          "\(word(lane)) read \(version(read)) of \(bare(read.thing)) (\(seen(read)));"
            + " \(word(commit.lane)) \(gone) (\(seen(commit))).",
          "\(word(lane)) did not read the row again, so its values are stale.",
        ]
      }
    }
    return nil
  }

  // MARK: What is known

  /// Commits of rows, and saves that found their row changed, in order.
  var known: [String] {
    let commits = history.commits.filter { $0.thing.hasPrefix("row ") }
    guard !commits.isEmpty else { return ["No row was committed."] }
    let late = Set(history.conflicts)
    let groups = Dictionary(grouping: commits + late, by: \.step).values
      .sorted { $0[0].step < $1[0].step }
    let told = groups.prefix(4).map { group in
      let (first, isLate) = (group[0], late.contains(group[0]))
      if isLate {
        let isGone = commits.last { $0.thing == first.thing && $0.step < first.step }
          .map { $0.version == nil }
        let found = isGone == true ? "deleted" : "replaced"
        return "\(word(first.lane))'s save found \(bare(first.thing)) \(found) (\(at(first)))"
      }
      if group.count == 1, first.version == nil {
        return "\(word(first.lane)) deleted \(bare(first.thing)) (\(at(first)))"
      }
      let what =
        group.count > 1
        ? "\(Figures.grouped(group.count)) rows"
        : "\(version(first)) of \(bare(first.thing))\(values(first))"
      return "\(word(first.lane)) committed \(what) (\(at(first)))"
    }
    let more = groups.count - 4
    let rest =
      more > 0 ? "; and \(Exploration.counted(more, "more commit", "more commits")) followed" : ""
    let lanes = Array(Set(groups.prefix(4).map { $0[0].lane }))
    return introduction(lanes) + [told.joined(separator: "; ") + rest + "."]
  }

  private var calm: [String] {
    let grade = history.trace.grade.map { "\($0.rawValue), not forbidden" } ?? "not declared"
    return known + ["The outcome is \(grade): no cause is looked for."]
  }
}
