import XCTest

@testable import Faultline

final class SectionedListTests: XCTestCase {
  private typealias List = SectionedList<Character>

  /// Every way to put some of the elements in some order into sections of different names.
  private func lists(of elements: [Character], names: [String]) throws -> [List] {
    try arrangements(of: elements).flatMap { order in
      try partitions(of: order, names: names).map { try List($0, isSectioned: true) }
    }
  }

  private func arrangements(of elements: [Character]) -> [[Character]] {
    [[]]
      + elements.flatMap { first in
        arrangements(of: elements.filter { $0 != first }).map { [first] + $0 }
      }
  }

  private func partitions(
    of order: [Character], names: [String]
  ) -> [[(name: String, element: Character)]] {
    if order.isEmpty { return [[]] }
    return (1...order.count).flatMap { count in
      names.flatMap { name in
        partitions(of: Array(order[count...]), names: names.filter { $0 != name })
          .map { order[..<count].map { (name, $0) } + $0 }
      }
    }
  }

  /// Every set of elements that may have been touched: all that came or went, and enough others
  /// that the rest kept its order and its sections.
  private func touches(_ old: List, _ new: List) -> [Set<Character>] {
    let both = old.elements.filter { new.places[$0] != nil }
    let changed = Set(old.elements).symmetricDifference(new.elements)
    return (0..<(1 << both.count)).compactMap { bits in
      let rest = both.indices.filter { bits & (1 << $0) == 0 }.map { both[$0] }
      let isStill =
        new.elements.filter(rest.contains) == rest
        && rest.allSatisfy { name(of: $0, in: old) == name(of: $0, in: new) }
      return isStill ? changed.union(both).subtracting(rest) : nil
    }
  }

  private func name(of element: Character, in list: List) -> String? {
    list.places[element].map { list.sections[$0.section].name }
  }

  private func text(_ list: List) -> String {
    list.sections.map { "\($0.name)(\(String($0.elements)))" }.joined()
  }

  /// What a view does that is told of changes: old places count before everything, new ones after.
  private func apply(_ changes: List.Changes, to old: List) -> String? {
    var sections = old.sections.map { (name: $0.name, elements: $0.elements) }
    let leaving = changes.elements.filter { $0.kind == .delete || $0.kind == .move }
    for change in leaving.sorted(by: { $0.old!.item > $1.old!.item }) {
      guard sections[change.old!.section].elements[change.old!.item] == change.element else {
        return nil
      }
      sections[change.old!.section].elements.remove(at: change.old!.item)
    }
    for change in changes.sections.reversed() where change.kind == .delete {
      guard sections[change.index].elements.isEmpty else { return nil }
      sections.remove(at: change.index)
    }
    for change in changes.sections where change.kind == .insert {
      sections.insert((change.section.name, []), at: change.index)
    }
    let coming = changes.elements.filter { $0.kind == .insert || $0.kind == .move }
    for change in coming.sorted(by: { $0.new!.item < $1.new!.item }) {
      guard sections[change.new!.section].elements.count >= change.new!.item else { return nil }
      sections[change.new!.section].elements.insert(change.element, at: change.new!.item)
    }
    return sections.map { "\($0.name)(\(String($0.elements)))" }.joined()
  }

  func testApplyingTheChangesToTheOldListGivesTheNewOneForAllSmallLists() throws {
    let all = try lists(of: ["a", "b", "c", "d"], names: ["X", "Y", "Z"])
    let texts = all.map(text)
    // Which letters and names the old list has makes no difference, so they are its first ones.
    let ordered = all.filter {
      "abcd".hasPrefix(String($0.elements)) && "XYZ".hasPrefix($0.sections.map(\.name).joined())
    }
    XCTAssertEqual(ordered.count, 15)
    var count = 0
    for old in ordered {
      for (number, new) in all.enumerated() {
        for touched in touches(old, new) {
          count += 1
          let changes = new.changes(from: old, touched: touched)
          let isRight =
            apply(changes, to: old) == texts[number] && changes.elements.count == touched.count
            && Set(changes.elements.map(\.element)) == touched
            && changes.elements.allSatisfy {
              $0.old == old.places[$0.element] && $0.new == new.places[$0.element]
            }
          if !isRight { XCTFail("\(text(old)) to \(text(new)) touching \(touched): \(changes)") }
        }
      }
    }
    XCTAssertGreaterThan(count, 48_000)
  }

  func testNobodyMovesInAListThatStaysAsItIs() throws {
    for list in try lists(of: ["a", "b", "c"], names: ["X", "Y", "Z"]) {
      let changes = list.changes(from: list, touched: Set(list.elements))
      XCTAssertTrue(changes.sections.isEmpty)
      XCTAssertTrue(changes.elements.allSatisfy { $0.kind == .update })
      XCTAssertTrue(list.changes(from: list, touched: []).isEmpty)
    }
  }

