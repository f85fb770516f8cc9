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

  private struct Shared: @unchecked Sendable {
    let value: NSManagedObjectModel
  }
}

// Safe to share: the model is only read after it was made.
