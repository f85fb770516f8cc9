public import PlaygroundKit

/// What `faultline matrix` explores.
public enum Matrix {
  /// A table for each anomaly; its scenario has a side for each stack under each policy.
  public static let scenarios: [any Scenario.Type] = [
    LostUpdateInMatrix.self,
    WriteSkewInMatrix.self,
    StaleReadInMatrix.self,
    GhostInMatrix.self,
    DuplicateInMatrix.self,
    HalfMergedFormInMatrix.self,
  ]

  /// What `--anomaly` calls them, in the same order.
  public static let anomalies = scenarios.map { MatrixLine.anomaly($0.card.slug) }

  /// The rows.
  public static let stacks = Stack.allCases.map { MatrixLine($0.rawValue, $0.heading) }

  /// The columns.
  public static let policies = Policy.allCases.map { MatrixLine($0.rawValue, $0.heading) }
}
