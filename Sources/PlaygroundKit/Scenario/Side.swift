/// One column of a scenario: a way to do it, and what that way is called.
public struct Side: Sendable {
  /// What a side does, on the real main thread of a process of its own.
  public typealias Body = @MainActor @Sendable (World) async throws -> Void

  /// Whether a side is the wrong way, the right way, or one of several that are compared.
  public enum Kind: String, Sendable, Codable {
    case wrong, right, column
  }

  /// What a run does when a context or an object is used off its queue.
  public enum Checker: String, Sendable, Codable, CaseIterable {
    /// Nothing, as in a shipped app.
    case off
    /// It goes on, and the violation is part of the record.
    case record
    /// It stops with the report, as Core Data's own launch argument makes it.
    case on
  }

  /// Whether this is the wrong way, the right way, or one of several.
  public let kind: Kind
  /// What `--side` calls it.
  public let name: String
  /// What stands over the column.
  public let heading: String
  /// How the concurrency checker is set unless `--debug` says otherwise.
  public let checker: Checker
  /// What the side does.
  public let body: Body

  /// The wrong way; anything declared may come of it.
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
}
