import Faultline

extension SwitchPoint {
  /// Whether a transaction is open, so that nobody else is let run.
  ///
  /// Nothing is lost by that: no code of an application runs inside a transaction, others read what
  /// was there before it, as they would before its beginning, and who wants to write waits for its
  /// end.
  var isInsideTransaction: Bool { self == .save(.row) || self == .save(.commit) }

  /// The name of the point in traces and pictures.
  var title: String {
    switch self {
    case .blockEnqueued: "enqueue"
    case .blockBegan: "block begins"
    case .blockEnded: "block ends"
    case .queueWait: "enter queue"
    case .queueWake: "inside queue"
    case .coordinatorLock: "coordinator"
    case .save(.willSave): "save"
    case .save(.validated): "save: validated"
    case .save(.begin): "save: begin"
    case .save(.row): "save: row"
    case .save(.commit): "save: commit"
    case .save(.committed): "save: committed"
    case .fetch: "fetch"
    case .fault: "fault"
    case .trespass: "outside its queue"
    case .notification: "notification"
    case .merge: "merge"
    case .reset: "reset"
    case .delete: "delete"
    case .outside(let deed): deed
    }
  }
}
