import Foundation
import PlaygroundKit
import Testing

/// A learner's folder in an editor that uses the toolchain's language server: no red line, and
/// nothing is built a second time.
@Suite final class EditorTests: CommandLineSuite {
  @Test(arguments: [true, false])
  func aLearnersFolderOpensClean(_ isInsideTheClone: Bool) throws {
    let build = URL(fileURLWithPath: CommandLineTool.path).deletingLastPathComponent()
    let place =
      isInsideTheClone
      ? build.appendingPathComponent("editor-tests-\(UUID().uuidString)") : tool.temporary
    defer { if isInsideTheClone { try? FileManager.default.removeItem(at: place) } }
    let (exercises, own) = (
      place.appendingPathComponent("ex"), place.appendingPathComponent("mine")
    )
    let started = try tool.run("start", "27", "--dir", exercises.path, "--quiet")
    let made = try tool.run("new", own.path, "--quiet")
    for reply in [started, made] {
      let file = URL(fileURLWithPath: reply.output.trimmingCharacters(in: .newlines))
      let folder = file.deletingLastPathComponent()
      let before = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
      let text = try String(contentsOf: file, encoding: .utf8)
      let clean = try LanguageServer.diagnostics(of: text, at: file, root: folder)
      #expect(clean == [], "\(file.lastPathComponent)")
      let broken = text.replacing("views", with: "vews")
      let found = try LanguageServer.diagnostics(of: broken, at: file, root: folder)
      #expect(found.contains { $0.contains("vews") }, "\(found)")
      #expect(try FileManager.default.subpathsOfDirectory(atPath: folder.path) == before)
    }
  }
}

/// The toolchain's own `sourcekit-lsp`, asked once.
private enum LanguageServer {
  private struct Failure: Error { var words: String }

  /// What it says of a text that an editor has opened.
  static func diagnostics(of text: String, at file: URL, root: URL) throws -> [String] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["sourcekit-lsp"]
    let (asking, answering) = (Pipe(), Pipe())
    process.standardInput = asking
    process.standardOutput = answering
    process.standardError = FileHandle.nullDevice
    try process.run()
    defer {
      process.terminate()
      process.waitUntilExit()
    }
    let (input, output) = (asking.fileHandleForWriting, answering.fileHandleForReading)
    let uri = file.absoluteString
    try send(
      [
        "id": 1, "method": "initialize",
        "params": ["rootUri": root.absoluteString, "capabilities": [String: Any]()],
      ], to: input)
    while let message = try next(from: output) {
      if message["method"] != nil {
        // A server that asks must be answered, or it waits.
        if let id = message["id"] { try send(["id": id, "result": NSNull()], to: input) }
      } else if message["id"] as? Int == 1 {
        try send(["method": "initialized", "params": [String: Any]()], to: input)
        let document: [String: Any] = [
          "uri": uri, "languageId": "swift", "version": 1, "text": text,
        ]
        try send(
          ["method": "textDocument/didOpen", "params": ["textDocument": document]], to: input)
        try send(
          [
            "id": 2, "method": "textDocument/diagnostic",
            "params": ["textDocument": ["uri": uri]],
          ], to: input)
      } else if message["id"] as? Int == 2 {
        guard let result = message["result"] as? [String: Any],
          let items = result["items"] as? [[String: Any]]
        else { throw Failure(words: "\(message)") }
        return items.compactMap { $0["message"] as? String }
      }
    }
    throw Failure(words: "the language server ended")
  }

  private static func send(_ message: [String: Any], to input: FileHandle) throws {
    let body = try JSONSerialization.data(
      withJSONObject: message.merging(["jsonrpc": "2.0"]) { first, _ in first })
    try input.write(contentsOf: Data("Content-Length: \(body.count)\r\n\r\n".utf8) + body)
  }

  private static func next(from output: FileHandle) throws -> [String: Any]? {
    var length = 0
    while let line = try line(from: output), !line.isEmpty {
      if line.lowercased().hasPrefix("content-length:") {
        length = Int(line.split(separator: ":")[1].trimmingCharacters(in: .whitespaces)) ?? 0
      }
    }
    var body = Data()
    while body.count < length {
      guard let more = try output.read(upToCount: length - body.count), !more.isEmpty else {
        return nil
      }
      body += more
    }
    return length == 0 ? nil : try JSONSerialization.jsonObject(with: body) as? [String: Any]
  }

  private static func line(from output: FileHandle) throws -> String? {
    var bytes = Data()
    while let byte = try output.read(upToCount: 1), !byte.isEmpty {
      if byte[0] == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
      if byte[0] != UInt8(ascii: "\r") { bytes += byte }
    }
    return nil
  }
}
