import Foundation
import Synchronization

/// A data model: the entities of a store.
///
/// A model may be changed until a coordinator or a context first uses it.
open class NSManagedObjectModel: NSObject, @unchecked Sendable {
  private let compileLock = Lock<Bool>(false)
  private let frozen = Atomic<Bool>(false)
  private var compiled: [AnyObject] = []
  /// Whether an attribute is derived, so that most saves need not look.
  private(set) var derives = false
  /// The entities by class, as far as they have been asked for.
  let classEntities = Lock<[ObjectIdentifier: (entity: NSEntityDescription, generation: Int)]>([:])
  /// Told when the model goes away, by whoever counts the models in use.
  var onEnd: (@Sendable () -> Void)?

  /// The entities, in the order in which they were given.
  open var entities: [NSEntityDescription] = [] {
    didSet {
      refuseIfFrozen("the list of entities")
      for entity in oldValue where entity.managedObjectModel === self {
        entity.managedObjectModel = nil
      }
      for entity in entities {
        if let other = entity.managedObjectModel, other !== self {
          ProgrammerError.stop(
            "NSInvalidArgumentException: entity \(entity.name ?? "?") belongs to another model; "
              + "an entity is part of one model only.")
        }
        entity.managedObjectModel = self
      }
    }
  }

  /// The entities of each configuration, by its name.
  var configurationEntities: [String: [NSEntityDescription]] = [:]

  /// The fetch-request templates that a file told, by name, until somebody asks for them.
  var templateSources: [String: FetchRequestSource] = [:]
  /// The fetch-request templates that were made or set, as the layer of fetching made them.
  var templates: [String: AnyObject] = [:]

  /// The words of a language: `Property/title/Entity/Article`, or `Property/title`, is how errors
  /// of validation call that property, `ErrorString/` and a sentence what they say instead of it.
  open var localizationDictionary: [String: String]? {
    get { words.withLock { $0 } }
    set { words.withLock { $0 = newValue } }
  }
  private let words = Lock<[String: String]?>(nil)
  /// The names of the model's versions, for the application's own use.
  open var versionIdentifiers: Set<AnyHashable> = []

  /// The entities by name.
  open var entitiesByName: [String: NSEntityDescription] {
    isFrozen ? frozenEntities : Self.byName(entities)
  }

  /// The entities by name, once nothing changes any more: every fetch looks for its own.
  private var frozenEntities: [String: NSEntityDescription] = [:]

  private static func byName(_ entities: [NSEntityDescription]) -> [String: NSEntityDescription] {
    Dictionary(entities.map { ($0.name ?? "", $0) }, uniquingKeysWith: { $1 })
  }

  /// Makes a model without entities.
  public override init() { super.init() }

  /// Reads a model as Xcode writes it: a `.xcdatamodeld` or `.xcdatamodel` folder, or the XML in
  /// it.
  ///
  /// What is not one gives nil, and a sentence on standard error says where it fails.
  public convenience init?(contentsOf url: URL) {
    self.init()
    do {
      try ModelReader.fill(self, from: ModelFile(url))
    } catch {
      StandardError.write("CoreData: error: Failed to load model: \(error)")
      return nil
    }
  }

  deinit {
    for entity in entities {
      entity.isCompiled.store(false, ordering: .relaxed)
      entity.compiled = nil
    }
    onEnd?()
  }

  /// The hash of each entity's persistent facts, by entity name.
  open var entityVersionHashesByName: [String: Data] {
    Dictionary(uniqueKeysWithValues: entities.map { ($0.name ?? "", $0.versionHash) })
  }

  /// One text for all hashes: models that shape their records alike have the same one.
  open var versionChecksum: String {
    let hashes = entities.map { "\($0.name ?? ""):\($0.versionHash.base64EncodedString())" }
    return StableHash.bytes(of: hashes.sorted().joined(separator: ";")).base64EncodedString()
  }

  /// Whether the other model has entities of the same names, classes and hashes.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSManagedObjectModel else { return false }
    if self === other { return true }
    let classes = other.entitiesByName.mapValues { $0.managedObjectClassName ?? "" }
    return entitiesByName.mapValues { $0.managedObjectClassName ?? "" } == classes
      && entityVersionHashesByName == other.entityVersionHashesByName
  }

  /// The hash that goes with `isEqual`.
  open override var hash: Int { entities.count }

  /// Whether a store with this metadata was written with the same entities.
  open func isConfiguration(
    withName configuration: String?, compatibleWithStoreMetadata metadata: [String: Any]
  ) -> Bool {
    guard let entities = entities(forConfigurationName: configuration) else { return false }
    let hashes = Dictionary(uniqueKeysWithValues: entities.map { ($0.name ?? "", $0.versionHash) })
    return metadata[NSStoreModelVersionHashesKey] as? [String: Data] == hashes
  }

  /// Whether the model is in use and can no longer be changed.
  var isFrozen: Bool { frozen.load(ordering: .acquiring) }

  /// Stops if the model is in use.
  func refuseIfFrozen(_ what: @autoclosure () -> String) {
    if !isFrozen { return }
    ProgrammerError.stop(
      "NSInternalInconsistencyException: \(what()) cannot be changed, because its model is in "
        + "use; change the model before a coordinator or context uses it.")
  }

  /// Lets the first user compile the entities, once; from then on the model cannot be changed.
  ///
  /// Nobody finds the model in use before `compile` has returned.
  func freeze(_ compile: ([NSEntityDescription]) -> [AnyObject]) {
    compileLock.withLock { isCompiled in
      if isCompiled { return }
      isCompiled = true
      compiled = compile(entities)
      frozenEntities = Self.byName(entities)
      derives = entities.contains { entity in
        entity.properties.contains { $0 is NSDerivedAttributeDescription }
      }
      frozen.store(true, ordering: .releasing)
      for entity in entities { entity.isCompiled.store(true, ordering: .releasing) }
    }
  }
}

// Safe to share: whoever builds the model changes it before its first use; `freeze` runs under
// `compileLock`, and afterwards every setter of what is compiled or stored stops the process.
