import Foundation

/// The table of the sources' claims is whole: each section has a row, and each row a verdict and
/// something that shows it.
enum LedgerCheck {
  private static let verdicts = [
    "true", "with the checker", "with a condition", "false", "not testable here",
  ]

  /// What is wrong with the ledger; `rules` are the ids in the table of rules.
  static func complaints(about ledger: TextFile, rules: Set<String>) -> [Complaint] {
    var complaints: [Complaint] = []
    var section: (name: String, line: Int, rows: Int)?
    func closeSection() {
      guard let closed = section, closed.rows == 0 else { return }
      complaints.append(
        Complaint(
          path: ledger.path, line: closed.line,
          text: "the section “\(closed.name)” has no claim. Add its rows."))
    }
    for (number, line) in ledger.lines.enumerated() {
      if line.hasPrefix("#") {
        closeSection()
        section = line.hasPrefix("### ") ? (String(line.dropFirst(4)), number + 1, 0) : nil
      }
      guard section != nil, line.hasPrefix("|"), !line.hasPrefix("|---"),
        !line.hasPrefix("| claim |")
      else { continue }
      section?.rows += 1
      let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst()
        .dropLast()
        .map { $0.trimmingCharacters(in: .whitespaces) }
      if let text = complaint(about: cells, rules) {
        complaints.append(Complaint(path: ledger.path, line: number + 1, text: text))
      }
    }
    closeSection()
    return complaints
  }

  private static func complaint(about cells: [String], _ rules: Set<String>) -> String? {
    guard cells.count == 3, !cells[0].isEmpty else { return "a row has three cells." }
    guard let verdict = verdicts.first(where: cells[1].hasPrefix) else {
      return "“\(cells[1])” is no verdict."
    }
    if cells[1] == "not testable here" { return "“not testable here” needs a reason." }
    let shown = cells[2].replacing(#/\[[^\]]*\]\([^)]*\)/#, with: "link")
    let parts = shown.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    for part in parts {
      let words = part.split(separator: " ").map(String.init)
      guard words.first == "link" || words.first.map(rules.contains) == true else {
        return "“\(part)” is neither a link nor a rule."
      }
    }
    return parts.isEmpty && verdict != "not testable here"
      ? "nothing shows this claim. Link the scenario or name the rule." : nil
  }
}
