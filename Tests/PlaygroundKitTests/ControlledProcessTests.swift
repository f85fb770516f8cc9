import Foundation
import XCTest

@testable import PlaygroundKit
@testable import ProbeSides

/// The process that makes controlled runs, without the one that asks it.
final class ControlledProcessTests: XCTestCase {
  //  the process   begins a run that never ends ───────── leaves
  //  the test                             └─ goes away ─┘
  func testAProcessLeavesWithWhoeverReadsItsAnswers() throws {
    let side = try XCTUnwrap(OrderProbe.sides.first { $0.name == "spins" })
    let workspace = try Workspace()
    let folder = ControlledTask.Folder(url: try workspace.makeFolder("orphan"))
    let task = ControlledTask(
      scenario: OrderProbe.card.slug, side: side.name, parameters: ["points": 3], checker: .off)
    try JSONEncoder().encode(task).write(to: URL(fileURLWithPath: folder.task))
    let answer = try AnswerFile(folder.answer)
    let pipe = try ChildProcess.pipe()
    let executable = URL(fileURLWithPath: Runner.thisExecutable).deletingLastPathComponent()
      .appendingPathComponent("ProbeSides").path
    let child = try ChildProcess(
      executable, [ControlledProcess.argument, folder.url.path],
      environment: ProcessInfo.processInfo.environment, output: folder.output,
      inheriting: workspace.lock, answeringTo: pipe.writing)
    close(pipe.writing)
    XCTAssertTrue(child.send(Data(ControlledTask.Request(plan: .replay(Schedule())).line.utf8)))
    while !answer.flags.contains(.begun), !child.hasEnded { sched_yield() }
    close(pipe.reading)
    let (exit, wasKilled) = child.wait(limit: .seconds(60))
    XCTAssertFalse(wasKilled)
    XCTAssertEqual(exit.code, 0)
  }
}
