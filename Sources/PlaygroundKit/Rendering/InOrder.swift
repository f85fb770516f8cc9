/// What columns have in common and what only one of them has, in an order that suits all of them.
enum InOrder {
  /// Each name once; a name that only a later column has follows the name that it follows there.
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
