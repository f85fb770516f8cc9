/// What changed an object behind its back.
public struct NSSnapshotEventType: OptionSet, Sendable {
  /// The bits.
  public let rawValue: UInt
  /// Makes a set from its bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }
  /// An insertion was undone.
  public static let undoInsertion = NSSnapshotEventType(rawValue: 2)
  /// A deletion was undone.
  public static let undoDeletion = NSSnapshotEventType(rawValue: 4)
  /// A change was undone.
  public static let undoUpdate = NSSnapshotEventType(rawValue: 8)
  /// The context rolled back.
  public static let rollback = NSSnapshotEventType(rawValue: 16)
  /// The object was refreshed.
  public static let refresh = NSSnapshotEventType(rawValue: 32)
  /// A merge policy decided.
  public static let mergePolicy = NSSnapshotEventType(rawValue: 64)
}
