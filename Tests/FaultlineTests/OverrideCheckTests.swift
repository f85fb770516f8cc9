import Foundation
import XCTest

@testable import Faultline

private class Silent: NSManagedObject {
  override func willSave() {}
  override func validateForInsert() throws {}
}

private class Speaking: NSManagedObject {
  override func validateValue(_ value: inout Any?, forKey key: String) throws {}
}

private final class SpeakingHeir: Speaking {
  override func awakeFromInsert() {}
}

final class OverrideCheckTests: XCTestCase {
  func testOnlyAClassThatOverridesTheMethodOrInheritsSuchAnOverrideIsFound() {
    XCTAssertFalse(OverrideCheck.overridesValidateValue(NSManagedObject.self))
    XCTAssertFalse(OverrideCheck.overridesValidateValue(Silent.self))
    XCTAssertTrue(OverrideCheck.overridesValidateValue(Speaking.self))
    XCTAssertTrue(OverrideCheck.overridesValidateValue(SpeakingHeir.self))
  }
}
