import ArgumentParser
import Foundation
import PlaygroundKit

/// The flags of every command that prints a page.
struct PageOptions: ParsableArguments {
  /// Whether to print JSON.
  @Flag(help: "Print the whole record as JSON.")
  var json = false

  /// Whether to print tab-separated values.
  @Flag(help: "Print tab-separated values.")
  var plain = false

  /// Whether colour is refused.
  @Flag(name: .customLong("no-color"), help: "Print without colour, as NO_COLOR does.")
  var noColor = false

  /// Whether only ASCII may be printed.
  @Flag(help: "Print ASCII characters only.")
  var ascii = false

  /// The width asked for.
  @Option(help: "The most characters on a line, 60 to 400.")
  var width: Int?

  /// The file to write to.
  @Option(
    name: .shortAndLong, help: "Write to this file; - means standard output.",
    transform: PathWord.checked)
  var output: String?

  /// Whether to say as little as possible.
  @Flag(name: .shortAndLong, help: "Print as little as possible.")
  var quiet = false

  /// Whether to say what is being done.
  @Flag(name: .shortAndLong, help: "Print progress on standard error.")
  var verbose = false

  /// Refuses flags that contradict each other.
  func validate() throws {
    if json, plain {
      throw ValidationError("--json and --plain cannot be combined: give one of them.")
    }
    if let width, !PageStyle.widths.contains(width) {
      throw ValidationError(
        "--width \(width): give a width from \(PageStyle.widths.lowerBound) to"
          + " \(PageStyle.widths.upperBound) characters.")
    }
  }

  /// How pages look under these flags.
  var style: PageStyle {
    PageStyle(
      width: width ?? Terminal.width.map { min(max($0, PageStyle.widths.lowerBound), 100) } ?? 100,
      ascii: ascii, colour: wantsColour)
  }

  /// The flags that give another command the same style.
  var styleFlags: [String] {
    (noColor ? ["--no-color"] : []) + (ascii ? ["--ascii"] : [])
      + (width.map { ["--width", "\($0)"] } ?? [])
  }

  private var wantsColour: Bool {
    let refused = ProcessInfo.processInfo.environment["NO_COLOR"].map { !$0.isEmpty } ?? false
    return !noColor && !refused && (output ?? "-") == "-" && Terminal.isOutput
  }

  /// Where the data goes.
  func destination() throws -> Output {
    guard let output, output != "-" else { return .standard }
    return try Output(path: output)
  }
}

/// Whether a command may ask.
struct InputOptions: ParsableArguments {
  @Flag(name: .customLong("no-input"), help: "Never ask for anything.")
  var noInput = false

  /// Whether there is a terminal to ask on, and asking is allowed.
  var canAsk: Bool { !noInput && Terminal.isInput && Terminal.isErrors }
}

/// Whether a terminal shows our output, and how wide it is.
enum Terminal {
  /// Whether standard input is a terminal.
  static var isInput: Bool { isatty(STDIN_FILENO) == 1 }

  /// Whether standard output is a terminal.
  static var isOutput: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Whether standard error is a terminal.
  static var isErrors: Bool { isatty(STDERR_FILENO) == 1 }

  /// How many columns it has, if it is one.
  static var width: Int? {
    guard isOutput else { return nil }
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }
}
