import ArgumentParser
import Foundation
import PlaygroundKit

/// Draws one schedule.
struct DrawCommand: PageCommand {
  static let configuration = CommandConfiguration(
    commandName: "draw",
    abstract: "Draw one schedule as text, a picture or a page to step through.",
    usage: "faultline draw [<folder>] <id> [<options>]",
    discussion: """
      faultline draw s3-27-K8C8-W
      faultline draw s3-27-K8C8-W --format html -o lost.html
      faultline draw s3-27-K8C8-W --format svg -o lost.svg
      faultline draw s3-27-K8C8-W --format chrome-trace -o lost.json

      A browser opens html; its arrow keys move from step to step. ui.perfetto.dev opens \
      chrome-trace.
      """)

  /// The schedule, and which side it is run on.
  @OptionGroup var order: OrderOptions

  /// The format of the picture, as typed.
  @Option(help: "text, mermaid, svg, html or chrome-trace.")
  var format = DrawingFormat.text.rawValue

  /// How to print, and where to.
  @OptionGroup var page: PageOptions

  /// Runs the schedule and draws it.
  func run() throws {
    _ = try formatMeant()
    let output = try page.destination()
    try output.write(try text(page.style))
    if let path = page.output, path != "-", !page.quiet { Output.tellWhenDone("Drawn: \(path)") }
  }

  func text(_ style: PageStyle) throws -> String {
    let format = try formatMeant()
    return try order.withReplayer(for: "draw") { replayer, id in
      let replay = try order.replay(id, with: replayer)
      let needed = try Minimiser(replayer.run).needed(replay.trace.schedule)
      let drawing = Drawing(
        replay.trace, id: replay.id.description, title: replay.title, needed: needed)
      Output.keep([replay.id])
      return drawing.rendered(as: format, style: style)
    }
  }

  private func formatMeant() throws(Complaint) -> DrawingFormat {
    guard let known = DrawingFormat(rawValue: format) else {
      let names = DrawingFormat.allCases.map(\.rawValue)
      let near = NearestName.of(format, among: names).map { "; did you mean \($0)?" } ?? "."
      throw Complaint(
        .usage, "--format \(format): choose from \(names.joined(separator: ", "))\(near)")
    }
    if page.json || page.plain {
      throw Complaint(
        .usage,
        "draw takes --format, not --json or --plain; `faultline replay --json` prints the data.")
    }
    return known
  }
}
