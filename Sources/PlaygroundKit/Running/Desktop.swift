import Foundation

/// The desktop that shows files, if there is one.
public enum Desktop {
  /// Opens a file with the program that is meant for it; false if there is no display, or no
  /// program that opens files. Does not wait for the program, which may outlive us.
  public static func open(_ path: String) -> Bool {
    let environment = ProcessInfo.processInfo.environment
    #if os(macOS)
      let (name, hasDisplay) = ("open", true)
    #else
      let hasDisplay = ["DISPLAY", "WAYLAND_DISPLAY"].contains { environment[$0]?.isEmpty == false }
      let name = "xdg-open"
    #endif
    let programs = (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
    guard hasDisplay, let program = programs.first(where: { access($0, X_OK) == 0 }) else {
      return false
    }
    let started = Spawn.start(
      program, [path], environment: environment, inGroupOfItsOwn: true
    ) { actions in
      for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
        posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0)
      }
    }
    guard started.code == 0 else { return false }
    Thread { while waitpid(started.id, nil, 0) < 0, errno == EINTR {} }.start()
    return true
  }
}
