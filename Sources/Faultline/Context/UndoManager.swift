// The names of the notifications are Foundation's own.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

// Apple's systems have an undo manager in Foundation; this one stands in for it elsewhere.
#if !canImport(Darwin)

  import Foundation

  /// Remembers how to take changes back, a group at a time, and how to make them again.
  ///
  ///     idle ──begin──▶ grouping ──end──▶ idle        undo, redo: idle ──▶ replaying ──▶ idle
  ///
  /// - idle: `open` is empty; `undoStack` and `redoStack` are what can be undone and redone.
  /// - grouping: the last of `open` collects registrations; an inner group ends into the outer one.
  /// - replaying: as grouping, but the one open group will become the counterpart of what is being
  ///   undone or redone.
  ///
  /// With `groupsByEvent` a registration outside every group is a group of its own: there is no run
  /// loop here whose turn could end one. It is used in the queue of the contexts that share it.
  open class UndoManager: NSObject {
    private struct Action {
      weak var target: AnyObject?
      let run: (AnyObject) -> Void
    }

    private struct Group {
      var actions: [Action] = []
      var name = ""
    }

    private enum Replay {
      case none, undoing, redoing
    }

    private var open: [Group] = []
    private var undoStack: [Group] = []
    private var redoStack: [Group] = []
    private var replay = Replay.none
    private var refusals = 0

    /// Makes a manager with nothing to undo.
    public override init() { super.init() }

    // MARK: Settings

    /// Whether a registration outside every group makes a group by itself; otherwise it stops.
    open var groupsByEvent = true

    /// The most groups that are kept; 0 means without limit.
    open var levelsOfUndo = 0 {
      didSet { forgetOldest() }
    }

    // MARK: Groups

    /// How many groups are open inside each other.
    open var groupingLevel: Int { open.count }

    /// Opens a group: everything up to its end is undone together.
    open func beginUndoGrouping() {
      if !open.isEmpty { post(.NSUndoManagerCheckpoint) }
      open.append(Group())
      post(.NSUndoManagerDidOpenUndoGroup)
    }

    /// Ends the innermost open group.
    open func endUndoGrouping() {
      guard open.count > (replay == .none ? 0 : 1) else {
        ProgrammerError.stop(
          "NSInternalInconsistencyException: endUndoGrouping called with no matching begin.")
      }
      post(.NSUndoManagerCheckpoint)
      post(.NSUndoManagerWillCloseUndoGroup)
      let group = open.removeLast()
      if open.isEmpty {
        keep(group)
      } else {
        open[open.count - 1].actions += group.actions
        if !group.name.isEmpty { open[open.count - 1].name = group.name }
      }
      post(.NSUndoManagerDidCloseUndoGroup)
    }

    private func keep(_ group: Group) {
      if group.actions.isEmpty { return }
      undoStack.append(group)
      forgetOldest()
    }

    private func forgetOldest() {
      guard levelsOfUndo > 0 else { return }
      undoStack.removeFirst(max(0, undoStack.count - levelsOfUndo))
      redoStack.removeFirst(max(0, redoStack.count - levelsOfUndo))
    }

    // MARK: Registering

    /// Whether registrations are taken.
    open var isUndoRegistrationEnabled: Bool { refusals == 0 }

    /// Ignores registrations until `enableUndoRegistration` is called as often.
    open func disableUndoRegistration() { refusals += 1 }

    /// Ends one `disableUndoRegistration`.
    open func enableUndoRegistration() {
      guard refusals > 0 else {
        ProgrammerError.stop(
          "NSInternalInconsistencyException: enableUndoRegistration called without a matching "
            + "disableUndoRegistration.")
      }
      refusals -= 1
    }

    /// Registers what takes a change back; the target is not kept alive, and without it nothing
    /// runs.
    open func registerUndo<Target: AnyObject>(
      withTarget target: Target, handler: @escaping (Target) -> Void
    ) {
      guard isUndoRegistrationEnabled else { return }
      let action = Action(target: target) { handler(unsafeDowncast($0, to: Target.self)) }
      if replay == .none { redoStack = [] }
      if !open.isEmpty { return open[open.count - 1].actions.append(action) }
      guard groupsByEvent else {
        ProgrammerError.stop(
          "NSInternalInconsistencyException: must begin a group before registering undo.")
      }
      keep(Group(actions: [action]))
    }

    /// Forgets everything that could be undone or redone, and takes registrations again.
    open func removeAllActions() {
      refusals = 0
      undoStack = []
      redoStack = []
      for index in open.indices { open[index].actions = [] }
    }

    /// Forgets what concerns one target.
    open func removeAllActions(withTarget target: Any) {
      func others(_ group: Group) -> Group? {
        var group = group
        group.actions.removeAll { $0.target == nil || $0.target === target as AnyObject }
        return group.actions.isEmpty ? nil : group
      }
      undoStack = undoStack.compactMap(others)
      redoStack = redoStack.compactMap(others)
    }

    // MARK: Undo and redo

    /// Whether there is a group to undo.
    open var canUndo: Bool { !undoStack.isEmpty || open.contains { !$0.actions.isEmpty } }

    /// Whether there is a group to redo.
    open var canRedo: Bool {
      post(.NSUndoManagerCheckpoint)
      return !redoStack.isEmpty
    }

    /// Whether a group is being undone.
    open var isUndoing: Bool { replay == .undoing }

    /// Whether a group is being redone.
    open var isRedoing: Bool { replay == .redoing }

    /// Takes the latest group back; nothing happens if there is none.
    ///
    /// A group that is still open is ended first; two of them are a mistake.
    open func undo() {
      if replay != .none { return }
      post(.NSUndoManagerCheckpoint)
      if open.count == 1 { endUndoGrouping() }
      refuseOpenGroups("undo")
      if undoStack.isEmpty { return }
      post(.NSUndoManagerWillUndoChange)
      guard let group = undoStack.popLast() else { return }
      if let counterpart = run(group, as: .undoing) { redoStack.append(counterpart) }
      post(.NSUndoManagerDidUndoChange)
    }

    /// Makes the changes again that the latest undo took back; nothing happens if there are none.
    open func redo() {
      if replay != .none { return }
      post(.NSUndoManagerCheckpoint)
      refuseOpenGroups("redo")
      if redoStack.isEmpty { return }
      post(.NSUndoManagerWillRedoChange)
      guard let group = redoStack.popLast() else { return }
      if let counterpart = run(group, as: .redoing) { keep(counterpart) }
      post(.NSUndoManagerDidRedoChange)
    }

    private func refuseOpenGroups(_ operation: String) {
      guard !open.isEmpty else { return }
      ProgrammerError.stop(
        "NSInternalInconsistencyException: \(operation) was called with \(open.count) open undo "
          + "groups; call endUndoGrouping for each beginUndoGrouping first.")
    }

    /// Runs a group's actions, the last one first, and returns what takes them back.
    private func run(_ group: Group, as kind: Replay) -> Group? {
      replay = kind
      open.append(Group(name: group.name))
      for action in group.actions.reversed() {
        if let target = action.target { action.run(target) }
      }
      while open.count > 1 { endUndoGrouping() }
      post(.NSUndoManagerCheckpoint)
      replay = .none
      return open.popLast().flatMap { $0.actions.isEmpty ? nil : $0 }
    }

    // MARK: Names

    /// Names the open group, or the latest one, for a menu.
    open func setActionName(_ actionName: String) {
      post(.NSUndoManagerCheckpoint)
      if !open.isEmpty {
        open[open.count - 1].name = actionName
      } else if !undoStack.isEmpty {
        undoStack[undoStack.count - 1].name = actionName
      }
    }

    /// The name of the group that would be undone.
    open var undoActionName: String { (open.last ?? undoStack.last)?.name ?? "" }

    /// The name of the group that would be redone.
    open var redoActionName: String { redoStack.last?.name ?? "" }

    /// What a menu calls the next undo.
    open var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }

    /// What a menu calls the next redo.
    open var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }

    /// What a menu calls undoing an action, which an override may say in another language.
    open func undoMenuTitle(forUndoActionName actionName: String) -> String {
      actionName.isEmpty ? "Undo" : "Undo \(actionName)"
    }

    /// What a menu calls redoing an action, which an override may say in another language.
    open func redoMenuTitle(forUndoActionName actionName: String) -> String {
      actionName.isEmpty ? "Redo" : "Redo \(actionName)"
    }

    private func post(_ name: Notification.Name) {
      NotificationCenter.default.post(name: name, object: self)
    }
  }

  extension Notification.Name {
    /// An undo manager opens or closes a group: whoever collects changes registers them now.
    public static let NSUndoManagerCheckpoint = Notification.Name(
      "NSUndoManagerCheckpointNotification")
    /// An undo manager opened a group because somebody asked for one.
    public static let NSUndoManagerDidOpenUndoGroup = Notification.Name(
      "NSUndoManagerDidOpenUndoGroupNotification")
    /// An undo manager is about to end a group that somebody opened.
    public static let NSUndoManagerWillCloseUndoGroup = Notification.Name(
      "NSUndoManagerWillCloseUndoGroupNotification")
    /// An undo manager ended a group.
    public static let NSUndoManagerDidCloseUndoGroup = Notification.Name(
      "NSUndoManagerDidCloseUndoGroupNotification")
    /// An undo manager is about to undo a group.
    public static let NSUndoManagerWillUndoChange = Notification.Name(
      "NSUndoManagerWillUndoChangeNotification")
    /// An undo manager is about to redo a group.
    public static let NSUndoManagerWillRedoChange = Notification.Name(
      "NSUndoManagerWillRedoChangeNotification")
    /// An undo manager undid a group.
    public static let NSUndoManagerDidUndoChange = Notification.Name(
      "NSUndoManagerDidUndoChangeNotification")
    /// An undo manager redid a group.
    public static let NSUndoManagerDidRedoChange = Notification.Name(
      "NSUndoManagerDidRedoChangeNotification")
  }

#endif
