import CoreData
import PlaygroundKit

/// A form is saved after another saver has changed or deleted its article.
///
/// `Scenarios/25-the-default-policy-says-no/Exercise/Conflicts.swift` is the other saver.
@MainActor func yours(_ world: World) async throws {
  try await Conflicts.report(world) { form in try save(form) }
}

/// An error that has no conflicts is dropped, as all were before.
func save(_ form: NSManagedObjectContext) throws -> String? {
  do {
    try form.save()
    return nil
  } catch {
    let list = (error as NSError).userInfo["conflictList"] as? [NSMergeConflict]
    guard let conflicts = list else { return nil }
    return conflicts.flatMap(lines).joined(separator: "\n")
  }
}

/// What the editor reads about a conflict.
func lines(of conflict: NSMergeConflict) -> [String] {
  guard conflict.newVersionNumber != 0 else { return ["deleted by the other saver"] }
  let read = conflict.objectSnapshot ?? conflict.cachedSnapshot ?? [:]
  let found = conflict.persistedSnapshot ?? conflict.cachedSnapshot ?? [:]
  return ["name", "content"].compactMap { field in
    let mine = conflict.sourceObject.value(forKey: field) as? String ?? ""
    let old = read[field] as? String ?? ""
    let theirs = found[field] as? String ?? ""
    if mine == old && theirs == old { return nil }
    return "\(field): read \(old), mine \(mine), theirs \(theirs)"
  }
}
