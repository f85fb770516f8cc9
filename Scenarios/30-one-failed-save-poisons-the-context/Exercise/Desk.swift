import CoreData
import PlaygroundKit

/// A context with the edits of two editors, and another saver in the way of one.
@MainActor struct Desk {
  /// What the save of the desk runs into.
  enum Trouble: String, CaseIterable {
    /// The other saver has changed articles that the first editor has changed too.
    case changed
    /// The other saver has saved keywords whose names the first editor has used too.
    case taken
  }

  private let world: World

  init(_ world: World) { self.world = world }

  /// Saves a desk with each trouble, and notes what came of it.
  func run(
    save: @Sendable @escaping (NSManagedObjectContext) throws -> [NSManagedObjectID]
  ) async throws {
    var (told, later, failed): ([String], [String], Int) = ([], [], 0)
    for trouble in Trouble.allCases {
      let desk = world.container.newBackgroundContext()
      desk.retainsRegisteredObjects = true
      let saves = Saves(of: desk)
      let refused = try await edit(desk, trouble)
      let first = await desk.perform { Self.report(refused) { try save(desk) } }
      later.append(try await desk.perform { try Self.saveLater(desk, trouble) })
      failed += await desk.perform { saves.failed }
      saves.close()
      let refusedLater = try await editLater(desk, trouble)
      let second = await desk.perform { Self.report(refusedLater) { try save(desk) } }
      told.append("\(first), then \(second)")
    }
    if try !world.stored("SELECT 1 FROM ZARTICLE WHERE ZVIEWS = 7").isEmpty {
      told.append("views of a refused article are in the file")
    }
    if world["another"] == 1 {
      told.append("another error is \(await isTold(by: save) ? "told" : "swallowed")")
    }
    world.observe("told", told.joined(separator: "; "))
    world.observe("later saves", later.joined(separator: ", "))
    world.observe("saves that threw", failed)
  }

  /// Both editors edit, and then the other saver saves; returns what will be refused, by its id.
  private func edit(
    _ desk: NSManagedObjectContext, _ trouble: Trouble
  ) async throws -> [NSManagedObjectID: String] {
    let (others, refused) = (world["others"], world["refused"])
    let other = world.container.newBackgroundContext()
    try await other.perform {
      for number in 1...others {
        for kind in ["edited", "deleted"] {
          Article(context: other).name = "\(trouble) \(kind) \(number)"
        }
      }
      for number in 1...refused { Article(context: other).name = "\(trouble) refused \(number)" }
      try other.save()
    }
    let names = try await desk.perform {
      var names: [NSManagedObjectID: String] = [:]
      for article in try desk.fetch(Article.fetchRequest()) {
        guard let name = article.name, name.hasPrefix("\(trouble)") else { continue }
        if name.contains("edited") { article.content = "second" }
        if name.contains("deleted") { desk.delete(article) }
        if trouble == .changed, name.contains("refused") {
          (article.content, article.views) = ("first", 7)
          names[article.objectID] = String(name.dropFirst("\(trouble) ".count))
        }
      }
      for number in 1...others { Article(context: desk).name = "\(trouble) new \(number)" }
      for number in 1...refused where trouble == .taken {
        let keyword = Keyword(context: desk)
        (keyword.name, keyword.meaning) = ("\(number)", "first")
        names[keyword.objectID] = "refused \(number)"
      }
      return names
    }
    try await other.perform {
      for article in try other.fetch(Article.fetchRequest())
      where trouble == .changed && article.name?.hasPrefix("changed refused") == true {
        article.content = "theirs"
      }
      for number in 1...refused where trouble == .taken {
        let keyword = Keyword(context: other)
        (keyword.name, keyword.meaning) = ("\(number)", "theirs")
      }
      try other.save()
    }
    return names
  }

  /// Whether a save says something of an article that is not valid.
  private func isTold(
    by save: @Sendable @escaping (NSManagedObjectContext) throws -> [NSManagedObjectID]
  ) async -> Bool {
    let desk = world.container.newBackgroundContext()
    return await desk.perform {
      Article(context: desk).setValue(nil, forKey: "views")
      return Self.report([:]) { try save(desk) } == "an error"
    }
  }

  /// What a save reports, in words.
  private nonisolated static func report(
    _ refused: [NSManagedObjectID: String], of save: () throws -> [NSManagedObjectID]
  ) -> String {
    do {
      let names = try save().map { refused[$0] ?? "another edit" }
      return names.isEmpty ? "nothing" : names.sorted().joined(separator: " and ")
    } catch {
      return "an error"
    }
  }

  /// The article of the later save is edited at the desk, and then by the other saver; returns what
  /// will be refused, by its id.
  private func editLater(
    _ desk: NSManagedObjectContext, _ trouble: Trouble
  ) async throws -> [NSManagedObjectID: String] {
    let other = world.container.newBackgroundContext()
    let names = try await desk.perform {
      var names: [NSManagedObjectID: String] = [:]
      for article in try desk.fetch(Article.fetchRequest())
      where article.name == "\(trouble) later" {
        article.content = "first"
        names[article.objectID] = "the later edit"
      }
      return names
    }
    try await other.perform {
      for article in try other.fetch(Article.fetchRequest())
      where article.name == "\(trouble) later" {
        article.content = "theirs later"
      }
      try other.save()
    }
    return names
  }

  /// One more edit and one more save.
  private nonisolated static func saveLater(
    _ desk: NSManagedObjectContext, _ trouble: Trouble
  ) throws -> String {
    Article(context: desk).name = "\(trouble) later"
    do {
      try desk.save()
      return "saved"
    } catch {
      return "refused"
    }
  }
}

/// Counts the saves of a context that begin and do not end.
private final class Saves: @unchecked Sendable {
  private(set) var failed = 0
  private var tokens: [any NSObjectProtocol] = []

  init(of context: NSManagedObjectContext) {
    for (name, step) in [
      (Notification.Name.NSManagedObjectContextWillSave, 1), (.NSManagedObjectContextDidSave, -1),
    ] {
      // Both are posted in the queue of the context, in which the count is read too.
      tokens.append(
        NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) {
          [unowned self] _ in failed += step
        })
    }
  }

  func close() { tokens.forEach(NotificationCenter.default.removeObserver) }
}
