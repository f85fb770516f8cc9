#if FAULTLINE
  import CoreData

  /// What the engine did while the body ran; nobody else may be at work meanwhile.
  func work(_ body: () throws -> Void) rethrows -> EngineCounts {
    let before = EngineCounters.read()
    try body()
    var done = EngineCounters.read()
    done.statements -= before.statements
    done.commits -= before.commits
    done.faultsFired -= before.faultsFired
    done.rowsFetched -= before.rowsFetched
    done.conflicts -= before.conflicts
    return done
  }
#endif
