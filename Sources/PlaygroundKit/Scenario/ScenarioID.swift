/// The words that name scenarios on the command line: `8`, `08`, `8..12`, `3,8`,
/// `perform-and-wait-on-main`, with or without its part or its number.
public enum ScenarioID {
  /// The scenarios that the words name, in the order of the words, each once; without words the
  /// error names the command that needs them.
  public static func scenarios(
    _ words: [String], in catalogue: [any Scenario.Type], for command: String = "run"
  ) throws(Complaint) -> [RunnableScenario] {
    var found: [any Scenario.Type] = []
    for word in words.flatMap({ $0.split(separator: ",").map(String.init) }) {
      for scenario in try scenarios(word, in: catalogue)
      where !found.contains(where: { $0.card.number == scenario.card.number }) {
        found.append(scenario)
      }
    }
    guard !found.isEmpty else {
      throw Complaint(.usage, "Name a scenario, as in `faultline \(command) 8`; \(hint)")
    }
    return found.map { RunnableScenario($0) }
  }

  /// The one scenario that a word names, among those listed or among others.
  public static func scenario(
    _ word: String, in listed: [any Scenario.Type], and others: [any Scenario.Type] = []
  ) throws(Complaint) -> RunnableScenario {
    // The others are found by their exact name, and never suggested.
    var found: [RunnableScenario] = (try? scenarios([word], in: others)) ?? []
    if found.isEmpty { found = try scenarios([word], in: listed) }
    guard found.count == 1 else {
      throw Complaint(.usage, "\(word) names \(found.count) scenarios: name one of them.")
    }
    return found[0]
  }

  private static let hint = "`faultline list` shows all scenarios."

  private static func scenarios(
    _ word: String, in catalogue: [any Scenario.Type]
  ) throws(Complaint) -> [any Scenario.Type] {
    if let range = try range(word) {
      let found = catalogue.filter { $0.card.number.map(range.contains) ?? false }
      if found.isEmpty {
        throw Complaint(.usage, "There is no scenario in \(word); \(hint)")
      }
      return found
    }
    if let found = catalogue.first(where: { names(of: $0.card).contains(word.lowercased()) }) {
      return [found]
    }
    if let number = Int(word), let scenario = catalogue.first(where: { $0.card.number == number }) {
      return [scenario]
    }
    throw unknown(word, catalogue)
  }

  private static func range(_ word: String) throws(Complaint) -> ClosedRange<Int>? {
    let ends = word.split(separator: ".", omittingEmptySubsequences: false)
    guard ends.count == 3, ends[1].isEmpty, let low = Int(ends[0]), let high = Int(ends[2])
    else { return nil }
    guard low <= high else {
      throw Complaint(
        .usage, "\(word) is an empty range: put the lower number first, \(high)..\(low).")
    }
    return low...high
  }

  private static func names(of card: Card) -> [String] {
    let part = card.part.map { "\($0.slug)/\(card.slug)" }
    return [card.slug, part, card.folderName].compactMap { $0 }
  }

  private static func unknown(_ word: String, _ catalogue: [any Scenario.Type]) -> Complaint {
    let cards = catalogue.map { $0.card }
    let near: Card?
    if let number = Int(word) {
      near = cards.min { abs(($0.number ?? 0) - number) < abs(($1.number ?? 0) - number) }
    } else {
      let named = cards.map { (card: $0, names: names(of: $0) + [$0.title.lowercased()]) }
      let name = NearestName.of(word, among: named.flatMap(\.names))
      near = named.first { card in name.map(card.names.contains) ?? false }?.card
    }
    let suggestion = near.map { "the nearest is \($0.name), \($0.slug); " } ?? ""
    return Complaint(.usage, "There is no scenario “\(word)”; \(suggestion)\(hint)")
  }
}
