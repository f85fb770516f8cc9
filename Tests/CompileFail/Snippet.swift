import Foundation

/// A few lines of code whose first comment says what the compiler must say about them.
///
///     // H3, H23: what the snippet shows, in a sentence.
///     // flags: more arguments for the compiler, if it needs any
///     // Swift 6: error: the words that must be among its errors
///     // Swift 5: accepted
///
/// The folder is the verdict in Swift 6 mode: `Refused` if there is an error, `Warned` if there are
/// warnings only, `Accepted` if it is silent. A line for Swift 5 mode stands where it differs. Each
/// snippet has one kind of mistake, because an error hides those that later phases would find.
struct Snippet: Sendable, CustomStringConvertible {
  /// The file.
  let url: URL
  /// The rules it shows, as its first line names them.
  let rules: [String]
  private let flags: [String]
  private let expectations: [(mode: String, words: String)]

  /// Every snippet, in order of folder and name.
  static let all: [Snippet] = ["Refused", "Warned", "Accepted"].flatMap { folder in
    let url = here.appendingPathComponent(folder)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
    return names.sorted().map { Snippet(url.appendingPathComponent($0)) }
  }

  /// The snippets that show a rule first of all.
  static func about(_ rule: String) -> [Snippet] { all.filter { $0.rules.first == rule } }

  /// Whether it is written for the SDKs before 26, whose `performAndWait` took any closure.
  var isForOlderSDKs: Bool { description.hasPrefix("H6-older") }

  private static let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

  private init(_ url: URL) {
    self.url = url
    let text = (try? String(contentsOf: url, encoding: .utf8)) ?? ""
    let comments = text.split(separator: "\n").prefix { $0.hasPrefix("// ") }
      .map { String($0.dropFirst(3)) }
    rules = (comments.first?.prefix { $0 != ":" } ?? "").split(separator: ",")
      .map { $0.trimmingCharacters(in: .whitespaces) }
    func values(_ key: String) -> [String] {
      comments.filter { $0.hasPrefix("\(key): ") }.map { String($0.dropFirst(key.count + 2)) }
    }
    flags = values("flags").flatMap { $0.split(separator: " ").map(String.init) }
    expectations = ["6", "5"].flatMap { mode in
      values("Swift \(mode)").map { (mode, $0) }
    }
  }

  var description: String { url.lastPathComponent }

  /// Compiles the snippet in each mode it speaks of, and says where the compiler disagrees with it.
  func complaints() throws -> [String] {
    var complaints: [String] = []
    if !expectations.contains(where: { $0.mode == "6" }) { complaints.append("expects nothing") }
    for mode in ["6", "5"] {
      let words = expectations.filter { $0.mode == mode }.map(\.words)
      if words.isEmpty { continue }
      let said = try diagnostics(mode: mode)
      let missing =
        words == ["accepted"] ? [] : words.filter { word in !said.contains { $0.contains(word) } }
      let verdict = Self.verdict(of: said)
      let expected =
        if words.contains(where: { $0.hasPrefix("error: ") }) {
          "Refused"
        } else {
          words == ["accepted"] ? "Accepted" : "Warned"
        }
      if !missing.isEmpty || verdict != expected {
        complaints.append(
          "in Swift \(mode) mode expected \(words), but the compiler said \(said)")
      }
      if mode == "6", url.deletingLastPathComponent().lastPathComponent != verdict {
        complaints.append("belongs into the folder \(verdict)")
      }
    }
    return complaints
  }

  private static func verdict(of said: [String]) -> String {
    if said.contains(where: { $0.hasPrefix("error: ") }) { return "Refused" }
    return said.isEmpty ? "Accepted" : "Warned"
  }

  /// The errors and warnings of the compiler, without their places.
  ///
  /// What may be sent is decided by passes over SIL, so type checking alone would miss it.
  private func diagnostics(mode: String) throws -> [String] {
    let products = URL(fileURLWithPath: ProcessInfo.processInfo.arguments[0])
      .deletingLastPathComponent()
    let sources = Self.here.deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Sources")
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments =
      [
        "swiftc", "-emit-sil", "-o", "/dev/null", "-parse-as-library", "-swift-version", mode,
        "-module-name", "Snippet", "-module-alias", "CoreData=Faultline",
        "-I", products.appendingPathComponent("Modules").path,
        "-I", sources.appendingPathComponent("CSQLite").path,
        "-I", sources.appendingPathComponent("CSwiftRuntime").path,
      ] + flags + [url.path]
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = String(
      decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    var said = output.split(separator: "\n").compactMap { line -> String? in
      guard !line.hasPrefix(" "),
        let start = [" error: ", " warning: "].lazy.compactMap({ line.range(of: $0) }).first
      else { return nil }
      return String(line[start.lowerBound...].dropFirst())
    }
    if process.terminationStatus != 0, said.isEmpty { said = ["error: \(output)"] }
    return said
  }
}
