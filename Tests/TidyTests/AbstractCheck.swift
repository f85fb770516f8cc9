import Foundation

/// Every declaration that is not private says in a sentence above it what it is for.
enum AbstractCheck {
  /// Members that a protocol of the standard library asks for, and that say nothing new.
  private static let witnesses: Set = [
    "description", "debugDescription", "hash", "encode", "errorDescription", "rawValue", "==", "<",
    "CodingKeys", "makeIterator",
  ]

  /// Looks above every declaration of one file.
  static func complaints(about file: TextFile) -> [Complaint] {
    let text = SwiftText(file.text)
    return DeclarationReader.declarations(in: text).compactMap { declaration in
      guard declaration.isMember, !declaration.isPrivate, !declaration.isOverride else {
        return nil
      }
      if ["extension", "deinit"].contains(declaration.keyword) { return nil }
      if isWitness(declaration, text) { return nil }
      guard !isDocumented(declaration, text) else { return nil }
      return Complaint(
        path: file.path, line: declaration.firstLine + 1,
        text: "\(declaration.keyword) \(declaration.name) has no abstract: "
          + "say in one sentence what it is for, or make it private")
    }
  }

  private static func isWitness(_ declaration: Declaration, _ text: SwiftText) -> Bool {
    if witnesses.contains(declaration.name) { return true }
    let line = text.code[declaration.firstLine]
    return "=<".contains(declaration.name) || line.contains("init(from decoder")
  }

  private static func isDocumented(_ declaration: Declaration, _ text: SwiftText) -> Bool {
    // A second declaration on the same line, or an attribute of its own, shares the sentence.
    var line = declaration.firstLine - 1
    while line >= 0 {
      let comment = text.comments[line].trimmingCharacters(in: .whitespaces)
      if comment.hasPrefix("///") { return comment.count > 3 }
      if comment.hasSuffix("*/") { return true }
      let code = text.code[line].trimmingCharacters(in: .whitespaces)
      guard !comment.isEmpty || code.hasPrefix("#if") || code.hasPrefix("@") else { return false }
      line -= 1
    }
    return false
  }
}
