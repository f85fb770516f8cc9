import XCTest

@testable import PlaygroundKit

/// Small programs whose orders are made smaller.
final class MinimiserTests: XCTestCase {
  private func minimiser(_ program: ToyProgram) -> Minimiser {
    Minimiser { schedule in
      let run = program.run(schedule)
      return Minimiser.Run(outcome: "\(run.end)", choices: run.choices)
    }
  }

  /// The order that some lots draw.
  private func drawn(_ program: ToyProgram, seed: UInt64) -> Schedule {
    var generator = SeededGenerator(seed: seed)
    var turns: [Schedule.Turn] = []
    // Each turn changes which choices come after it.
    var index = 0
    while true {
      let choices = program.run(Schedule(turns)).choices
      guard index < choices.count else { return Schedule(turns) }
      let option = Int.random(in: 0..<choices[index].optionCount, using: &generator)
      if option > 0 { turns.append(Schedule.Turn(choice: index, option: option)) }
      index += 1
    }
  }

  ///     A  add          A reads 0 and writes 1 before B reads: the default way
  ///     B  add, local   every order of it ends in one of two ways
  func testAnOrderThatEndsAsTheDefaultWayBecomesTheDefaultWay() throws {
    let program = ToyProgram([[.local, .local, .local], [.local, .local]])
    let order = drawn(program, seed: 3)
    XCTAssertFalse(order.turns.isEmpty)
    XCTAssertEqual(try minimiser(program).minimised(order), Schedule())
    XCTAssertEqual(try minimiser(program).needed(order), [])
  }

  ///     A  read  ·  ·  ·  write      one switch, between A's two steps, is enough
  ///     B        ·  add  ·
  func testAllTurnsButTheOneThatCountsAreLeftOut() throws {
    let program = ToyProgram([
      [.local, .read(0), .local, .local, .write(0)], [.local, .add(0), .local],
    ])
    let minimiser = minimiser(program)
    var smallest = 0
    for seed in UInt64(1)...60 {
      let order = drawn(program, seed: seed)
      let end = program.run(order).end
      let result = try minimiser.minimised(order)
      let run = program.run(result)
      XCTAssertEqual(run.end, end, "seed \(seed)")
      XCTAssertNil(run.misfit, "seed \(seed)")
      XCTAssertEqual(
        try minimiser.needed(result), Set(result.turns.map(\.choice)), "seed \(seed): each counts")
      if result.turns.count == 1 { smallest += 1 }
    }
    XCTAssertGreaterThan(smallest, 0)
  }

  func testNoOrderIsSmallerThanTheFewestSwitchesThereAreForItsEnd() throws {
    var found = 0
    for seed in UInt64(1)...40 {
      let program = ToyProgram(seed: seed, parties: 2, steps: 4)
      let fewest = program.ends()
      let order = drawn(program, seed: seed)
      let end = program.run(order).end
      let result = program.run(try minimiser(program).minimised(order))
      XCTAssertEqual(result.end, end)
      let switches = result.choices.count { $0.isSwitchPoint && $0.chosen > 0 }
      XCTAssertGreaterThanOrEqual(switches, fewest[end] ?? 0, "seed \(seed)")
      if switches == fewest[end] { found += 1 }
    }
    // 40 would be every one; it is a search from above, not through all orders.
    XCTAssertGreaterThan(found, 30)
  }
}
