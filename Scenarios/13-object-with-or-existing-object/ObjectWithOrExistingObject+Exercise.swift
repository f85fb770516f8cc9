import PlaygroundKit

extension ObjectWithOrExistingObject {
  /// What a learner puts right, what must hold, and the wrong repairs that prove it.
  static let exercise = Exercise(
    of: Self.self,
    task: """
      Three places of an app have only ids, while a clean-up deletes old articles. Choose the \
      right lookup for each in LookUp.swift. `title` returns the article's name, “” if it has \
      none, or “gone” if it was deleted. `digest` returns the names of those articles that are \
      still there, with one statement that reads no other article. `count` needs the shelf for a \
      predicate, and no value of its row, so it must not read it. No lookup may leave a deletion \
      in its context. Checked with 4 articles, of which one has no name, in every schedule with at \
      most 1 switch, and with another number of articles that you do not see.
      """,
    minutes: 15, file: "LookUp.swift", support: ["App.swift"],
    shown: .init(["articles": 4], bound: 1), hidden: .init(["articles": 7], bound: 0),
    requirements: [
      Requirement(
        "title", "a title is the article's name, or “gone”", .store { hasTitles($0) }, points: 1,
        say: .init(
          pass: "Each title is a name, or says that the article is gone, {seen}.",
          fail: "A title is neither the name nor “gone”, or an article that is there is gone:"
            + " {seen}.",
          hidden: "A title is wrong with another number of articles.")),
      Requirement(
        "pending", "a lookup leaves no deletion in its context",
        .budget("deletions pending in the reader", 0...0), points: 1, needs: "title",
        say: .init(
          pass: "No lookup has left a deletion that the next save would make.",
          fail: "A lookup has read an object whose row was gone, and its context counts it as"
            + " deleted now: {seen}.",
          hidden: "With another number of articles a lookup leaves a deletion in its context.")),
      Requirement(
        "digest", "the digest has the articles that are there, and no others",
        .store { hasDigest($0) }, points: 1,
        say: .init(
          pass: "Each article that is there has its line, {seen}.",
          fail: "A line is empty, missing, or of an article that was not asked for: {seen}.",
          hidden: "The digest is wrong with another number of articles.")),
      Requirement(
        "shelf", "the number of articles on the shelf is right",
        .store { try $0.stored(countOnShelf) == [["\($0.number("on the shelf") ?? 0)"]] },
        points: 1, needs: "title",
        say: .init(
          pass: "It is the number that the file has, {seen}.",
          fail: "It is not the number that the file has: {seen}.",
          hidden: "It is another number if there are more articles.")),
      Requirement(
        "rows", "no row is read that is not needed", .budget("rows fetched", 1...9), points: 1,
        data: .shown, needs: "digest",
        say: .init(
          pass: "No lookup reads a row that it does not need, {seen}.",
          fail: "A lookup reads a row that it does not need. The lookups need 5, and the rest of"
            + " the run reads 4, so 9 is the limit: {seen}.", hidden: "")),
      Requirement(
        "statements", "two titles, a digest and a count take one statement each",
        .budget("statements", 1...18), points: 1, data: .shown, needs: "digest",
        say: .init(
          pass: "Two titles, one digest, one count: with those of the other code {seen}.",
          fail: "A lookup has more than one statement. The lookups need 4, and the rest of the"
            + " run makes 14, so 18 is the limit: {seen}.", hidden: "")),
    ],
    hints: [
      "Ask of each place: does it need a value of the row, or only something that stands for it?"
        + " And what should it do if the row is gone?",
      "`existingObject(with:)` throws `.managedObjectReferentialIntegrity` (133000) if there is no"
        + " row. `object(with:)` reads nothing. A fetch with `self IN %@` finds what is there.",
      "title: catch the error of `existingObject(with:)` and return \"gone\". digest: set"
        + " `request.predicate = NSPredicate(format: \"self IN %@\", ids)`, and"
        + " `request.returnsObjectsAsFaults = false`, or the row of a fault can be gone before its"
        + " name is read. count: `NSPredicate(format: \"category == %@\","
        + " context.object(with: id))`.",
    ],
    nearMisses: [
      .init("AlwaysExisting", points: 4, misses: ["rows", "statements"]),
      .init("CountsItsArticles", points: 4, misses: ["rows", "statements"]),
      .init("CountsFirst", points: 2, misses: ["title", "pending", "statements"]),
      .init("SwallowsTheError", points: 3, misses: ["title"]),
      .init("ReadsFirst", points: 5, misses: ["pending"]),
      .init("FetchesEverything", points: 2, misses: ["pending", "digest", "rows", "statements"]),
      .init("FiltersAfterwards", points: 5, misses: ["rows"]),
      .init("KnowsTheCount", points: 5, misses: ["shelf"]),
    ])

  private static let countOnShelf = "SELECT count(*) FROM ZARTICLE WHERE ZCATEGORY IS NOT NULL"

  /// Whether both titles are right: the second article has no name, the first may be gone, and then
  /// it is not in the digest, which was made later.
  private static func hasTitles(_ run: Observation) -> Bool {
    switch run.text("titles") {
    case "Article 0, ": true
    case "gone, ": run.text("digest")?.contains("Article 0") == false
    default: false
    }
  }

  /// Whether the digest has all articles but the last, or only the new ones of these.
  private static func hasDigest(_ run: Observation) -> Bool {
    let all = (0..<run["articles"] - 1).map { $0 == 1 ? "" : "Article \($0)" }
    let new = all.indices.filter { !$0.isMultiple(of: 100) }.map { all[$0] }
    return [all, new].contains { run.text("digest") == $0.sorted().joined(separator: ", ") }
  }
}
