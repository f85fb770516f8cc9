import Foundation
import PlaygroundKit

/// A caller of a `LibraryStore` that breaks a rule, as a question to the compiler.
struct LibraryMistake: Sendable {
  /// What it does, in a few words.
  let name: String
  /// Its code.
  let code: String

  /// Four mistakes that annotations make the compiler refuse.
  static let all = [
    LibraryMistake(
      name: "a fetch for the screen",
      code: #"""
        // anchor: titles
        func titles(_ library: LibraryStore) throws -> [String?] {
          try library.onScreen { try $0.fetch(Article.fetchRequest()).map(\.name) }
        }
        // end: titles
        """#),
    LibraryMistake(
      name: "objects of the screen",
      code: #"""
        // anchor: shown
        func shown(_ library: LibraryStore) async throws -> [String?] {
          let articles = try await library.onScreen { try $0.fetch(Article.fetchRequest()) }
          return articles.map(\.name)
        }
        // end: shown
        """#),
    LibraryMistake(
      name: "objects out of a block",
      code: #"""
        // anchor: found
        func found(_ library: LibraryStore) async throws -> [Article] {
          try await library.inBackground { try $0.fetch(Article.fetchRequest()) }
        }
        // end: found
        """#),
    LibraryMistake(
      name: "an object into a block",
      code: #"""
        // anchor: rename
        @MainActor func rename(_ article: Article, _ library: LibraryStore) async throws {
          try await library.inBackground { bg in
            article.name = "New"
            try bg.save()
          }
        }
        // end: rename
        """#),
  ]

  /// What the compiler says of it, and of no other.
  func verdict() -> SwiftCompiler.Verdict { Self.verdict(of: code) }

  /// What the compiler says of code that stands behind the shared model and the store.
  static func verdict(of code: String) -> SwiftCompiler.Verdict {
    let folder = URL(fileURLWithPath: BuildFolder.source(#filePath)).deletingLastPathComponent()
    let files = ["Library.swift", "LibraryStore.swift"].map {
      try? String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8)
    }
    guard let model = files[0], let store = files[1] else {
      return .notAsked("its files are not there")
    }
    return SwiftCompiler.verdict(of: [model, store, code].joined(separator: "\n"))
  }

  /// What the compiler says of a passage of a file, between `// anchor:` and `// end:`.
  static func verdict(of passage: String, in file: String) -> SwiftCompiler.Verdict {
    let text = try? String(contentsOfFile: BuildFolder.source(file), encoding: .utf8)
    let parts = text?.components(separatedBy: "// anchor: \(passage)\n") ?? []
    guard parts.count == 2 else { return .notAsked("its file is not there") }
    return verdict(of: "enum Caller {\n\(parts[1].components(separatedBy: "// end: ")[0])\n}")
  }
}

extension SwiftCompiler.Verdict {
  /// It compiles.
  var isAccepted: Bool { if case .accepted = self { true } else { false } }

  /// It does not compile.
  var isRefused: Bool { if case .refused = self { true } else { false } }

  /// In a few words.
  var words: String {
    switch self {
    case .accepted(let warning): warning.map { "accepts it, and warns: \($0)" } ?? "accepts it"
    case .refused(let error, _): "refuses it: \(error)"
    case .notAsked(let reason): reason
    }
  }
}
