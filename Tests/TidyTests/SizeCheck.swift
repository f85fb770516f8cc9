/// A file of at most 400 lines, a function of at most 60, a line of at most 100 columns.
enum SizeCheck {
  static let linesMax = 400
  static let functionLinesMax = 60
  static let columnsMax = 100

  private static let functions: Set = ["func", "init", "deinit", "subscript", "var"]

  /// Measures one Swift file.
  static func complaints(about file: TextFile) -> [Complaint] {
    var complaints: [Complaint] = []
    let lines = file.lines
    if lines.count > linesMax {
      complaints.append(
        Complaint(
          path: file.path, line: 0,
          text: "\(lines.count) lines; at most \(linesMax). Move a topic to Type+Topic.swift."))
    }
    for (number, line) in lines.enumerated() where line.count > columnsMax {
      complaints.append(
        Complaint(
          path: file.path, line: number + 1,
          text: "\(line.count) columns; at most \(columnsMax). Break the line."))
    }
    for declaration in file.declarations where functions.contains(declaration.keyword) {
      guard let last = declaration.lastLine else { continue }
      let count = last - declaration.firstLine + 1
      guard count > functionLinesMax else { continue }
      complaints.append(
        Complaint(
          path: file.path, line: declaration.firstLine + 1,
          text: "\(declaration.keyword) \(declaration.name): \(count) lines; at most "
            + "\(functionLinesMax). Give a step a name of its own."))
    }
    return complaints
  }
}
