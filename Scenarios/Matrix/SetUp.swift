import CoreData
import PlaygroundKit

/// The set-ups of two contexts that the matrix compares.
enum Stack: String, CaseIterable, Sendable {
  case coordinator, siblings, child, writer

  /// The heading of its row.
  var heading: String {
    switch self {
    case .coordinator: "two contexts on one coordinator"
    case .siblings: "two children of main"
    case .child: "a child of main + main"
    case .writer: "main + its child, over a writer"
    }
  }
}

/// The merge policies that the matrix compares.
enum Policy: String, CaseIterable, Sendable {
  case error
  case storeTrump = "store-trump"
  case objectTrump = "object-trump"
  case overwrite, rollback

  /// The heading of its column.
  var heading: String { rawValue.replacing("-", with: " ") }

  /// Core Data's own policy.
  var policy: NSMergePolicy {
    switch self {
    case .error: .error
    case .storeTrump: .mergeByPropertyStoreTrump
    case .objectTrump: .mergeByPropertyObjectTrump
    case .overwrite: .overwrite
    case .rollback: .rollback
    }
  }
}

/// Two contexts of a stack that work at the same time, under one policy.
struct Pair: Sendable {
  /// The context that changes what the second one relies on, where their work differs.
  let first: NSManagedObjectContext
  /// The other context.
  let second: NSManagedObjectContext

  /// Sets up a stack.
  @MainActor init(_ stack: Stack, _ policy: Policy, _ world: World) {
    let main = world.container.viewContext
    switch stack {
    case .coordinator:
      first = world.container.newBackgroundContext()
      second = world.container.newBackgroundContext()
    case .siblings:
      first = Self.child(of: main)
      second = Self.child(of: main)
    case .child:
      first = Self.child(of: main)
      second = main
    case .writer:
      let main = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
      main.parent = world.container.newBackgroundContext()
      first = main
      second = Self.child(of: main)
    }
    for context in [first, second] {
      var next: NSManagedObjectContext? = context
      while let each = next {
        each.mergePolicy = policy.policy
        next = each.parent
      }
    }
  }

  private static func child(of parent: NSManagedObjectContext) -> NSManagedObjectContext {
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = parent
    return child
  }

  /// Runs two pieces of work at the same time.
  func both(
    first one: @escaping @Sendable () async throws -> Void,
    second other: @escaping @Sendable () async throws -> Void
  ) async throws {
    async let isFirstDone: Void = one()
    async let isSecondDone: Void = other()
    try await isFirstDone
    try await isSecondDone
  }

  /// Runs work in both contexts and saves each, at the same time.
  func both(
    _ world: World, first one: @escaping @Sendable () throws -> Void,
    second other: @escaping @Sendable () throws -> Void
  ) async throws {
    try await both(
      first: { await first.save("first", world, one) },
      second: { await second.save("second", world, other) })
  }
}

extension NSManagedObjectContext {
  /// Does the work in the context, saves it and then each context above it, and notes under a name
  /// whether the context's own save succeeded.
  func save(
    _ name: String, _ world: World, _ work: @escaping @Sendable () throws -> Void
  ) async {
    await perform { self.saveNow(name, world, work) }
  }

  private func saveNow(_ name: String, _ world: World, _ work: () throws -> Void) {
    do {
      try work()
      try save()
      world.observe(name, "saved")
      var next = parent
      while let context = next {
        try context.performAndWait { try context.save() }
        next = context.parent
      }
    } catch let error as CocoaError where error.code == .managedObjectMerge {
      // A refusal further up is not reported to the code that saved this context.
      world.observe(parent == nil || hasChanges ? name : "later", "refused")
    } catch {
      world.observe(name, "\(error)")
    }
  }

  /// All articles, with their values.
  func articles() throws -> [Article] {
    let request = Article.fetchRequest()
    request.returnsObjectsAsFaults = false
    return try fetch(request)
  }

  /// Fetches all articles, which the context holds from then on.
  func hold() throws {
    retainsRegisteredObjects = true
    _ = try articles()
  }

  /// The articles that the context holds, as it holds them.
  var heldArticles: [Article] { registeredObjects.compactMap { $0 as? Article } }
}

extension Observation {
  /// How many of the two saves were refused; throws any other error that was noted.
  func refusals() throws -> Int {
    let noted = ["first", "second"].compactMap(text)
    if let other = noted.first(where: { $0 != "saved" && $0 != "refused" }) {
      throw CocoaError(.coderInvalidValue, userInfo: [NSLocalizedDescriptionKey: other])
    }
    return noted.count { $0 == "refused" }
  }
}

/// A scenario of the matrix: a program for two contexts, and a side of it for every set-up.
protocol MatrixScenario: Scenario {
  /// The work of both contexts.
  @MainActor static func program(_ world: World, _ pair: Pair) async throws
}

extension MatrixScenario {
  static var sides: [Side] {
    Stack.allCases.flatMap { stack in
      Policy.allCases.map { policy in
        Side.wrong(
          "\(stack.heading), \(policy.heading)", name: "\(stack.rawValue).\(policy.rawValue)"
        ) { world in
          try await program(world, Pair(stack, policy, world))
        }
      }
    }
  }

  @MainActor static var model: NSManagedObjectModel { Library.model }
}

extension Next {
  /// The command that explores an anomaly in every set-up.
  static func matrix(_ anomaly: String) -> Next {
    Next("faultline matrix --anomaly \(anomaly)", "in which set-ups it can happen")
  }
}
