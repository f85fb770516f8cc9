import Foundation

/// Compares every code block, printed page and figure of the guide with the sources and fresh runs.
public struct GuideCheck: Sendable {
  /// Runs a scenario and gives its record with the page it prints, 100 columns wide and without
  /// colour.
  public typealias Runner = @Sendable (GuideRun) throws -> (record: RunRecord, page: String)

  /// Gives the page that a command prints, 100 columns wide and without colour.
  public typealias Printer = @Sendable (GuideCommandLine) throws -> String

  /// A part of the guide that is out of date.
  public struct Drift: Sendable, Equatable, Codable, CustomStringConvertible {
    /// The file, from the top of the package.
    public let file: String
    /// The line where it is claimed.
    public let line: Int
    /// What the guide says, and what the sources or a fresh run say.
    public let text: String

    /// One line, with its details indented below.
    public var description: String { "\(file):\(line): \(text)" }

    /// File, line and text as tab-separated values.
    public var plain: String {
      [file, "\(line)", text].map(PlainTable.clean).joined(separator: "\t")
    }
  }

  private let root: URL
  private let run: Runner
  private let print: Printer

  /// A check of the guide of a package.
  public init(root: URL, run: @escaping Runner, print: @escaping Printer) {
    self.root = root
    self.run = run
    self.print = print
  }

  /// The guide of the package that the running executable belongs to.
  public static func current(run: @escaping Runner, print: @escaping Printer) throws -> GuideCheck {
    GuideCheck(root: try BuildFolder.current().package, run: run, print: print)
  }

  /// The pages that are checked, from the top of the package: the guide, the scenarios' stories,
  /// the README.
  public func files(only name: String? = nil) throws -> [String] {
    let folders = ["Guide", "Guide/reference"] + scenarioFolders()
    let found = folders.flatMap { folder in
      contents(of: folder).filter { $0.hasSuffix(".md") }.map { "\(folder)/\($0)" }
    }
    let all = found + ["README.md"].filter { FileManager.default.fileExists(atPath: path($0)) }
    guard let name else { return all }
    let chosen = all.filter { $0 == name || $0.hasSuffix("/\(name)") }
    guard !chosen.isEmpty else {
      throw Complaint(
        .usage, "There is no page \(name); the pages are \(all.joined(separator: ", ")).")
    }
    return chosen
  }

  /// Everything that has drifted, in the order of the pages.
  public func check(only name: String? = nil) throws -> [Drift] {
    var runs: [GuideRun: (record: RunRecord, page: String)] = [:]
    var drifts: [Drift] = []
    for file in try files(only: name) {
      let text = try WholeFile.text(of: path(file)) ?? ""
      drifts += unboundCode(text, file)
      do throws(GuideDocument.Malformed) {
        for case .fresh(let directive, let body, let line) in try GuideDocument(text).pieces {
          let claim = Claim(file: file, line: line, directive: directive, body: body)
          do { drifts += try check(claim, &runs) } catch {
            drifts.append(Drift(file: file, line: line, text: "\(error)"))
          }
        }
      } catch { drifts.append(Drift(file: file, line: error.line, text: error.text)) }
    }
    return drifts
  }

  /// Brings every page up to date, and returns the pages that changed.
  public func bless(only name: String? = nil) throws -> [String] {
    var runs: [GuideRun: (record: RunRecord, page: String)] = [:]
    var changed: [String] = []
    for file in try files(only: name) {
      let text = try WholeFile.text(of: path(file)) ?? ""
      var document: GuideDocument
      do throws(GuideDocument.Malformed) { document = try GuideDocument(text) } catch {
        throw Complaint(.input, "\(file):\(error.line): \(error.text)")
      }
      for (index, piece) in document.pieces.enumerated() {
        guard case .fresh(let directive, _, let line) = piece else { continue }
        let body = try body(for: directive, &runs)
        document.pieces[index] = .fresh(directive, body: body, line: line)
      }
      guard document.text != text else { continue }
      try WholeFile(path(file), advice: "make the clone writable").write(document.text)
      changed.append(file)
    }
    return changed
  }

  private struct Claim {
    let file: String
    let line: Int
    let directive: GuideDocument.Directive
    let body: String
  }

  // MARK: - One claim

