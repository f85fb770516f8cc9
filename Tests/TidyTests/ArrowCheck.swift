/// The folders of the engine use each other in one direction only.
enum ArrowCheck {
  /// The folders of `Sources/Faultline`; each may use those after it and none before it.
  static let folders = [
    "Container", "Context", "Coordinator", "Migration", "Store", "Fetching", "Objects", "Model",
    "Predicates", "ConcurrencyDebug", "Scheduling",
  ]

  /// What may be named against the direction, by file: an initialiser that subclasses inherit must
  /// stand in the class itself, not in an extension, and Core Data's takes a context.
  static let exceptions = [
    "Sources/Faultline/Objects/NSManagedObject.swift": "NSManagedObjectContext"
  ]

  /// Reads every file's declared types, and complains where a folder names a type from its left.
  ///
  /// Members that an extension in a left folder adds to a right folder's type are fine.
  static func complaints(about files: [TextFile]) -> [Complaint] {
    var complaints: [Complaint] = []
    var places: [String: Set<Int>] = [:]
    let read = files.map { (file: $0, folder: folder(of: $0.path)) }
    for (file, folder) in read {
      guard let folder else {
        complaints.append(
          Complaint(
            path: file.path, line: 0,
            text: "stands in no known folder of the engine: \(folders.joined(separator: ", "))"))
        continue
      }
      for declaration in file.declarations
      where declaration.isTopLevel && !declaration.isPrivate && isType(declaration) {
        places[declaration.name, default: []].insert(folder)
      }
    }
    for (file, folder) in read {
      guard let folder else { continue }
      complaints += mentions(in: file, folder, places)
    }
    return complaints
  }

  private static func mentions(
    in file: TextFile, _ folder: Int, _ places: [String: Set<Int>]
  ) -> [Complaint] {
    let tokens = file.tokens
    let own = Set(file.declarations.map(\.name))
    var seen: Set<String> = []
    return tokens.indices.compactMap { index in
      let token = tokens[index]
      if index > 0, tokens[index - 1].text == "." { return nil }
      guard let declared = places[token.text], declared.allSatisfy({ $0 < folder }),
        exceptions[file.path] != token.text, !own.contains(token.text),
        seen.insert(token.text).inserted, let left = declared.max()
      else { return nil }
      return Complaint(
        path: file.path, line: token.line + 1,
        text: "\(folders[folder]) may not use \(token.text), which \(folders[left]) declares: "
          + "declare a small protocol in \(folders[folder]), or move the member to an extension "
          + "in \(folders[left])")
    }
  }

  private static func folder(of path: String) -> Int? {
    let parts = path.split(separator: "/")
    return parts.count > 3 ? folders.firstIndex(of: String(parts[2])) : nil
  }

  private static func isType(_ declaration: Declaration) -> Bool {
    ["class", "struct", "enum", "protocol", "actor", "typealias"].contains(declaration.keyword)
  }
}
