import PlaygroundKit

extension Source {
  /// A guide to Core Data's threading rules.
  static func rules(_ passage: String) -> Source { Source("Threading and Concurrency", passage) }

  /// Notes on the same rules, with examples.
  static func notes(_ passage: String) -> Source { Source("Core Data Concurrency Rules", passage) }

  /// A tutorial without a title of its own.
  static func tutorial(_ passage: String) -> Source {
    Source("a tutorial on confinement, notifications and child contexts", passage)
  }

  /// The description of a library of background operations.
  static func operation(_ passage: String) -> Source {
    Source("ASJCoreDataOperation-Swift", passage)
  }

  /// A guide, in Portuguese, to Core Data beside Swift's tasks and actors.
  static func swiftConcurrency(_ passage: String) -> Source {
    Source("Core Data e Swift Concurrency", passage)
  }
}
