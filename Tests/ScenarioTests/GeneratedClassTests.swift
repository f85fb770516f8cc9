import Foundation
import PlaygroundKit
import Testing

/// What `faultline model generate` writes compiles without a warning and does what it should.
@Suite final class GeneratedClassTests: CommandLineSuite {
  private static let models = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Models")
  private static let museum = models.appendingPathComponent("Museum.xcdatamodeld").path

  private var folder: URL { tool.temporary.appendingPathComponent("classes") }

  @Test func theClassesOfAModelWithEverythingCompileAndWork() throws {
    let reply = try tool.run(
      "model", "generate", Self.museum, "--output", folder.path, "--import", "CoreData")
    #expect(reply.status == 0, "\(reply.errors)")
    let files = reply.output.split(separator: "\n").map(String.init)
    #expect(files.count == 11)
    let build = try BuildFolder(ofExecutable: URL(fileURLWithPath: CommandLineTool.path))
    let program = tool.temporary.appendingPathComponent("museum").path
    let compiler = try tool.start(
      "/usr/bin/env",
      [
        "swiftc", "-warnings-as-errors", "-module-name", "Museums", "-o", program,
        Self.models.appendingPathComponent("UseMuseum.swift").path,
      ] + files + build.arguments(linking: ["Faultline", "SQLiteConnection"]))
    #expect(compiler.status == 0, "\(compiler.output + compiler.errors)")
    let run = try tool.start(
      program, [tool.temporary.appendingPathComponent("museum.sqlite").path],
      ["FAULTLINE_MODELS": Self.models.path])
    #expect(
      run.output == """
        new: 2.5 3 Look https://museum.example
        founded: nil
        museum: Old Masters 1880 12.5 2 ["art", "old"]
        seat: Oslo -
        seat: true
        rooms: [1, 2, 3] 3
        large: [2, 3] 3
        parking: 1
        show: 7 ["Noon", "Dawn", "Dusk"]
        left: 1
        Painting Dawn true 99.95 dawn
        Painting Dusk true 99.95 dusk
        Painting Noon true 99.95 noon
        Sculpture Torso true 12.5 torso

        """, "\(run.errors)")
  }

  @Test func sharedClassesAndNamesThatAreWordsOfSwiftCompile() throws {
    let model = tool.temporary.appendingPathComponent("contents")
    try Data(
      """
      <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        <entity name="Car" representedClassName="Vehicle" parentEntity="Vehicle">
          <attribute name="seats" optional="YES" attributeType="String"/>
        </entity>
        <entity name="Vehicle" representedClassName="Vehicle">
          <attribute name="init" optional="YES" attributeType="String"/>
          <attribute name="Type" optional="YES" attributeType="String"/>
          <relationship name="default" optional="YES" toMany="YES" deletionRule="Nullify"
            destinationEntity="Vehicle"/>
        </entity>
      </model>
      """.utf8
    ).write(to: model)
    let reply = try tool.run(
      "model", "generate", model.path, "--output", folder.path, "--import", "CoreData")
    #expect(reply.status == 0, "\(reply.errors)")
    let files = reply.output.split(separator: "\n").map(String.init)
    #expect(files.count == 2)
    let build = try BuildFolder(ofExecutable: URL(fileURLWithPath: CommandLineTool.path))
    let compiler = try tool.start(
      "/usr/bin/env",
      ["swiftc", "-typecheck", "-warnings-as-errors", "-module-name", "Vehicles"] + files
        + build.arguments(linking: []))
    #expect(compiler.status == 0, "\(compiler.output + compiler.errors)")
  }

  @Test func propertiesAreWrittenAnewAndClassesKept() throws {
    let first = try tool.run("model", "generate", Self.museum, "--output", folder.path)
    #expect(first.complaints.count == 2, "\(first.errors)")
    #expect(first.errors.contains(":43: Relationship Museum.parking should have an inverse."))
    let own = folder.appendingPathComponent("Room+CoreDataClass.swift")
    let properties = folder.appendingPathComponent("Room+CoreDataProperties.swift")
    let before = try String(contentsOf: properties, encoding: .utf8)
    for file in [own, properties] { try Data("mine".utf8).write(to: file) }
    let second = try tool.run("model", "generate", Self.museum, "--output", folder.path)
    #expect(second.output.split(separator: "\n").count == 6)
    #expect(try String(contentsOf: own, encoding: .utf8) == "mine")
    #expect(try String(contentsOf: properties, encoding: .utf8) == before)
  }

  @Test func aDryRunWritesNothing() throws {
    let reply = try tool.run("model", "generate", Self.museum, "-n", "--output", folder.path)
    #expect(reply.output.split(separator: "\n").count == 11)
    #expect(!FileManager.default.fileExists(atPath: folder.path))
  }

  @Test func whatIsNoModelIsRefusedWithItsPlace() throws {
    let reply = try tool.run("model", "generate", #filePath)
    #expect(reply.status == 3)
    #expect(
      reply.complaints == [
        "faultline: \(#filePath):1: This is no data model: text stands outside of all elements."
      ])
  }
}
