import Foundation

/// Every rule id in a spec's name has its row in the table of rules, and every row its spec.
enum RuleCheck {
  private static var id: Regex<Substring> { #/[A-LT][0-9]+[a-z]?/# }

  /// The ids in the names of the specs: `testA16_B50_what`, or `@Test("A16, B50: what")`.
  static func ids(in file: TextFile) -> [(id: String, line: Int)] {
    var found: [(id: String, line: Int)] = []
    for (number, line) in file.lines.enumerated() {
      guard let name = specName(in: line) else { continue }
      for part in name.split(whereSeparator: { "_, /".contains($0) }) {
        guard let match = part.wholeMatch(of: id) else { break }
        found.append((String(match.output), number + 1))
      }
    }
    return found
  }

  private static func specName(in line: Substring) -> Substring? {
    if let match = line.firstMatch(of: #/func test([A-LT][0-9][A-Za-z0-9_]*)/#) {
      return match.output.1
    }
    if let match = line.firstMatch(of: #/@Test\(\s*"([^":]*):/#) { return match.output.1 }
    return nil
  }

  /// The ids of the rows, read from the first cell of each.
  static func rows(in table: TextFile) -> [(id: String, line: Int)] {
    table.lines.enumerated().compactMap { number, line in
      let cells = line.split(separator: "|", omittingEmptySubsequences: false)
      guard line.hasPrefix("|"), cells.count > 2 else { return nil }
      let cell = cells[1].trimmingCharacters(in: .whitespaces)
      return cell.wholeMatch(of: id) == nil ? nil : (cell, number + 1)
    }
  }

  /// Holds the specs against the table.
  static func complaints(specs: [TextFile], table: TextFile) -> [Complaint] {
    let rows = rows(in: table)
    let known = Set(rows.map(\.id))
    var shown: Set<String> = []
    var complaints: [Complaint] = []
    for file in specs {
      for (id, line) in ids(in: file) {
        shown.insert(id)
        guard !known.contains(id) else { continue }
        complaints.append(
          Complaint(
            path: file.path, line: line, text: "\(id) has no row in \(table.path): add one"))
      }
    }
    var rowsSeen: Set<String> = []
    for (id, line) in rows {
      if !rowsSeen.insert(id).inserted {
        complaints.append(Complaint(path: table.path, line: line, text: "\(id) has two rows"))
      } else if !shown.contains(id) {
        complaints.append(
          Complaint(
            path: table.path, line: line, text: "\(id) has a row and no spec: write the spec"))
      }
    }
    return complaints
  }
}
