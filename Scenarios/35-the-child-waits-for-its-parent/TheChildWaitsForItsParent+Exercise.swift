import PlaygroundKit

extension TheChildWaitsForItsParent {
  /// What a learner looks for and puts right, what must hold, and the wrong repairs that prove it.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      The main thread asks a form whether anything is unsaved, and sometimes both wait for ever. \
      First answer the questions in answers.txt, with `faultline explore 35` and `faultline \
      draw`. Then change `isUnsaved` in AskForm.swift so that no schedule ends in a deadlock, \
      and main still asks while the form may be saving. Checked with one note in every \
      schedule with at most 2 switches, and with another number of notes that you do not see.
      """,
    minutes: 20, file: "AskForm.swift", support: ["Form.swift"],
    questions: [
      Question(
        "deadlock",
        """
        Which schedule of our side “save inside, one queued” (WRONG queued in `faultline explore \
        35`) ends as DEADLOCK? Give its id.
        """),
      Question(
        "cycle",
        """
        Draw that schedule. Which waits are still there in the end, and close the cycle? “Main” is \
        the main thread, “form” is the autosave's block, and each of them holds a queue of that \
        name.
        """,
        choices: [
          "main waits for main", "main waits for form", "main waits for the store",
          "form waits for main", "form waits for form", "form waits for the store",
        ]),
      Question(
        "sides", "Which of our sides end as DEADLOCK in some schedule with at most 2 switches?",
        choices: ["wrong", "right", "inside", "queued"]),
    ],
    checker: .record, shown: .init(["notes": 1]), hidden: .init(["notes": 2], bound: 0),
    requirements: [
      Requirement(
        "deadlock-id", "the id of a schedule of ours that ends as DEADLOCK",
        .answer("deadlock", side: "queued", outcome: "DEADLOCK"), points: 1,
        say: .init(pass: "Yes. {seen}.", fail: "See answers.txt. {seen}.", hidden: "")),
      Requirement(
        "cycle", "the waits that close its cycle",
        .traced("cycle", side: "queued", outcome: "DEADLOCK", waits), points: 2,
        credit: .fraction,
        say: .init(
          pass: "Each of the two waits for a queue that the other holds.",
          fail: "See answers.txt: {seen}.", hidden: "")),
      Requirement(
        "sides", "the sides of ours that can deadlock",
        .predict("sides") { found in
          Set(
            found.sides.filter { side in
              side.outcomes.contains { $0.name == "DEADLOCK" && $0.orders > 0 }
            }.map(\.name))
        }, points: 1,
        say: .init(
          pass: "A save inside performAndWait is safe only while nothing is queued on the form.",
          fail: "See answers.txt: {seen}.", hidden: "")),
      Requirement(
        "no-deadlock", "no deadlock, and every note is on the screen", .never([]), points: 3,
        needs: "at-once",
        say: .init(
          pass: "It holds {seen}.", fail: "Ends as {seen}.",
          hidden: "It does not hold for another number of notes.")),
      Requirement(
        "answer", "main gets the true answer",
        .golden("answers") { _ in "false after the saves, true with a draft" }, points: 1,
        needs: "no-deadlock",
        say: .init(
          pass: "It is false after the saves, and true with an unsaved note, {seen}.",
          fail: "With or without an unsaved note main hears a wrong answer, or none: {seen}.",
          hidden: "The answer is wrong with another number of notes.")),
      Requirement(
        "confined", "the form is used inside its queue", .confined, points: 1, needs: "no-deadlock",
        say: .init(
          pass: "The form is used inside its queue, {seen}.",
          fail: "It is used outside its queue: {seen}.",
          hidden: "It is used outside its queue with another number of notes.")),
      Requirement(
        "at-once", "main asks while the form may be saving", .schedules(atLeast: 20), points: 1,
        needs: "no-deadlock",
        say: .init(
          pass: "Main may ask before, during and after the save: {seen}.",
          fail: "Only {seen}: main does not ask, or not while the form may be saving.",
          hidden: "")),
    ],
    hints: [
      "Run `faultline explore 35`, then `faultline draw` the id beside DEADLOCK under WRONG"
        + " queued. At the end of the drawing, ▒ says for what each thread waits.",
      "A child's save enters its parent's queue, and here that is the main queue. A main thread"
        + " that blocks keeps this queue; one that is suspended at an `await` does not.",
      "`isUnsaved` is async: `await form.perform { form.hasChanges }` asks inside the form's queue"
        + " and leaves the main thread free for the save.",
    ],
    nearMisses: [
      .init("SavesItself", points: 4, misses: ["no-deadlock", "answer"]),
      .init("OffTheQueue", points: 9, misses: ["confined"]),
      .init("AsksNothing", points: 9, misses: ["answer"]),
      .init("DoesNotAsk", points: 4, misses: ["at-once", "answer"]),
      .init("WaitsForTheSave", points: 4, misses: ["at-once", "answer"]),
      .init("BlamesTheStore", points: 7, misses: ["cycle", "sides"]),
      .init("AnotherDeadlock", points: 9, misses: ["deadlock-id"]),
    ])

  /// Who waits for what when nothing continues, in the words of the question.
  @Sendable private static func waits(_ trace: Trace) -> Set<String> {
    Set(
      trace.parties.indices.compactMap { party in
        guard case .waits(let queue)? = trace.steps.last(where: { $0.party == party })?.stop else {
          return nil
        }
        let holder = trace.parties[party].lane == "main" ? "main" : "form"
        return "\(holder) waits for \(queue)"
      })
  }
}
