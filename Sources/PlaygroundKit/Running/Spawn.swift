import Foundation

/// Starts a process.
///
/// `posix_spawn` directly, because Foundation's `Process` and swift-subprocess both wait for the
/// child themselves and so keep the operating system's figures of that one child (its peak memory)
/// from us.
enum Spawn {
  /// Starts an executable with no signal held back; answers its id, or the code of the error.
  ///
  /// Signals that we were started to ignore, as `nohup` does, it ignores too, but not those by
  /// which the system holds limits.
  static func start(
    _ executable: String, _ arguments: [String], environment: [String: String],
    inGroupOfItsOwn: Bool = false,
    _ describe: (inout posix_spawn_file_actions_t) -> Void = { _ in }
  ) -> (id: pid_t, code: Int32) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    describe(&actions)

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    // The last two hold limits.
    for signal in [SIGPIPE, SIGCHLD, SIGXFSZ, SIGXCPU] { sigaddset(&signals, signal) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    let group = inGroupOfItsOwn ? POSIX_SPAWN_SETPGROUP : 0
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF) | Int16(group))

    var vector = ([executable] + arguments).map { strdup($0) } + [nil]
    var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for pointer in vector + variables { free(pointer) } }
    var id: pid_t = 0
    let code = posix_spawn(&id, executable, &actions, &attributes, &vector, &variables)
    return (id, code)
  }
}
