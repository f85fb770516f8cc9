import CoreData
import PlaygroundKit

/// An editor writes a headline for each text, while a sync saves another text with its headline.
///
/// `Scenarios/23-merging-while-editing/Exercise/Form.swift` is the form, and it is the sync.
@MainActor func yours(_ world: World) async throws {
  try await Form.editAll(world) { article, seen, form in try done(article, seen: seen, form) }
}

/// A refused save is not mentioned, and the headline stays in the form.
func done(_ article: Article, seen: String?, _ form: Form) throws {
  if article.content != seen { form.askAgain(article) }
  try? form.context.save()
}
