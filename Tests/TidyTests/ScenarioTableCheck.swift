/// Every scenario in the table of `Package.swift` has its folder, its README and its catalogue
/// entry.
enum ScenarioTableCheck {
  /// The rows of the table.
  static func table(in manifest: TextFile) -> [(folder: String, file: String)] {
    manifest.text.matches(of: #/\("([0-9]{2}-[^"]+)", "([^"]+\.swift)"\)/#)
      .map { (String($0.output.1), String($0.output.2)) }
  }

  /// Holds the table against the folders and the catalogue.
  static func complaints(
    manifest: TextFile, catalogue: TextFile, paths: Set<String>
  ) -> [Complaint] {
    let rows = table(in: manifest)
    var complaints: [Complaint] = []
    func complain(_ text: String) {
      complaints.append(Complaint(path: manifest.path, line: 0, text: text))
    }
    for (folder, file) in rows {
      for needed in ["Scenarios/\(folder)/\(file)", "Scenarios/\(folder)/README.md"]
      where !paths.contains(needed) {
        complain("the table names \(folder), and \(needed) is missing")
      }
      let type = file.dropLast(".swift".count)
      if !catalogue.text.contains("\(type).self") {
        complain("the table names \(folder), and \(catalogue.path) does not list \(type).self")
      }
    }
    let folders = Set(rows.map(\.folder))
    let standing = paths.compactMap { path -> String? in
      let parts = path.split(separator: "/")
      let isNumbered = parts.count == 2 && parts[0] == "Scenarios" && parts[1].first!.isNumber
      return isNumbered ? String(parts[1]) : nil
    }
    for folder in standing.sorted() where !folders.contains(folder) {
      complain("Scenarios/\(folder) is not in the table: add a row")
    }
    return complaints
  }
}
