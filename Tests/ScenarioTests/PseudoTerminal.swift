#if os(Linux)
  import Foundation
  import PlaygroundKit

  /// A terminal with a program in it, and the test in the place of the person in front of it.
  final class PseudoTerminal {
    private let screen: Int32
    private let process = Process()
    /// What was printed and not yet read by `read(until:)`.
    private var unread = ""

    /// What did not come.
    struct Silence: Error, CustomStringConvertible {
      var description: String
    }

    /// Starts a program on a terminal of 100 columns, which is its controlling terminal: so keys
    /// such as Ctrl-C become signals.
    init(_ arguments: [String], in folder: String, environment: [String: String]) throws {
      var (screen, end) = (Int32(-1), Int32(-1))
      var size = winsize(ws_row: 40, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0)
      guard openpty(&screen, &end, nil, nil, &size) == 0 else {
        throw Silence(description: "there is no pseudo-terminal: errno \(errno)")
      }
      _ = fcntl(screen, F_SETFD, FD_CLOEXEC)
      self.screen = screen
      let stream = FileHandle(fileDescriptor: end, closeOnDealloc: false)
      process.executableURL = URL(fileURLWithPath: "/usr/bin/setsid")
      process.arguments = ["--ctty", "--wait"] + arguments
      process.currentDirectoryURL = URL(fileURLWithPath: folder)
      process.environment = environment
      process.standardInput = stream
      process.standardOutput = stream
      process.standardError = stream
      defer { try? stream.close() }
      try process.run()
    }

    deinit {
      if process.isRunning { process.terminate() }
      close(screen)
    }

    /// Types keys.
    func type(_ keys: String) {
      let bytes = Array(keys.utf8)
      _ = write(screen, bytes, bytes.count)
    }

    /// Reads until a text has come, and answers everything up to its end.
    @discardableResult func read(until text: String) throws -> String {
      while true {
        if let found = unread.range(of: text) {
          let read = String(unread[..<found.upperBound])
          unread = String(unread[found.upperBound...])
          return read
        }
        guard let more = next() else {
          throw Silence(description: "“\(text)” does not come after: \(unread.suffix(4_000))")
        }
        unread += more
      }
    }

    /// Reads until the program has ended; its exit code and what it printed.
    func end() -> (status: Int32, text: String) {
      while let more = next() { unread += more }
      process.waitUntilExit()
      return (process.terminationStatus, unread)
    }

    private func next() -> String? {
      var file = pollfd(fd: screen, events: Int16(POLLIN), revents: 0)
      guard poll(&file, 1, 120_000) > 0 else { return nil }
      var bytes = [UInt8](repeating: 0, count: 64 << 10)
      let count = Foundation.read(screen, &bytes, bytes.count)
      return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }

    /// Whether the terminal gives each key at once, and does not show it.
    var givesKeys: Bool {
      var mode = termios()
      tcgetattr(screen, &mode)
      return mode.c_lflag & tcflag_t(ICANON | ECHO) == 0
    }

    /// The id of the program on the terminal.
    var program: pid_t { tcgetpgrp(screen) }
  }
#endif
