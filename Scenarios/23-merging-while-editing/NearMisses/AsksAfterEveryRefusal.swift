import CoreData
import PlaygroundKit

/// An editor writes a headline for each text, while a sync saves another text with its headline.
///
/// `Scenarios/23-merging-while-editing/Exercise/Form.swift` is the form, and it is the sync.
@MainActor func yours(_ world: World) async throws {
  try await Form.editAll(world) { article, seen, form in try done(article, seen: seen, form) }
}

/// A refused save throws the headline away, also where the text is the same.
func done(_ article: Article, seen: String?, _ form: Form) throws {
  if article.content != seen { form.askAgain(article) }
  while true {
    do {
      return try form.context.save()
    } catch let error as CocoaError where error.code == .managedObjectMerge {
      form.context.refresh(article, mergeChanges: false)
      form.askAgain(article)
    }
  }
}
