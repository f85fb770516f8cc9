/// Hands out every order that a bound on switches allows, and leaves out orders that equal one it
/// has handed out. Those with the fewest switches come first, among them those with the fewest
/// turns: so the first of several equal orders is the one with the shortest id.
///
/// A value without any run in it: somebody runs what `next` says and tells `learn` which choices
/// there were.
///
/// 1. The first order has no turns.
/// 2. A run of an order has choices. Each of those after its last turn, with each option that is
///    not the default, makes one more order: the same turns and this one. So every order is made
///    once, from the one without its last turn.
/// 3. A turn that interrupts somebody is a switch and costs one; a turn where nobody who ran could
///    go on is free. Orders of more switches than the bound are not made.
/// 4. An order is left out if its last turn interrupts a party before a step that touches nothing
///    shared: to interrupt it after the step comes to the same.
/// 5. An order is left out if its last turn lets a party go on from a past that the same party went
///    on from before. This is the caching of happens-before of CHESS (Musuvathi and Qadeer, 2007).
///
/// Why 4 is sound. Take an order that interrupts p before its local step. Move the step to before
/// the interruption. Nobody can tell the difference, and the order has no more switches than
/// before: if p cannot go on after its step, letting another run is even free; and if p came back
/// only for this step, coming back is saved. The moved order is made from the same run, one choice
/// later, unless p's next step is local too, and then one later again. It needs that a step which
/// lets somebody else go on (ends a wait, gives a queue back) touches something; and that there is
/// a choice after the step, so the last step before a transaction writes or commits is not local.
///
/// Why 5 is sound. A past determines the state, and with the party that runs it determines all that
/// can follow and what that costs. So nothing is lost as long as the first to be there had no more
/// switches behind it, and so no fewer ahead. Orders are handed out by their switches; but a turn
/// that is free may reach a past with fewer switches than an order that was made earlier and still
/// waits. That is why a past counts as reached when an order is handed out and not when it is made.
/// When several orders run at once one with more switches may still be the first, so the number of
/// switches is remembered. It needs that a past stands for all that can decide what follows. Two
/// pasts are told apart by 64 bits: among a million of them a false match has a chance of about
/// 1 in 40 million.
public struct ExhaustiveSearch: Sendable {
  /// The most switches an order may have; nil if there is no bound.
  public let bound: Int?
  /// Whether orders that equal one handed out are left out.
  public let skipsEqualOrders: Bool

  /// How many orders were handed out.
  public private(set) var orders = 0
  /// How many orders were left out because they equal one that was handed out. Orders that would
  /// have been made from them are not counted.
  public private(set) var skipped = 0
  /// Whether no order was left out for having too many switches: what is proved with the bound then
  /// holds without it.
  public private(set) var isWhole = true

  /// One turn after the turns of an order that was handed out: 8 bytes.
  private struct Node {
    /// Which order; −1 for the order without turns.
    var parent: Int32
    /// The choice in the upper 24 bits, the option in the lower 8.
    var turn: UInt32
  }

  /// An order that was made and not yet handed out: 16 bytes.
  private struct Waiting {
    /// The past of its last turn with the party that goes on.
    var key: UInt64
    var node: Node
  }

  /// What was handed out, in order.
  private var nodes: [Node] = []
  /// What waits, by its switches, then by its turns; the last of a bucket is the next.
  private var buckets: [[[Waiting]]]
  /// The fewest switches with which a past was gone on from, by past and party.
  private var reached: [UInt64: UInt16] = [:]
  /// What was handed out and not yet learnt from: its place in `nodes`, and the past of its last
  /// turn with the party that goes on.
  private var running: [Schedule: (node: Int32, key: UInt64)] = [:]

  /// Begins a search.
  public init(bound: Int?, skipsEqualOrders: Bool) {
    self.bound = bound
    self.skipsEqualOrders = skipsEqualOrders
    buckets = [[[Waiting(key: 0, node: Node(parent: -1, turn: 0))]]]
  }

  /// How many orders wait, by their switches.
  public var waiting: [Int] { buckets.map { $0.reduce(0) { $0 + $1.count } } }

  /// The share of the orders known by now that were handed out, from 0 to 1. More become known with
  /// every run, so it may fall.
  public var share: Double { Double(orders) / Double(max(1, orders + waiting.reduce(0, +))) }

