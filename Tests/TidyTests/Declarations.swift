import PlaygroundKit

/// A declaration found in Swift code, as far as tidiness needs to know it.
struct Declaration: Equatable, Sendable {
  /// The keyword: `func`, `struct`, `let` and so on.
  let keyword: String
  /// The first name after the keyword.
  let name: String
  /// The line of the first modifier, attribute or keyword, from 0.
  let firstLine: Int
  /// The line of the keyword, from 0.
  let headLine: Int
  /// The line where its body ends, from 0; nil without a body.
  var lastLine: Int?
  /// True for members of types and declarations of the file, false for what stands in a body.
  let isMember: Bool
  /// True when it stands in no braces at all.
  let isTopLevel: Bool
  /// True when it, or something around it, is private or file-private.
  let isPrivate: Bool
  /// True when users of the module, or other targets of the package, can see it.
  let isExported: Bool
  /// True when its documentation is inherited.
  let isOverride: Bool
  /// The keyword of the type it stands in; empty at the top of a file.
  let parent: String
}

/// Finds the declarations of a source text by reading its words and brackets; no compiler is asked.
struct DeclarationReader {
  /// The keywords that open the body of a type.
  static let types: Set = ["class", "struct", "enum", "protocol", "actor", "extension"]

  private enum Bracket { case type, body, round }
  private struct Frame {
    let bracket: Bracket
    let isPrivate: Bool
    let declaration: Int?
  }

  private static let others: Set = [
    "func", "init", "deinit", "subscript", "var", "let", "typealias", "associatedtype",
  ]
  private static let modifiers: Set = [
    "public", "private", "fileprivate", "package", "internal", "open", "static", "final",
    "override", "required", "convenience", "lazy", "weak", "unowned", "mutating", "nonmutating",
    "nonisolated", "indirect", "dynamic", "optional", "borrowing", "consuming", "unsafe", "prefix",
    "postfix", "infix",
  ]

  private(set) var found: [Declaration] = []
  private let tokens: [Token]
  private var at = 0
  private var frames: [Frame] = []
  private var pending: Int?
  private var modifiers: [Token] = []

  /// Reads all declarations, outermost first.
  static func declarations(in tokens: [Token]) -> [Declaration] {
    var reader = DeclarationReader(tokens: tokens)
    while reader.at < reader.tokens.count { reader.readToken() }
    return reader.found
  }

  private init(tokens: [Token]) { self.tokens = tokens }

  private mutating func readToken() {
    let token = tokens[at]
    switch token.text {
    case "{": open()
    case "(", "[": frames.append(Frame(bracket: .round, isPrivate: false, declaration: nil))
    case "}", ")", "]": close(token)
    default:
      if token.text.hasPrefix("@") || isModifier(token) {
        modifiers.append(token)
        skipArguments(of: token)
        return
      }
      if declares(token) { declare(token) }
    }
    modifiers = []
    at += 1
  }

  private func next(_ offset: Int) -> String {
    at + offset < tokens.count && at + offset >= 0 ? tokens[at + offset].text : ""
  }

  private func isModifier(_ token: Token) -> Bool {
    if next(-1) == "." || frames.last?.bracket == .round { return false }
    if token.text == "class" { return Self.others.contains(next(1)) || next(1) == "override" }
    return Self.modifiers.contains(token.text)
  }

  private mutating func skipArguments(of token: Token) {
    at += 1
    guard next(0) == "(", tokens[at].followsDirectly else { return }
    if next(1) == "set" { modifiers.removeLast() }
    var depth = 0
    repeat {
      if next(0) == "(" { depth += 1 }
      if next(0) == ")" { depth -= 1 }
      at += 1
    } while depth > 0 && at < tokens.count
  }

  private func declares(_ token: Token) -> Bool {
    guard next(-1) != ".", next(-1) != "import", frames.last?.bracket != .round else {
      return false
    }
    if token.text == "actor" || token.text == "protocol" || token.text == "class" {
      return next(1).first?.isUppercase ?? false
    }
    if Self.types.contains(token.text) { return true }
    guard Self.others.contains(token.text) else { return false }
    let isInBody = frames.last?.bracket == .body
    return !isInBody || token.text == "func"
  }

  private mutating func declare(_ token: Token) {
    let isPrivate =
      modifiers.contains { $0.text == "private" || $0.text == "fileprivate" }
      || frames.contains(where: \.isPrivate)
    pending = found.count
    found.append(
      Declaration(
        keyword: token.text, name: next(1), firstLine: modifiers.first?.line ?? token.line,
        headLine: token.line, lastLine: nil, isMember: !frames.contains { $0.bracket == .body },
        isTopLevel: frames.isEmpty, isPrivate: isPrivate,
        isExported: modifiers.contains { ["public", "package", "open"].contains($0.text) },
        isOverride: modifiers.contains { $0.text == "override" }, parent: parent))
  }

  private var parent: String {
    frames.last { $0.bracket == .type }?.declaration.map { found[$0].keyword } ?? ""
  }

  private mutating func open() {
    let inherited = frames.contains(where: \.isPrivate)
    guard let declaration = pending, frames.last?.bracket != .round else {
      frames.append(Frame(bracket: .body, isPrivate: inherited, declaration: nil))
      return
    }
    let isType = Self.types.contains(found[declaration].keyword)
    frames.append(
      Frame(
        bracket: isType ? .type : .body, isPrivate: inherited || found[declaration].isPrivate,
        declaration: declaration))
    pending = nil
  }

  private mutating func close(_ token: Token) {
    guard let frame = frames.popLast() else { return }
    if frame.bracket != .round, frames.last?.bracket != .round { pending = nil }
    if let declaration = frame.declaration { found[declaration].lastLine = token.line }
  }
}
