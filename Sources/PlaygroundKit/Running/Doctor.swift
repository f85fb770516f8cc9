import Foundation
import SQLiteConnection

/// What this machine has of what the tool needs, each part found out by trying it.
public enum Doctor {
  /// How a part was found.
  public enum State: String, Codable, Sendable {
    /// As it should be.
    case good
    /// Usable, with a limit that is worth knowing.
    case limited
    /// Missing or not usable; some commands fail.
    case bad
  }

  /// One part of the machine.
  public struct Part: Codable, Sendable, Equatable {
    /// What it is, in a word or two.
    public var name: String
    /// How it was found.
    public var state: State
    /// What was found, in a few words.
    public var found: String
    /// What to do, in a sentence; nil where nothing is to be done.
    public var advice: String?

    /// Describes a part.
    public init(_ name: String, _ state: State, _ found: String, _ advice: String? = nil) {
      (self.name, self.state, self.found, self.advice) = (name, state, found, advice)
    }
  }

  /// Looks at every part but the terminal, which the command line knows.
  ///
  /// It takes the time of two small programs, and of building one: two seconds as a rule.
  public static func parts() -> [Part] {
    let machine = Machine.current
    let temporary = temporary()
    // These are tried by programs, which need that folder.
    let toolchain = temporary.state == .bad ? nil : toolchain()
    let tried = toolchain.map { [$0, sandbox()] } ?? []
    let clone = clone()
    let exercises = toolchain?.state == .good && clone.state != .bad ? [exercises()] : []
    return [temporary] + tried + [clone] + exercises
      + [sqlite(), build(machine), processors(machine), state()]
  }

  private static func toolchain() -> Part {
    do {
      let workspace = try Workspace()
      defer { workspace.removeFiles() }
      return Part("toolchain", .good, try SwiftCompiler.version(in: workspace))
    } catch {
      return Part(
        "toolchain", .bad, "\(error)",
        "Exercises and scenarios of your own are compiled by Swift 6.2 or later"
          + " (swift.org/install).")
    }
  }

  private static func clone() -> Part {
    do {
      let build = try BuildFolder.current()
      let place = build.package.path
      if let newer = build.newerSource {
        return Part(
          "clone", .limited, "\(place), whose sources are newer than the tool",
          "Pages may name wrong lines, for example of \(newer): \(build.rebuilding).")
      }
      if let earlier = build.earlierPlace {
        return Part(
          "clone", .limited, "\(place), built when it was \(earlier)",
          "The tool works here. SwiftPM does not: to build again, \(build.rebuilding).")
      }
      return Part("clone", .good, place)
    } catch {
      return Part(
        "clone", .bad, "the tool is outside its clone",
        "In the clone, type `swift run faultline`: exercises, the guide and scenarios of your own"
          + " need its files.")
    }
  }

  /// Builds a program as an exercise is built.
  private static func exercises() -> Part {
    do {
      let workspace = try Workspace()
      defer { workspace.removeFiles() }
      let place = try workspace.makeFolder("empty")
      let build = try BuildFolder.current()
      try SwiftCompiler.tryEmptyProgram(
        build.sharedFiles + ["-o", place.appendingPathComponent("empty").path]
          + build.arguments(), in: place, of: workspace)
      return Part("exercises", .good, "a program without code builds")
    } catch {
      // The compiler's own words follow the sentence.
      let lines = "\(error)".split(separator: "\n", maxSplits: 1)
      return Part(
        "exercises", .bad, lines.first.map(String.init) ?? "",
        "Until then no exercise and no scenario of your own can be built.")
    }
  }

  private static func sqlite() -> Part {
    do {
      let connection = try Connection(path: ":memory:")
      defer { connection.close() }
      let statement = try connection.statement("SELECT sqlite_version()")
      defer { statement.reset() }
      _ = try statement.step()
      return Part("SQLite", .good, statement.text(0))
    } catch {
      return Part("SQLite", .bad, "\(error)", "Install it again: `apt install libsqlite3-dev`.")
    }
  }

  private static func build(_ machine: Machine) -> Part {
    machine.build == "release"
      ? Part("build", .good, "release")
      : Part(
        "build", .limited, "debug",
        "Its times are longer: for figures, and for `explore` with a higher bound, type"
          + " `swift build -c release`, then `.build/release/faultline`.")
  }

  private static func processors(_ machine: Machine) -> Part {
    var loads = [0.0, 0, 0]
    let load = getloadavg(&loads, 3) > 0 ? loads[0] : 0
    let found =
      "\(machine.cores) \(machine.architecture), load \(String(format: "%.1f", load)) in the last"
      + " minute, \(machine.system)"
    if machine.cores < 2 {
      return Part(
        "processors", .limited, found,
        "With one processor threads take turns, and races are rarer: `explore` finds them all the"
          + " same.")
    }
    if load > Double(machine.cores) {
      return Part(
        "processors", .limited, found,
        "Other programs are at work: times and frames of `run` are theirs too.")
    }
    return Part("processors", .good, found)
  }

  private static func temporary() -> Part {
    let path = Workspace.base.deletingLastPathComponent().path
    do {
      try Workspace().removeFiles()
    } catch {
      return Part("temporary", .bad, "\(error)")
    }
    var figures = statvfs()
    guard statvfs(path, &figures) == 0 else { return Part("temporary", .good, path) }
    let free = (UInt64(figures.f_bavail) * UInt64(figures.f_frsize)) >> 20
    let found = "\(path), \(free) MB free"
    return free >= 1_024
      ? Part("temporary", .good, found)
      : Part(
        "temporary", .limited, found,
        "A run may need 1,024 MB: make room, or set TMPDIR to another folder.")
  }

  private static func state() -> Part {
    let folder = StateFolder.url()
    let file = folder.appendingPathComponent(".doctor-\(getpid())")
    do {
      try StateFolder.write("", to: file)
      try FileManager.default.removeItem(at: file)
      return Part("state", .good, folder.path)
    } catch {
      return Part(
        "state", .limited, "\(error)",
        "Until then long schedule ids cannot be replayed later, and `list` does not know what you"
          + " ran.")
    }
  }

  /// A learner's program runs with limits of time, memory and disk in any case.
  private static func sandbox() -> Part {
    if Sandbox.current != nil {
      return Part("sandbox", .good, "bubblewrap: a learner's program writes to its own folder only")
    }
    return Part(
      "sandbox", .limited,
      "bubblewrap is missing or refused: a learner's program can write wherever you can, within"
        + " limits of time, memory and disk",
      "Nothing, for your own code. Before you run the code of others: `apt install bubblewrap`, on"
        + " a system that lets users make namespaces.")
  }

  /// What a program says; nil if there is none of this name or it fails.
  private static func words(of program: [String]) throws -> String? {
    let workspace = try Workspace()
    defer { workspace.removeFiles() }
    let outcome = try ChildProcess.run(
      URL(fileURLWithPath: "/usr/bin/env"), program,
      environment: ProcessInfo.processInfo.environment,
      limits: ChildProcess.Limits(
        seconds: 20, memoryBytes: 4 << 30, diskBytes: 1 << 26, home: .anywhere),
      log: workspace.folder.appendingPathComponent("words.log"), folder: workspace.folder,
      in: workspace)
    return outcome.ending == .exited(0) ? outcome.output : nil
  }
}
