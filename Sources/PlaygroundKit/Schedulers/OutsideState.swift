#if os(Linux)
  import CInterposition

  /// What one run knows of Dispatch's objects, of locks and of the application's threads.
  final class OutsideState {
    private var queues: [OutsideObject: OutsideQueue] = [:]
    private var numbers: [OutsideObject: UInt64] = [:]
    private var lastNumber: UInt64 = 0
    /// The parties inside a lock, and how often one has taken it.
    var owners: [OutsideObject: (party: Party, depth: Int)] = [:]
    /// What waits for a condition, or were woken and have not gone on.
    var conditions: [OutsideObject: OutsideCondition] = [:]
    /// The parties of the application's own threads.
    var threads: [UInt: Party] = [:]
    /// Blocks that were given to a queue or are waited for, by their addresses.
    private var blocks: [OutsideObject: OutsideBlock] = [:]
    /// What is put on queues when a group is empty.
    var notifications: [OutsideObject: [OutsideNotification]] = [:]
    /// Timers.
    var timers: [OutsideObject: OutsideTimer] = [:]

    /// The block at an address, perhaps before a queue has it.
    func block(_ object: OutsideObject) -> OutsideBlock {
      blocks[object] ?? newBlock(object)
    }

    /// A block that a queue is given; what waits for it already knows it.
    func submittedBlock(_ object: OutsideObject) -> OutsideBlock {
      let early = blocks[object].flatMap { $0.isSubmitted ? nil : $0 }
      let block = early ?? newBlock(object)
      block.isSubmitted = true
      return block
    }

    private func newBlock(_ object: OutsideObject) -> OutsideBlock {
      let block = OutsideBlock(number: newNumber())
      blocks[object] = block
      return block
    }

    /// What the explorer is told that a step touches.
    func number(of object: OutsideObject) -> UInt64 {
      if let number = numbers[object] { return number }
      let number = newNumber()
      numbers[object] = number
      return number
    }

    /// A number that stands for nothing yet.
    func newNumber() -> UInt64 {
      lastNumber += 1
      return lastNumber
    }

    /// The queue at an address.
    func queue(_ object: OutsideObject) -> OutsideQueue {
      if let queue = queues[object] { return queue }
      let queue = OutsideQueue(object) { self.queue($0) }
      queues[object] = queue
      return queue
    }

    /// Another object was made at an address.
    func forget(_ object: OutsideObject) {
      numbers[object] = nil
      queues[object] = nil
      owners[object] = nil
      blocks[object] = nil
      conditions[object] = nil
      notifications[object] = nil
    }
  }

  /// Work that is put on a queue when something has come to its end.
  struct OutsideNotification {
    let queue: OutsideObject
    let work: OutsideWork
  }

  /// A block that was given to a queue, or is to be.
  final class OutsideBlock {
    /// Whether a queue has it, or had.
    var isSubmitted = false
    /// What is to run it, or runs it; nil for a turn of the main loop.
    weak var party: Party?
    /// What the explorer is told that a step touches.
    let number: UInt64
    var isOver = false
    var notifications: [OutsideNotification] = []

    init(number: UInt64) { self.number = number }
  }

  /// A condition of the C library's.
  ///
  /// A signal is for one of the threads that wait when it is given, whichever.
  struct OutsideCondition {
    private var waiting: [Int] = []
    private var signals: [Set<Int>] = []
    private var count = 0

    /// Something begins to wait; the answer is its number.
    mutating func wait() -> Int {
      count += 1
      waiting.append(count)
      return count
    }

    /// One of those that wait may go on, or all of them.
    mutating func signal(isBroadcast: Bool) {
      if isBroadcast {
        signals += waiting.map { [$0] }
      } else if !waiting.isEmpty {
        signals.append(Set(waiting))
      }
    }

    /// Whether a signal is there for it.
    func isSignalled(_ number: Int) -> Bool { signals.contains { $0.contains(number) } }

    /// It goes on; the answer is whether it was signalled.
    mutating func goOn(_ number: Int) -> Bool {
      waiting.removeAll { $0 == number }
      let signal = signals.firstIndex { $0.contains(number) }
      if let signal { signals.remove(at: signal) }
      for index in signals.indices { signals[index].remove(number) }
      signals.removeAll(where: \.isEmpty)
      return signal != nil
    }
  }

  /// A timer source of Dispatch's.
  final class OutsideTimer {
    let queue: OutsideObject
    /// Virtual time of its next event; nil if it has none.
    var next: Int?
    /// Virtual nanoseconds between its events; nil if it has one.
    var interval: Int?
    /// How often it is suspended; timers are born so.
    var suspensions = 1
    var isCancelled = false
    /// What it does at an event, and when it is cancelled.
    var handler: OutsideWork?
    var end: OutsideWork?
    /// Whether a job for its next event is in line.
    var isInLine = false

    init(_ queue: OutsideObject) { self.queue = queue }
  }
#endif
