/// The version of a row in words.
///
/// A row that is written again after its deletion counts its versions from a multiple of 2^32 on,
/// so that no version of its former life equals one of the new.
enum RowVersion {
  private static let life = 1 << 32

  /// `version 2`, or `version 1 of a new life`.
  static func words(_ version: Int) -> String {
    version < life ? "version \(version)" : "version \(version % life) of a new life"
  }

  /// The same for a cell: `v2`, or `new v1`.
  static func short(_ version: Int) -> String {
    version < life ? "v\(version)" : "new v\(version % life)"
  }
}
