import CoreData
import Foundation
import XCTest

/// Orders of fetches, in the store and in memory.
final class SortSpecs: SpecCase {
  private func people(
    _ context: NSManagedObjectContext, _ descriptors: [NSSortDescriptor]
  ) throws -> [NSManagedObject] {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
    request.sortDescriptors = descriptors
    return try context.fetch(request)
  }

  private func fill(
    _ context: NSManagedObjectContext, _ names: [String]
  ) throws -> [NSManagedObject] {
    let people = names.map { name in
      let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
      person.setValue(name, forKey: "name")
      return person
    }
    try context.save()
    return people
  }

  private func names(_ people: [NSManagedObject]) -> [String] {
    people.compactMap { $0.value(forKey: "name") as? String }
  }

  func testF21_keysLeadThroughToOneRelationshipsAndNilComesFirst() throws {
    let context = try makeContainer(model: PredicateModel.people).viewContext
    let people = try fill(context, ["a", "b", "c", "d"])
    people[0].setValue(people[3], forKey: "friend")
    people[1].setValue(people[2], forKey: "friend")
    people[3].setValue(people[2], forKey: "friend")
    try context.save()
    let byFriend = [
      NSSortDescriptor(key: "friend.name", ascending: true),
      NSSortDescriptor(key: "name", ascending: false),
    ]
    XCTAssertEqual(names(try self.people(context, byFriend)), ["c", "d", "b", "a"])
    let byTheirs = [
      NSSortDescriptor(key: "friend.friend.name", ascending: false),
      NSSortDescriptor(key: "self.name", ascending: true),
    ]
    XCTAssertEqual(
      NSArray(array: people).sortedArray(using: byTheirs).map { ($0 as? NSManagedObject) },
      try self.people(context, [byTheirs[0], NSSortDescriptor(key: "name", ascending: true)]))
    // An unsaved change sorts in memory.
    people[2].setValue(people[0], forKey: "friend")
    XCTAssertEqual(names(try self.people(context, byFriend)), ["c", "d", "b", "a"])
    people[3].setValue(nil, forKey: "friend")
    XCTAssertEqual(names(try self.people(context, byFriend)), ["d", "c", "b", "a"])
  }

  func testF21_textsCompareAsTheDescriptorSays() throws {
    let context = try makeContainer(model: PredicateModel.people).viewContext
    let all = try fill(context, ["b", "A", "a", "B", "é", "f", "10", "9", "E"])
    for (comparison, order) in [
      (.plain, "109ABEabfé"), (.caseInsensitive, "109AaBbEfé"), (.localized, "109aAbBEéf"),
      (.localizedStandard, "910aAbBEéf"),
    ] as [(SortComparison, String)] {
      let descriptors = [
        NSSortDescriptor(key: "name", ascending: true, comparing: comparison),
        NSSortDescriptor(key: "name", ascending: true),
      ]
      XCTAssertEqual(names(try people(context, descriptors)).joined(), order, "\(comparison)")
      let sorted = NSArray(array: all).sortedArray(using: descriptors)
      XCTAssertEqual(
        sorted.compactMap { ($0 as? NSManagedObject)?.value(forKey: "name") as? String }.joined(),
        order, "\(comparison) in memory")
    }
  }

  func testF21_keyPathsAndSortDescriptorsOfSwiftNameProperties() throws {
    let context = try makeContainer().viewContext
    for (title, name, words) in [("x", "Bo", 1), ("y", "Al", 3), ("z", "Al", 2)] {
      let article = Article(context: context)
      article.title = title
      article.wordCount = Int64(words)
      article.author = Author(context: context)
      article.author?.name = name
    }
    try context.save()
    let request = NSFetchRequest<Article>(entityName: "Article")
    request.sortDescriptors = [
      NSSortDescriptor(keyPath: \Article.author?.name, ascending: true),
      NSSortDescriptor(keyPath: \Article.wordCount, ascending: false),
    ]
    XCTAssertEqual(try context.fetch(request).map(\.title), ["y", "z", "x"])
    request.sortDescriptors = [SortDescriptor(\Article.wordCount, order: .reverse)]
      .map { NSSortDescriptor($0) }
    XCTAssertEqual(try context.fetch(request).map(\.title), ["y", "z", "x"])
    request.sortDescriptors = [NSSortDescriptor(SortDescriptor(\Article.title, order: .reverse))]
    XCTAssertEqual(try context.fetch(request).map(\.title), ["z", "y", "x"])
    XCTAssertEqual(NSSortDescriptor(key: "author.name", ascending: true).key, "author.name")
    let byBlock = NSSortDescriptor(key: "author.name", ascending: true) { _, _ in .orderedSame }
    XCTAssertEqual(byBlock.key, "author.name")
  }

  func testF21_aBlockSortsInMemory() throws {
    let context = try makeContainer(model: PredicateModel.people).viewContext
    let all = NSArray(array: try fill(context, ["bbb", "a", "cc"]))
    let byLength = NSSortDescriptor(key: "name", ascending: false) { left, right in
      let lengths = [left, right].map { ($0 as? String)?.count ?? 0 }
      return lengths[0] < lengths[1]
        ? .orderedAscending : lengths[0] > lengths[1] ? .orderedDescending : .orderedSame
    }
    XCTAssertEqual(
      names(all.sortedArray(using: [byLength]).compactMap { $0 as? NSManagedObject }),
      ["bbb", "cc", "a"])
    let reversed = try XCTUnwrap(byLength.reversedSortDescriptor as? NSSortDescriptor)
    XCTAssertEqual(
      names(all.sortedArray(using: [reversed]).compactMap { $0 as? NSManagedObject }),
      ["a", "cc", "bbb"])
  }

  /// `SPEC_SEED=<seed>` repeats one seed alone.
  func testF21_F35_theStoreAndTheMemoryOrderAlike() throws {
    let keys = [
      "name", "age", "height", "born", "money", "code", "home", "isActive", "friend.name",
      "team.name", "team.lead.height", "friend.friend.age", "friend.team.size",
    ]
    let seed = ProcessInfo.processInfo.environment["SPEC_SEED"].flatMap { Int($0) }
    for seed in seed.map({ [$0] }) ?? Array(1...20) {
      let container = try openContainer(model: PredicateModel.people, at: storeURL("\(seed)"))
      let context = container.viewContext
      var random = SeededGenerator(seed: seed)
      _ = try PredicateWorld(context, &random)
      for round in 0..<30 {
        let descriptors = (0...Int.random(in: 0...2, using: &random)).map { _ in
          NSSortDescriptor(
            key: keys.randomElement(using: &random), ascending: Bool.random(using: &random),
            comparing: SortComparison.allCases.randomElement(using: &random)!)
        }
        // From round 15 on one object is changed, so that the whole is sorted in memory.
        if round == 15 { try people(context, []).first?.setValue("changed", forKey: "name") }
        let found = try people(context, descriptors)
        for (left, right) in zip(found, found.dropFirst()) {
          let first = descriptors.lazy.map { $0.compare(left, to: right) }
            .first { $0 != .orderedSame }
          XCTAssertNotEqual(
            first, .orderedDescending, "SPEC_SEED=\(seed) round \(round): \(descriptors)")
        }
      }
    }
  }
}
