import Foundation

/// Holds a printed page of the guide against a fresh one.
///
/// Words, labels, verdict marks and counts must be equal. Times, sizes and what follows from them
/// belong to a machine: they may differ by a factor of `factor`. Drawings and the widths of columns
/// do not count. Written down in `Guide/reference/formats.md`.
struct PageComparison {
  /// How far two times or two sizes may lie apart.
  static let factor = 30.0

  /// The labels of the rows whose numbers belong to the machine.
  let measured: Set<String>
  /// Only words are compared, because what comes of the run is a matter of chance.
  let isLoose: Bool

  /// A comparison for pages of this record.
  init(of record: RunRecord, isLoose: Bool) {
    let summaries = record.sides.flatMap(\.summaries)
    let machine = summaries.filter { $0.unit == .nanoseconds || $0.unit == .bytes }.map(\.name)
    measured = Set(machine + [Metric.framesDropped])
    self.isLoose = isLoose
  }

  /// The first line that differs, as written and as it would be now; nil if the pages agree.
  func difference(written: String, fresh: String) -> (written: String, fresh: String)? {
    let (old, new) = (lines(written), lines(fresh))
    for index in 0..<max(old.count, new.count) {
      let (a, b) = (index < old.count ? old[index] : "", index < new.count ? new[index] : "")
      if !agree(a, b) { return (a, b) }
    }
    return nil
  }

  /// The lines that say something: not empty, and not drawings only.
  private func lines(_ page: String) -> [String] {
    page.split(separator: "\n").map(String.init).filter { !words($0).isEmpty }
  }

  private func agree(_ written: String, _ fresh: String) -> Bool {
    let (old, new) = (words(written), words(fresh))
    if isLoose { return loose(old) == loose(new) }
    let text = fresh.trimmingCharacters(in: .whitespaces)
    if let label = measured.first(where: { text.hasPrefix($0) }) {
      return written.trimmingCharacters(in: .whitespaces).hasPrefix(label) && sameMarks(old, new)
        && nearly(quantities(old), quantities(new))
    }
    let (oldQuantities, newQuantities) = (quantities(old), quantities(new))
    return withoutQuantities(old) == withoutQuantities(new)
      && nearly(oldQuantities, newQuantities)
  }

  private func words(_ line: String) -> [String] {
    line.split(separator: " ").map(String.init).filter { word in
      !word.unicodeScalars.contains { (0x2500...0x259F).contains($0.value) }
    }
  }

  private func sameMarks(_ old: [String], _ new: [String]) -> Bool {
    let marks: Set = ["✓", "✗"]
    return old.filter(marks.contains) == new.filter(marks.contains)
  }

  private func loose(_ words: [String]) -> [String] {
    words.filter { word in word.contains(where: \.isLetter) && FigureText.size(of: word) == nil }
  }

  /// The times and sizes of a line, in the order they stand there.
  private func quantities(_ words: [String]) -> [Double] {
    zip(words, words.dropFirst()).compactMap { number, unit in
      guard let size = FigureText.size(of: trimmed(unit)) else { return nil }
      return Double(number.filter { $0.isNumber || $0 == "." }).map { $0 * size }
    }
  }

  private func withoutQuantities(_ words: [String]) -> [String] {
    words.indices.compactMap { index in
      if FigureText.size(of: trimmed(words[index])) != nil { return nil }
      if index + 1 < words.count, FigureText.size(of: trimmed(words[index + 1])) != nil {
        return nil
      }
      return words[index]
    }
  }

  private func trimmed(_ word: String) -> Substring {
    Substring(word.trimmingCharacters(in: CharacterSet(charactersIn: "().,;")))
  }

  private func nearly(_ old: [Double], _ new: [Double]) -> Bool {
    guard old.count == new.count else { return false }
    // What is below a millisecond or a megabyte is noise against noise.
    return zip(old, new).allSatisfy { a, b in
      let (low, high) = (max(min(a, b), 1e6), max(a, b, 1e6))
      return high <= low * Self.factor
    }
  }
}
