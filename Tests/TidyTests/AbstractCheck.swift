import Foundation
import PlaygroundKit

/// Every declaration that is not private says in a sentence above it what it is for.
///
/// Not asked: members that only fulfil a documented requirement of a protocol, initialisers that
/// nobody outside the module sees, options of the command line, whose help text says it, and lines
/// that stand in one block under a sentence that covers them all, such as the stored properties
/// right below the head of a documented type.
enum AbstractCheck {
  /// Members that a protocol of the standard library asks for, and that say nothing new.
  private static let witnesses: Set = [
    "description", "debugDescription", "hash", "encode", "errorDescription", "rawValue", "==", "<",
    "CodingKeys", "makeIterator", "=",
  ]

  /// Looks above every declaration of the files, which are read together for their protocols.
  static func complaints(about files: [TextFile]) -> [Complaint] {
    let promised = witnesses.union(
      files.flatMap { file in
        file.declarations.filter { $0.parent == "protocol" }.map(\.name)
      })
    return files.flatMap { complaints(about: $0, promised) }
  }

  private static func complaints(
    about file: TextFile, _ promised: Set<String>
  ) -> [Complaint] {
    let text = file.swift
    let hasCommands = text.code.contains("import ArgumentParser")
    var covered: Set<Int> = []
    var complaints: [Complaint] = []
    for declaration in file.declarations where declaration.isMember && !declaration.isPrivate {
      if isCovered(declaration, text, covered)
        || (hasCommands && isCommandLine(declaration, text))
      {
        // What stands right below a covered line shares its sentence.
        covered.insert(endOfHead(of: declaration))
      } else if !isExcused(declaration, promised) {
        complaints.append(complaint(declaration, file))
      }
    }
    return complaints
  }

  /// True for what the command line documents with a help text of its own, and for its fixed parts.
  private static func isCommandLine(_ declaration: Declaration, _ text: SwiftText) -> Bool {
    let code = text.code[declaration.firstLine...declaration.headLine].joined(separator: " ")
    if code.contains("@OptionGroup") { return true }
    if ["@Argument", "@Option", "@Flag"].contains(where: code.contains) {
      return code.contains("help:")
    }
    return ["run", "validate", "configuration"].contains(declaration.name)
  }

  private static func endOfHead(of declaration: Declaration) -> Int {
    if DeclarationReader.types.contains(declaration.keyword) { return declaration.headLine }
    return declaration.lastLine ?? declaration.headLine
  }

  private static func complaint(_ declaration: Declaration, _ file: TextFile) -> Complaint {
    Complaint(
      path: file.path, line: declaration.firstLine + 1,
      text: "\(declaration.keyword) \(declaration.name) has no abstract: "
        + "say in one sentence what it is for, or make it private")
  }

  private static func isExcused(_ declaration: Declaration, _ promised: Set<String>) -> Bool {
    if declaration.isOverride || ["extension", "deinit"].contains(declaration.keyword) {
      return true
    }
    if declaration.keyword == "init" && !declaration.isExported { return true }
    return declaration.parent != "protocol" && promised.contains(declaration.name)
  }

  /// True below a sentence, or in a block whose line above is itself covered.
  private static func isCovered(
    _ declaration: Declaration, _ text: SwiftText, _ covered: Set<Int>
  ) -> Bool {
    var line = declaration.firstLine - 1
    if line >= 0, covered.contains(line), ["let", "var"].contains(declaration.keyword) {
      return true
    }
    while line >= 0 {
      let comment = text.comments[line].drop { $0 == " " }
      if comment.hasPrefix("///") { return comment.utf8.count > 3 }
      if comment.hasSuffix("*/") { return true }
      let code = text.code[line].drop { $0 == " " }
      guard (code.isEmpty && !comment.isEmpty) || code.hasPrefix("#if") || code.hasPrefix("@")
      else {
        return false
      }
      line -= 1
    }
    return false
  }
}
