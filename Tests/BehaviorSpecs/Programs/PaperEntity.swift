/// A relationship, on paper.
struct PaperRelation {
  /// What happens to the destinations of a deleted object.
  enum Rule { case nullify, cascade, deny, noAction }

  /// The name.
  let name: String
  /// The name of the way back.
  let inverse: String
  /// Where it leads.
  let destination: String
  /// Whether it holds a set.
  let isToMany: Bool
  /// What a deletion does.
  var rule = Rule.nullify
  /// Whether it must lead somewhere.
  var isMandatory = false

  /// Whether both ends hold sets.
  var isManyToMany: Bool { name == "tags" || inverse == "tags" }
}

/// An entity, on paper: the part of `SpecModel.library` that programs work with.
struct PaperEntity {
  /// The name.
  let name: String
  /// The entity it is a kind of.
  var parent: String?
  /// The attribute that tells objects apart.
  var label = "name"
  /// Attributes that hold text.
  var texts: [String] = ["name"]
  /// Attributes that hold a number, 0 at first.
  var numbers: [String] = []
  /// Attributes that must not be nil.
  var mandatory: Set<String> = []
  /// The relationships.
  let relations: [PaperRelation]

  /// The entity of this name.
  static func named(_ name: String) -> PaperEntity { table[name]! }

  /// Whether it is the entity of this name, or a subentity.
  func isKind(of name: String) -> Bool { self.name == name || parent == name }

  /// Attributes and to-one relationships.
  var columns: [String] { texts + numbers + relations.filter { !$0.isToMany }.map(\.name) }

  /// The relationship of this name.
  func relation(_ name: String) -> PaperRelation { relations.first { $0.name == name }! }

  /// The names of all entities, in an order that never changes.
  static let names = [
    "Author", "Article", "Review", "Tag", "Draft", "Contract", "Letter", "Invoice", "Profile",
  ]

  private static let table = Dictionary(
    uniqueKeysWithValues: [
      PaperEntity(
        name: "Author", numbers: ["born"],
        relations: [
          toMany("articles", "author", "Article"),
          toMany("drafts", "owner", "Draft", .cascade),
          toMany("contracts", "signatory", "Contract", .deny),
          toMany("letters", "sender", "Letter", .noAction),
          toMany("invoices", "payer", "Invoice"),
          toOne("profile", "author", "Profile", .cascade),
        ]),
      article("Article", parent: nil), article("Review", parent: "Article"),
      PaperEntity(
        name: "Tag", mandatory: ["name"], relations: [toMany("articles", "tags", "Article")]),
      PaperEntity(name: "Draft", relations: [toOne("owner", "drafts", "Author")]),
      PaperEntity(name: "Contract", relations: [toOne("signatory", "contracts", "Author")]),
      PaperEntity(name: "Letter", relations: [toOne("sender", "letters", "Author")]),
      PaperEntity(
        name: "Invoice", label: "amount", texts: [], numbers: ["amount"],
        relations: [toOne("payer", "invoices", "Author", isMandatory: true)]),
      PaperEntity(name: "Profile", relations: [toOne("author", "profile", "Author")]),
    ].map { ($0.name, $0) })

  private static func article(_ name: String, parent: String?) -> PaperEntity {
    PaperEntity(
      name: name, parent: parent, label: "title", texts: ["title", "body"], numbers: ["wordCount"],
      mandatory: ["title"],
      relations: [
        toOne("author", "articles", "Author"), toMany("tags", "articles", "Tag"),
        // Programs make no anthologies, but delete rules ask for them.
        toMany("anthologies", "articles", "Anthology"),
      ])
  }

  private static func toOne(
    _ name: String, _ inverse: String, _ destination: String,
    _ rule: PaperRelation.Rule = .nullify, isMandatory: Bool = false
  ) -> PaperRelation {
    PaperRelation(
      name: name, inverse: inverse, destination: destination, isToMany: false, rule: rule,
      isMandatory: isMandatory)
  }

  private static func toMany(
    _ name: String, _ inverse: String, _ destination: String,
    _ rule: PaperRelation.Rule = .nullify
  ) -> PaperRelation {
    PaperRelation(
      name: name, inverse: inverse, destination: destination, isToMany: true, rule: rule)
  }
}
