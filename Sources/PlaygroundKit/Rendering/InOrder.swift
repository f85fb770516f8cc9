/// Merges the names of several columns, keeping the order of each column where possible.
enum InOrder {
  /// Each name once; a name that only a later column has follows its predecessor in that column.
  static func merged(_ columns: [[String]]) -> [String] {
    var names: [String] = []
    for column in columns {
      var next = 0
      for name in column {
        if let known = names.firstIndex(of: name) {
          next = max(next, known + 1)
        } else {
          names.insert(name, at: next)
          next += 1
        }
      }
    }
    return names
  }
}
