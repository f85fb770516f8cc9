import Foundation

/// Every rule id in a spec's name has its row in the table of rules, and every row its spec.
enum RuleCheck {
  private static var id: Regex<Substring> { #/[A-LTU][0-9]+[a-z]?/# }

  /// The ids in the names of the specs: `testA16_B50_what`, or `@Test("A16, B50: what")`.
  static func ids(in file: TextFile) -> [(id: String, line: Int)] {
    specNames(in: file).flatMap { name, line in
      name.split { "_, /".contains($0) }.prefix { $0.wholeMatch(of: id) != nil }
        .map { (String($0), line) }
    }
  }

  private static func specNames(in file: TextFile) -> [(name: Substring, line: Int)] {
    let functions = file.declarations.compactMap { declaration -> (Substring, Int)? in
      guard declaration.keyword == "func", declaration.name.hasPrefix("test") else { return nil }
      return (declaration.name.dropFirst(4), declaration.headLine + 1)
    }
    let attributes = file.tokens.compactMap { token -> (Substring, Int)? in
      guard token.text == "@Test" else { return nil }
      // A long name stands on the line after its attribute.
      let place = file.lines[token.line].hasSuffix("@Test(") ? token.line + 1 : token.line
      let match = file.lines[place].firstMatch(of: #/^\s*(?:@Test\(\s*)?"([^":]*):/#)
      return match.map { ($0.output.1, place + 1) }
    }
    return functions + attributes
  }

  /// One row of the table.
  struct Row: Equatable {
    /// The rule, read from the first cell.
    let id: String
    /// Where it stands, from 1.
    let line: Int
    /// Whether it says why the rule has no spec.
    let isApart: Bool
  }

  /// The rows of the table, those under "Rules without a spec" apart.
  static func rows(in table: TextFile) -> [Row] {
    var isApart = false
    return table.lines.enumerated().compactMap { number, line in
      if line.hasPrefix("## ") { isApart = line.contains("without a spec") }
      let cells = line.split(separator: "|", omittingEmptySubsequences: false)
      guard line.hasPrefix("|"), cells.count > 2 else { return nil }
      let cell = cells[1].trimmingCharacters(in: .whitespaces)
      return cell.wholeMatch(of: id) == nil
        ? nil : Row(id: cell, line: number + 1, isApart: isApart)
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
    for row in rows {
      let complaint: String? =
        if !rowsSeen.insert(row.id).inserted {
          "\(row.id) has two rows"
        } else if row.isApart && shown.contains(row.id) {
          "\(row.id) has a spec and a row that says it has none: move the row to its section"
        } else if !row.isApart && !shown.contains(row.id) {
          "\(row.id) has a row and no spec: write the spec"
        } else {
          nil
        }
      if let complaint {
        complaints.append(Complaint(path: table.path, line: row.line, text: complaint))
      }
    }
    return complaints
  }
}
