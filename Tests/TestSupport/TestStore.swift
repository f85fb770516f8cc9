import Faultline
import Foundation

/// A record of the tests' model.
public final class Note: NSManagedObject {
  /// Text that may be nil.
  @Managed public var title: String?
  /// A number, 0 at first.
  @Managed public var number: Int64
  /// A date that may be nil.
  @Managed public var date: Date?
  /// The folder the note lies in.
  @Managed public var folder: Folder?
}

/// The other end of a note's relationship.
public final class Folder: NSManagedObject {
  /// Text that may be nil.
  @Managed public var name: String?
  /// The notes in the folder.
  @Managed public var notes: Set<Note>
}

/// A store of notes and folders in a file of its own, removed by `remove`.
public struct TestStore: Sendable {
  /// The folder that holds the file.
  public let directory: URL
  /// The open container.
  public let container: NSPersistentContainer

  /// Opens a new store; `vfs` names the SQLite VFS that reaches the file.
  public init(
    vfs: String? = nil, history: Bool = false, pragmas: [String: String] = [:]
  ) throws {
    let directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("faultline-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    self.directory = directory
    container = try Self.open(
      directory.appendingPathComponent("Notes.sqlite"), vfs: vfs, history: history,
      pragmas: pragmas)
  }

  /// Opens the store at a URL once more, with a coordinator of its own.
  public static func open(
    _ url: URL, vfs: String? = nil, history: Bool = false, pragmas: [String: String] = [:]
  ) throws -> NSPersistentContainer {
    let container = NSPersistentContainer(name: "Notes", managedObjectModel: model)
    let description = NSPersistentStoreDescription(url: url)
    if let vfs { description.setOption(vfs as NSString, forKey: vfsNameOption) }
    if history {
      description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
    }
    for (name, value) in pragmas {
      description.setValue(value as NSString, forPragmaNamed: name)
    }
    container.persistentStoreDescriptions = [description]
    var failure: (any Error)?
    container.loadPersistentStores { failure = $1 }
    if let failure { throw failure }
    return container
  }

  /// Where the store's file is.
  public var url: URL { directory.appendingPathComponent("Notes.sqlite") }

  /// Removes the files.
  public func remove() { try? FileManager.default.removeItem(at: directory) }

  /// The model: folders with notes, the delete rule of a folder's notes being cascade.
  ///
  /// One for all stores, because a class may be claimed by one model in use only.
  public static let model: NSManagedObjectModel = {
    let note = NSEntityDescription()
    note.name = "Note"
    note.managedObjectClassName = "Note"
    let folder = NSEntityDescription()
    folder.name = "Folder"
    folder.managedObjectClassName = "Folder"
    let notes = NSRelationshipDescription()
    notes.name = "notes"
    notes.destinationEntity = note
    notes.deleteRule = .cascadeDeleteRule
    let home = NSRelationshipDescription()
    home.name = "folder"
    home.destinationEntity = folder
    home.maxCount = 1
    notes.inverseRelationship = home
    home.inverseRelationship = notes
    note.properties = [
      attribute("title", .stringAttributeType), attribute("number", .integer64AttributeType, 0),
      attribute("date", .dateAttributeType), home,
    ]
    folder.properties = [attribute("name", .stringAttributeType), notes]
    let model = NSManagedObjectModel()
    model.entities = [note, folder]
    return model
  }()

  private static func attribute(
    _ name: String, _ type: NSAttributeType, _ value: Any? = nil
  ) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.defaultValue = value
    return attribute
  }
}
