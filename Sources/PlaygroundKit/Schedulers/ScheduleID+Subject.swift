import Foundation

extension ScheduleID {
  /// Whose schedules an id names.
  public enum Subject: Sendable, Hashable, Codable {
    /// Those of a scenario of the catalogue, by its number.
    case scenario(Int)
    /// Those of a learner's code, by the digest of its source: other code has other schedules.
    case source(String)

    /// The code of a file; four digits, because an id should be short and a learner has few files.
    public init(ofSource text: String) {
      let hash = text.utf8.fnvHash
      self = .source(Crockford.text((0..<Self.digits).map { UInt8(hash >> (5 * $0) & 31) }))
    }

    /// How many digits a digest has.
    static let digits = 4

    /// The subject as it stands in an id; the letter of a source keeps it apart from a number.
    var text: String {
      switch self {
      case .scenario(let number): number < 10 ? "0\(number)" : "\(number)"
      case .source(let digest): "x\(digest)"
      }
    }
  }
}

extension Sequence<UInt8> {
  /// The bytes as one number (64-bit FNV-1a, upper bits folded onto the lower ones).
  var fnvHash: UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in self { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return hash ^ hash >> 35
  }
}