  func testAsFewElementsAsPossibleMove() throws {
    let names = [(name: String, element: Character)](
      "abcdefgh".map { ("", $0) })
    let old = try List(names, isSectioned: false)
    for order in ["bcdefgha", "habcdefg", "abdcefgh", "acbdegfh"] {
      let new = try List(order.map { ("", $0) }, isSectioned: false)
      let moves = new.changes(from: old, touched: Set(order)).elements.filter { $0.kind == .move }
      XCTAssertEqual(moves.count, order == "acbdegfh" ? 2 : 1, order)
    }
    let swapped = try List("bacdefgh".map { ("", $0) }, isSectioned: false)
    for touched in ["a", "b"] as Set<Character> {
      let moves = swapped.changes(from: old, touched: [touched]).elements
      XCTAssertEqual(moves.map(\.element), [touched], "only a touched one may move")
    }
  }

  func testArrivalsStandWhereTheOrderPutsThemAndTheOthersStay() throws {
    // Each element is a letter of a rank; the order compares ranks only.
    typealias Ranked = SectionedList<String>
    func rank(_ element: String) -> String { String(element.prefix(1)) }
    func order(_ left: String, _ right: String) -> Bool? {
      rank(left) == rank(right) ? nil : rank(left) < rank(right)
    }
    let all = ["1a", "1b", "2a", "2b", "3a"]
    for bits in 0..<32 {
      let present = all.indices.filter { bits & (1 << $0) != 0 }.map { all[$0] }
      let old = try Ranked(present.map { (rank($0), $0) }, isSectioned: true)
      for arriving in 0..<32 {
        let arrivals = all.indices.filter { arriving & (1 << $0) != 0 }.map { all[$0] }
        let new = try old.replacing(
          Set(arrivals), with: arrivals.reversed().map { (rank($0), $0) }, by: order)
        if let updates = old.updates(
          Set(arrivals), with: arrivals.reversed().map { (rank($0), $0) }, by: order)
        {
          XCTAssertTrue(Set(present).isSuperset(of: arrivals))
          XCTAssertEqual(
            updates.elements.map(\.element),
            new.changes(from: old, touched: Set(arrivals)).elements.map(\.element))
        } else {
          XCTAssertFalse(Set(present).isSuperset(of: arrivals))
        }
        let expected = Set(present + arrivals)
        XCTAssertEqual(Set(new.elements), expected)
        XCTAssertEqual(new.elements.map(rank), expected.map(rank).sorted())
        XCTAssertEqual(
          new.elements.filter(present.contains), present, "ties keep the order they had")
      }
    }
  }

  func testWhoMustMoveIsNotMerelyUpdated() throws {
    let old = try List([("X", "b"), ("X", "d"), ("Y", "f")], isSectioned: true)
    for (element, name, letter) in [
      ("b", "X", "e"), ("d", "X", "a"), ("d", "X", "g"), ("f", "Y", "c"), ("d", "Y", "e"),
    ] as [(Character, String, Character)] {
      // The element's letter has become another one.
      func letters(_ left: Character, _ right: Character) -> Bool? {
        let (one, two) = (left == element ? letter : left, right == element ? letter : right)
        return one == two ? nil : one < two
      }
      XCTAssertNil(old.updates([element], with: [(name, element)], by: letters))
    }
    XCTAssertNil(old.updates(["b"], with: []) { $0 < $1 })
    XCTAssertNil(old.updates(["a"], with: [("X", "a")]) { $0 < $1 })
    XCTAssertEqual(
      old.updates(["d", "b"], with: [("X", "d"), ("X", "b")]) { $0 < $1 }?.elements.map(\.element),
      ["b", "d"])
  }

  func testASectionWhoseElementsDoNotStandTogetherIsRefused() throws {
    XCTAssertThrowsError(
      try List([("X", "a"), ("Y", "b"), ("X", "c")], isSectioned: true)
    ) { error in
      XCTAssertEqual((error as? List.OutOfOrder)?.name, "X")
      XCTAssertEqual((error as? List.OutOfOrder)?.index, 2)
    }
  }

  func testAListWithoutSectionsHasOneEvenWhenItIsEmpty() throws {
    let empty = try List([], isSectioned: false)
    XCTAssertEqual(text(empty), "()")
    let one = try empty.replacing(["a"], with: [("", "a")]) { $0 < $1 }
    XCTAssertTrue(one.changes(from: empty, touched: ["a"]).sections.isEmpty)
    XCTAssertEqual(text(try one.replacing(["a"], with: []) { $0 < $1 }), "()")
  }
}
