import CoreData
import PlaygroundKit

/// Saves articles with these names, in batches, into a context of its own.
typealias Import =
  @Sendable (_ names: [String], _ batch: Int, _ context: NSManagedObjectContext) async throws ->
  Void

/// Seven imports as people write them: one stores what it is given, six do not.
enum Imports {
  /// The import that this run tests; its number says nothing about it.
  static func chosen(_ world: World) -> Import {
    let (number, batch) = (world["import"], world["batch"])
    let load = all[(5 * number + 3 * batch + 1) % all.count]
    return { names, batch, context in
      try await context.perform { try load(names, batch, context) }
    }
  }

  private static let all: [@Sendable ([String], Int, NSManagedObjectContext) throws -> Void] = [
    { names, batch, context in
      for (index, name) in names.enumerated() {
        insert(name, into: context)
        if (index + 1) % batch == 0 {
          try context.save()
          context.reset()
        }
      }
      if context.hasChanges { try context.save() }
    },
    { names, batch, context in
      for (index, name) in names.enumerated() {
        insert(name, into: context)
        if index % batch == 0 {
          try context.save()
          context.reset()
        }
      }
    },
    { names, batch, context in
      for (index, name) in names.enumerated() {
        insert(name, into: context)
        if (index + 1) % batch == 0 {
          try context.save()
          context.reset()
        }
      }
    },
    { names, batch, context in
      var saved = 0
      for (index, name) in names.enumerated() {
        insert(name, into: context)
        if (index + 1) % batch == 0 {
          try context.save()
          context.reset()
          saved += batch
        }
      }
      if saved > 0, context.hasChanges { try context.save() }
    },
    { names, batch, context in
      for start in stride(from: 0, to: names.count, by: batch) {
        for name in names[start...min(start + batch, names.count - 1)] {
          insert(name, into: context)
        }
        try context.save()
        context.reset()
      }
    },
    { names, batch, context in
      for (index, name) in names.enumerated() {
        let article = Article(context: context)
        if (index + 1) % batch == 0 { try context.save() }
        article.name = name
      }
      if names.count % batch != 0 { try context.save() }
    },
    { names, batch, context in
      var pending = 0
      for name in names {
        insert(name, into: context)
        pending += 1
        if pending == batch {
          try context.save()
          context.reset()
        }
      }
      if pending < batch { try context.save() }
    },
  ]

  private static func insert(_ name: String, into context: NSManagedObjectContext) {
    Article(context: context).name = name
  }
}
