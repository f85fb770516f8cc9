import Foundation
import XCTest

@testable import PlaygroundKit

#if canImport(FoundationXML)
  import FoundationXML
#endif

final class DrawingFormatTests: XCTestCase {
  /// A drawing whose every word tries to break out of the format.
  private var hostile: Drawing {
    let label = #"<b>&";#%%end--> </script>"#
    var run = TraceMaker(lanes: ["main", "queue \"\(label)\""])
    run.step(0, "fetch", label, queue: label, touches: .read(label, 1, 1), notes: [label])
    run.step(
      1, "fetch", label, queue: label, touches: .read(label, 1, 1), options: [0, 1], chosen: 1)
    return Drawing(
      run.trace(label, .forbidden, metrics: [Metric(label, label)]), id: label, title: label,
      needed: [0])
  }
  private var all: [(name: String, drawing: Drawing)] { TraceSamples.all + [("hostile", hostile)] }

  // MARK: Mermaid

  func testEveryLineOfADiagramIsAStatementOfTheLanguage() {
    for (name, drawing) in all {
      let lines = drawing.rendered(as: .mermaid).split(separator: "\n").map(String.init)
      XCTAssertEqual(lines.first, "sequenceDiagram", name)
      var known: Set<String> = []
      for line in lines.dropFirst() {
        let text = line.trimmingCharacters(in: .whitespaces)
        if text.hasPrefix("title ") { continue }
        if text.hasPrefix("participant ") {
          known.insert(String(text.split(separator: " ")[1]))
          continue
        }
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        XCTAssertEqual(parts.count, 2, "\(name): \(line)")
        var actors = parts[0]
        if actors.hasPrefix("Note over ") {
          actors = String(actors.dropFirst("Note over ".count))
        } else {
          let arrow = ["-->>", "->>", "-x"].first { actors.contains($0) }
          XCTAssertNotNil(arrow, "\(name): \(line)")
          actors = actors.replacingOccurrences(of: arrow ?? "", with: ",")
        }
        for actor in actors.split(separator: ",") {
          XCTAssertTrue(known.contains(String(actor)), "\(name): \(line)")
        }
        XCTAssertFalse(parts[1].trimmingCharacters(in: .whitespaces).isEmpty, "\(name): \(line)")
      }
      // Characters that would begin something else are written by number or by name.
      let rest = lines.joined(separator: "\n")
        .replacingOccurrences(of: "#(35|59|37|lt|gt);", with: "", options: .regularExpression)
        .replacingOccurrences(of: "<br/>", with: "")
        .replacingOccurrences(of: "-->>", with: "").replacingOccurrences(of: "->>", with: "")
      for character in "#;<%" { XCTAssertFalse(rest.contains(character), "\(name) \(character)") }
    }
  }

  func testADiagramShowsWhoReadWhoWroteAndWhoWaits() {
    let lost = TraceSamples.all[0].drawing.rendered(as: .mermaid)
    XCTAssertTrue(lost.contains("  S-->>L2: 7 · fetch views=5\n"), lost)
    XCTAssertTrue(lost.contains("  L2->>S: 10 · commit views=6\n"), lost)
    XCTAssertTrue(
      lost.contains("  Note over L1,L2: ● needed<br/>A is interrupted\n"), lost)
    let deadlock = TraceSamples.all[1].drawing.rendered(as: .mermaid)
    XCTAssertTrue(deadlock.contains("  L1-xL2: 8 · waits for B\n"), deadlock)
  }

  // MARK: SVG and HTML

  func testAPictureIsWellFormedAndHasEveryStep() throws {
    for (name, drawing) in all {
      let picture = drawing.rendered(as: .svg)
      let parser = XMLParser(data: Data(picture.utf8))
      XCTAssertTrue(parser.parse(), "\(name): \(String(describing: parser.parserError))")
      for column in drawing.columns {
        XCTAssertTrue(picture.contains("data-step=\"\(column.number)\""), name)
      }
      XCTAssertTrue(picture.contains("prefers-color-scheme:dark"), name)
    }
  }

