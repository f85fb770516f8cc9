/// Finds the name that was probably meant by a mistyped one; it is suggested, never run.
public enum NearestName {
  /// The name with the fewest differing letters, if they are few enough for a typing error.
  public static func of(_ typed: String, among names: [String]) -> String? {
    // A longer word is no slip, and comparing it would take long.
    guard typed.utf8.count <= 100 else { return nil }
    let typed = Array(typed.lowercased())
    let best =
      names
      .map { (name: $0, distance: distance(typed, Array($0.lowercased()))) }
      .min { $0.distance < $1.distance }
    guard let best, best.distance <= max(2, typed.count / 2) else { return nil }
    return best.name
  }

  /// How many letters must be inserted, removed, changed or swapped with their neighbour.
  static func distance(_ a: [Character], _ b: [Character]) -> Int {
    var rows = [[Int]](
      repeating: [Int](repeating: 0, count: b.count + 1), count: a.count + 1)
    for i in 0...a.count { rows[i][0] = i }
    for j in 0...b.count { rows[0][j] = j }
    guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
    for i in 1...a.count {
      for j in 1...b.count {
        let change = rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)
        rows[i][j] = min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, change)
        if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
          rows[i][j] = min(rows[i][j], rows[i - 2][j - 2] + 1)
        }
      }
    }
    return rows[a.count][b.count]
  }
}
