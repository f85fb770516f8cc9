import Foundation

/// Where models are looked for by name, in this order:
///
/// 1. the folders named by the environment variable `FAULTLINE_MODELS`, parted by colons,
/// 2. the main bundle, which for an executable is the folder it lies in,
/// 3. the resources of each Swift package beside the executable, `Package_Target.resources`.
enum ModelPlaces {
  /// The model of a name; nil if no place has one.
  static func model(named name: String) -> URL? {
    for folder in folders {
      for ending in ["xcdatamodeld", "xcdatamodel"] {
        let url = folder.appendingPathComponent(name).appendingPathExtension(ending)
        if FileManager.default.fileExists(atPath: url.path) { return url }
      }
    }
    return nil
  }

  /// Every model of some bundles, or of all places.
  static func models(in bundles: [Bundle]?) -> [URL] {
    let folders = bundles?.compactMap { $0.resourceURL ?? $0.bundleURL } ?? folders
    var seen = Set<String>()
    return folders.flatMap { folder in
      names(in: folder).filter { $0.hasSuffix(".xcdatamodeld") || $0.hasSuffix(".xcdatamodel") }
        .map { folder.appendingPathComponent($0) }
    }.filter { seen.insert($0.standardizedFileURL.path).inserted }
  }

  /// The places, as text for who found nothing there.
  static var description: String { folders.map(\.path).joined(separator: ", ") }

  private static var folders: [URL] {
    let named = ProcessInfo.processInfo.environment["FAULTLINE_MODELS"] ?? ""
    var all = named.split(separator: ":").map { URL(fileURLWithPath: String($0)) }
    let main = Bundle.main
    let executable = main.executableURL?.deletingLastPathComponent()
    for folder in [main.resourceURL, main.bundleURL, executable].compactMap({ $0 }) {
      all.append(folder)
      all += names(in: folder).filter { $0.hasSuffix(".resources") || $0.hasSuffix(".bundle") }
        .map { folder.appendingPathComponent($0) }
    }
    var seen = Set<String>()
    return all.filter { seen.insert($0.standardizedFileURL.path).inserted }
  }

  private static func names(in folder: URL) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
  }
}
