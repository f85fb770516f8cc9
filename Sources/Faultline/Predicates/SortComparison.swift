import Foundation

/// How a sort descriptor compares texts; all other values have one order only.
///
/// Apple's descriptors name a method for this (`caseInsensitiveCompare:` and so on), which Linux
/// has no way to name.
public enum SortComparison: Int, CaseIterable, Sendable {
  /// By the bytes of UTF-8.
  case plain
  /// Letters of either case are the same.
  case caseInsensitive
  /// As the current locale orders words.
  case localized
  /// As the current locale orders words, letters of either case being the same.
  case localizedCaseInsensitive
  /// As people expect of lists of names: numbers inside texts by what they are worth.
  case localizedStandard

  /// How one text stands to another.
  func compare(_ left: String, _ right: String) -> ComparisonResult {
    switch self {
    case .plain: Operand.order(left, right)
    case .caseInsensitive:
      Operand.order(
        TextFolding.fold(left, .caseInsensitive), TextFolding.fold(right, .caseInsensitive))
    case .localized: left.localizedCompare(right)
    case .localizedCaseInsensitive: left.localizedCaseInsensitiveCompare(right)
    case .localizedStandard: left.localizedStandardCompare(right)
    }
  }

  /// How one value of predicates stands to another; null comes first.
  func compare(_ left: Operand, _ right: Operand) -> ComparisonResult {
    switch (left, right) {
    case (.text(let a), .text(let b)): return compare(a, b)
    case (.null, .null): return .orderedSame
    case (.null, _): return .orderedAscending
    case (_, .null): return .orderedDescending
    default: return Operand.compare(left, right) ?? .orderedSame
    }
  }
}
