import Foundation

/// Compares a printed page of the guide with a fresh one.
///
/// A page is read as words and rows: the words above the table, the outcome, the cause, the rows (a
/// line that begins below the columns belongs to the row above it), and the words below. So it does
/// not matter where lines are broken, nor whether a row stands among those that differ or among the
/// equal ones, which a busy machine may change. The line that explains the signs of a page is not
/// compared: it names what occurred. `Guide/reference/formats.md` says what is compared.
struct PageComparison {
  /// How far apart two times or two sizes may be.
  static let factor = 30.0
  /// Below a millisecond or a megabyte everything is noise.
  static let noise = 1e6
  /// A line that is indented this far continues the row above it.
  static let labelWidth = 16

  /// The label of the row that is drawn of working time, up to where narrow columns break it.
  private static let work = Metric.work.prefix { $0 != ":" }

  /// Only words are compared, because the outcome is a matter of chance.
  var isLoose = false

  /// The first part that differs, as written and as it would be now; nil if the pages agree.
  func difference(written: String, fresh: String) -> (written: String, fresh: String)? {
    let (old, new) = (parts(written), parts(fresh))
    for index in 0..<max(old.count, new.count) {
      let (a, b) = (index < old.count ? old[index] : "", index < new.count ? new[index] : "")
      if !agree(a, b) { return (a, b) }
    }
    return nil
  }

  /// The first line that differs between pages whose figures are the same on every machine, but for
  /// a line of time; nil if the pages agree.
  static func differingLines(
    written: String, fresh: String
  ) -> (written: String, fresh: String)? {
    func lines(_ page: String) -> [Substring] {
      page.trimmingCharacters(in: .newlines)
        .split(separator: "\n", omittingEmptySubsequences: false)
        .map {
          $0.hasPrefix(ExplorePage.timeLabel) ? $0.prefix(ExplorePage.timeLabel.count) : $0[...]
        }
    }
    let (old, new) = (lines(written), lines(fresh))
    for index in 0..<max(old.count, new.count) {
      let (a, b) = (index < old.count ? old[index] : "", index < new.count ? new[index] : "")
      if a != b { return (String(a), String(b)) }
    }
    return nil
  }

  /// The words outside of tables, in order, then each row with what continues it, by its label.
  private func parts(_ page: String) -> [String] {
    var texts = [""]
    var rows: [(label: String, text: String)] = []
    var isTable = false
    var isLegend = false
    var isReport = false
    for line in page.split(separator: "\n") {
      let text = line.trimmingCharacters(in: .whitespaces)
      let indent = line.prefix { $0 == " " }.count
      isLegend = line.hasPrefix(Page.marksLabel) || (isLegend && indent > 5)
      // What a run said is not there if the run crashed before it.
      isReport =
        isLoose
        && (line.hasPrefix(Page.saidLabel) || (isReport && indent >= Page.saidLabel.count))
      if isLegend || isReport || text.hasPrefix(Page.equalLabel) { continue }
      if text.hasPrefix("───") || text.hasPrefix("---") {
        isTable.toggle()
        texts.append("")
      } else if isTable, indent < Self.labelWidth {
        rows.append((label: label(of: text), text: text))
      } else if isTable, !rows.isEmpty {
        rows[rows.count - 1].text += " " + text
      } else {
        texts[texts.count - 1] += " " + text
      }
    }
    // Rows of equal labels stay in the order of the page.
    let sorted = rows.enumerated().sorted {
      ($0.element.label, $0.offset) < ($1.element.label, $1.offset)
    }
    // How a run crashed is as much a matter of chance as that it did, and so is a rare count.
    let compared = sorted.map(\.element).filter { row in
      !isLoose || row.label != "ending" && !PageRows.rare.contains(row.label)
    }
    return (texts + compared.map(\.text)).filter { !words($0).isEmpty }
  }

  /// The beginning of a row, which no cell reaches into.
  private func label(of row: String) -> String {
    row.prefix(Self.labelWidth).trimmingCharacters(in: .whitespaces)
  }

  private func agree(_ written: String, _ fresh: String) -> Bool {
    let (old, new) = (words(written), words(fresh))
    if new.first == "outcome" || old.first == "outcome" {
      return isLoose ? new.first == old.first : sameOutcomes(old, new)
    }
    if fresh.hasPrefix(Self.work) { return written.hasPrefix(Self.work) }
    if fresh.hasPrefix(Metric.framesDropped) || varies(fresh) || varies(written) {
      return label(of: fresh) == label(of: written)
        && (isLoose || count("✗", new) >= count("✗", old))
    }
    if isLoose {
      let (a, b) = (onlyWords(old), onlyWords(new))
      // A side of which no run came to its end has no value.
      return a == b || old.contains("–") && a.isSubset(of: b)
        || new.contains("–") && b.isSubset(of: a)
    }
    let (before, now) = (quantities(old), quantities(new))
    let rest = (withoutQuantities(old), withoutQuantities(new))
    // A busy machine breaks a budget of time that a quiet one keeps.
    if !before.isEmpty, count("✗", new) >= count("✗", old) {
      return rest.0.filter { !isMark($0) } == rest.1.filter { !isMark($0) } && nearly(before, now)
    }
    return rest.0 == rest.1 && nearly(before, now)
  }

  /// Whether the page says that a count or a word was not the same in every run.
  private func varies(_ row: String) -> Bool {
    row.contains(#/[0-9] \([0-9,]+–[0-9,]+\)|\([0-9]+ of [0-9]+\)/#)
  }

  /// The words that are compared: not drawings, spreads, differences between columns, or the kind
  /// of build.
  private func words(_ part: String) -> [String] {
    part.replacingOccurrences(of: "debug build", with: "")
      .replacingOccurrences(of: "release build", with: "")
      .split(separator: " ").map(String.init)
      .filter { !isDrawing($0) && !isDifference($0) && !isSpread($0) }
  }

  private func isDrawing(_ word: String) -> Bool {
    word.unicodeScalars.contains { (0x2500...0x259F).contains($0.value) }
  }

  private func isDifference(_ word: String) -> Bool {
    if ["same", "%", "·"].contains(word) { return true }
    guard let sign = word.first, "+−×".contains(sign) else { return false }
    return word.dropFirst().allSatisfy { $0.isNumber || ",.".contains($0) }
  }

  private func isSpread(_ word: String) -> Bool {
    word.hasPrefix("(") && word.hasSuffix(")") && word.contains("–")
      && word.allSatisfy { $0.isNumber || "(),.–".contains($0) }
  }

  /// Every written outcome came again; a busy machine may add one.
  private func sameOutcomes(_ old: [String], _ new: [String]) -> Bool {
    let names = old.filter { $0.allSatisfy { $0.isLetter && $0.isUppercase } }
    return new.first == old.first && names.allSatisfy(new.contains)
  }

  private func isMark(_ word: String) -> Bool { ["✓", "✗"].contains(word) }

  private func count(_ mark: String, _ words: [String]) -> Int { words.count { $0 == mark } }

  private func onlyWords(_ words: [String]) -> Set<String> {
    Set(words.filter { word in word.allSatisfy(\.isLetter) && FigureText.size(of: word) == nil })
  }

  /// The times and sizes of a part, in order.
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
    return zip(old, new).allSatisfy { a, b in
      max(a, b, Self.noise) <= max(min(a, b), Self.noise) * Self.factor
    }
  }
}
