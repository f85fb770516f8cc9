import ArgumentParser
import Foundation
import PlaygroundKit
import Scenarios

/// The loop of `faultline watch`.
///
///     checking ── page ──▶ waiting ── a save, c ──▶ checking
///                             ├── h, e, o: a page ──▶ waiting
///                             ├── n: another exercise ──▶ waiting
///                             └── q, end of input ──▶ over
///
/// What is saved or typed during a check is told after it: then the check starts again.
final class WatchLoop {
  private let page: PageOptions
  private let output = Output.standard
  private let workspace: Workspace
  private var exercise: Exercise
  private var path: String
  private var saves: SaveWatch
  /// The smallest schedule that fails, as the last check named it.
  private var failing: String?
  private var hasInput = true
  private var terminal: KeyTerminal?

  /// Watches the folder of an exercise; pictures are kept in the workspace.
  init(
    _ exercise: Exercise, _ path: String, _ page: PageOptions, in workspace: Workspace
  ) throws {
    (self.exercise, self.path, self.page, self.workspace) = (exercise, path, page, workspace)
    saves = try Self.saves(exercise, path)
  }

  private static func saves(_ exercise: Exercise, _ path: String) throws -> SaveWatch {
    let answers = exercise.questions.isEmpty ? [] : [AnswerSheet.fileName]
    return try SaveWatch(path, names: Set([exercise.file].compactMap { $0 } + answers))
  }

  /// Checks, and waits for the next reason to, until the user quits or the input ends; without a
  /// terminal nothing is asked.
  func run(_ terminal: KeyTerminal?) throws {
    self.terminal = terminal
    try check()
    while true {
      terminal?.show(prompt)
      let event = try next()
      terminal?.erase()
      switch event {
      case .saved: try check()
      case .key(let key):
        guard try act(on: key) else { return }
      case .end: return
      }
    }
  }

  // MARK: Waiting

  private enum Event {
    case saved, end
    case key(UInt8)
  }

  private var keys: [UInt8] = []
  /// What was heard during the check and not yet acted on.
  private var heard = SaveWatch.News.nothing

  private func next() throws -> Event {
    while true {
      let news = heard == .nothing ? saves.news() : heard
      heard = .nothing
      // A save goes before a key, and before the end of the input.
      switch news {
      case .saved: return .saved
      case .gone: throw Complaint(.input, "\(path) is gone: there is nothing left to watch.")
      case .nothing: break
      }
      if !keys.isEmpty { return .key(keys.removeFirst()) }
      if !hasInput { return .end }
      let mayRead = isatty(STDIN_FILENO) == 0 || KeyTerminal.isForeground
      if mayRead { terminal?.keep() }
      var files = [
        pollfd(fd: saves.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: mayRead ? STDIN_FILENO : -1, events: Int16(POLLIN), revents: 0),
      ]
      poll(&files, 2, mayRead ? saves.pauseMilliseconds : 1_000)
      if files[1].revents != 0 { readKeys() }
    }
  }

  private func readKeys() {
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(STDIN_FILENO, &bytes, bytes.count)
    if count < 0, errno == EINTR || errno == EAGAIN { return }
    hasInput = count > 0
    // Lines of other input are no keys.
    if hasInput, terminal != nil { keys = Self.keys(in: bytes[..<count]) }
  }

  /// The keys without what an arrow or another special key sends: an escape, a bracket, and
  /// whatever follows up to a letter.
  private static func keys(in bytes: ArraySlice<UInt8>) -> [UInt8] {
    var keys: [UInt8] = []
    var rest = bytes
    while let byte = rest.popFirst() {
      if byte != 0x1B {
        keys.append(byte)
      } else if let kind = rest.first, "[O".utf8.contains(kind) {
        rest = rest.dropFirst().drop { !(0x40...0x7E).contains($0) }.dropFirst()
      }
    }
    return keys
  }

  // MARK: Acting

