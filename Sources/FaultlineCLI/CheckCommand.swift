import ArgumentParser
import Foundation
import PlaygroundKit
import Scenarios

/// `faultline check 27`: builds the learner's folder, runs every schedule, and lists which
/// requirements it meets.
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Check which requirements your exercise meets.",
    discussion: """
      faultline check exercises/27-the-lost-update
      faultline check 27                 the same
      faultline check                    inside that folder
      faultline check 27 --only kept     one requirement alone

      A check of every requirement is recorded beside the folder, in progress.json, for \
      `faultline progress`.

      The exit code is 0 when the exercise meets every requirement, 1 when it misses one, 3 when \
      this machine cannot build it, 4 when the file does not build, 5 when it hits a limit of \
      time, memory, output or disk, and 6 when there is no answer.
      """)

  @Argument(help: "The exercise: its folder, number or name; without it the current folder.")
  var exercise: String?

  @Option(help: "Check only this requirement; repeat for several.")
  var only: [String] = []

  @OptionGroup var desk: DeskOptions

  @OptionGroup var page: PageOptions

  func run() throws {
    let output = try page.destination()
    let (exercise, folder) = try desk.started(self.exercise)
    var judge = Judge(exercise, folder)
    judge.only = try names(in: exercise)
    let record = try judge.record()
    if judge.only.isEmpty { DeskOptions.note(record, of: exercise, at: folder.path) }
    try output.write(try Self.printed(record, page))
    if record.status != .done { throw Leave(status: record.status) }
  }

  private func names(in exercise: Exercise) throws(Complaint) -> Set<String> {
    let known = exercise.requirements.map(\.name)
    for name in only where !known.contains(name) {
      let near = NearestName.of(name, among: known).map { "; did you mean \($0)?" } ?? "."
      throw Complaint(
        .usage, "--only \(name): choose from \(known.joined(separator: ", "))\(near)")
    }
    return Set(only)
  }

  /// The result of a check as these options want it.
  static func printed(_ record: CheckRecord, _ page: PageOptions) throws -> String {
    if page.json { return try Output.json(record) }
    if page.plain { return CheckPage.plain(record) }
    if page.quiet { return "\(record.number): \(record.points) of \(record.pointsMax) points\n" }
    return CheckPage(record, page.style).text
  }
}
