import Faultline
import Foundation

/// Why the compiler did not build a program: the code, the disk, the toolchain, or a crash.
struct CompilerFailure {
  private let ending: ChildProcess.Ending
  private let words: String
  private let question: SwiftCompiler.Question
  /// What it says by itself: neither at a line of the author's, nor of the author's text.
  private let own: String

  init(_ outcome: ChildProcess.Outcome, of question: SwiftCompiler.Question) {
    (ending, words, self.question) = (outcome.ending, outcome.output, question)
    let names = question.files + question.otherNames
    own = outcome.output.split(separator: "\n").filter { line in
      let isQuoted = line.drop { $0 == " " || $0.isNumber }.hasPrefix("|")
      return !isQuoted && !names.contains { line.hasPrefix("\($0):") }
    }.joined(separator: "\n")
  }

  private func says(_ phrases: [String]) -> Bool {
    phrases.contains { own.range(of: $0, options: .caseInsensitive) != nil }
  }

  // MARK: The author's code

  /// Whether an error stands at a line of the author's that does more than import a module.
  var isTheAuthors: Bool {
    words.split(separator: "\n").contains { line in
      guard
        let name = (question.files + question.otherNames).first(where: {
          line.hasPrefix("\($0):")
        })
      else { return false }
      let parts = line.dropFirst(name.count + 1).split(separator: ":", maxSplits: 2)
      guard parts.count == 3, parts[2].hasPrefix(" error: "), let number = Int(parts[0]) else {
        return false
      }
      return !isImport(number, of: name)
    }
  }

  private func isImport(_ number: Int, of name: String) -> Bool {
    let text = (try? WholeFile.text(of: name)) ?? ""
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    guard lines.indices.contains(number - 1) else { return false }
    return lines[number - 1].split(separator: " ").contains("import")
  }

  // MARK: The disk

  /// What a program takes while it is built, at most, in bytes.
  private static let room = 64 << 20

  /// Throws if there is no room on the disk, or a limit keeps files small.
  func checkRoom(in place: URL, of workspace: Workspace) throws(Complaint) {
    let full = [ENOSPC, EDQUOT].map { String(cString: strerror($0)) }
    if let line = own.split(separator: "\n").first(where: { line in
      full.contains { line.contains($0) }
    }) {
      let isOurs = line.contains(workspace.folder.path) || !line.contains("'/")
      if isOurs { throw Workspace.full(workspace.folder) }
      throw Complaint(
        .limit,
        "The disk is full where the compiler keeps what it has compiled before (\(cache)): make"
          + " room there, or set XDG_CACHE_HOME to a folder with more room.")
    }
    if says([String(cString: strerror(EFBIG)), "due to signal \(SIGXFSZ)"]) {
      throw Self.filesLimit
    }
    // Its last words may have been lost on the same disk, and the linker dies of a page without a
    // block.
    let hasLinkerDied = crashSignal != nil && says(["link command", "unable to execute command"])
    let isMute =
      hasLinkerDied || own.allSatisfy(\.isWhitespace) || says(["opening input file", "IO failure"])
    guard isMute else { return }
    switch DiskSpace.shortage(of: Self.room, in: place) {
    case 0: break
    case EFBIG: throw Self.filesLimit
    default: throw Workspace.full(workspace.folder)
    }
  }

  private static let filesLimit = Complaint(
    .limit,
    "A limit on the size of files stops the compiler: raise it, as in `ulimit -f unlimited`.")

  /// The folder of the compiler's modules.
  private var cache: String {
    let found = own.firstMatch(of: #/'(/[^']*?/ModuleCache)/#)
    return found.map { String($0.output.1) } ?? "~/.cache"
  }

  // MARK: Crashes

  /// The words for how a part of the compiler crashed; nil if none did.
  private var crashSignal: String? {
    if case .signalled(let signal) = ending { return "signal \(signal)" }
    let found = own.firstMatch(of: #/signal (\d+)|unable to execute command: ([A-Z].*)/#)
    if let found { return found.output.2.map { String($0) } ?? "signal \(found.output.1!)" }
    return says([
      "submit a bug report", "Stack dump:", "LLVM ERROR", "Program crashed:", "Assertion failed",
    ]) ? "" : nil
  }

  private var isOutOfMemory: Bool {
    says(["out of memory", "bad_alloc", "Cannot allocate memory"])
      || crashSignal.map { $0 == "signal \(SIGKILL)" || $0.hasPrefix("Killed") } ?? false
  }

  /// The complaint about a crash of the compiler on code of the author's.
  var crash: Complaint? {
    if isOutOfMemory { return memory }
    guard let crashSignal else { return nil }
    let how = crashSignal.isEmpty ? "" : " (\(crashSignal))"
    return Complaint(
      .build,
      "The Swift compiler crashed on \(question.subject)\(how). That is a mistake in Swift, not in"
        + " your use of Core Data: undo your last change, or write it in another way. The"
        + " compiler's own words:\n\(words)")
  }

  private var memory: Complaint {
    Complaint(
      .limit,
      "The compiler was killed, or got no memory: close other programs, and try again. Its own"
        + " words:\n\(words)")
  }

  // MARK: The machine

  /// The complaint about a machine on which no program can be built.
  var reason: Complaint {
    if isOutOfMemory { return memory }
    return Complaint(
      .input,
      "`swiftc` cannot build even a program without code, so this says nothing about yours."
        + " \(advice)\n\(words)")
  }

  /// What to do, in a sentence.
  private var advice: String {
    let build = try? BuildFolder.current()
    let rebuilding = build.map { "Build the tool again: \($0.rebuilding)." }
    if crashSignal != nil {
      return "It crashes: install Swift's toolchain again (swift.org/install)."
    }
    if says(["-lsqlite3", "sqlite3.h", "'CSQLite'"]) {
      return "SQLite's library or headers are missing: type `apt install libsqlite3-dev`."
    }
    if says(["-fuse-ld=", "ld.lld", "\"lld\""]), !says(["ld.lld: error: "]) {
      return
        "Its linker, `ld.lld`, is missing: install Swift's toolchain again (swift.org/install)."
    }
    if says(["Read-only file system", "unable to open output file", "ModuleCache"]) {
      return "It cannot write the cache of its modules: set XDG_CACHE_HOME to a folder that you may"
        + " write to."
    }
    let isOfModules =
      says([
        "module compiled with", "version of the compiler", "compiled module",
        "cannot be imported by",
        "no such module", "missing required module", "module map file",
      ]) || namesOurImports
    if let rebuilding, isOfModules || build?.earlierPlace != nil || build?.newerSource != nil {
      return "The modules of the tool were built by another Swift, in another place, or in part."
        + " \(rebuilding)"
    }
    if says(["standard library", "swiftrt", "no such SDK", "crt1.o", "crti.o", "crtbegin", "libc"])
    {
      return
        "A part of Swift or of the system's C library is missing: install Swift again, with the"
        + " packages that swift.org/install lists."
    }
    return "Check which `swiftc` comes first on PATH, or install Swift again (swift.org/install)."
  }

  /// Whether an import of a module of ours fails, which is all that the program has.
  private var namesOurImports: Bool { own.contains("main.swift:") }
}
