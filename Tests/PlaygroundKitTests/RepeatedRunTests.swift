import XCTest

@testable import PlaygroundKit
@testable import ProbeSides

/// Runs sides of `OrderProbe` again that might come out differently in the same order.
final class RepeatedRunTests: XCTestCase {
  private func controlled(_ side: String) throws -> ControlledSide {
    let found = try XCTUnwrap(OrderProbe.sides.first { $0.name == side })
    return try ControlledSide(
      RunnableScenario(OrderProbe.self, executable: Explorations.probes), side: found.description,
      parameters: ["points": 3],
      in: Workspace())
  }

  private func outcomes(_ side: String) throws -> Set<String> {
    var options = Explorer.Options()
    options.sides = [side]
    options.bound = 2
    let found = try Explorer(version: "test")
      .explore(
        RunnableScenario(OrderProbe.self, executable: Explorations.probes), options
      ).sides[0]
    return Set(found.outcomes.filter { $0.orders > 0 }.map(\.name))
  }

  func testAStoreThatIsOpenedASecondTimeIsTheSameStoreAndNoFile() throws {
    XCTAssertEqual(try outcomes("again"), ["[2, 2] of 2, file: false"])
  }

  func testAStoreThatGotTablesOfItsOwnIsNotTheNextRuns() throws {
    let side = try controlled("historian")
    let first = try side.run(.replay(Schedule()))
    XCTAssertTrue(first.outcome.hasSuffix("file: false"), first.outcome)
    let second = try side.run(.replay(Schedule()))
    XCTAssertEqual(second.outcome, first.outcome)
    XCTAssertEqual(second.choices, first.choices)
  }

  func testASetOfObjectsHasTheSameOrderInEveryRunOfEveryProcess() throws {
    let runs = try (0..<3).flatMap { _ in
      let side = try controlled("sets")
      return try (0..<2).map { _ in try side.run(.replay(Schedule())).outcome }
    }
    XCTAssertEqual(Set(runs).count, 1, runs.joined(separator: "\n"))
  }

  func testWhatARunDrawsByLotIsTheSameInEveryRunOfEveryProcess() throws {
    let runs = try (0..<2).flatMap { _ in
      let side = try controlled("drawn")
      return try (0..<2).map { _ in try side.run(.replay(Schedule())).outcome }
    }
    XCTAssertEqual(Set(runs).count, 1, runs.joined(separator: "\n"))
  }

  func testWhoDrawsFirstMatters() throws {
    XCTAssertEqual(try outcomes("lots").count, 6, "of four numbers two are one party's")
  }

  func testAnOrderIsMadeSmallerWhileItFailsInTheSameWay() throws {
    let side = try XCTUnwrap(OrderProbe.sides.first { $0.name == "traps" })
    try Replayer.with(
      RunnableScenario(OrderProbe.self, executable: Explorations.probes), side: side.description,
      parameters: [:]
    ) { replayer in
      let plain = try replayer.replay(Schedule()).trace
      XCTAssertTrue(plain.ending.detail.hasSuffix("a came first"), plain.ending.detail)
      let other = try XCTUnwrap(
        plain.choices.indices.lazy.map { Schedule([Schedule.Turn(choice: $0, option: 1)]) }.first {
          try! replayer.replay($0).trace.ending.detail.hasSuffix("b came first")
        })
      XCTAssertEqual(try Minimiser(replayer.run).minimised(other), other)
    }
  }
}
