import CoreData
import PlaygroundKit

/// What is shown of an article: its id, and a copy of its values at one moment.
public struct ArticleValue: Sendable, Identifiable {
  /// Which row it is a copy of.
  public let id: NSManagedObjectID
  /// The title.
  public let name: String
  /// The revision.
  public let revision: Int64

  /// Copies the values; call it inside the queue of the article's context.
  public init(of article: Article) {
    (id, name, revision) = (article.objectID, article.name ?? "", article.views)
  }
}

// anchor: store
/// Articles behind async functions: values go in and come out, and its context stays inside.
public struct ArticleStore: Sendable {
  private let context: NSManagedObjectContext

  /// A store that works in this context.
  public init(in context: NSManagedObjectContext) { self.context = context }

  /// A copy of every article, all as the store had them at one moment.
  public func articles() async throws -> [ArticleValue] {
    try await context.perform {
      let request = Article.fetchRequest()
      request.returnsObjectsAsFaults = false
      return try context.fetch(request).map { ArticleValue(of: $0) }
    }
  }
  // end: store

  /// Publishes a revision of every article, the newest article first.
  public func publish(revision: Int64) async throws {
    try await context.perform {
      for article in try context.fetch(Article.fetchRequest()).reversed() {
        (article.name, article.views) = ("Revision \(revision)", revision)
      }
      try context.save()
    }
  }
}

extension World {
  /// Notes how many lines of a list are of each revision.
  public func observe(list: [ArticleValue]) {
    for revision in 1...2 {
      let count = list.count { $0.name == "Revision \(revision)" && $0.revision == revision }
      observe("of revision \(revision)", count, section: "lines of the list")
    }
  }
}

extension Observation {
  /// Whether the list had this many lines, all of one revision.
  public func isOfOneRevision(_ count: Int) -> Bool {
    [1, 2].contains { number("of revision \($0)") == count }
  }
}
