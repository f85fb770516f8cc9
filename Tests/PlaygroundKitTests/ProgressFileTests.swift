import Foundation
import Synchronization
import Testing

@testable import PlaygroundKit

/// `progress.json`: what it keeps, and what becomes of a file that cannot be used.
@Suite final class ProgressFileTests {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("progress-\(UUID().uuidString)").path
  private let told = Told()
  private let lesson = "08-lesson"

  private final class Told: Sendable {
    let sentences = Mutex<[String]>([])
  }

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private var file: ProgressFile {
    ProgressFile(in: folder, version: "0.1.0") { [told] sentence in
      told.sentences.withLock { $0.append(sentence) }
    }
  }

  private var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() }
  }

  private func write(_ text: String) throws {
    try text.write(toFile: file.path, atomically: true, encoding: .utf8)
  }

  private func check(_ points: Int, of most: Int = 10) -> CheckRecord {
    let finding = CheckRecord.Finding(
      name: "kept", what: "", status: points == most ? .pass : .fail, points: points,
      pointsMax: most, isBonus: false, message: "", basis: .databases)
    return CheckRecord(
      number: 8, title: "", folder: "", isSide: true, findings: [finding], schedules: 1, limit: nil)
  }

  @Test func theBestCheckIsKeptAndAPassStays() throws {
    for (points, best, isPassed) in [(4, 4, false), (10, 10, true), (2, 10, true)] {
      try file.update { $0.exercises[lesson, default: .init()].add(check(points)) }
      let entry = try #require(file.read().exercises[lesson])
      #expect(entry.points == best && entry.pointsMax == 10 && entry.isPassed == isPassed)
    }
    // An exercise that has fewer points than before has no more than all of them.
    try file.update { $0.exercises[lesson, default: .init()].add(check(1, of: 6)) }
    #expect(try file.read().exercises[lesson]?.points == 6)
    #expect(try names == ["progress.json"])
  }

  @Test func hintsAreKeptOnceAndThePredictionMadeFirst() throws {
    try file.update { record in
      for level in [2, 1, 2] { record.exercises[lesson, default: .init()].addHint(level: level) }
      for (sure, isRight) in [(5, false), (1, true)] {
        record.exercises[lesson, default: .init()].add(
          .init(question: "can-happen", sure: sure, isRight: isRight))
      }
    }
    let entry = try #require(file.read().exercises[lesson])
    #expect(entry.hints == [1, 2])
    #expect(entry.predictions == [.init(question: "can-happen", sure: 5, isRight: false)])
  }

  @Test func aPersonCanReadTheFile() throws {
    try file.update { record in
      record.exercises[lesson] = .init()
      record.exercises[lesson]?.add(check(4))
      record.exercises[lesson]?.isGivenUp = true
    }
    let text = try String(contentsOfFile: file.path, encoding: .utf8)
    #expect(
      text == """
        {
          "exercises" : {
            "08-lesson" : {
              "isGivenUp" : true,
              "isPassed" : false,
              "points" : 4,
              "pointsMax" : 10
            }
          },
          "faultline" : "0.1.0",
          "format" : 1
        }

        """)
  }

  @Test func aMissingFileOrFolderSaysNothing() throws {
    #expect(try file.read().exercises.isEmpty)
    let elsewhere = ProgressFile(in: folder + "/none", version: "0.1.0") { _ in }
    #expect(try elsewhere.read().exercises.isEmpty)
    #expect(throws: Complaint.self) { try elsewhere.update { $0.exercises = [:] } }
    #expect(try names == [])
  }

  @Test(arguments: [
    "", "{", "null", "[]", "{}", #"{"format": 0, "faultline": "0.1.0", "exercises": {}}"#,
    #"{"format": "1"}"#, #"{"format": 1, "faultline": "0.1.0", "exercises": []}"#,
    #"{"format": 1, "faultline": "0.1.0", "exercises": {"a": {"points": 11, "pointsMax": 10}}}"#,
    #"{"format": 1, "faultline": "0.1.0", "exercises": {"a": {"points": 3}}}"#,
    #"{"format": 1, "faultline": "0.1.0", "exercises": {"a": {"hints": [9223372036854775807]}}}"#,
  ])
  func aDamagedFileIsPutAsideWhole(_ text: String) throws {
    for number in 1...2 {
      try write(text)
      #expect(try file.read().exercises.isEmpty)
      let aside = "\(folder)/progress-\(number).json"
      #expect(try String(contentsOfFile: aside, encoding: .utf8) == text)
      let sentence = told.sentences.withLock { $0.last }
      #expect(sentence?.contains("is damaged and is now called progress-\(number).json") ?? false)
    }
    try file.update { $0.exercises[lesson] = .init() }
    #expect(try names == ["progress-1.json", "progress-2.json", "progress.json"])
  }

  @Test func aFileWithoutTextOrTooLargeIsPutAsideToo() throws {
    try Data([0xff, 0xfe, 0x00]).write(to: URL(fileURLWithPath: file.path))
    #expect(try file.read().exercises.isEmpty)
    try write(String(repeating: " ", count: 2 << 20))
    #expect(try file.read().exercises.isEmpty)
    #expect(try names == ["progress-1.json", "progress-2.json"])
  }

  @Test func aNewerFileIsRefusedAndStays() throws {
    let text = #"{"format": 2, "faultline": "7.1.0", "exercises": "elsewhere"}"#
    try write(text)
    typealias Use = (ProgressFile) throws -> Void
    for use in [{ _ = try $0.read() }, { try $0.update { _ in } }] as [Use] {
      let refusal = #expect(throws: Complaint.self) { try use(file) }
      #expect(refusal?.status == .input)
      #expect(refusal?.description.contains("written by faultline 7.1.0 in format 2") ?? false)
    }
    #expect(try String(contentsOfFile: file.path, encoding: .utf8) == text)
    #expect(told.sentences.withLock { $0.isEmpty })
  }

  @Test func aFolderInItsPlaceIsRefused() throws {
    try FileManager.default.createDirectory(
      atPath: file.path, withIntermediateDirectories: true)
    let refusal = #expect(throws: Complaint.self) { try file.read() }
    #expect(refusal?.description.contains("is a folder, not a file") ?? false)
    #expect(try names == ["progress.json"])
  }

  //  one writer      locks, reads 4 ── writes 5, lets go
  //  another writer            waits ─────────────────── reads 5, writes 6
  @Test func noRecordIsLostWhenTwoCommandsWrite() throws {
    let rounds = 50
    let file = file
    DispatchQueue.concurrentPerform(iterations: 2) { writer in
      for number in 1...rounds {
        try? file.update { $0.exercises["\(writer)-\(number)"] = .init() }
      }
    }
    #expect(try file.read().exercises.count == 2 * rounds)
  }
}
