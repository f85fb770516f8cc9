import Foundation

/// Where the tool remembers something between two commands.
public enum StateFolder {
  /// The folder of this user: `FAULTLINE_HOME`, else where the system keeps a program's state. It
  /// need not exist yet.
  public static func url(
    _ environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> URL {
    if let home = environment["FAULTLINE_HOME"], !home.isEmpty {
      return URL(fileURLWithPath: home, isDirectory: true)
    }
    // The XDG specification asks to ignore a path that is not absolute.
    if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
      return URL(fileURLWithPath: state, isDirectory: true).appendingPathComponent("faultline")
    }
    return URL(fileURLWithPath: home(environment), isDirectory: true)
      .appendingPathComponent(".local/state/faultline")
  }

  /// The home folder of this user: `HOME`, unless that would be another folder for each current
  /// one, else what the system knows.
  static func home(_ environment: [String: String]) -> String {
    if let home = environment["HOME"], home.hasPrefix("/") { return home }
    return getpwuid(getuid()).map { String(cString: $0.pointee.pw_dir) } ?? "/tmp"
  }

  /// Writes a file in it, and makes the folders above the file.
  ///
  /// - Throws: `Complaint` when the file cannot be written.
  static func write(_ text: String, to file: URL) throws(Complaint) {
    try LearnerFolder.make(file.deletingLastPathComponent(), advice: advice)
    try WholeFile(file.path, advice: advice).write(text)
  }

  private static let advice = "set FAULTLINE_HOME to a folder you may write to"
}

/// Which scenarios this user has run: an empty file for each, named like the scenario.
public enum ScenariosRun {
  private static func folder(_ environment: [String: String]) -> URL {
    StateFolder.url(environment).appendingPathComponent("run", isDirectory: true)
  }

  /// Notes that a scenario was run, once; a record of a learner's folder is not noted.
  ///
  /// - Throws: `Complaint` when the note cannot be written.
  public static func note(
    _ record: RunRecord, _ environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(Complaint) {
    guard record.scenario.folder == nil else { return }
    let file = folder(environment).appendingPathComponent(record.scenario.slug)
    guard !FileManager.default.fileExists(atPath: file.path) else { return }
    try StateFolder.write("", to: file)
  }

  /// The slugs of the scenarios that were run.
  public static func slugs(
    _ environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> Set<String> {
    Set((try? FileManager.default.contentsOfDirectory(atPath: folder(environment).path)) ?? [])
  }
}
