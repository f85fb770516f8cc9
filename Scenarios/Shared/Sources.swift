import PlaygroundKit

/// The five documents that the scenarios put to the test, cited by their titles.
extension Source {
  static func rules(_ passage: String) -> Source { Source("Threading and Concurrency", passage) }
  static func notes(_ passage: String) -> Source { Source("Core Data Concurrency Rules", passage) }
  static func tutorial(_ passage: String) -> Source {
    Source("a tutorial on confinement, notifications and child contexts", passage)
  }
  static func operation(_ passage: String) -> Source {
    Source("ASJCoreDataOperation-Swift", passage)
  }
}
