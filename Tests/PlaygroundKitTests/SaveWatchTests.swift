import Foundation
import Testing

@testable import PlaygroundKit

/// What counts as a save, whether the system tells it or the files are looked at.
@Suite final class SaveWatchTests {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("saves-\(UUID().uuidString)").path

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try write("start", to: "Mine.swift")
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func write(_ text: String, to name: String, atomically: Bool = false) throws {
    try text.write(toFile: "\(folder)/\(name)", atomically: atomically, encoding: .utf8)
  }

  @Test(arguments: [false, true])
  func aSaveIsToldOnceHoweverItIsMade(_ isPolling: Bool) throws {
    let watch = try SaveWatch(folder, names: ["Mine.swift", "answers.txt"], isPolling: isPolling)
    #expect(watch.news() == .nothing)
    let saves: [() throws -> Void] = [
      { try self.write("written", to: "Mine.swift") },
      { try self.write("renamed over it", to: "Mine.swift", atomically: true) },
      { try self.write("new", to: "answers.txt") },
      {
        rename("\(self.folder)/Mine.swift", "\(self.folder)/Mine.swift~")
        try self.write("made anew", to: "Mine.swift")
      },
    ]
    for save in saves {
      try save()
      // The system tells of a save when the last process closes the file, and a test beside this
      // one may just be starting a program that still has it open.
      if watch.descriptor >= 0 {
        var file = pollfd(fd: watch.descriptor, events: Int16(POLLIN), revents: 0)
        #expect(poll(&file, 1, 60_000) == 1)
      }
      #expect(watch.news() == .saved)
      #expect(watch.news() == .nothing)
    }
  }

  @Test(arguments: [false, true])
  func otherFilesAndAMissingOneAreNoSave(_ isPolling: Bool) throws {
    let watch = try SaveWatch(folder, names: ["Mine.swift"], isPolling: isPolling)
    try write("swap", to: ".Mine.swift.swp")
    try write("copy", to: "Mine-1.swift")
    try FileManager.default.removeItem(atPath: folder + "/Mine.swift")
    #expect(watch.news() == .nothing)
  }

  @Test(arguments: [false, true])
  func aFolderThatGoesAwayIsTold(_ isPolling: Bool) throws {
    let watch = try SaveWatch(folder, names: ["Mine.swift"], isPolling: isPolling)
    try write("last words", to: "Mine.swift")
    rename(folder, folder + "~")
    #expect(watch.news() == .gone)
    try FileManager.default.removeItem(atPath: folder + "~")
    #expect(throws: Complaint.self) {
      try SaveWatch(folder, names: [], isPolling: isPolling)
    }
  }

  @Test func theSystemTellsItWhereItCan() throws {
    #if os(Linux)
      let watch = try SaveWatch(folder, names: ["Mine.swift"])
      #expect(watch.descriptor >= 0 && watch.pauseMilliseconds == -1)
    #endif
    #expect(try SaveWatch(folder, names: [], isPolling: true).pauseMilliseconds == 1_000)
  }
}
