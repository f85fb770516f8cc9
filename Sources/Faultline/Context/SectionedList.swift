/// Elements in sections, and what leads from one such list to another.
///
/// A value that knows nothing of objects and contexts: a fetched results controller holds one, and
/// tells its delegate what `changes` finds.
struct SectionedList<Element: Hashable> {
  /// Consecutive elements of one name.
  struct Section {
    let name: String
    fileprivate(set) var elements: [Element] = []
    /// The name as it is told from others: by its bytes, as a store sorts.
    fileprivate var key: [UInt8] { Array(name.utf8) }
  }

  /// Where an element stands.
  struct Place: Hashable {
    let section: Int
    let item: Int
  }

  /// Thrown when a section's elements do not stand together.
  struct OutOfOrder: Error {
    let name: String
    let index: Int
  }

  /// The sections, in order; none is empty, except the one section of a list without names.
  private(set) var sections: [Section] = []
  /// The place of every element.
  private(set) var places: [Element: Place] = [:]
  private let isSectioned: Bool

  /// Makes a list; without sections all elements are in one section without a name, which is there
  /// even when it is empty.
  init(_ pairs: [(name: String, element: Element)], isSectioned: Bool) throws {
    self.isSectioned = isSectioned
    if !isSectioned { sections = [Section(name: "")] }
    places.reserveCapacity(pairs.count)
    var seen: Set<[UInt8]> = []
    for (index, (name, element)) in pairs.enumerated() {
      if isSectioned, sections.last?.name.hasBytes(of: name) != true {
        guard seen.insert(Array(name.utf8)).inserted else {
          throw OutOfOrder(name: name, index: index)
        }
        sections.append(Section(name: name))
      }
      let last = sections.count - 1
      places[element] = Place(section: last, item: sections[last].elements.count)
      sections[last].elements.append(element)
    }
  }

  /// All elements in order.
  var elements: [Element] {
    sections.count == 1 ? sections[0].elements : sections.flatMap(\.elements)
  }

  /// The element at a place.
  subscript(place: Place) -> Element { sections[place.section].elements[place.item] }

  // MARK: Another list

  /// The list with some elements taken out and put where the order wants them, under new names.
  ///
  /// 1. Whoever is not touched stays, in its order and under its name.
  /// 2. Arrivals are sorted; where the order makes no difference, those that were in the list keep
  ///    their order, and new ones come last.
  /// 3. Each is put before the first of the others that must come after it.
  ///
  /// - Throws: `OutOfOrder` if the order does not keep the elements of a section together.
  func replacing(
    _ touched: Set<Element>, with arrivals: [(name: String, element: Element)],
    by order: (Element, Element) -> Bool?
  ) throws -> SectionedList {
    var starts = [0]
    for section in sections { starts.append(starts[starts.count - 1] + section.elements.count) }
    func formerIndex(_ element: Element) -> Int {
      places[element].map { starts[$0.section] + $0.item } ?? Int.max
    }
    func precedes(_ left: Element, _ right: Element) -> Bool {
      order(left, right) ?? (formerIndex(left) < formerIndex(right))
    }
    var staying: [(name: String, element: Element)] = []  // 1
    for section in sections {
      for element in section.elements where !touched.contains(element) {
        staying.append((section.name, element))
      }
    }
    let sorted = arrivals.enumerated().sorted { left, right in  // 2
      if precedes(left.element.element, right.element.element) { return true }
      if precedes(right.element.element, left.element.element) { return false }
      return left.offset < right.offset
    }.map(\.element)
    var pairs: [(name: String, element: Element)] = []  // 3
    pairs.reserveCapacity(staying.count + sorted.count)
    var next = 0
    for arrival in sorted {
      var (low, high) = (next, staying.count)
      while low < high {
        let middle = (low + high) / 2
        if precedes(arrival.element, staying[middle].element) {
          high = middle
        } else {
          low = middle + 1
        }
      }
      pairs += staying[next..<low]
      pairs.append(arrival)
      next = low
    }
    pairs += staying[next...]
    return try SectionedList(pairs, isSectioned: isSectioned)
  }
}

extension SectionedList {
  /// What happened to an element or a section.
  enum Kind {
    case insert, delete, move, update
  }

  /// What happened to one element: where it stood in the old list, where it stands in the new one.
  struct ElementChange {
    let kind: Kind
    let element: Element
    let old: Place?
    let new: Place?
  }

  /// A section of the old list that is gone, or one of the new list that has come.
  struct SectionChange {
    let kind: Kind
    let index: Int
    let section: Section
  }

  /// All that leads from one list to another.
  struct Changes {
    var sections: [SectionChange] = []
    var elements: [ElementChange] = []

    /// Whether the lists are equal and nobody was touched.
    var isEmpty: Bool { sections.isEmpty && elements.isEmpty }
  }

