import CoreData
import Foundation
import XCTest

/// Whatever is done to a graph, contexts and file agree afterwards: on two coordinators, and with
/// ordered relationships, of which `ProgramSpecs` knows nothing.
///
/// A failure prints its seed; `SPEC_SEED=<seed> swift test --filter <test>` repeats it alone.
final class RandomGraphSpecs: SpecCase {
  private typealias Context = NSManagedObjectContext

  private var seeds: [Int] {
    let one = ProcessInfo.processInfo.environment["SPEC_SEED"].flatMap { Int($0) }
    return one.map { [$0] } ?? Array(1...6)
  }

  /// Compares what the context shows with what the file at the URL holds.
  private func expect(
    _ context: Context, showsFileAt url: URL, _ seed: Int, _ walk: RandomWalk,
    line: UInt = #line
  ) throws {
    let container = try openContainer(model: SpecModel.library, at: url)
    let stored = try container.viewContext.graph()
    let shown = try context.graph()
    let extra = Set(shown).subtracting(stored).sorted()
    let missing = Set(stored).subtracting(shown).sorted()
    XCTAssertEqual(
      shown, stored,
      "SPEC_SEED=\(seed): shown \(extra), stored \(missing) \(walk.steps.suffix(12))",
      line: line)
  }

  func testE25_E35_E36_afterMergesBothContextsShowTheFile() throws {
    for seed in seeds {
      let url = storeURL("\(seed)")
      let containers = try (0..<2).map { _ in
        try openContainer(model: SpecModel.library, at: url)
      }
      // Odd seeds work on two coordinators; every third merges by ids.
      let one = containers[0].viewContext
      let other = makeMainContext(containers[seed % 2])
      let name =
        seed % 3 == 0
        ? Context.didSaveObjectIDsNotification : Context.didSaveObjectsNotification
      let tokens = [(one, other), (other, one)].map { saver, receiver in
        NotificationCenter.default.addObserver(forName: name, object: saver, queue: nil) {
          receiver.mergeChanges(fromContextDidSave: $0)
        }
      }
      defer { tokens.forEach(NotificationCenter.default.removeObserver) }
      var walk = RandomWalk(seed: seed)
      for _ in 0..<10 {
        for context in [one, other] {
          for _ in 0..<6 { try walk.step(in: context, as: context === one ? "0:" : "1:") }
          XCTAssertNoThrow(try context.save(), "SPEC_SEED=\(seed) \(walk.steps.suffix(12))")
          walk.note("save")
        }
        // What was merged as deleted is pending until the receiver saves.
        try one.save()
        for context in [one, other] { try expect(context, showsFileAt: url, seed, walk) }
      }
    }
  }

  func testD2_D8_anOrderedRelationshipHoldsWhatAPlainArrayHolds() throws {
    for seed in seeds {
      let container = try openContainer(model: SpecModel.library, at: storeURL("\(seed)"))
      let context = container.viewContext
      let anthologies = (0..<2).map { _ in Anthology(context: context) }
      try context.save()
      var walk = RandomWalk(seed: seed)
      var plain: [[String]] = [[], []]
      var saved = plain
      for number in 0..<150 {
        let which = walk.number(below: 2)
        let place = walk.number(below: plain[which].count + 1)
        let set = anthologies[which].mutableOrderedSetValue(forKey: "pieces")
        let kind = plain[which].isEmpty ? 0 : walk.number(below: 8)
        walk.note("\(kind) of \(which) at \(place)")
        switch kind {
        case 0, 1:
          let piece = Piece(context: context)
          piece.name = "\(number)"
          set.insert(piece, at: place)
          plain[which].insert("\(number)", at: place)
        case 2:
          let old = walk.number(below: plain[which].count)
          let new = walk.number(below: plain[which].count)
          set.moveObjects(at: [old], to: new)
          plain[which].insert(plain[which].remove(at: old), at: new)
        case 3:
          let old = walk.number(below: plain[which].count)
          (set[old] as? Piece)?.anthology = anthologies[1 - which]
          plain[1 - which].append(plain[which].remove(at: old))
        case 4:
          let old = walk.number(below: plain[which].count)
          if let piece = set[old] as? Piece { context.delete(piece) }
          context.processPendingChanges()
          plain[which].remove(at: old)
        case 5:
          try context.save()
          saved = plain
        case 6: for anthology in anthologies { context.refresh(anthology, mergeChanges: true) }
        default:
          context.rollback()
          plain = saved
        }
        XCTAssertEqual(
          anthologies.map(\.pieceNames), plain, "SPEC_SEED=\(seed) \(walk.steps.suffix(12))")
      }
    }
  }
}
