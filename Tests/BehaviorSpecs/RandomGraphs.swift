import CoreData
import Foundation

/// Changes a graph of authors, articles, tags, drafts, profiles and anthologies at random.
struct RandomWalk {
  private var generator: SeededGenerator
  /// What was done so far, for the message of a failure.
  private(set) var steps: [String] = []

  /// The walk that belongs to the seed.
  init(seed: Int) { generator = SeededGenerator(seed: seed) }

  /// The next random number below the bound.
  mutating func number(below bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

  /// Does one random thing in the context.
  mutating func step(in context: NSManagedObjectContext, as name: String = "") throws {
    let kind = number(below: 21)
    let value = number(below: 1000)
    steps.append("\(name)\(kind)/\(value)")
    switch kind {
    case 0...4: try insert(kind, "\(value)", context)
    case 5...7: if value % 3 == 0 { try delete(kind, context) }
    case 8...11: try relate(kind, context)
    case 12: try pick(Author.self, context)?.name = "\(value)"
    case 13:
      // A refresh that discards one end of a new relationship is the caller's own mistake.
      if let author = try pick(Author.self, context) {
        context.refresh(author, mergeChanges: context.hasChanges)
      }
    case 14: if value % 10 == 0 { context.rollback() } else { context.processPendingChanges() }
    default: try arrange(kind, "\(value)", context)
    }
  }

  /// Notes that something else was done.
  mutating func note(_ step: String) { steps.append(step) }

  private mutating func insert(
    _ kind: Int, _ name: String, _ context: NSManagedObjectContext
  ) throws {
    let author = try pick(Author.self, context)
    switch kind {
    case 0: Author(context: context).name = name
    case 1:
      let article = Article(context: context)
      article.title = name
      article.author = author
    case 2: Tag(context: context).name = name
    case 3:
      let draft = Draft(context: context)
      draft.name = name
      draft.owner = author
    default: author?.profile = Profile(context: context)
    }
  }

  private mutating func delete(_ kind: Int, _ context: NSManagedObjectContext) throws {
    let object: NSManagedObject? =
      switch kind {
      case 5: try pick(Author.self, context)
      case 6: try pick(Article.self, context)
      default: try pick(Tag.self, context)
      }
    if let object { context.delete(object) }
  }

  private mutating func relate(_ kind: Int, _ context: NSManagedObjectContext) throws {
    let article = try pick(Article.self, context)
    let author = try pick(Author.self, context)
    switch kind {
    case 8: article?.author = author
    case 9:
      guard let article, let tag = try pick(Tag.self, context) else { return }
      if article.tags.contains(tag) { article.tags.remove(tag) } else { article.tags.insert(tag) }
    case 10:
      let all = try context.all(Article.self, by: "title")
      author?.articles = Set(all.filter { _ in number(below: 2) == 0 })
    default: try pick(Draft.self, context)?.owner = author
    }
  }

  /// Changes what has an order.
  private mutating func arrange(
    _ kind: Int, _ name: String, _ context: NSManagedObjectContext
  ) throws {
    let anthology = try pick(Anthology.self, context)
    switch kind {
    case 15: Anthology(context: context).name = name
    case 16:
      let piece = Piece(context: context)
      piece.name = name
      piece.anthology = anthology
    case 17: try pick(Piece.self, context)?.anthology = anthology
    case 18:
      guard let pieces = anthology?.mutableOrderedSetValue(forKey: "pieces"), pieces.count > 0
      else { return }
      pieces.moveObjects(
        at: [number(below: pieces.count)], to: number(below: pieces.count))
    case 19:
      let all = try context.all(Article.self, by: "title")
      let chosen = all.filter { _ in number(below: 2) == 0 }
      anthology?.sources = NSOrderedSet(array: chosen.shuffled(using: &generator))
    default:
      guard name.count < 3 else { return }
      let object: NSManagedObject? =
        try number(below: 2) == 0 ? anthology : pick(Piece.self, context)
      if let object { context.delete(object) }
    }
  }

  private mutating func pick<Object: NSManagedObject>(
    _ type: Object.Type, _ context: NSManagedObjectContext
  ) throws -> Object? {
    let all = try context.all(type).sorted { $0.sortingName < $1.sortingName }
    return all.isEmpty ? nil : all[number(below: all.count)]
  }
}

extension NSManagedObject {
  /// The name or title, and the id behind it.
  fileprivate var sortingName: String {
    let key = entity.attributesByName["name"] == nil ? "title" : "name"
    return "\(value(forKey: key) ?? "") \(objectID.uriRepresentation().path)"
  }
}

extension NSManagedObjectContext {
  /// One line for each object of the graph: its values and its relatives, by id or by name.
  func graph(byID: Bool = true) throws -> [String] {
    func label(_ object: NSManagedObject?) -> String {
      guard let object else { return "nobody" }
      let path = byID ? object.objectID.uriRepresentation().path : object.entity.name ?? ""
      guard !(object is Profile) else { return path }
      let key = object is Article ? "title" : "name"
      return "\(path) \(object.value(forKey: key) ?? "nameless")"
    }
    func labels(_ objects: Set<some NSManagedObject>) -> String {
      objects.map { label($0) }.sorted().joined(separator: ", ")
    }
    let authors = try all(Author.self).map {
      "\(label($0)): [\(labels($0.articles))] [\(labels($0.drafts))] \(label($0.profile))"
    }
    let articles = try all(Article.self).map {
      "\(label($0)): \(label($0.author)) [\(labels($0.tags))]"
    }
    let tags = try all(Tag.self).map { "\(label($0)): [\(labels($0.articles))]" }
    let drafts = try all(Draft.self).map { "\(label($0)): \(label($0.owner))" }
    let profiles = try all(Profile.self).map { "\(label($0)): \(label($0.author))" }
    func inOrder(_ objects: NSOrderedSet) -> String {
      objects.array.map { label($0 as? NSManagedObject) }.joined(separator: ", ")
    }
    let anthologies = try all(Anthology.self).map {
      "\(label($0)): [\(inOrder($0.pieces))] [\(inOrder($0.sources))]"
    }
    let pieces = try all(Piece.self).map { "\(label($0)): \(label($0.anthology))" }
    return (authors + articles + tags + drafts + profiles + anthologies + pieces).sorted()
  }
}
