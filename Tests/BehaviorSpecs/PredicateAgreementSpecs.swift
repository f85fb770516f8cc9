import CoreData
import Foundation
import XCTest

/// The store and the memory find the same objects, whatever the predicate and the data.
///
/// A failure prints its seed and the format; `SPEC_SEED=<seed> swift test --filter <test>` repeats
/// the seed alone, and `FAULTLINE_PREDICATES=<count>` tries so many predicates of each.
final class PredicateAgreementSpecs: SpecCase {
  private var environment: [String: String] { ProcessInfo.processInfo.environment }
  private var seeds: [Int] {
    environment["SPEC_SEED"].flatMap { Int($0) }.map { [$0] } ?? Array(1...30)
  }
  private var predicates: Int {
    environment["FAULTLINE_PREDICATES"].flatMap { Int($0) } ?? 80
  }

  /// How many predicates found somebody, but not everybody.
  private var telling = 0

  func testF38_F45_F65_theStoreAndTheMemoryFindTheSameObjects() throws {
    for seed in seeds {
      let container = try openContainer(model: PredicateModel.people, at: storeURL("\(seed)"))
      let context = container.viewContext
      var random = SeededGenerator(seed: seed)
      let world = try PredicateWorld(context, &random)
      let people = world.records["Person"]!
      var maker = RandomPredicate(seed: seed, world)
      for _ in 0..<predicates {
        let (format, arguments) = maker.next()
        let predicate = NSPredicate(format: format, argumentArray: arguments)
        if environment["SPEC_SEED"] != nil { print(format, arguments) }
        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
        request.predicate = predicate
        let stored = Set(try context.fetch(request))
        if !stored.isEmpty, stored.count < people.count { telling += 1 }
        let held = Set(people.filter { predicate.evaluate(with: $0) })
        XCTAssertEqual(
          names(stored.symmetricDifference(held), people), [],
          "SPEC_SEED=\(seed): \(format) \(arguments) means \(predicate): the store found "
            + "\(names(stored, people)), the memory \(names(held, people))")
        // Printed objects cannot be read.
        guard arguments.isEmpty else { continue }
        XCTAssertEqual(
          NSPredicate(format: "\(predicate)", argumentArray: []).description, "\(predicate)",
          format)
      }
    }
    XCTAssertGreaterThan(telling, seeds.count * predicates / 4)
  }

  private func names(_ some: Set<NSManagedObject>, _ all: [NSManagedObject]) -> [Int] {
    all.indices.filter { some.contains(all[$0]) }
  }
}
