public import PlaygroundKit

/// The scenarios that `faultline matrix` explores.
public enum Matrix {
  /// One scenario per anomaly, with a side for each stack under each policy.
  public static let scenarios: [any Scenario.Type] = [
    LostUpdateInMatrix.self,
    WriteSkewInMatrix.self,
    StaleReadInMatrix.self,
    GhostInMatrix.self,
    DuplicateInMatrix.self,
    HalfMergedFormInMatrix.self,
  ]

  /// Their names for `--anomaly`, in the same order.
  public static let anomalies = scenarios.map { MatrixLine.anomaly($0.card.slug) }

  /// The rows.
  public static let stacks = Stack.allCases.map { MatrixLine($0.rawValue, $0.heading) }

  /// The columns.
  public static let policies = Policy.allCases.map { MatrixLine($0.rawValue, $0.heading) }
}
