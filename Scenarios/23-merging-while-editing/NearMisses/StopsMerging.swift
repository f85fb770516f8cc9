import CoreData
import PlaygroundKit

/// An editor writes a headline for each text, while a sync saves another text with its headline.
///
/// `Scenarios/23-merging-while-editing/Exercise/Form.swift` is the form, and it is the sync.
@MainActor func yours(_ world: World) async throws {
  try await Form.editAll(world) { article, seen, form in try done(article, seen: seen, form) }
}

/// Turns the flag off, so that the form no longer shows what others save.
func done(_ article: Article, seen: String?, _ form: Form) throws {
  form.context.automaticallyMergesChangesFromParent = false
  var seen = seen
  while true {
    if article.content != seen {
      form.askAgain(article)
      seen = article.content
    }
    do {
      return try form.context.save()
    } catch let error as CocoaError where error.code == .managedObjectMerge {
      form.context.refresh(article, mergeChanges: true)
    }
  }
}
