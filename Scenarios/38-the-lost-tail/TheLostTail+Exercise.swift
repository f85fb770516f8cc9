import PlaygroundKit

extension TheLostTail {
  /// The test that a learner writes, what must hold, and the tests that see too little.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      Seven imports save in batches. One stores exactly what it is given, six do not. Write the \
      test that tells them apart: `isRight` returns true for the right one only. Checked with \
      each import and batches of 4, and with another size that you do not see.
      """,
    minutes: 20, file: "ImportTest.swift", support: ["Imports.swift"],
    parameters: [Parameter("import", 0, in: 0...6, "which of the imports is tested")],
    notASide: """
      The exercise of scenario 38 is a test, and no side of the scenario: `faultline check` runs \
      it with each import.
      """,
    shown: .init(["batch": 4], bound: 0), hidden: .init(["batch": 7], bound: 0),
    requirements: [
      Requirement(
        "seen", "the test sees each broken import, and does not accuse the right one",
        .mutants("import", values: Array(0...6), note: "verdict", whatIsWrong: flaw), points: 8,
        credit: .fraction,
        say: .init(
          pass: "Your test calls {seen} broken imports wrong, and the right one right.",
          fail: "Broken imports seen: {seen}.",
          hidden: "With batches of another size your test errs about some import."))
    ],
    hints: [
      "Where can an import that saves in batches go wrong? Before the first batch is full, at the"
        + " last row of a batch, and at the first row after it.",
      "Import one article less than a batch, exactly a batch, and one more. Ask a context that did"
        + " not import: it finds only what is in the file.",
      "Give every article a name that occurs once, also across imports. In the end compare the"
        + " sorted names in the file with the sorted names that you have imported.",
    ],
    nearMisses: [
      .init("ManyRowsOnly", points: 5, misses: ["seen"]),
      .init("CountsRows", points: 7, misses: ["seen"]),
      .init("AsksTheImporter", points: 1, misses: ["seen"]),
      .init("ForgetsEarlierRows", points: 0, misses: ["seen"]),
      .init("KnowsTheNumbers", points: 0, misses: ["seen"]),
    ])

  /// What is wrong with the import that a run tests.
  @Sendable private static func flaw(_ values: [String: Int]) -> String? {
    flaws[(5 * values["import", default: 0] + 3 * values["batch", default: 0] + 1) % flaws.count]
  }

  /// What is wrong with each import, in the order of `Imports`; nothing with the first.
  private static let flaws: [String?] = [
    nil,
    "saves at index 0 and then at each multiple of the batch",
    "saves full batches only",
    "saves nothing if there is no full batch",
    "stores the first row of a batch twice",
    "sets a name after the save",
    "stops saving after the first batch",
  ]
}
