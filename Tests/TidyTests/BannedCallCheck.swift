/// Queues, locks, threads, clocks and random numbers come through one door, and nothing sleeps.
enum BannedCallCheck {
  private struct Ban: Sendable {
    let words: Set<String>
    /// What must follow the word for it to count; empty when the word alone is enough.
    let followedBy: [String]
    let instead: String

    init(_ words: Set<String>, followedBy: [String] = [], instead: String) {
      self.words = words
      self.followedBy = followedBy
      self.instead = instead
    }
  }

  private static let engineBans = [
    Ban(
      ["Dispatch", "DispatchQueue", "DispatchWorkItem", "DispatchGroup", "OperationQueue"],
      instead: "use SerialQueue"),
    Ban(["DispatchSemaphore"], instead: "use SerialQueue, or WaitGraph to wait for one"),
    Ban(
      ["NSLock", "NSRecursiveLock", "NSCondition", "NSConditionLock", "Mutex", "os_unfair_lock"],
      instead: "use Lock"),
    Ban(
      [
        "pthread_mutex_t", "pthread_mutex_lock", "pthread_rwlock_t", "pthread_rwlock_rdlock",
        "pthread_rwlock_wrlock", "pthread_cond_t", "pthread_cond_wait",
      ], instead: "use Lock"),
    Ban(["pthread_create", "pthread_self"], instead: "use Scheduling.currentParty"),
    Ban(
      ["Thread"],
      followedBy: [
        "(", ".current", ".isMainThread", ".main", ".detachNewThread", ".sleep",
        ".threadDictionary",
      ], instead: "use Scheduling.currentParty or MainThread"),
    Ban(["Date"], followedBy: ["()", ".now"], instead: "use Scheduling.date"),
    Ban(
      [
        "DispatchTime", "ContinuousClock", "SuspendingClock", "clock_gettime", "gettimeofday",
        "CFAbsoluteTimeGetCurrent", "systemUptime",
      ], instead: "use Scheduling.nowNanoseconds"),
    Ban(["UUID"], followedBy: ["()"], instead: "use Scheduling.uuid()"),
    Ban(
      [
        "random", "randomElement", "shuffled", "shuffle", "arc4random", "drand48",
        "SystemRandomNumberGenerator",
      ], followedBy: ["("], instead: "take the random numbers of Scheduling"),
    Ban(["Task"], followedBy: ["{", ".detached", "(priority"], instead: "use SerialQueue"),
    Ban(["Timer", "RunLoop"], instead: "use SerialQueue"),
  ]

  private static let sleepBan = Ban(
    ["sleep", "usleep", "nanosleep"], followedBy: ["("],
    instead: "wait for the thing itself: an expectation, a queue, a gate")

  /// Looks for what the engine may only do inside `Scheduling/`.
  static func complaints(aboutEngine file: TextFile) -> [Complaint] {
    if file.path.hasPrefix("Sources/Faultline/Scheduling/") { return [] }
    return complaints(file, engineBans + [sleepBan])
  }

  /// Looks for sleeping, which is wrong in a test and in a scenario as well.
  static func complaints(aboutSleepIn file: TextFile) -> [Complaint] {
    complaints(file, [sleepBan])
  }

  private static func complaints(_ file: TextFile, _ bans: [Ban]) -> [Complaint] {
    let tokens = file.tokens
    return tokens.indices.flatMap { index in
      bans.compactMap { ban in
        let word = tokens[index].text
        guard ban.words.contains(word) else { return nil }
        let after = tokens[(index + 1)...].prefix(4).map(\.text).joined()
        if !ban.followedBy.isEmpty, !ban.followedBy.contains(where: after.hasPrefix) { return nil }
        // A declaration of that name, such as `static func random()`, is not a call.
        if index > 0, tokens[index - 1].text == "func" { return nil }
        // The door's own functions carry such names too.
        if index > 1, tokens[index - 1].text == ".", tokens[index - 2].text == "Scheduling" {
          return nil
        }
        return Complaint(
          path: file.path, line: tokens[index].line + 1,
          text: "\(word): \(ban.instead)")
      }
    }
  }
}
