import Foundation
import PlaygroundKit

/// One thing that is out of place, and where.
struct Complaint: Equatable, CustomStringConvertible {
  /// The file, from the top of the repository.
  let path: String
  /// The line, from 1; 0 when the whole file is meant.
  let line: Int
  /// What is wrong and what to do instead.
  let text: String

  var description: String { line > 0 ? "\(path):\(line): \(text)" : "\(path): \(text)" }
}

/// A file of the repository, or of a test that makes one up, taken apart once for all checks.
struct TextFile: Sendable {
  /// The path from the top of the repository.
  let path: String
  /// The whole text.
  let text: String
  /// Its lines, without the empty piece after the last newline.
  let lines: [Substring]
  /// Code and comments, apart; empty for a file that is not Swift.
  let swift: SwiftText
  /// The tokens of the code.
  let tokens: [Token]
  /// The declarations in the code.
  let declarations: [Declaration]

  init(path: String, text: String) {
    self.path = path
    self.text = text
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    if lines.last == "" { lines.removeLast() }
    self.lines = lines
    swift = SwiftText(path.hasSuffix(".swift") ? text : "")
    tokens = Token.all(in: swift.code)
    declarations = DeclarationReader.declarations(in: tokens)
  }
}

/// The working copy these tests were built from.
enum Repository {
  /// The top folder.
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The text of one file; nil when there is none.
  static func file(_ path: String) -> TextFile? {
    let url = root.appendingPathComponent(path)
    guard let text = try? String(contentsOf: url, encoding: .utf8) else { return nil }
    return TextFile(path: path, text: text)
  }

  /// Every file below the folders whose name ends like this, in order; build folders are left out.
  static func files(in folders: [String], endingWith suffix: String) -> [TextFile] {
    texts.filter { file in
      file.path.hasSuffix(suffix)
        && folders.contains { $0 == "" || file.path.hasPrefix($0 + "/") }
    }
  }

  /// Every Swift and Markdown file, in order.
  private static let texts = paths.filter { $0.hasSuffix(".swift") || $0.hasSuffix(".md") }
    .compactMap(file)

  /// Every path in the repository, files and folders, from its top, in order.
  static let paths: [String] = {
    let top = root.path + "/"
    var found: [String] = []
    let keys: [URLResourceKey] = [.isDirectoryKey]
    let walk = FileManager.default.enumerator(at: root, includingPropertiesForKeys: keys)
    while let url = walk?.nextObject() as? URL {
      let path = String(url.path.dropFirst(top.count))
      let name = url.lastPathComponent
      if name.hasPrefix(".build") || name == ".git" || path == "exercises" {
        walk?.skipDescendants()
        continue
      }
      found.append(path)
    }
    return found.sorted()
  }()
}
