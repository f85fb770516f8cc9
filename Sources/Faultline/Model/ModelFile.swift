import Foundation

/// A data model on disk, as Xcode writes it.
///
/// It is a folder `.xcdatamodel` with the file `contents` in it, or a folder `.xcdatamodeld` with
/// several of those, one of which `.xccurrentversion` names, or such a file by itself. A name that
/// ends in `.momd` or `.mom`, which Xcode's compiler makes, leads to the model of that name beside
/// it.
package struct ModelFile: Sendable {
  /// The file that was read.
  package let url: URL
  /// Its outermost element, `model`.
  package let root: ModelElement

  /// Reads the current version of a model.
  package init(_ url: URL) throws(ModelError) {
    let file = try Self.contents(of: Self.source(of: url))
    guard let data = try Self.data(at: file) else {
      throw ModelError("There is nothing at this path.", file: file.path)
    }
    try self.init(data, of: file)
  }

  /// Reads the XML of a model, wherever it comes from.
  init(_ data: Data, of url: URL) throws(ModelError) {
    self.url = url
    do throws(ModelError) {
      root = try ModelElement.parse(data)
      guard root.name == "model" else {
        throw ModelError(
          "This is no data model: it begins with <\(root.name)>, not <model>.", line: root.line)
      }
    } catch {
      throw ModelError(error.text, line: error.line, file: url.path)
    }
  }

  /// The most bytes of a model.
  private static let bytesMax = 64 << 20

  /// The bytes of a file; nil if there is none.
  private static func data(at file: URL) throws(ModelError) -> Data? {
    do throws(GivenFile.Refusal) {
      return try GivenFile.data(at: file.path, bytesMax: bytesMax)
    } catch { throw ModelError("This \(error.words).", file: file.path) }
  }

  /// The model that a compiled one was, or would be, made from.
  private static func source(of url: URL) throws(ModelError) -> URL {
    guard let other = compiled[url.pathExtension] else { return url }
    let source = url.deletingPathExtension().appendingPathExtension(other)
    if exists(source) { return source }
    throw ModelError(
      "A compiled model cannot be read; put \(source.lastPathComponent) beside it.", file: url.path)
  }

  /// What a model is called before and after it is compiled.
  static let compiled = ["momd": "xcdatamodeld", "mom": "xcdatamodel"]

  /// The file in a folder that holds the model.
  private static func contents(of url: URL) throws(ModelError) -> URL {
    if url.pathExtension == "xcdatamodeld" { return try contents(of: currentVersion(in: url)) }
    let inside = url.appendingPathComponent("contents")
    if exists(inside) { return inside }
    let old = url.appendingPathComponent("elements")
    return exists(old) ? old : url
  }

  private static func currentVersion(in folder: URL) throws(ModelError) -> URL {
    let list = folder.appendingPathComponent(".xccurrentversion")
    if let data = try data(at: list) {
      let found = try? PropertyListSerialization.propertyList(from: data, format: nil)
      guard let name = (found as? [String: Any])?["_XCCurrentVersionName"] as? String,
        !name.contains("/"), name.hasSuffix(".xcdatamodel")
      else { throw ModelError("It does not name the current version.", file: list.path) }
      let version = folder.appendingPathComponent(name)
      if exists(version) { return version }
      throw ModelError("It names \(name), which is not there.", file: list.path)
    }
    guard exists(folder) else {
      throw ModelError("There is nothing at this path.", file: folder.path)
    }
    let versions = versions(of: folder)
    if versions.count == 1 { return versions[0] }
    throw ModelError(
      versions.isEmpty
        ? "There is no version of a model in this folder."
        : "There are \(versions.count) versions, and no .xccurrentversion says which is current.",
      file: folder.path)
  }

  /// Every version of a model, whichever is current.
  static func versions(of url: URL) -> [URL] {
    guard url.pathExtension == "xcdatamodeld" else { return [url] }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
    return names.filter { $0.hasSuffix(".xcdatamodel") }.sorted()
      .map { url.appendingPathComponent($0) }
  }

  private static func exists(_ url: URL) -> Bool {
    // What is there and cannot be read is refused with its reason.
    do throws(GivenFile.Refusal) { return try GivenFile.kind(of: url.path) != nil } catch {
      return true
    }
  }
}
