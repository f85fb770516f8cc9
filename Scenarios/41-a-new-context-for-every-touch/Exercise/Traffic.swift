import CoreData
import PlaygroundKit

/// Four kinds of work that ask a data manager for revisions.
@MainActor enum Traffic {
  /// What asks a data manager for the revision of an article.
  typealias Ask = @MainActor (_ id: NSManagedObjectID, _ work: String) async throws -> Int64
  /// What tells it that a piece of work has ended.
  typealias End = @MainActor (_ work: String) -> Void

  /// Lets all four ask, one kind after the other, and notes which of them got a stale answer.
  static func pass(_ world: World, ask: Ask, end: End) async throws {
    // The screen has a draft in the view context, which no other code may save or reset.
    let draft = Category(context: world.container.viewContext)
    draft.name = "Draft"
    let sync = world.container.newBackgroundContext()
    let request = NSFetchRequest<NSManagedObjectID>(entityName: "Article")
    request.resultType = .managedObjectIDResultType
    let ids = try await sync.perform { try sync.fetch(request) }
    let few = Array(ids.prefix(world["each"] / 2))
    let others = Array(ids.dropFirst(few.count).prefix(few.count))
    var stale: [String] = []
    func touch(
      _ ids: [NSManagedObjectID], _ work: String, expect revisions: ClosedRange<Int64> = 1...1
    ) async throws {
      for id in ids where try await !revisions.contains(ask(id, work)) { stale.append(work) }
    }
    func save(_ revision: Int64, of id: NSManagedObjectID) async throws {
      try await sync.perform {
        (try sync.existingObject(with: id) as? Article)?.views = revision
        try sync.save()
      }
    }

    // A form reads a few articles again and again.
    for _ in 0..<world["touches"] { try await touch(few, "form") }
    end("form")

    // A list is scrolled from its first article to its last.
    try await touch(ids, "list")
    end("list")

    // A sync saves a new revision of an article between two visits.
    try await touch(few, "visit")
    end("visit")
    try await save(2, of: few[0])
    try await touch([few[0]], "next visit", expect: 2...2)
    try await touch(Array(few.dropFirst()), "next visit")
    end("next visit")

    // Two windows are open at once. A sync saves before the second one is opened, and the first may
    // show either revision from then on.
    try await touch(others, "left window")
    try await save(2, of: others[0])
    for _ in 1..<world["touches"] {
      try await touch([others[0]], "right window", expect: 2...2)
      try await touch(Array(others.dropFirst().reversed()), "right window")
      try await touch([others[0]], "left window", expect: 1...2)
      try await touch(Array(others.dropFirst()), "left window")
    }
    end("left window")
    try await touch([others[0]], "right window", expect: 2...2)
    end("right window")
    world.observe("stale", stale.isEmpty ? "none" : Set(stale).sorted().joined(separator: ", "))
    world.observe("stale answers", stale.count)
    let isThere = draft.managedObjectContext != nil && draft.isInserted && draft.name == "Draft"
    world.observe("the screen has", isThere ? "its draft" : "no unsaved draft any more")
  }
}
