import PlaygroundKit

extension TheIDThroughAClosure {
  /// What a learner puts right, what must hold, and the wrong repairs that prove it.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      FillOutbox.swift puts jobs into an outbox, which runs them when the network is back. In each \
      of its five functions a closure captures an object, in two of them out of sight. Change the \
      five: when a job runs, it uses what the file has at that moment, in `outbox.context`, a \
      background context for the jobs; and until then it keeps no object alive. The office calls \
      `addUpload` and `addLike`, so keep the signatures of these two. The jobs run while a form \
      has edited the articles and not saved, one after the other; in the end two likes of the \
      same article run at once. Checked with 2 articles, in every schedule with at most 1 switch, \
      and with other numbers that you do not see. The checker is on, and the file is compiled in \
      Swift 5 mode.
      """,
    minutes: 25, file: "FillOutbox.swift", support: ["Office.swift"],
    parameters: [Parameter("revision", 2, in: 2...99, "the revision that the editor publishes")],
    languageMode: .five, checker: .record,
    shown: .init(["articles": 2], bound: 1),
    hidden: .init(["articles": 3, "revision": 7], bound: 0),
    requirements: [
      Requirement(
        "sent", "each job sends what the file has when it runs", .golden("sent", expected),
        points: 2,
        say: .init(
          pass: "Each job sends what the file has, {seen}.",
          fail: "The jobs send something else than the file has: {seen}.",
          hidden: "The jobs send something else than the file has, with other numbers.")),
      Requirement(
        "own-queue", "each object is used on its own context's queue", .confined, points: 2,
        needs: "sent",
        say: .init(
          pass: "The checker has nothing to report, {seen}.",
          fail: "An object is used outside its context's queue: {seen}.",
          hidden: "An object is used outside its context's queue with other numbers.")),
      Requirement(
        "released", "no waiting job keeps an object alive",
        .budget("articles kept by the outbox", 0...0), points: 2, needs: "sent",
        say: .init(
          pass: "While the jobs wait, no context has an object ({seen}).",
          fail: "While the jobs wait, they keep objects alive ({seen}).",
          hidden: "While the jobs wait, they keep objects alive, with other numbers.")),
      Requirement(
        "liked", "each like is in the file",
        .store { try isLiked($0) },
        points: 1, needs: "sent",
        say: .init(
          pass: "Each like is stored, {seen}.", fail: "A like is not stored: {seen}.",
          hidden: "A like is not stored, with other numbers.")),
      Requirement(
        "checked", "the compiler's checks stay on", .free(of: ["@unchecked", "unsafe"]), points: 1,
        needs: "sent",
        say: .init(
          pass: "The code does not tell the compiler to look away.",
          fail: "The code tells the compiler to look away ({seen}).", hidden: "")),
    ],
    hints: [
      "For each closure, list what it captures, and what that holds in turn: a struct holds its"
        + " articles, a closure what it has captured itself.",
      "Take `objectID` out of the article before the closure, and capture that. In the job, look it"
        + " up with `existingObject(with:)` inside `outbox.context.perform`. The id of a new object"
        + " is temporary until the object is saved.",
      "Upload: `let (id, context) = (article.objectID, outbox.context)`, then `outbox.add { try"
        + " await context.perform { (try context.existingObject(with: id) as? Article)?.name ??"
        + " \"\" } }`. Note: call `screen.save()` before you take the id.",
    ],
    nearMisses: [
      .init("LooksUpAnywhere", points: 6, misses: ["own-queue"]),
      .init("SaysItIsSafe", points: 5, misses: ["released", "checked"]),
      .init("DoesNotSaveTheLike", points: 7, misses: ["liked"]),
      .init("TakesTheIDTooEarly", points: 0, misses: ["sent"]),
      .init("CapturesTheNames", points: 0, misses: ["sent"]),
      .init("CapturesWeakly", points: 0, misses: ["sent"]),
      .init("LooksUpByName", points: 0, misses: ["sent"]),
      .init("AddsInTwoBlocks", points: 0, misses: ["sent", "liked"]),
    ])

  /// Whether the file has the likes of all jobs: three of the first article, one of each other.
  private static func isLiked(_ run: Observation) throws -> Bool {
    let rows = try run.stored(
      "SELECT ZVIEWS FROM ZARTICLE WHERE ZNAME LIKE 'news%' ORDER BY Z_PK"
    ).joined()
    let revision = run["revision"]
    return Array(rows) == (0..<run["articles"]).map { "\(revision + ($0 == 0 ? 3 : 1))" }
  }

  /// What the jobs must send, from the names and counts in the file.
  private static func expected(_ run: Observation) throws -> String {
    let names = try run.stored(
      "SELECT ZNAME FROM ZARTICLE WHERE ZNAME LIKE 'news%' ORDER BY Z_PK"
    ).joined()
    let (likes, note) = ("likes: \(run["revision"] + 1)", "note \(run["revision"])")
    let jobs = names.flatMap { [$0, likes] }
    let rest = [names.joined(separator: " + "), (names.first ?? "").uppercased(), note]
    let last = [2, 3].map { "likes: \(run["revision"] + $0)" }.sorted()
    return (jobs + rest + last).joined(separator: "; ")
  }
}