  /// The next order; nil if none waits. One more may come of what is still running.
  public mutating func next() -> Schedule? {
    guard let (switches, turns) = bucketOfNext() else { return nil }
    let waiting = buckets[switches][turns].removeLast()
    if skipsEqualOrders, waiting.node.parent >= 0 { reach(waiting.key, switches) }
    nodes.append(waiting.node)
    orders += 1
    let schedule = schedule(of: nodes.count - 1)
    running[schedule] = (Int32(nodes.count - 1), waiting.key)
    return schedule
  }

  /// Whether no order waits.
  public mutating func isDone() -> Bool { bucketOfNext() == nil }

  /// Leaves out those that came to equal an order while they waited.
  private mutating func bucketOfNext() -> (switches: Int, turns: Int)? {
    for switches in buckets.indices {
      for turns in buckets[switches].indices {
        while let waiting = buckets[switches][turns].last {
          guard skipsEqualOrders, waiting.node.parent >= 0, wasReached(waiting.key, switches) else {
            return (switches, turns)
          }
          buckets[switches][turns].removeLast()
          skipped += 1
        }
      }
    }
    return nil
  }

  /// Takes in which choices the run of an order had, from its first on.
  ///
  /// - Returns: false, and takes in nothing, if it was the run of another order: what came before
  ///   the last turn is not what it was when the order was made.
  @discardableResult
  public mutating func learn(_ schedule: Schedule, _ choices: [ChoiceSeen]) -> Bool {
    guard let (node, key) = running.removeValue(forKey: schedule) else {
      preconditionFailure("our bug: \(schedule) was not handed out, or was learnt from before")
    }
    if let turn = schedule.turns.last {
      guard choices.indices.contains(turn.choice),
        choices[turn.choice].parties.indices.contains(turn.option),
        Self.key(choices[turn.choice], turn.option) == key
      else { return false }
    }
    var switches = 0
    for choice in choices {
      if choice.isSwitchPoint, choice.chosen > 0 { switches += 1 }
      if skipsEqualOrders { reach(Self.key(choice, choice.chosen), switches) }
    }
    let first = (schedule.turns.last?.choice ?? -1) + 1
    // Backwards, because the last is handed out first.
    for index in choices.indices.reversed() where index >= first {
      for option in (1..<max(1, choices[index].optionCount)).reversed() {
        guard let (key, switches) = make(choices[index], option, switches) else { continue }
        precondition(index < 1 << 24 && option < 1 << 8, "a run has more choices than can be noted")
        let turn = Node(parent: node, turn: UInt32(index << 8 | option))
        wait(Waiting(key: key, node: turn), switches, turns: schedule.turns.count + 1)
      }
    }
    return true
  }

  /// The past and the switches of an order that ends with this option; nil if it is left out.
  private mutating func make(
    _ choice: ChoiceSeen, _ option: Int, _ switchesBefore: Int
  ) -> (key: UInt64, switches: Int)? {
    let switches = switchesBefore + (choice.isSwitchPoint ? 1 : 0)
    let key = Self.key(choice, option)
    let isEqual =
      skipsEqualOrders && (choice.isSwitchPoint && choice.isLocal || wasReached(key, switches))
    if let bound, switches > bound {
      if !isEqual { isWhole = false }
      return nil
    }
    if isEqual {
      skipped += 1
      return nil
    }
    return (key, switches)
  }

  private mutating func wait(_ order: Waiting, _ switches: Int, turns: Int) {
    while buckets.count <= switches { buckets.append([]) }
    while buckets[switches].count <= turns { buckets[switches].append([]) }
    buckets[switches][turns].append(order)
  }

  private func schedule(of node: Int) -> Schedule {
    var turns: [Schedule.Turn] = []
    var place = node
    while nodes[place].parent >= 0 {
      let turn = Int(nodes[place].turn)
      turns.append(Schedule.Turn(choice: turn >> 8, option: turn & 0xFF))
      place = Int(nodes[place].parent)
    }
    return Schedule(turns.reversed())
  }

  // MARK: Pasts

  private static func key(_ choice: ChoiceSeen, _ option: Int) -> UInt64 {
    var generator = SeededGenerator(seed: choice.past)
    var mixed = SeededGenerator(seed: generator.next() ^ choice.parties[option])
    return mixed.next()
  }

  private func wasReached(_ key: UInt64, _ switches: Int) -> Bool {
    guard let fewest = reached[key] else { return false }
    // Without a bound it does not matter how many switches are left.
    return bound == nil || Int(fewest) <= switches
  }

  private mutating func reach(_ key: UInt64, _ switches: Int) {
    let switches = UInt16(clamping: switches)
    if let fewest = reached[key], fewest <= switches { return }
    reached[key] = switches
  }
}
