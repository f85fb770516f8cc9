import Dispatch
import Foundation
import XCTest

@testable import Faultline

/// How a model is compiled.
final class EntityLayoutTests: XCTestCase {
  private func model() -> NSManagedObjectModel {
    let model = NSManagedObjectModel()
    model.entities = (0..<20).map { number in
      let entity = NSEntityDescription()
      entity.name = "E\(number)"
      entity.properties = (0..<20).map {
        let attribute = NSAttributeDescription()
        attribute.name = "a\($0)"
        attribute.attributeType = .stringAttributeType
        return attribute
      }
      return entity
    }
    return model
  }

  /// While one thread compiles the model, the other asks for an entity that is not finished.
  func testWhoeverAsksForALayoutGetsAWholeOne() {
    for _ in 0..<50 {
      let model = Shared(value: model())
      let counts = Lock<[Int]>([])
      DispatchQueue.concurrentPerform(iterations: 4) { number in
        let entity = model.value.entities[19 - number]
        let count = entity.layout.slots.count
        counts.withLock { $0.append(count) }
      }
      XCTAssertEqual(counts.withLock { $0 }, [20, 20, 20, 20])
    }
  }

  private final class Claimed: NSManagedObject {}

  private func family(of count: Int) -> NSManagedObjectModel {
    let model = NSManagedObjectModel()
    model.entities = (0..<count).flatMap { number -> [NSEntityDescription] in
      let root = NSEntityDescription()
      root.name = "Root\(number)"
      let leaf = NSEntityDescription()
      leaf.name = "Leaf\(number)"
      leaf.managedObjectClassName = number == 0 ? String(reflecting: Claimed.self) : nil
      root.subentities = [leaf]
      return [root, leaf]
    }
    return model
  }

  func testAClassOfAnotherModuleIsAnotherClass() {
    let name = String(describing: Claimed.self)
    for (module, isMeant) in [("", true), ("FaultlineTests.", true), ("Elsewhere.", false)] {
      let entity = NSEntityDescription()
      entity.name = "Claim"
      entity.managedObjectClassName = module + name
      let model = NSManagedObjectModel()
      model.entities = [entity]
      withExtendedLifetime(model) {
        XCTAssertEqual(entity.layout.isRepresented(by: Claimed.self), isMeant, module)
        XCTAssertEqual(entity.layout.objectClass == Claimed.self, isMeant, module)
      }
    }
  }

  func testAModelThatIsInUseIsFoundByItsClass() {
    for _ in 0..<300 {
      let model = Shared(value: family(of: 2))
      let counts = Lock<[Int]>([])
      DispatchQueue.concurrentPerform(iterations: 4) { _ in
        model.value.freeze()
        let count = LivingModels.entities(for: Claimed.self).count
        counts.withLock { $0.append(count) }
      }
      XCTAssertEqual(counts.withLock { $0 }, [1, 1, 1, 1])
    }
  }

  /// Each of the threads lets models go while the others look through the list of them.
  func testModelsMayGoOnSeveralThreads() {
    let done = expectation(description: "every model went")
    let makeModel: @Sendable () -> NSManagedObjectModel = {
      let model = NSManagedObjectModel()
      model.freeze()
      return model
    }
    DispatchQueue.global().async {
      DispatchQueue.concurrentPerform(iterations: 4) { _ in
        for _ in 0..<5_000 { _ = makeModel() }
      }
      done.fulfill()
    }
    wait(for: [done], timeout: 60)
  }

  func testNumbersOfOneStoreMayGoOnSeveralThreads() {
    let done = expectation(description: "every number went")
    DispatchQueue.global().async {
      DispatchQueue.concurrentPerform(iterations: 4) { _ in
        for _ in 0..<20_000 { _ = StoreNumber.of("a store that four threads meet at") }
      }
      done.fulfill()
    }
    wait(for: [done], timeout: 60)
  }

  func testA1_idsAreComparedWhenTheirModelIsGone() {
    func makeIDs() -> [NSManagedObjectID] {
      let model = family(of: 2)
      let store = StoreIdentity(uuid: "S")
      let layouts = [0, 0, 1].compactMap { model.entitiesByName["Leaf\($0)"]?.layout }
      return layouts.map { NSManagedObjectID(layout: $0, store: store, key: 1) }
    }
    let ids = makeIDs()
    XCTAssertEqual(ids[0], ids[1])
    XCTAssertNotEqual(ids[0], ids[2])
    XCTAssertEqual(Set(ids).count, 2)
  }

  private struct Shared: @unchecked Sendable {
    let value: NSManagedObjectModel
  }
}

// Safe to share: the model is only read after it was made.