  private var prompt: String {
    let explore = exercise.notASide == nil ? "e explore  " : ""
    let open = failing == nil ? "" : "o open picture  "
    return "c check  h hint  \(explore)\(open)n next  q quit > "
  }

  /// Does what a key stands for; false if that is to quit.
  private func act(on key: UInt8) throws -> Bool {
    let words = page.styleFlags + ["--", path]
    switch Character(Unicode.Scalar(key)) {
    case "c": try check()
    case "h": try run(HintCommand.self, words)
    case "e": try run(ExploreCommand.self, words)
    case "o": try openPicture()
    case "n": try goOn()
    // Ctrl-D too.
    case "q", "\u{04}": return false
    default: break
    }
    return true
  }

  private func check() throws {
    terminal?.show(page.style.finished("checking \(exercise.card.heading) … "))
    defer { terminal?.erase() }
    failing = nil
    do {
      guard let folder = try LearnerFolder(path, among: Catalogue.exercises) else { return }
      let record = try Judge(exercise, folder).record()
      DeskOptions.note(record, of: exercise, at: path)
      failing = record.findings.lazy.compactMap(\.replay).first
      terminal?.erase()
      try output.write(try CheckCommand.printed(record, page))
    } catch let error as Complaint {
      // If the file was saved meanwhile, the refusal is out of date.
      heard = saves.news()
      if heard != .saved { complain(error) }
    }
  }

  private func run(_ command: (some ParsableCommand).Type, _ words: [String]) throws {
    try complaining {
      var command = try command.parse(words)
      try command.run()
    }
  }

  private func openPicture() throws {
    guard let failing else { return try say("No schedule fails: there is no picture to open.") }
    terminal?.show(page.style.finished("drawing \(failing) … "))
    try complaining {
      let draw = try DrawCommand.parse(["--format", "html", "--", path, failing])
      let file = workspace.folder.appendingPathComponent("\(failing).html").path
      try WholeFile(file, advice: "set TMPDIR to another folder").write(try draw.text(page.style))
      terminal?.erase()
      let isOpen = Desktop.open(file)
      try say(
        isOpen
          ? "The picture opens in your browser. Until you quit it is in"
          : "There is no display to open the picture on. Until you quit it is in")
      try output.write(file + "\n")
    }
  }

  /// Goes on to the next exercise that is not passed, in the order of their numbers.
  private func goOn() throws {
    try complaining {
      let record = try DeskOptions.progress(around: path).read()
      let place = Catalogue.exercises.firstIndex { $0.folder == exercise.folder } ?? 0
      let others = Catalogue.exercises[(place + 1)...] + Catalogue.exercises[..<place]
      guard let next = others.first(where: { !record[$0].isPassed }) else {
        return try say("There is no other exercise that you have not passed.")
      }
      let folder = LearnerFolder.desk(of: path)
      _ = try ExerciseDesk(folder: folder).start(next)
      let path = folder == "." ? next.folder : "\(folder)/\(next.folder)"
      saves = try Self.saves(next, path)
      (exercise, self.path, failing) = (next, path, nil)
      let file = ExerciseDesk(folder: folder).file(of: next).lastPathComponent
      try output.write(
        StartCommand.page(["\(path)/\(file)"], next, path.quotedForShell, page.style))
    }
  }

  private func say(_ text: String) throws {
    let lines = page.style.hanging("", text).map(page.style.finished)
    try output.write(lines.joined(separator: "\n") + "\n")
  }

  private func complain(_ complaint: Complaint) {
    terminal?.erase()
    Output.complain(complaint.description)
  }

  /// Does something that may be refused; the refusal is printed, and the loop goes on.
  private func complaining(_ body: () throws -> Void) throws {
    do { try body() } catch let error as Complaint {
      complain(error)
    } catch let leave as Leave {
      // The code says how a command ended; done is what an output without a reader says.
      if leave.status == .done { throw leave }
    }
  }
}
