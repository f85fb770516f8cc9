import Foundation

/// A place in the histories of stores: of each the number of the transaction that stands before it.
///
/// Tokens can be archived and compared for equality; none is smaller than another.
open class NSPersistentHistoryToken: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// The number of the last transaction before the place, by the store's UUID.
  let numbers: [String: Int64]
  private static let codingKey = "stores"
  /// Whatever a property list holds, because Foundation on Linux ends the process where another
  /// class stands than was asked for.
  private static var allowed: [AnyClass] {
    [
      NSString.self, NSNumber.self, NSData.self, NSDate.self, NSArray.self, NSDictionary.self,
      NSNull.self,
    ]
  }

  init(numbers: [String: Int64]) { self.numbers = numbers }

  /// Whether archives can insist on the class: yes.
  open class var supportsSecureCoding: Bool { true }

  /// Reads a token back; nil if the archive holds none.
  public required init?(coder: NSCoder) {
    guard let text = coder.decodeObject(of: Self.allowed, forKey: Self.codingKey) as? String,
      let numbers = Self.numbers(in: text)
    else { return nil }
    self.numbers = numbers
  }

  /// Writes the token as text.
  open func encode(with coder: NSCoder) { coder.encode(text as NSString, forKey: Self.codingKey) }

  /// A line for each store: its UUID, a space, the number.
  var text: String {
    numbers.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: "\n")
  }

  /// The numbers in the text of an archive; nil if it is anything else.
  static func numbers(in text: String) -> [String: Int64]? {
    var numbers: [String: Int64] = [:]
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) where text != "" {
      let parts = line.split(separator: " ", omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[0].isEmpty, let number = Int64(parts[1]), number >= 0,
        numbers.updateValue(number, forKey: String(parts[0])) == nil
      else { return nil }
    }
    return numbers
  }

  /// The token itself, because it never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  open override func isEqual(_ object: Any?) -> Bool {
    (object as? NSPersistentHistoryToken)?.numbers == numbers
  }

  open override var hash: Int { numbers.hashValue }

  open override var description: String {
    let parts = numbers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    return "<NSPersistentHistoryToken \(parts.joined(separator: ", "))>"
  }
}

// Safe to share: `numbers` is constant.
