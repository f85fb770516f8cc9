import ArgumentParser
import PlaygroundKit
import Scenarios

/// `faultline progress`: what the learner has reached in each exercise.
struct ProgressCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "progress", abstract: "List what you have reached in each exercise.",
    discussion: """
      faultline progress
      faultline progress --dir ~/cd
      faultline list --todo           the exercises that you have not passed

      The table is made from progress.json in the folder of your exercises, where check, hint, \
      solution and predict record what you did. You may read that file, copy it, or remove it.
      """)

  @OptionGroup var desk: DeskOptions

  @OptionGroup var page: PageOptions

  func run() throws {
    let output = try page.destination()
    let table = ProgressTable(
      try DeskOptions.progress(in: desk.folder).read(), of: Catalogue.exercises, on: desk.desk)
    if page.json { return try output.write(Output.json(table)) }
    if page.plain { return try output.write(ProgressPage.plain(table)) }
    if page.quiet { return try output.write("\(table.points) of \(table.pointsMax) points\n") }
    let next = table.exercises.first { !$0.isPassed }.map { row in
      row.isStarted
        ? "faultline check \(row.number)\(desk.dirWords)   which requirements your file meets"
        : "faultline start \(row.number)\(desk.dirWords)   copies the exercise to a folder of yours"
    }
    try output.write(ProgressPage(table, folder: desk.folder, next: next, page.style).text)
  }
}