  private func check(
    _ claim: Claim, _ runs: inout [GuideRun: (record: RunRecord, page: String)]
  ) throws -> [Drift] {
    func drift(_ text: String) -> [Drift] {
      [Drift(file: claim.file, line: claim.line, text: text)]
    }
    switch claim.directive {
    case .code(let file, let anchor):
      let fresh = try body(for: claim.directive, &runs)
      return fresh == claim.body
        ? [] : drift("this code differs from Scenarios/\(file), passage \(anchor)")
    case .page(let run, let isLoose):
      let written = Self.withoutFence(claim.body)
      func difference() throws -> (written: String, fresh: String)? {
        let page = try result(of: run, &runs).page
        return PageComparison(isLoose: isLoose)
          .difference(written: written, fresh: "$ faultline \(run)\n" + page)
      }
      var lines = try difference()
      for _ in 1..<Self.runsMax where lines != nil {
        runs[run] = nil
        lines = try difference()
      }
      guard let lines else { return [] }
      return drift(
        "faultline \(run) prints\n    \(lines.fresh)\n  but the page has\n    \(lines.written)")
    case .controlled(let command):
      let fresh = Self.withoutFence(try body(for: claim.directive, &runs))
      let written = Self.withoutFence(claim.body)
      guard let lines = PageComparison.differingLines(written: written, fresh: fresh) else {
        return []
      }
      return drift(
        "faultline \(command) prints\n    \(lines.fresh)\n  but the page has\n    \(lines.written)")
    case .figure(let run, let side, let name, let tolerance):
      var fresh = try figure(run, side, name, &runs)
      for _ in 1..<Self.runsMax where !agrees(claim, fresh, tolerance) {
        runs[run] = nil
        fresh = try figure(run, side, name, &runs)
      }
      if agrees(claim, fresh, tolerance) { return [] }
      let now = FigureText.write(fresh.median, fresh.unit)
      guard case .number = fresh.median else {
        return drift("\(name) is \(now), but the page has \(claim.body)")
      }
      return drift(
        "\(name) is \(now) on the side \(side) of \(run), but the page has \(claim.body), "
          + tolerance.words)
    }
  }

  /// How often a run is made before its page or a figure of it counts as drifted: what another run
  /// may print has not drifted.
  private static let runsMax = 5

  private func agrees(
    _ claim: Claim, _ fresh: Summary, _ tolerance: GuideDocument.Tolerance
  ) -> Bool {
    guard case .number(let number) = fresh.median else {
      return FigureText.write(fresh.median, fresh.unit) == claim.body
    }
    guard let written = FigureText.read(claim.body) else { return false }
    return tolerance.allows(written: written, fresh: Double(number))
  }

  private static func withoutFence(_ body: String) -> String {
    body.replacingOccurrences(of: "```text\n", with: "").replacingOccurrences(of: "```\n", with: "")
  }

  /// The text that belongs between the two comments.
  private func body(
    for directive: GuideDocument.Directive,
    _ runs: inout [GuideRun: (record: RunRecord, page: String)]
  ) throws -> String {
    switch directive {
    case .code(let file, let anchor):
      guard let text = try WholeFile.text(of: path("Scenarios/\(file)")),
        let passage = CodePassage.cut(anchor, from: text)
      else { throw Complaint(.answerIsNo, "Scenarios/\(file) has no passage \(anchor)") }
      return "\n```swift\n\(passage)\n```\n"
    case .page(let run, _):
      let page = try result(of: run, &runs).page
      return "\n```text\n$ faultline \(run)\n\(page.trimmingCharacters(in: .newlines))\n```\n"
    case .controlled(let command):
      let page = try print(command)
      return "\n```text\n$ faultline \(command)\n\(page.trimmingCharacters(in: .newlines))\n```\n"
    case .figure(let run, let side, let name, _):
      let summary = try figure(run, side, name, &runs)
      return FigureText.write(summary.median, summary.unit)
    }
  }

  private func result(
    of run: GuideRun, _ runs: inout [GuideRun: (record: RunRecord, page: String)]
  ) throws -> (record: RunRecord, page: String) {
    if let known = runs[run] { return known }
    let result = try self.run(run)
    runs[run] = result
    return result
  }

  private func figure(
    _ run: GuideRun, _ side: String, _ name: String,
    _ runs: inout [GuideRun: (record: RunRecord, page: String)]
  ) throws -> Summary {
    let record = try result(of: run, &runs).record
    guard let column = record.sides.first(where: { $0.name == side }) else {
      throw Complaint(.answerIsNo, "\(run) has no side \(side)")
    }
    guard let summary = column.summaries.first(where: { $0.name == name }) else {
      throw Complaint(.answerIsNo, "the side \(side) of \(run) has no figure \"\(name)\"")
    }
    return summary
  }

  // MARK: - The pages

  /// Swift code in a chapter that is not cut from a scenario.
  private func unboundCode(_ text: String, _ file: String) -> [Drift] {
    guard file.hasPrefix("Guide/"), !file.hasPrefix("Guide/reference/") else { return [] }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.indices.filter { index in
      lines[index] == "```swift" && (index == 0 || !lines[index - 1].hasPrefix("<!-- code "))
    }.map { Drift(file: file, line: $0 + 1, text: "this code is not cut from a scenario") }
  }

  private func scenarioFolders() -> [String] {
    contents(of: "Scenarios").filter { $0.first?.isNumber ?? false }.map { "Scenarios/\($0)" }
  }

  private func contents(of folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path(folder))) ?? []).sorted()
  }

  private func path(_ file: String) -> String { root.appendingPathComponent(file).path }
}
