/// One column of a scenario: one way to do the same thing, with its name.
@dynamicMemberLookup
public struct Side: Sendable {
  /// What a side does, on the real main thread of a process of its own.
  public typealias Body = @MainActor @Sendable (World) async throws -> Void

  /// Whether a side is the wrong way, the right way, one of several that are compared, or the
  /// learner's.
  public enum Kind: String, Sendable, Codable {
    case wrong, right, column, yours
  }

  /// What a run does when a context or an object is used off its queue.
  public enum Checker: String, Sendable, Codable, CaseIterable {
    /// Nothing, as in a shipped app.
    case off
    /// The run continues, and the violation is part of the record.
    case record
    /// The run stops with the report, as with Core Data's own launch argument.
    case on
  }

  /// What a page needs of a side; it can be sent from the program that has it.
  public struct Description: Sendable, Codable {
    /// Whether this is the wrong way, the right way, or one of several.
    public let kind: Kind
    /// Its name for `--side`.
    public let name: String
    /// The heading of the column.
    public let heading: String
    /// The concurrency checker's setting unless `--debug` is given.
    public let checker: Checker
  }

  /// What a page needs of it.
  public let description: Description
  /// What the side does.
  public let body: Body

  private init(kind: Kind, name: String, heading: String, checker: Checker, body: @escaping Body) {
    description = Description(kind: kind, name: name, heading: heading, checker: checker)
    self.body = body
  }

  /// What the description says.
  public subscript<Value>(dynamicMember path: KeyPath<Description, Value>) -> Value {
    description[keyPath: path]
  }

  /// The wrong way; it may have any declared outcome.
  public static func wrong(
    _ heading: String, name: String = "wrong", checker: Checker = .off, _ body: @escaping Body
  ) -> Side {
    Side(kind: .wrong, name: name, heading: heading, checker: checker, body: body)
  }

  /// The right way; a forbidden outcome here fails the run.
  public static func right(
    _ heading: String, name: String = "right", checker: Checker = .off, _ body: @escaping Body
  ) -> Side {
    Side(kind: .right, name: name, heading: heading, checker: checker, body: body)
  }

  /// One of several ways that are compared; a forbidden outcome here fails the run.
  public static func column(
    _ name: String, _ heading: String, checker: Checker = .off, _ body: @escaping Body
  ) -> Side {
    Side(kind: .column, name: name, heading: heading, checker: checker, body: body)
  }

  /// The learner's way; a forbidden outcome here fails the run.
  static func yours(checker: Checker = .off, _ body: @escaping Body) -> Side {
    Side(kind: .yours, name: "yours", heading: "your file", checker: checker, body: body)
  }
}
