import Faultline

/// Finds out why no party can go on, over waits of the engine and of anything else.
extension ControlledRun {
  /// What a party waits for.
  private struct Blocked {
    let words: String
    /// What ends the wait; nil where `parties` hold what is waited for.
    let ending: String?
    let parties: [Party]
  }

  private func blocked(_ party: Party) -> Blocked? {
    if party.token != nil, let queue = WaitGraph.queue(awaitedBy: party.identity) {
      let holder =
        queue.kind == .main ? parties[0] : parties.first { $0.identity == queue.holder }
      return Blocked(
        words: "queue \"\(queue.label)\"", ending: nil, parties: holder.map { [$0] } ?? [])
    }
    guard let wait = party.wait else { return nil }
    guard let ending = wait.ending else {
      return Blocked(words: wait.words, ending: nil, parties: wait.holders())
    }
    let others = parties.filter { $0 !== party && ($0.wait != nil || $0.token != nil) }
    return Blocked(words: wait.words, ending: ending, parties: others)
  }

  /// The waits that wait for each other in a cycle, as sentences; nil if there is none.
  ///
  /// A semaphore does not say what will signal it: any party that is stopped might, and a cycle
  /// through one says so. When the side has ended, nothing waits for its signal, so that such a
  /// cycle is none.
  var outsideCycle: [String]? {
    for isCertain in bodyEnding == nil ? [true, false] : [true] {
      for party in parties where party.wait != nil {
        if let cycle = path(from: party, isCertain) { return sentences(cycle) }
      }
    }
    guard bodyEnding == nil, !turns.isEmpty, let main = blocked(parties[0]),
      let ending = main.ending
    else { return nil }
    return [
      "main waits for \(main.words), which a block of the main queue could \(ending)",
      "a block of the main queue waits for main",
    ]
  }

  /// The shortest way from a party along waits back to it, as the parties on it; nil if none is.
  private func path(from start: Party, _ isCertain: Bool) -> [Party]? {
    var paths = [[start]]
    var seen: Set<Int> = []
    while !paths.isEmpty {
      let path = paths.removeFirst()
      guard let blocked = blocked(path[path.count - 1]), blocked.ending == nil || !isCertain
      else { continue }
      for next in blocked.parties {
        if next === start { return path }
        if seen.insert(next.number).inserted { paths.append(path + [next]) }
      }
    }
    return nil
  }

  private func sentences(_ cycle: [Party]) -> [String] {
    cycle.indices.map { index in
      let next = cycle[(index + 1) % cycle.count]
      guard let blocked = blocked(cycle[index]) else { return "" }
      let why = blocked.ending.map { "which \(next.name) could \($0)" } ?? "held by \(next.name)"
      return "\(cycle[index].name) waits for \(blocked.words), \(why)"
    }
  }

  /// A wait that nothing is left to end, as a sentence; nil if there is none.
  var endlessWait: String? {
    for party in parties {
      guard let blocked = blocked(party), let ending = blocked.ending else { continue }
      return "\(party.name) waits for \(blocked.words), which no thread is left to \(ending)"
    }
    return nil
  }
}
