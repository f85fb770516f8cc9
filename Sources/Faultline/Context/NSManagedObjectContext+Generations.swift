import Foundation

/// Reading one unchanging state of the stores.
///
///     unpinned ──setQueryGenerationFrom(.current)──▶ pinned to current ◀──┐ save, merge, reset
///        ▲                    another context's token ──▶ pinned elsewhere┘
///        └────────── setQueryGenerationFrom(nil) ── from either
///
/// - unpinned: every read sees the last commit.
/// - pinned to current: reads see the last commit as of the first of them, until the pin advances.
/// - pinned elsewhere: reads see what the other context sees; nothing is merged automatically.
///
/// Objects that are loaded already stay as they are in every transition.
extension NSManagedObjectContext {
  /// The state that the context reads; nil if it is unpinned, or a child, which reads its parent.
  public var queryGenerationToken: NSQueryGenerationToken? {
    check("queryGenerationToken")
    return pin?.generation.token
  }

  /// Makes the context read one state of its stores until it saves, merges or is reset.
  ///
  /// `NSQueryGenerationToken.current` takes the newest state at the next read, the token of another
  /// context the state which that one reads, and nil ends it. A pinned context keeps a connection
  /// to each SQLite file to itself. As long as it does not advance, the file's write-ahead log
  /// cannot be emptied and grows with every save, without notice. Stores in memory, and files
  /// without such a log, are read as if the context were unpinned.
  ///
  /// - Throws: `CocoaError` 134060 if no context reads the state any more, or 64 contexts of the
  ///   coordinator are pinned.
  public func setQueryGenerationFrom(_ token: NSQueryGenerationToken?) throws {
    check("setQueryGenerationFrom(_:)")
    guard case .coordinator(let coordinator) = parentLink else {
      ProgrammerError.stop(
        "NSInvalidArgumentException: \(ownerName) does not hang on a coordinator, so it has no "
          + "query generation; set that of the root context.")
    }
    guard let token else {
      pin = nil
      isPinnedElsewhere = false
      return
    }
    let isCurrent = token === NSQueryGenerationToken.current
    let generation = isCurrent ? QueryGeneration(coordinator) : token.generation
    guard let generation, generation.coordinator === coordinator else {
      throw generationError("No context of this coordinator reads that query generation any more.")
    }
    guard let pin = pin ?? GenerationPin(generation) else {
      throw generationError(
        "\(GenerationPin.pinsMax) contexts of the coordinator are pinned to query generations; "
          + "unpin one, or let it go.")
    }
    pin.generation = generation
    self.pin = pin
    isPinnedElsewhere = !isCurrent
  }

  private func generationError(_ sentence: String) -> CocoaError {
    CocoaError(
      CocoaError.Code(rawValue: NSCoreDataError), userInfo: [NSLocalizedDescriptionKey: sentence])
  }

  /// A pinned context reads the newest state from now on.
  func advanceGeneration() {
    guard let pin else { return }
    pin.advance()
    isPinnedElsewhere = false
  }
}
