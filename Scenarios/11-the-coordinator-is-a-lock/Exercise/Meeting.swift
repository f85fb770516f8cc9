import CoreData
import PlaygroundKit

/// A user who takes notes while articles are imported.
enum Meeting {
  /// What imports so many articles.
  typealias Import =
    @Sendable (_ count: Int, _ container: NSPersistentContainer) async throws -> Void
  /// What saves a note; it returns when the note is in the file.
  typealias TakingNotes =
    @MainActor (_ text: String, _ container: NSPersistentContainer) async throws -> Void

  /// Starts the import, and meanwhile takes the notes on the main thread.
  @MainActor static func hold(
    _ world: World, importing: @escaping Import, taking notes: TakingNotes
  ) async throws {
    let (rows, container) = (world["rows"], world.container)
    async let imported: Void = importing(rows, container)
    var (isKept, articles) = (true, 0)
    for number in 1...world["notes"] {
      try await notes("Note \(number)", container)
      isKept = try world.storedRows(of: "Category") == number && isKept
      if number == 1 { articles = try world.storedRows(of: "Article") }
    }
    try await imported
    world.observe("each note", isKept ? "in the file when it returned" : "not in the file yet")
    world.observe("articles after the note", articles)
  }
}
