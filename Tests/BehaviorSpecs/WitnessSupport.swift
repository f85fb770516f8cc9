import CoreData
import Foundation

/// An object that writes down every callback it gets and lets a spec act in it.
final class Witness: NSManagedObject {
  /// A string to change.
  @Managed var name: String?
  /// A number to change.
  @Managed var stamp: Int64
  /// Never stored.
  @Managed var remark: String?
  /// One up.
  @Managed var parent: Witness?
  /// Those below; nullified.
  @Managed var children: Set<Witness>

  /// An ordinary Swift property that no model knows.
  var label = ""

  override func awakeFromInsert() {
    super.awakeFromInsert()
    Journal.note("awakeFromInsert", self)
  }

  override func awakeFromFetch() {
    super.awakeFromFetch()
    Journal.note("awakeFromFetch", self)
  }

  override func awake(fromSnapshotEvents flags: NSSnapshotEventType) {
    super.awake(fromSnapshotEvents: flags)
    Journal.note("awakeFromSnapshot \(flags.rawValue)", self)
  }

  override func prepareForDeletion() {
    super.prepareForDeletion()
    Journal.note("prepareForDeletion", self)
  }

  override func willSave() {
    super.willSave()
    Journal.note("willSave", self)
  }

  override func didSave() {
    super.didSave()
    Journal.note("didSave", self)
  }

  override func willTurnIntoFault() {
    super.willTurnIntoFault()
    Journal.note("willTurnIntoFault", self)
  }

  override func didTurnIntoFault() {
    super.didTurnIntoFault()
    Journal.note("didTurnIntoFault", self)
  }

  override func validateForInsert() throws {
    Journal.note("validateForInsert", self)
    try super.validateForInsert()
  }

  override func validateForUpdate() throws {
    Journal.note("validateForUpdate", self)
    try super.validateForUpdate()
  }

  override func validateForDelete() throws {
    Journal.note("validateForDelete", self)
    try super.validateForDelete()
  }
}

/// What the witnesses of the process wrote down, and what they are asked to do.
enum Journal {
  /// What a spec does inside a callback.
  typealias Hook = @Sendable (Witness) -> Void

  private struct Contents: Sendable {
    var entries: [String] = []
    var hooks: [String: Hook] = [:]
  }

  private static let contents = Box(Contents())

  /// Every callback so far, in order.
  static var entries: [String] { contents.value.entries }

  /// Forgets entries and hooks.
  static func clear() { contents.value = Contents() }

  /// Forgets the entries only.
  static func clearEntries() { contents.update { $0.entries = [] } }

  /// Runs the hook whenever a witness gets the callback.
  static func during(_ callback: String, _ hook: @escaping Hook) {
    contents.update { $0.hooks[callback] = hook }
  }

  /// How often the callback came.
  static func count(_ callback: String) -> Int { entries.filter { $0 == callback }.count }

  /// Writes a callback down and runs its hook.
  static func note(_ callback: String, _ witness: Witness) {
    contents.update { $0.entries.append(callback) }
    contents.value.hooks[callback]?(witness)
  }

  /// Writes down that an observer was told.
  static func observed() { contents.update { $0.entries.append("observer") } }
}

/// The model of the one class that witnesses.
enum WitnessModel {
  /// Made once in the process.
  static let model: NSManagedObjectModel = {
    let witness = SpecModel.entity(
      "Witness", Witness.self,
      [SpecModel.text("name"), SpecModel.integer("stamp"), SpecModel.transient("remark")])
    SpecModel.relate(
      SpecModel.toOne("parent", witness),
      SpecModel.toMany("children", witness, .nullifyDeleteRule))
    let model = NSManagedObjectModel()
    model.entities = [witness]
    return model
  }()
}