  func testFiveLanesFitATelephone() {
    XCTAssertLessThanOrEqual(VectorPicture(TraceSamples.all[2].drawing).width, VectorPicture.narrow)
  }

  func testAPageLoadsNothingAndSaysEveryStepInASentence() {
    for (name, drawing) in all {
      let page = drawing.rendered(as: .html)
      let links = page.replacingOccurrences(of: "xmlns=\"http://www.w3.org/2000/svg\"", with: "")
      for word in ["http:", "https:", "src=", "href=", "@import", "url("] {
        XCTAssertFalse(links.contains(word), "\(name) \(word)")
      }
      XCTAssertEqual(page.components(separatedBy: "</script>").count, 2, name)
      for column in drawing.columns {
        XCTAssertTrue(
          page.contains("<li value=\"\(column.number)\">\(Markup.escaped(column.sentence))</li>"),
          "\(name) \(column.number)")
      }
      XCTAssertTrue(page.contains("everything inside one step is atomic"), name)
      XCTAssertTrue(page.contains("virtual clock, cost table v"), name)
    }
  }

  // MARK: Chrome's trace

  private struct ChromeFile: Decodable {
    struct Event: Decodable {
      var name: String
      var ph: String
      var pid: Int
      var tid: Int
      var ts: Double?
      var dur: Double?
      var id: Int?
      var bp: String?
    }
    var traceEvents: [Event]
    var otherData: [String: String]
  }

  private func chrome(_ drawing: Drawing) throws -> ChromeFile {
    try JSONDecoder().decode(
      ChromeFile.self, from: Data(drawing.rendered(as: .chromeTrace).utf8))
  }

  func testEveryStepIsASliceOfANamedThread() throws {
    for (name, drawing) in all {
      let file = try chrome(drawing)
      XCTAssertTrue(file.otherData["time"]!.hasPrefix("virtual"), name)
      for process in [1, 2] {
        let events = file.traceEvents.filter { $0.pid == process }
        let threads = Set(events.filter { $0.name == "thread_name" }.map(\.tid))
        let slices = events.filter { $0.ph == "X" && $0.tid <= drawing.lanes.count }
        XCTAssertEqual(slices.count, drawing.trace.steps.count, name)
        for slice in events where slice.ph == "X" {
          XCTAssertTrue(threads.contains(slice.tid), "\(name) \(slice)")
          XCTAssertGreaterThanOrEqual(try XCTUnwrap(slice.dur), 0)
        }
      }
      let order = file.traceEvents.filter {
        $0.pid == 2 && $0.ph == "X" && $0.tid <= drawing.lanes.count
      }
      XCTAssertEqual(order.map(\.ts), order.map(\.ts).sorted { $0! < $1! }, name)
    }
  }

  func testEverySwitchIsAnArrowFromASliceToALaterOne() throws {
    for (name, drawing) in all {
      let events = try chrome(drawing).traceEvents
      let starts = events.filter { $0.ph == "s" }
      let ends = events.filter { $0.ph == "f" }
      XCTAssertEqual(starts.map(\.id), ends.map(\.id), name)
      XCTAssertEqual(
        starts.filter { $0.pid == 2 }.count,
        drawing.columns.filter { $0.turn?.from != nil }.count, name)
      for (start, end) in zip(starts, ends) {
        XCTAssertLessThanOrEqual(start.ts!, end.ts!, name)
        XCTAssertEqual(end.bp, "e")
        for tip in [start, end] {
          XCTAssertTrue(
            events.contains { slice in
              slice.ph == "X" && slice.pid == tip.pid && slice.tid == tip.tid
                && slice.ts! <= tip.ts! && tip.ts! <= slice.ts! + slice.dur!
            }, "\(name): an arrow ends in the void")
        }
      }
    }
  }
}
