@testable import PlaygroundKit

/// A few parties that read and write a few things, small enough that every order can be known.
struct ToyProgram {
  enum Step {
    case local
    case read(Int)
    case write(Int)
    /// Reads and writes.
    case add(Int)
    case take(lock: Int)
    case give(lock: Int)
  }

  /// The state between two steps.
  struct State: Hashable {
    var places: [Int]
    var memories: [UInt64]
    var things: [UInt64]
    var owners: [Int?]
  }

  /// How the program can end: what stands in the things, and who did not get to their end.
  struct End: Hashable {
    var things: [UInt64]
    var isStuck: Bool
  }

  var parties: [[Step]]
  /// Whether a value tells who wrote it when, or is one of a few.
  var isTelling: Bool

  init(_ parties: [[Step]], isTelling: Bool = true) {
    self.parties = parties
    self.isTelling = isTelling
  }

  /// Some program; one in three has locks, so that there are waits and deadlocks.
  init(seed: UInt64, parties count: Int, steps: Int) {
    var generator = SeededGenerator(seed: seed)
    let things = Int.random(in: 1...3, using: &generator)
    let hasLocks = Int.random(in: 0..<3, using: &generator) == 0
    isTelling = Bool.random(using: &generator)
    parties = (0..<count).map { _ in
      var held: [Int] = []
      return (0..<steps).map { _ in
        let thing = Int.random(in: 0..<things, using: &generator)
        let kind = Int.random(in: 0..<(hasLocks ? 8 : 5), using: &generator)
        switch kind {
        case 0: return .local
        case 1, 2: return .read(thing)
        case 3: return .write(thing)
        case 4: return .add(thing)
        default:
          if let lock = held.popLast() { return .give(lock: lock) }
          held.append(Int.random(in: 0...1, using: &generator))
          return .take(lock: held[0])
        }
      }
    }
  }

  private static let thingsMax = 4
  private static let locksMax = 2

  var start: State {
    State(
      places: parties.map { _ in 0 }, memories: parties.map { _ in 1 },
      things: .init(repeating: 0, count: Self.thingsMax),
      owners: .init(repeating: nil, count: Self.locksMax))
  }

  func canGoOn(_ party: Int, _ state: State) -> Bool {
    guard state.places[party] < parties[party].count else { return false }
    if case .take(let lock) = parties[party][state.places[party]] {
      return state.owners[lock] == nil
    }
    return true
  }

  func end(_ state: State) -> End {
    End(
      things: state.things,
      isStuck: parties.indices.contains { state.places[$0] < parties[$0].count })
  }

  /// The thing that the next step of a party touches, and whether it writes it.
  func touch(_ party: Int, _ state: State) -> (thing: Int, isWrite: Bool)? {
    switch parties[party][state.places[party]] {
    case .local: nil
    case .read(let thing): (thing, false)
    case .write(let thing), .add(let thing): (thing, true)
    case .take(let lock), .give(let lock): (Self.thingsMax + lock, true)
    }
  }

  func go(_ party: Int, _ state: inout State) {
    switch parties[party][state.places[party]] {
    case .local: state.memories[party] = memory(state.memories[party], 7)
    case .read(let thing):
      state.memories[party] = memory(state.memories[party], state.things[thing])
    case .write(let thing): state.things[thing] = value(party, state.memories[party])
    case .add(let thing):
      state.memories[party] = memory(state.memories[party], state.things[thing])
      state.things[thing] = value(party, state.memories[party])
    case .take(let lock): state.owners[lock] = party
    case .give(let lock): state.owners[lock] = nil
    }
    state.places[party] += 1
  }

  private func memory(_ memory: UInt64, _ value: UInt64) -> UInt64 {
    isTelling ? memory &* 31 &+ value : (memory + value) % 3
  }

  private func value(_ party: Int, _ memory: UInt64) -> UInt64 {
    isTelling ? memory &* 37 &+ UInt64(party) : (memory + UInt64(party)) % 3
  }

