import PlaygroundKit
import Scenarios
import XCTest

/// Cells of the matrix that a Core Data expert would bet on, or lose a bet on.
final class MatrixTests: ScenarioCase {
  /// The outcomes of some cells of a table, each up to its first anomaly.
  private func explore(_ anomaly: String, _ cells: String...) throws -> [Set<String>] {
    let place = try XCTUnwrap(Matrix.anomalies.firstIndex(of: anomaly))
    var options = Explorer.Options()
    options.sides = cells
    options.stopsAtFirst = true
    let exploration = try Explorer(executable: try Self.executable(), version: "test")
      .explore(Matrix.scenarios[place], options)
    return cells.map { cell in
      let side = exploration.sides.first { $0.name == cell }
      return Set(side?.outcomes.filter { $0.orders > 0 }.map(\.name) ?? [])
    }
  }

  func testErrorStopsLostUpdatesOnACoordinatorOnly() throws {
    let found = try explore(
      "lost-update", "coordinator.error", "siblings.error", "child.error", "writer.error")
    XCTAssertEqual(found[0], ["REFUSED", "KEPT"])
    for cell in found.dropFirst() { XCTAssertTrue(cell.contains("LOST"), "\(found)") }
  }

  func testEveryPolicyThatMergesLosesUpdates() throws {
    let found = try explore(
      "lost-update", "coordinator.store-trump", "coordinator.object-trump",
      "coordinator.overwrite", "coordinator.rollback")
    for cell in found { XCTAssertTrue(cell.contains("LOST"), "\(found)") }
  }

  func testErrorStopsNeitherWriteSkewNorDuplicates() throws {
    XCTAssertTrue(try explore("write-skew", "coordinator.error")[0].contains("BOTH DOWN"))
    XCTAssertTrue(try explore("duplicate", "coordinator.error")[0].contains("DUPLICATE"))
  }

  func testAChildMayBeBehindMainAndTwoContextsBehindEachOther() throws {
    let found = try explore("stale-read", "coordinator.error", "writer.error")
    for cell in found { XCTAssertTrue(cell.contains("STALE"), "\(found)") }
    XCTAssertEqual(try explore("stale-read", "child.error"), [["CURRENT"]])
  }

  func testWhatBecomesOfAnEditOfADeletedRowIsUpToThePolicyAndTheStack() throws {
    let found = try explore(
      "ghost", "coordinator.error", "coordinator.store-trump", "coordinator.object-trump",
      "siblings.error", "siblings.rollback")
    XCTAssertEqual(found[0], ["REFUSED", "GONE"])
    for (cell, outcome) in zip(found.dropFirst(), ["DROPPED", "REVIVED", "STUCK", "GHOST"]) {
      XCTAssertTrue(cell.contains(outcome), "\(found)")
    }
  }

  func testAMergeHidesTheConflictFromTheErrorPolicy() throws {
    XCTAssertTrue(try explore("half-merged-form", "coordinator.error")[0].contains("HALF"))
  }

  func testEveryCellHasASideAndNoListShowsTheMatrix() {
    for scenario in Matrix.scenarios {
      XCTAssertEqual(
        scenario.sides.map(\.name),
        Matrix.stacks.flatMap { stack in Matrix.policies.map { "\(stack.name).\($0.name)" } })
      XCTAssertFalse(Catalogue.all.contains { $0.card.number == scenario.card.number })
    }
    XCTAssertEqual(
      Set(Catalogue.everything.map { $0.card.number }).count, Catalogue.everything.count)
  }
}
