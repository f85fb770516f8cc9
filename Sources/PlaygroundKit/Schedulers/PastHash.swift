import Faultline

/// Mixes numbers into one that is the same wherever the same numbers are mixed in the same order.
struct Mixer {
  private(set) var value: UInt64

  init(_ start: UInt64) { value = Self.mix(start) }

  /// Takes in one more number.
  mutating func add(_ number: UInt64) { value = Self.mix(value ^ Self.mix(number)) }

  /// Takes in a text.
  mutating func add(_ text: String) {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    add(hash)
  }

  /// The finaliser of SplitMix64.
  static func mix(_ number: UInt64) -> UInt64 {
    var z = number &+ 0x9E37_79B9_7F4A_7C15
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

/// A number for everything that has happened in a run, in which steps that do not touch the same
/// things have no order.
///
/// Each step is named by what its party did before, and for each thing it touches by the step that
/// wrote it last; a step that writes also by those that have read it since. Two orders with the
/// same steps under the same names are the same happens-before graph, so they have come to the same
/// state (Musuvathi and Qadeer, "Partial-order reduction for context-bounded state exploration",
/// 2007). The names are added up, which forgets the order in which they came.
struct PastHash {
  private struct History {
    /// The same for this thing in every equal order.
    let name: UInt64
    var lastWrite: UInt64 = 0
    var readsSince: UInt64 = 0
  }

  private var histories: [SharedThing: History] = [:]
  /// The sum over all steps.
  private(set) var value: UInt64 = 0

  /// Takes in a step: its party's name for what it did before, and what it touches.
  ///
  /// - Returns: the name of the step.
  mutating func add(_ touches: [(thing: SharedThing, isWrite: Bool)], after past: UInt64) -> UInt64
  {
    var step = Mixer(past)
    for (index, touch) in touches.enumerated() {
      let history = history(of: touch.thing, firstTouched: past, index)
      step.add(history.name)
      step.add(history.lastWrite)
      if touch.isWrite { step.add(history.readsSince &+ 1) }
    }
    for touch in touches {
      if touch.isWrite {
        histories[touch.thing]!.lastWrite = step.value
        histories[touch.thing]!.readsSince = 0
      } else {
        histories[touch.thing]!.readsSince &+= Mixer.mix(step.value)
      }
    }
    value &+= Mixer.mix(step.value)
    return step.value
  }

  /// Queues have other numbers in every run; they are named by the step that touched them first.
  private mutating func history(of thing: SharedThing, firstTouched past: UInt64, _ index: Int)
    -> History
  {
    if let history = histories[thing] { return history }
    var name = Mixer(1)
    switch thing {
    case .line(let queue) where queue == SerialQueue.main.number: name.add(2)
    case .inside(let queue) where queue == SerialQueue.main.number: name.add(3)
    case .line, .inside, .outside:
      name.add(past)
      name.add(UInt64(index))
    case .rows(let entity): name.add("rows " + entity)
    case .allRows: name.add(4)
    // They are told for what is drawn, and never come here.
    case .row, .object: break
    case .note(let text): name.add("note " + text)
    }
    let history = History(name: name.value)
    histories[thing] = history
    return history
  }
}
