import PlaygroundKit
import Scenarios
import Testing

/// Cells of the matrix that a Core Data expert would bet on, or lose a bet on.
@Suite struct MatrixTests {
  /// The outcomes of some cells of a table, each up to its first anomaly.
  private func explore(_ anomaly: String, _ cells: String...) throws -> [Set<String>] {
    let place = try #require(Matrix.anomalies.firstIndex(of: anomaly))
    var options = Explorer.Options()
    options.sides = cells
    options.stopsAtFirst = true
    let exploration = try Explorer(version: "test")
      .explore(
        RunnableScenario(Matrix.scenarios[place], executable: try ScenarioRun.executable()), options
      )
    return cells.map { cell in
      let side = exploration.sides.first { $0.name == cell }
      return Set(side?.outcomes.filter { $0.orders > 0 }.map(\.name) ?? [])
    }
  }

  @Test func errorStopsLostUpdatesOnACoordinatorOnly() throws {
    let found = try explore(
      "lost-update", "coordinator.error", "siblings.error", "child.error", "writer.error")
    #expect(found[0] == ["REFUSED", "KEPT"])
    for cell in found.dropFirst() { #expect(cell.contains("LOST"), "\(found)") }
  }

  @Test func everyPolicyThatMergesLosesUpdates() throws {
    let found = try explore(
      "lost-update", "coordinator.store-trump", "coordinator.object-trump",
      "coordinator.overwrite", "coordinator.rollback")
    for cell in found { #expect(cell.contains("LOST"), "\(found)") }
  }

  @Test func errorStopsNeitherWriteSkewNorDuplicates() throws {
    #expect(try explore("write-skew", "coordinator.error")[0].contains("BOTH DOWN"))
    #expect(try explore("duplicate", "coordinator.error")[0].contains("DUPLICATE"))
  }

  @Test func aChildMayBeBehindMainAndTwoContextsBehindEachOther() throws {
    let found = try explore("stale-read", "coordinator.error", "writer.error")
    for cell in found { #expect(cell.contains("STALE"), "\(found)") }
    #expect(try explore("stale-read", "child.error") == [["CURRENT"]])
  }

  @Test func whatBecomesOfAnEditOfADeletedRowIsUpToThePolicyAndTheStack() throws {
    let found = try explore(
      "ghost", "coordinator.error", "coordinator.store-trump", "coordinator.object-trump",
      "siblings.error", "siblings.rollback")
    #expect(found[0] == ["REFUSED", "GONE"])
    for (cell, outcome) in zip(found.dropFirst(), ["DROPPED", "REVIVED", "STUCK", "GHOST"]) {
      #expect(cell.contains(outcome), "\(found)")
    }
  }

  @Test func aMergeHidesTheConflictFromTheErrorPolicy() throws {
    #expect(try explore("half-merged-form", "coordinator.error")[0].contains("HALF"))
  }

  @Test func everyCellHasASideAndNoListShowsTheMatrix() {
    for scenario in Matrix.scenarios {
      #expect(
        scenario.sides.map(\.name)
          == Matrix.stacks.flatMap { stack in Matrix.policies.map { "\(stack.name).\($0.name)" } })
      #expect(!Catalogue.all.contains { $0.card.number == scenario.card.number })
    }
    #expect(Set(Catalogue.everything.map { $0.card.number }).count == Catalogue.everything.count)
  }
}