  // MARK: Under a schedule

  /// Runs one order as the scheduler does, and says what a search wants to know of it.
  func run(_ schedule: Schedule) -> (end: End, choices: [ChoiceSeen], misfit: Schedule.Turn?) {
    var state = start
    var pasts = Pasts(parties: parties.count, things: Self.thingsMax + Self.locksMax)
    var chooser = ReplayChooser(schedule)
    var choices: [ChoiceSeen] = []
    var running: Int?
    /// Who could go on, the longest ready first.
    var ready = parties.indices.filter { canGoOn($0, state) }
    while !ready.isEmpty {
      let goesOn = running.flatMap { ready.contains($0) ? $0 : nil }
      let options = goesOn.map { party in [party] + ready.filter { $0 != party } } ?? ready
      var chosen = 0
      if options.count > 1 {
        chosen = chooser.choose(options, isSwitchPoint: goesOn != nil)
        choices.append(
          ChoiceSeen(
            optionCount: options.count, chosen: chosen, isSwitchPoint: goesOn != nil,
            isLocal: touch(options[0], state) == nil, past: pasts.all,
            parties: options.map { UInt64($0) }))
      }
      let party = options[chosen]
      pasts.add(party, touch(party, state))
      go(party, &state)
      running = party
      // Whoever ran is the last in line.
      ready = ready.filter { $0 != party && canGoOn($0, state) }
      ready += parties.indices.filter { canGoOn($0, state) && !ready.contains($0) && $0 != party }
      if canGoOn(party, state) { ready.append(party) }
    }
    return (end(state), choices, chooser.misfit)
  }

  /// The hash of what has happened, the same for orders that differ only in independent steps.
  private struct Pasts {
    var all: UInt64 = 0
    private var last: [UInt64]
    private var written: [UInt64]
    private var readSince: [UInt64]

    init(parties: Int, things: Int) {
      last = (0..<parties).map { Self.mixed(UInt64($0)) }
      written = .init(repeating: 0, count: things)
      readSince = .init(repeating: 0, count: things)
    }

    mutating func add(_ party: Int, _ touch: (thing: Int, isWrite: Bool)?) {
      var event = Self.mixed(last[party])
      if let (thing, isWrite) = touch {
        // Each part is mixed in another way: a party's last step may be the thing's last write.
        event = Self.mixed(event &+ Self.mixed(~written[thing] &- UInt64(thing)))
        if isWrite {
          event = Self.mixed(event &+ Self.mixed(readSince[thing] &+ 1))
          written[thing] = event
          readSince[thing] = 0
        } else {
          readSince[thing] &+= Self.mixed(event)
        }
      }
      last[party] = event
      all &+= Self.mixed(event)
    }

    private static func mixed(_ value: UInt64) -> UInt64 {
      var generator = SeededGenerator(seed: value)
      return generator.next()
    }
  }

  // MARK: Without schedules

  /// Every end there is, with the fewest switches that lead to it, found by going through states
  /// instead of orders.
  func ends() -> [End: Int] {
    struct Place: Hashable {
      var state: State
      var running: Int?
    }
    var found: [End: Int] = [:]
    var seen: Set<Place> = []
    var now = [Place(state: start, running: nil)]
    var later: [Place] = []
    var switches = 0
    while !now.isEmpty {
      while let place = now.popLast() {
        guard seen.insert(place).inserted else { continue }
        let able = parties.indices.filter { canGoOn($0, place.state) }
        if able.isEmpty {
          let end = end(place.state)
          found[end] = min(found[end] ?? .max, switches)
        }
        for party in able {
          var next = Place(state: place.state, running: party)
          go(party, &next.state)
          let isSwitch = place.running.map { $0 != party && able.contains($0) } ?? false
          if isSwitch { later.append(next) } else { now.append(next) }
        }
      }
      swap(&now, &later)
      switches += 1
    }
    return found
  }
}
