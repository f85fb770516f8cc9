import CoreData
import PlaygroundKit

/// Forms that are open at the same time, an autosave of the view context, and a sync.
@MainActor struct Forms {
  private let world: World
  private let screen: NSManagedObjectContext
  private var (leaks, saved) = (0, 0)
  private var (afterSave, isMerged) = ("in the file", true)

  /// The view context merges saves, and its edits win over those of a save that it has not merged.
  init(_ world: World) {
    (self.world, screen) = (world, world.container.viewContext)
    screen.automaticallyMergesChangesFromParent = true
    screen.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
  }

  /// Opens two forms for each pair of articles, cancels one, saves the other, and reads the file.
  mutating func use() async throws {
    let all = try screen.fetch(Article.fetchRequest())
    let ids = Dictionary(grouping: all, by: \.name).mapValues { $0.map(\.objectID) }
    for (article, letter) in zip(ids["article"] ?? [], ids["letter"] ?? []) {
      try await edit(article, letter)
    }
    await screen.perform(schedule: .enqueued) {}
    try screen.save()
    try look()
    isMerged = isMerged && all.allSatisfy { $0.views == 1 }
    isMerged = try isMerged && world.stored("SELECT 1 FROM ZARTICLE WHERE ZVIEWS <> 1").isEmpty
    world.observe("cancelled edits in the file", leaks)
    world.observe("after Save", afterSave)
    world.observe("after the sync", isMerged ? "in the file and on the screen" : "lost")
    if world["refused"] == 1, let letter = ids["letter"]?.first {
      let first = try await refuse(letter, inStoreOnly: false)
      let last = try await refuse(letter, inStoreOnly: true)
      world.observe("a refused save", "\(first), \(last)")
    }
  }

  /// Opens one more form, whose article is not valid in the first context that saves it, or in the
  /// one that saves it to the store; returns what `save` says.
  private func refuse(_ letter: NSManagedObjectID, inStoreOnly: Bool) async throws -> String {
    let form = Form(letter, on: screen)
    try await form.edit("refused")
    let token = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextWillSave, object: nil, queue: nil
    ) { note in
      // Posted in the queue of the context that saves.
      let context = note.object as? NSManagedObjectContext
      if inStoreOnly, context?.parent != nil { return }
      for object in context?.updatedObjects ?? [] where object.objectID == letter {
        object.setValue(nil, forKey: "views")
      }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    do {
      try await form.save()
      return "throws nothing"
    } catch {
      return "throws"
    }
  }

  /// One form is cancelled, the other is saved; before that come an autosave and a sync.
  private mutating func edit(
    _ article: NSManagedObjectID, _ letter: NSManagedObjectID
  ) async throws {
    let (screen, sync) = (screen, world.container.newBackgroundContext())
    let (cancelled, kept) = (Form(article, on: screen), Form(letter, on: screen))
    for number in (1...world["edits"]).reversed() {
      try await kept.edit(number == 1 ? "written" : "half written")
      try await cancelled.edit("draft")
    }
    try screen.save()
    try look()
    try await sync.perform {
      sync.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      for id in [article, letter] { (try sync.existingObject(with: id) as? Article)?.views = 1 }
      try sync.save()
    }
    try await cancelled.cancel()
    try look()
    do {
      try await kept.save()
      saved += 1
      let sql = """
        SELECT 1 FROM ZARTICLE a JOIN ZCATEGORY c ON a.ZCATEGORY = c.Z_PK
        WHERE a.ZCONTENT = 'written' AND c.ZNAME = 'written'
        """
      if try world.stored(sql).count < saved { afterSave = "not in the file when save returns" }
    } catch {
      afterSave = "save throws code \((error as NSError).code)"
    }
  }

  private mutating func look() throws {
    let drafts = """
      SELECT 1 FROM ZARTICLE WHERE ZCONTENT = 'draft'
      UNION ALL SELECT 1 FROM ZCATEGORY WHERE ZNAME = 'draft'
      """
    leaks += try world.stored(drafts).count
  }
}
