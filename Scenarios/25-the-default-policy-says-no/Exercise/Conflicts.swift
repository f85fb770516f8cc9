import CoreData
import PlaygroundKit

/// The other saver, and a form that is saved too late.
enum Conflicts {
  /// What the other saver does to the article while the form is open; in the last kind it does
  /// nothing, and the form's article is not valid.
  enum Kind: String, CaseIterable {
    case quiet, changed, elsewhere, deleted, invalid
  }

  /// For each kind the form reads and edits an article, the other saver does its part, and then
  /// the form is saved.
  ///
  /// Notes what was reported, and which edits are still in their form.
  @MainActor static func report(
    _ world: World, save: @Sendable @escaping (NSManagedObjectContext) throws -> String?
  ) async throws {
    var (unsaved, missing): ([String], [String]) = ([], [])
    let old = world["start"] == 0 ? "old" : "first draft"
    for kind in Kind.allCases {
      let form = world.container.newBackgroundContext()
      let other = world.container.newBackgroundContext()
      let (mine, theirs) = (world["mine"], world["theirs"])
      let id = try await other.perform {
        let article = Article(context: other)
        (article.name, article.content) = (old, "\(old) text")
        article.category = Category(context: other)
        article.category?.name = kind.rawValue
        try other.save()
        return article.objectID
      }
      await form.perform {
        edit(id, in: form, mine, "second")
        if kind == .invalid { form.object(with: id).setValue(nil, forKey: "views") }
      }
      try await other.perform { try interfere(kind, id, in: other, theirs) }
      let (report, isUnsaved) = await form.perform { (answer(of: save, form), form.hasChanges) }
      world.observe(kind.rawValue, report)
      if isUnsaved { unsaved.append(kind.rawValue) }
      if !isUnsaved, kind != .quiet { missing.append(kind.rawValue) }
    }
    let left = unsaved.isEmpty ? "none" : unsaved.joined(separator: ", ")
    world.observe(
      "edits still in the form",
      missing.isEmpty ? left : "\(left); missing: \(missing.joined(separator: ", "))")
  }

  /// What a save returns, on one line, or that it throws.
  private static func answer(
    of save: (NSManagedObjectContext) throws -> String?, _ form: NSManagedObjectContext
  ) -> String {
    do {
      return try save(form)?.replacingOccurrences(of: "\n", with: " / ") ?? "no report"
    } catch {
      return "throws"
    }
  }

  /// What the other saver does.
  private static func interfere(
    _ kind: Kind, _ id: NSManagedObjectID, in other: NSManagedObjectContext, _ theirs: Int
  ) throws {
    switch kind {
    case .quiet, .invalid: break
    case .changed:
      edit(id, in: other, theirs, "first")
      try other.save()
    case .elsewhere:
      // A batch update changes the file and tells neither the coordinator nor a context.
      let update = NSBatchUpdateRequest(entityName: "Article")
      update.predicate = NSPredicate(format: "SELF == %@", id)
      var values: [AnyHashable: Any] = [:]
      if theirs & 1 != 0 { values["name"] = "first" }
      if theirs & 2 != 0 { values["content"] = "first" }
      update.propertiesToUpdate = values
      _ = try other.execute(update)
    case .deleted:
      other.delete(other.object(with: id))
      try other.save()
    }
  }

  /// Changes name and content, each if its bit is set: 1, 2.
  private static func edit(
    _ id: NSManagedObjectID, in context: NSManagedObjectContext, _ fields: Int, _ text: String
  ) {
    guard let article = context.object(with: id) as? Article else { return }
    // The whole row is read, also what is not changed.
    _ = (article.name, article.content)
    if fields & 1 != 0 { article.name = text }
    if fields & 2 != 0 { article.content = text }
  }
}
