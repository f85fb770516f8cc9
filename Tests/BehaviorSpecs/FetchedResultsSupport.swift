import CoreData
import Foundation

/// A delegate that writes down what it is told, one line a call.
class ResultsJournal: NSObject, NSFetchedResultsControllerDelegate {
  typealias Controller = NSFetchedResultsController<NSFetchRequestResult>

  /// What was told so far.
  var lines: [String] = []
  /// Keeps the controller for as long as the journal lives.
  var controller: AnyObject?
  /// Every controller that called.
  var controllers: [Controller] = []

  /// What was told since the last time, in order.
  func take() -> [String] {
    defer { lines = [] }
    return lines
  }

  func controllerWillChangeContent(_ controller: Controller) {
    controllers.append(controller)
    lines.append("will change")
  }

  func controller(
    _ controller: Controller, didChange sectionInfo: any NSFetchedResultsSectionInfo,
    atSectionIndex sectionIndex: Int, for type: NSFetchedResultsChangeType
  ) {
    lines.append("section \(sectionInfo.name): \(word(type)) \(sectionIndex)")
  }

  func controller(
    _ controller: Controller, didChange anObject: Any, at indexPath: IndexPath?,
    for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    let name = (anObject as? Author)?.name ?? (anObject as? Article)?.title ?? "?"
    let paths = [indexPath, newIndexPath].map { $0.map { "\($0[0]).\($0[1])" } ?? "nil" }
    lines.append("\(name): \(word(type)) \(paths[0]) to \(paths[1])")
  }

  func controllerDidChangeContent(_ controller: Controller) { lines.append("did change") }

  private func word(_ type: NSFetchedResultsChangeType) -> String {
    switch type {
    case .insert: "insert"
    case .delete: "delete"
    case .move: "move"
    case .update: "update"
    @unknown default: "?"
    }
  }
}

/// A delegate that writes down which names are shown before and after the changes.
final class ListWitness: ResultsJournal {
  /// The names, at each call.
  var lists: [[String?]] = []

  private func look(_ controller: Controller) {
    lists.append(controller.fetchedObjects?.map { ($0 as? Author)?.name } ?? [])
  }

  override func controllerWillChangeContent(_ controller: Controller) { look(controller) }

  override func controllerDidChangeContent(_ controller: Controller) { look(controller) }
}

/// A delegate that takes one difference, and counts the calls that should not come.
final class DifferenceJournal: NSObject, NSFetchedResultsControllerDelegate {
  typealias Controller = NSFetchedResultsController<NSFetchRequestResult>

  /// The differences so far.
  var differences: [CollectionDifference<NSManagedObjectID>] = []
  /// How many single calls came.
  var singleCalls = 0

  func controller(
    _ controller: Controller, didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
  ) {
    differences.append(diff)
  }

  func controllerWillChangeContent(_ controller: Controller) { singleCalls += 1 }

  func controllerDidChangeContent(_ controller: Controller) { singleCalls += 1 }
}

/// A delegate with words of its own for sections.
final class TitleGiver: NSObject, NSFetchedResultsControllerDelegate {
  func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    sectionIndexTitleForSectionName sectionName: String
  ) -> String? {
    "<\(sectionName)>"
  }
}

extension SpecCase {
  /// A controller of all authors by name, after its first fetch, and its delegate.
  func authors(
    in context: NSManagedObjectContext, where format: String? = nil,
    _ journal: ResultsJournal = ResultsJournal()
  ) throws -> (NSFetchedResultsController<Author>, ResultsJournal) {
    let request = NSFetchRequest<Author>(entityName: "Author")
    request.predicate = format.map { NSPredicate(format: $0) }
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    let controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
      cacheName: nil)
    controller.delegate = journal
    journal.controller = controller
    try controller.performFetch()
    return (controller, journal)
  }

  /// A controller of all articles in sections by body, by title in each, and its delegate.
  func articles(
    in context: NSManagedObjectContext, _ journal: ResultsJournal = ResultsJournal()
  ) throws -> (NSFetchedResultsController<Article>, ResultsJournal) {
    let request = NSFetchRequest<Article>(entityName: "Article")
    request.sortDescriptors = ["body", "title"].map { NSSortDescriptor(key: $0, ascending: true) }
    let controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "body",
      cacheName: nil)
    controller.delegate = journal
    journal.controller = controller
    try controller.performFetch()
    return (controller, journal)
  }
}

extension NSManagedObjectContext {
  /// Inserts authors of these names and saves.
  @discardableResult
  func savedAuthors(_ names: String...) throws -> [Author] {
    let authors = names.map { name in
      let author = Author(context: self)
      author.name = name
      return author
    }
    try save()
    return authors
  }

  /// Inserts an article with a title and a body.
  @discardableResult
  func article(_ title: String, in body: String?) -> Article {
    let article = Article(context: self)
    article.title = title
    article.body = body
    return article
  }
}

extension NSFetchedResultsController where ResultType == Article {
  /// The sections with their articles, in one line.
  var contents: String {
    (sections ?? []).map { section in
      let titles = (section.objects as? [Article] ?? []).map(\.title).joined(separator: " ")
      return "\(section.name)[\(titles)]"
    }.joined(separator: " ")
  }
}
