/// Makes an order as small as it can be while it ends the same way, and says which of its turns the
/// outcome depends on.
///
/// A value without any run in it: the closure runs an order.
///
/// 1. The shortest beginning of the order that ends the same way takes its place.
/// 2. Each turn is left out in turn, switches first; where the outcome stays and the order got
///    smaller, the rest begins again with that one.
/// 3. When none can be left out, every turn is needed.
///
/// A turn is left out in two ways. First the others keep the numbers of their choices. But without
/// the turn there may be other choices, so that the numbers mean something else; then each of the
/// others is looked for: the same party goes on at the same place of the one it interrupts.
public struct Minimiser {
  /// What a run of an order was.
  public struct Run {
    /// What it came to; the same text stands for the same end.
    public var outcome: String
    /// The choices there were.
    public var choices: [ChoiceSeen]

    /// Describes a run.
    public init(outcome: String, choices: [ChoiceSeen]) {
      self.outcome = outcome
      self.choices = choices
    }

    /// The turns that were taken.
    public var schedule: Schedule {
      Schedule(
        choices.indices.filter { choices[$0].chosen > 0 }.map {
          Schedule.Turn(choice: $0, option: choices[$0].chosen)
        })
    }

    /// How often somebody was interrupted.
    public var switches: Int { choices.count { $0.isSwitchPoint && $0.chosen > 0 } }

    /// Fewest switches first, then fewest turns.
    fileprivate var size: (Int, Int) { (switches, schedule.turns.count) }
  }

  private let run: (Schedule) throws -> Run

  /// Makes orders smaller by running them.
  public init(_ run: @escaping (Schedule) throws -> Run) { self.run = run }

  /// The smallest order that is found; every turn of it is needed.
  public func minimised(_ schedule: Schedule) throws -> Schedule {
    var best = try run(schedule)
    for length in 0..<best.schedule.turns.count {
      let beginning = try run(Schedule(Array(best.schedule.turns.prefix(length))))
      if beginning.outcome == best.outcome, beginning.size < best.size {
        best = beginning
        break
      }
    }
    while let smaller = try smaller(than: best) { best = smaller }
    return best.schedule
  }

  /// The choices of an order without whose turns it ends in another way.
  public func needed(_ schedule: Schedule) throws -> Set<Int> {
    let whole = try run(schedule)
    let turns = whole.schedule.turns
    let needed = try turns.indices.filter { index in
      try without(index, whole).allSatisfy { $0.outcome != whole.outcome }
    }
    return Set(needed.map { turns[$0].choice })
  }

  private func smaller(than best: Run) throws -> Run? {
    let turns = best.schedule.turns
    let switches = turns.indices.filter { best.choices[turns[$0].choice].isSwitchPoint }
    let others = turns.indices.filter { !best.choices[turns[$0].choice].isSwitchPoint }
    for index in switches.reversed() + others.reversed() {
      for candidate in try without(index, best)
      where candidate.outcome == best.outcome && candidate.size < best.size {
        return candidate
      }
    }
    return nil
  }

  /// The runs of an order without one of its turns.
  private func without(_ index: Int, _ whole: Run) throws -> [Run] {
    let turns = whole.schedule.turns
    var kept = turns
    kept.remove(at: index)
    let asNumbered = try run(Schedule(kept))
    guard index < kept.count else { return [asNumbered] }
    var transplanted = try run(Schedule(Array(turns.prefix(index))))
    for turn in kept[index...] {
      let last = transplanted.schedule.turns.last?.choice ?? -1
      guard let found = place(turn, of: whole, in: transplanted, after: last) else { continue }
      transplanted = try run(Schedule(transplanted.schedule.turns + [found]))
    }
    return [asNumbered, transplanted]
  }

  /// Where in another run the same party could go on at the same place of the same one.
  private func place(
    _ turn: Schedule.Turn, of whole: Run, in other: Run, after last: Int
  ) -> Schedule.Turn? {
    let wanted = whole.choices[turn.choice]
    func isAlike(_ choice: ChoiceSeen) -> Bool {
      choice.isSwitchPoint == wanted.isSwitchPoint
        && (!wanted.isSwitchPoint || choice.parties[0] == wanted.parties[0])
    }
    let occurrence = whole.choices[..<turn.choice].count(where: isAlike)
    let places = other.choices.indices.filter { isAlike(other.choices[$0]) }
    guard places.indices.contains(occurrence), places[occurrence] > last,
      let option = other.choices[places[occurrence]].parties
        .firstIndex(of: wanted.parties[turn.option]), option > 0
    else { return nil }
    return Schedule.Turn(choice: places[occurrence], option: option)
  }
}
