/// A value of a row in a few characters; a controlled scheduler is told it for pages and pictures.
package struct ToldValue: Sendable, Hashable, Codable {
  /// The attribute or to-one relationship.
  package var name: String
  /// Its value: `6`, `"Swift"`, `nil`, `Shelf 1`.
  package var text: String

  /// Describes a value.
  package init(name: String, text: String) { (self.name, self.text) = (name, text) }

  /// The longest text of a value.
  private static let lengthMax = 18

  /// A text that is cut in its middle if it is too long: texts that differ often do so at the end.
  static func cut(_ text: String) -> String {
    guard text.count > lengthMax else { return text }
    return text.prefix(lengthMax / 2) + "…" + text.suffix(lengthMax / 2 - 1)
  }
}

/// An unsaved change of an object as a save finds it, or what the merge policy made of it in a
/// conflict; told for pages and pictures only.
package struct ToldChange: Sendable, Hashable, Codable {
  /// What the context did to the object.
  package enum Kind: String, Sendable, Hashable, Codable { case inserted, updated, deleted }

  /// One property; texts as in `ToldValue`.
  package struct Field: Sendable, Hashable, Codable {
    package var name: String
    /// The value that the context had read; nil if there was none.
    package var read: String?
    /// The value that the context wants to save; nil if it deletes the object, or if only another
    /// writer changed this property.
    package var own: String?
    /// The value in the store at a conflict; nil if there is no conflict, or no row any more.
    package var stored: String?
    /// The value after the policy decided; nil if it decided nothing.
    package var kept: String?

    /// Describes a property.
    package init(
      name: String, read: String? = nil, own: String? = nil, stored: String? = nil,
      kept: String? = nil
    ) {
      (self.name, self.read, self.own, self.stored, self.kept) = (name, read, own, stored, kept)
    }
  }

  /// What a merge policy decided.
  package struct Decision: Sendable, Hashable, Codable {
    /// What becomes of the change.
    package enum Result: String, Sendable, Hashable, Codable {
      /// The save fails with an error.
      case refused
      /// The object has the kept values now, and the save tries again.
      case merged
      /// The object goes as its row went.
      case deleted
      /// The row, which is gone, is written anew.
      case reinserted
    }

    /// The policy, by its name in Swift or that of its class.
    package var policy: String
    /// The version that the context had read.
    package var read: Int
    /// The version in the store; nil if the row is gone.
    package var stored: Int?
    package var result: Result

    /// Describes a decision.
    package init(policy: String, read: Int, stored: Int?, result: Result) {
      (self.policy, self.read, self.stored, self.result) = (policy, read, stored, result)
    }
  }

  /// Entity and key, `Article 1`, or `new Article`.
  package var row: String
  package var kind: Kind
  package var fields: [Field]
  /// What the merge policy decided; nil where a save begins.
  package var decision: Decision?

  /// Describes a change.
  package init(row: String, kind: Kind, fields: [Field], decision: Decision? = nil) {
    (self.row, self.kind, self.fields, self.decision) = (row, kind, fields, decision)
  }
}
