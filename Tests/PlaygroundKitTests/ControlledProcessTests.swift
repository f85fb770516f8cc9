import Foundation
import XCTest

@testable import PlaygroundKit
@testable import ProbeSides

/// The process that makes controlled runs, without the one that asks it.
final class ControlledProcessTests: XCTestCase {
  /// A process that has begun a run of a side, and where its answer would come.
  private func started(_ name: String) throws -> (child: ChildProcess, reading: Int32) {
    let side = try XCTUnwrap(OrderProbe.sides.first { $0.name == name })
    let workspace = try Workspace()
    let folder = ControlledTask.Folder(url: try workspace.makeFolder("orphan"))
    let task = ControlledTask(
      scenario: OrderProbe.card.slug, side: side.name, parameters: ["points": 3], checker: .off)
    try JSONEncoder().encode(task).write(to: URL(fileURLWithPath: folder.task))
    let answer = try AnswerMemory()
    let pipe = try ChildProcess.pipe()
    let child = try ChildProcess(
      Explorations.probes, [ControlledProcess.argument, folder.url.path],
      environment: ProcessInfo.processInfo.environment, output: folder.output,
      folder: folder.own.path, in: workspace, limits: .trusted(seconds: 60),
      answeringTo: ChildProcess.Answers(pipe: pipe.writing, memory: answer.file))
    close(pipe.writing)
    XCTAssertTrue(child.send(Data(ControlledTask.Request(plan: .replay(Schedule())).line.utf8)))
    while !answer.flags.contains(.begun), !child.hasEnded { sched_yield() }
    return (child, pipe.reading)
  }

  //  the process   begins a run that never ends ───────── leaves
  //  the test                             └─ goes away ─┘
  func testAProcessLeavesWithWhoeverReadsItsAnswers() throws {
    let (child, reading) = try started("spins")
    close(reading)
    let (exit, limit) = child.wait()
    XCTAssertNil(limit)
    XCTAssertEqual(exit.code, 0)
  }

  func testAProcessThatComputesIsSeenToGoOn() throws {
    let (child, reading) = try started("spins")
    XCTAssertTrue(ProcessUse.isHeldUp(child.id))
    close(reading)
    child.end()
    _ = child.wait()
    for (state, isHeldUp) in [("R", true), ("D", true), ("S", false), ("T", false), ("", false)] {
      XCTAssertEqual(ProcessUse.isHeldUp(stat: "12 (a) R b) \(state) 1 12"), isHeldUp, state)
    }
    XCTAssertFalse(ProcessUse.isHeldUp(stat: ""))
  }

  func testAProcessThatTheMachineHoldsUpIsGivenAllTheTimeItNeeds() {
    var starved = Patience()
    let looks = 0..<100_000
    XCTAssertNil(looks.first { _ in starved.ends(step: 1, used: 7, isHeldUp: true) })
    var slow = Patience()
    XCTAssertNil(looks.first { slow.ends(step: 1, used: 1_000 * $0, isHeldUp: true) })
  }

  func testAProcessThatWaitsOrComputesOnWithoutAStepIsGivenUp() {
    func looks(_ used: (Int) -> Int, isHeldUp: Bool, step: (Int) -> Int = { _ in 1 }) -> Int? {
      var patience = Patience()
      return (0..<10_000).first {
        patience.ends(step: step($0), used: used($0), isHeldUp: isHeldUp)
      }
    }
    XCTAssertEqual(looks({ _ in 0 }, isHeldUp: false), 100)
    XCTAssertEqual(looks({ $0 }, isHeldUp: false), 1_500)
    XCTAssertEqual(looks({ 20_000_000 * $0 }, isHeldUp: true), 250)
    XCTAssertNil(looks({ _ in 0 }, isHeldUp: false, step: { $0 / 80 }), "it makes steps")
  }
}