  /// The changes, if nobody comes, goes or moves; they cost nothing for those that are not touched.
  ///
  /// The list stays as it is if every arrival stands between its neighbours and under its name.
  func updates(
    _ touched: Set<Element>, with arrivals: [(name: String, element: Element)],
    by order: (Element, Element) -> Bool?
  ) -> Changes? {
    guard arrivals.count == touched.count else { return nil }
    var changes = Changes()
    for (name, element) in arrivals {
      guard let place = places[element], sections[place.section].name.hasBytes(of: name)
      else { return nil }
      if let previous = neighbour(of: place, -1), order(element, previous) == true { return nil }
      if let next = neighbour(of: place, 1), order(next, element) == true { return nil }
      changes.elements.append(
        ElementChange(kind: .update, element: element, old: place, new: place))
    }
    changes.elements.sort {
      ($0.old!.section, $0.old!.item) < ($1.old!.section, $1.old!.item)
    }
    return changes
  }

  /// The element before a place, or behind it; none of the sections around is empty.
  private func neighbour(of place: Place, _ step: Int) -> Element? {
    let section = sections[place.section].elements
    if section.indices.contains(place.item + step) { return section[place.item + step] }
    guard sections.indices.contains(place.section + step) else { return nil }
    let other = sections[place.section + step].elements
    return step < 0 ? other.last : other.first
  }

  /// What leads from an old list to this one.
  ///
  /// Elements that were not touched must be in both lists, in the same order and section, and are
  /// mentioned nowhere. Of the touched ones as few as possible are moves.
  ///
  /// 1. Sections of one name are the same one if they need not change places; all others go or
  ///    come.
  /// 2. Elements that are only in one list go or come.
  /// 3. Elements that stay in a section and need not change places are updates; all others move.
  func changes(from old: SectionedList, touched: Set<Element>) -> Changes {
    var changes = Changes()
    let kept = keptSections(old, touched)  // 1
    let keptOld = Set(kept.values)
    for (index, section) in old.sections.enumerated() where !keptOld.contains(index) {
      changes.sections.append(SectionChange(kind: .delete, index: index, section: section))
    }
    for (index, section) in sections.enumerated() where kept[index] == nil {
      changes.sections.append(SectionChange(kind: .insert, index: index, section: section))
    }
    var (inserts, moves, updates): ([ElementChange], [ElementChange], [ElementChange]) = (
      [], [], []
    )
    for section in old.sections {  // 2
      for element in section.elements where places[element] == nil {
        changes.elements.append(
          ElementChange(kind: .delete, element: element, old: old.places[element], new: nil))
      }
    }
    let present = touched.compactMap { places[$0] }.sorted { $0.item < $1.item }
    let bySection = Dictionary(grouping: present, by: \.section)
    for index in bySection.keys.sorted() {  // 3
      let stays = staying(in: sections[index], from: kept[index], old, touched)
      for element in bySection[index, default: []].map({ self[$0] }) {
        let kind: Kind =
          old.places[element] == nil ? .insert : stays.contains(element) ? .update : .move
        let change = ElementChange(
          kind: kind, element: element, old: old.places[element], new: places[element])
        switch kind {
        case .insert: inserts.append(change)
        case .update: updates.append(change)
        case .move, .delete: moves.append(change)
        }
      }
    }
    changes.elements += inserts + moves + updates
    return changes
  }

  /// Step 1: the old index of each section that is the same one, by its new index.
  private func keptSections(_ old: SectionedList, _ touched: Set<Element>) -> [Int: Int] {
    let former = Dictionary(uniqueKeysWithValues: old.sections.enumerated().map { ($1.key, $0) })
    let common = sections.indices.filter { former[sections[$0].key] != nil }
    let numbers = common.map { former[sections[$0].key]! }
    let anchored = common.map { index in
      sections[index].elements.contains { !touched.contains($0) && old.places[$0] != nil }
    }
    let rising = Self.rising(numbers, anchored: anchored)
    return Dictionary(
      uniqueKeysWithValues: common.indices.filter { rising[$0] }.map { (common[$0], numbers[$0]) })
  }

  /// Step 3 for one section: its touched elements that stay and need not change places.
  private func staying(
    in section: Section, from former: Int?, _ old: SectionedList, _ touched: Set<Element>
  ) -> Set<Element> {
    guard let former else { return [] }
    let common = section.elements.filter { old.places[$0]?.section == former }
    let rising = Self.rising(
      common.map { old.places[$0]!.item }, anchored: common.map { !touched.contains($0) })
    return Set(
      common.indices.filter { rising[$0] && touched.contains(common[$0]) }.map { common[$0] })
  }

  /// Which of some numbers can stay so that those that stay rise: all that are anchored, which do
  /// rise, and between two of them as many as possible.
  private static func rising(_ numbers: [Int], anchored: [Bool]) -> [Bool] {
    var stays = anchored
    var (start, low) = (0, -1)
    for end in 0...numbers.count where end == numbers.count || anchored[end] {
      let high = end < numbers.count ? numbers[end] : Int.max
      let free = (start..<end).filter { numbers[$0] > low && numbers[$0] < high }
      for index in Positions.longestRise(free.map { Int64(numbers[$0]) }) {
        stays[free[index]] = true
      }
      (start, low) = (end + 1, high)
    }
    return stays
  }
}
