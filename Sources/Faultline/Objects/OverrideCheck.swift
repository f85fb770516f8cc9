/// Whether a class overrides `validateValue(_:forKey:)`.
///
/// Asking every object for every property would cost more than the rest of validation, so it is
/// asked for those that have something to say. Swift does not tell who overrides what, but a class
/// lists its methods in its metadata, those it inherits at the same places as its parent:
///
/// 1. Two classes of our own, of which one overrides the method, differ from `NSManagedObject` in
///    several places, but only the method's place is one where the other does not differ.
/// 2. A class overrides the method if it has something else there than `NSManagedObject`.
///
/// If step 1 does not find exactly one place, every class counts as overriding.
enum OverrideCheck {
  private class Plain: NSManagedObject {}
  private final class Overriding: NSManagedObject {
    override func validateValue(_ value: inout Any?, forKey key: String) throws {
      try super.validateValue(&value, forKey: key)
    }
  }

  /// The words of the metadata that stand before a class's methods.
  private static let headWords = 7

  /// The place of the method, in words from the class itself; -1 if it was not found.
  private static let place: Int = {
    let (base, plain, other) = (
      words(NSManagedObject.self), words(Plain.self), words(Overriding.self)
    )
    // Two halves of the fifth word: the size of the whole metadata, and what lies before the class.
    let sizes = UInt(base[4])
    let count = (Int(sizes & 0xFFFF_FFFF) - Int(sizes >> 32)) / MemoryLayout<UInt>.size
    guard count > headWords, count < 4096 else { return -1 }
    let places = (headWords..<count).filter { plain[$0] == base[$0] && other[$0] != base[$0] }
    return places.count == 1 ? places[0] : -1
  }()

  /// Whether the class, or one it inherits from, overrides the method.
  static func overridesValidateValue(_ type: NSManagedObject.Type) -> Bool {
    place < 0 || words(type)[place] != words(NSManagedObject.self)[place]
  }

  private static func words(_ type: NSManagedObject.Type) -> UnsafePointer<UInt> {
    unsafeBitCast(type, to: UnsafePointer<UInt>.self)
  }
}
