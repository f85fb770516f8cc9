public import PlaygroundKit

/// Every scenario, in the order of its number.
public let catalogue: [any Scenario.Type] = []
