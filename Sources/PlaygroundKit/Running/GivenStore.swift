import Foundation

/// Fills the store of a scenario of ours for a learner's side, in a process of ours.
///
/// So a learner's program does not contain what fills the store, nor what names the outcome.
struct GivenStore: Sendable {
  /// The program that has the scenario.
  let executable: String
  /// The scenario's name in a task.
  let scenario: String
  /// The name of any of its sides: a task has one.
  let side: String

  /// The filled stores of those sides whose programs do not fill one, by the sides' names.
  static func files(
    for sides: [Side.Description], of scenario: RunnableScenario, _ parameters: [String: Int],
    in workspace: Workspace
  ) throws -> [String: URL] {
    var files: [String: URL] = [:]
    for side in sides {
      guard let given = scenario.origin(of: side).given else { continue }
      files[side.name] = try given.file(parameters, in: workspace)
    }
    return files
  }

  private func file(_ parameters: [String: Int], in workspace: Workspace) throws -> URL {
    let folder = ControlledTask.Folder(url: try workspace.makeFolder("\(scenario).given"))
    let task = ControlledTask(
      scenario: scenario, side: side, parameters: parameters, checker: .off, given: nil)
    try workspace.naming {
      try JSONEncoder().encode(task).write(to: URL(fileURLWithPath: folder.task))
    }
    let outcome = try ChildProcess.run(
      URL(fileURLWithPath: executable), [ControlledProcess.givenArgument, folder.url.path],
      environment: ControlledSide.environment, limits: .trusted(seconds: 120),
      log: URL(fileURLWithPath: folder.output), folder: folder.own, in: workspace)
    guard outcome.ending == .exited(0) else {
      if DiskSpace.shortage(of: 1 << 20, in: folder.url) != 0 {
        throw Workspace.full(workspace.folder)
      }
      throw Complaint(
        .ourBug, outcome.output.isEmpty ? "The store cannot be filled." : outcome.output)
    }
    return folder.database
  }
}
