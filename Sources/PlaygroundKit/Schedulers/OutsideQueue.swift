#if os(Linux)
  import CInterposition

  /// Something of Dispatch's or of the C library's, by its address.
  struct OutsideObject: Hashable, Sendable {
    let address: UInt

    init(_ pointer: UnsafeRawPointer?) { address = UInt(bitPattern: pointer) }

    /// The address as C takes it.
    var pointer: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(bitPattern: address) }
  }

  /// A block, or a function with its argument, that Dispatch was given.
  struct OutsideWork: @unchecked Sendable {
    let context: UnsafeMutableRawPointer?
    let function: faultline_work

    /// Runs it as code of the application, whose calls come to the scheduler.
    func run() {
      faultline_set_scheduled(true)
      function(context)
      faultline_set_scheduled(false)
    }

    /// Runs it where Dispatch itself says that this thread is inside the queue.
    func run(inside queue: OutsideQueue, isBarrier: Bool) {
      withUnsafePointer(to: self) { work in
        faultline_real_run(
          queue.object.pointer, UnsafeMutableRawPointer(mutating: work),
          { $0?.assumingMemoryBound(to: OutsideWork.self).pointee.run() }, isBarrier)
      }
    }
  }

  /// A Dispatch queue as the scheduler keeps it: what is in line, and what is inside.
  ///
  /// Dispatch's own queue stays empty: a block is run inside it only when its turn has come here.
  final class OutsideQueue {
    let object: OutsideObject
    /// In messages: `queue "com.x"`, `a global queue`.
    let words: String
    /// The queue that its blocks go on to; nil for Dispatch's own global queues.
    let target: OutsideQueue?
    /// Whether its blocks run one after the other.
    let isSerial: Bool
    /// Whether it is one of Dispatch's own global queues.
    let isRoot: Bool
    private var line: [OutsideJob] = []
    /// What runs inside it or inside a queue that goes on to it.
    private(set) var inside: [OutsideJob] = []
    /// How often it is suspended.
    var suspensions = 0
    /// How many blocks it was given.
    private(set) var jobCount = 0
    /// Virtual time at which the last block ended.
    private(set) var clock = 0

    /// Takes over a queue of Dispatch's; `other` gives the queue that it goes on to.
    init(_ object: OutsideObject, other: (OutsideObject) -> OutsideQueue) {
      let label = Self.label(of: object)
      isRoot = label.hasPrefix("com.apple.root")
      let target = OutsideObject(faultline_target(object.pointer))
      self.object = object
      words =
        isRoot
        ? "a global queue"
        : label.hasPrefix("NSOperationQueue") ? "an operation queue" : "queue \"\(label)\""
      isSerial = !isRoot && faultline_width(object.pointer) == 1
      let hasTarget = !isRoot && target.pointer != nil && !Self.isRoot(target)
      self.target = hasTarget ? other(target) : nil
    }

    private static func label(of object: OutsideObject) -> String {
      String(cString: faultline_label(object.pointer))
    }

    private static func isRoot(_ object: OutsideObject) -> Bool {
      label(of: object).hasPrefix("com.apple.root")
    }

    /// Whether it is the main queue, or goes on to it.
    var isMain: Bool {
      object == OutsideObject(faultline_main_queue()) || target?.isMain ?? false
    }

    /// Puts a job at the end of the line.
    func append(_ job: OutsideJob) {
      jobCount += 1
      line.append(job)
    }

    /// Whether a job in line may begin: nothing before it that must come first, and nothing inside
    /// that excludes it.
    ///
    /// A job with a deadline is put in line by a timer, as late as it likes: it comes behind what
    /// was there when it was made, and before or behind what came later.
    func mayBegin(_ job: OutsideJob) -> Bool {
      guard isFree(forBarrier: job.isBarrier) else { return false }
      var isBefore = true
      for other in line {
        if other === job {
          isBefore = false
        } else if let deadline = other.deadline {
          guard isSerial, let own = job.deadline else { continue }
          if deadline < own || deadline == own && isBefore { return false }
        } else if isBefore, isSerial || other.isBarrier || job.isBarrier {
          return false
        }
      }
      return true
    }

    private func isFree(forBarrier isBarrier: Bool) -> Bool {
      guard suspensions == 0 else { return false }
      guard isSerial || isBarrier ? inside.isEmpty : !inside.contains(where: \.isBarrier) else {
        return false
      }
      return target?.isFree(forBarrier: false) ?? true
    }

    /// A job begins.
    func begin(_ job: OutsideJob) {
      line.removeAll { $0 === job }
      var queue: OutsideQueue? = self
      while let next = queue {
        next.inside.append(job)
        queue = next.target
      }
    }

    /// A job has ended.
    func end(_ job: OutsideJob, at clock: Int) {
      self.clock = max(self.clock, clock)
      var queue: OutsideQueue? = self
      while let next = queue {
        next.inside.removeAll { $0 === job }
        queue = next.target
      }
    }

    /// The parties that must come to an end first: those inside, or those before it in line.
    func holders(of job: OutsideJob) -> [Party] {
      var queue: OutsideQueue? = self
      while let next = queue {
        if !next.inside.isEmpty { return next.inside.compactMap(\.party) }
        queue = next.target
      }
      return line.prefix { $0 !== job }.compactMap(\.party)
    }

    /// Whether a party is inside it.
    func holds(_ party: Party) -> Bool { inside.contains { $0.party === party } }
  }

  /// A block in line or inside a queue.
  final class OutsideJob {
    let isBarrier: Bool
    /// Virtual time before which it is not in line; nil if it is there at once.
    let deadline: Int?
    /// What runs it.
    weak var party: Party?

    init(isBarrier: Bool, deadline: Int? = nil, party: Party? = nil) {
      (self.isBarrier, self.deadline, self.party) = (isBarrier, deadline, party)
    }
  }
#endif
