import Foundation

/// How to open one store.
open class NSPersistentStoreDescription: NSObject, NSCopying {
  /// Where the store is; only one of type in memory can do without.
  open var url: URL?
  /// The type of the store.
  open var type: String = NSSQLiteStoreType
  /// The part of the model that the store holds; nil means all of it.
  open var configuration: String?
  /// Whether the store is opened on a queue of its own while `loadPersistentStores` returns.
  open var shouldAddStoreAsynchronously = false
  /// The options that `addPersistentStore` is given; the properties below are some of them.
  open private(set) var options: [String: NSObject] = [
    NSMigratePersistentStoresAutomaticallyOption: true as NSNumber,
    NSInferMappingModelAutomaticallyOption: true as NSNumber,
  ]

  /// Describes a SQLite store at a URL.
  public init(url: URL) {
    self.url = url
    super.init()
  }

  /// Describes a store whose URL is set later, at `/dev/null` until then.
  public override init() {
    url = URL(fileURLWithPath: NSPersistentStoreCoordinator.nowhere)
    super.init()
  }

  /// Sets an option.
  open func setOption(_ option: NSObject?, forKey key: String) { options[key] = option }

  /// Whether the store is opened for reading only.
  open var isReadOnly: Bool {
    get { isOn(NSReadOnlyPersistentStoreOption) }
    set { setOption(newValue as NSNumber, forKey: NSReadOnlyPersistentStoreOption) }
  }

  /// For how many seconds a busy store is waited for.
  open var timeout: TimeInterval {
    get { (options[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue ?? 240 }
    set { setOption(newValue as NSNumber, forKey: NSPersistentStoreTimeoutOption) }
  }

  /// Whether a store written with another version of the model is migrated.
  open var shouldMigrateStoreAutomatically: Bool {
    get { isOn(NSMigratePersistentStoresAutomaticallyOption) }
    set { setOption(newValue as NSNumber, forKey: NSMigratePersistentStoresAutomaticallyOption) }
  }

  /// Whether the migration is inferred from the two versions.
  open var shouldInferMappingModelAutomatically: Bool {
    get { isOn(NSInferMappingModelAutomaticallyOption) }
    set { setOption(newValue as NSNumber, forKey: NSInferMappingModelAutomaticallyOption) }
  }

  private func isOn(_ key: String) -> Bool { (options[key] as? NSNumber)?.boolValue ?? false }

  /// The SQLite pragmas that are set when the store is opened.
  open var sqlitePragmas: [String: NSObject] {
    options[NSSQLitePragmasOption] as? [String: NSObject] ?? [:]
  }

  /// Sets a SQLite pragma for when the store is opened, such as `synchronous` to `FULL`.
  open func setValue(_ value: NSObject?, forPragmaNamed name: String) {
    var pragmas = sqlitePragmas
    pragmas[name] = value
    setOption(NSDictionary(dictionary: pragmas), forKey: NSSQLitePragmasOption)
  }

  /// A description with the same settings.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSPersistentStoreDescription()
    copy.url = url
    copy.type = type
    copy.configuration = configuration
    copy.shouldAddStoreAsynchronously = shouldAddStoreAsynchronously
    copy.options = options
    return copy
  }
}

/// A model, a coordinator, a main-queue context, and a way to make more contexts.
///
/// It may be used from any thread once its stores are loaded.
open class NSPersistentContainer: NSObject, @unchecked Sendable {
  /// The name of the container, and of its default store file.
  public let name: String
  /// The coordinator of all contexts.
  public let persistentStoreCoordinator: NSPersistentStoreCoordinator
  /// The context of the main queue.
  public let viewContext: NSManagedObjectContext
  private let descriptions: Lock<Descriptions>

  private struct Descriptions {
    var all: [NSPersistentStoreDescription]
    var loads: [Load] = []
  }

  /// A description whose store is being opened, or was; then it may have been removed since.
  private struct Load {
    let description: NSPersistentStoreDescription
    var isOpening = true
    weak var store: NSPersistentStore?
  }

  /// Makes a container of a model; `loadPersistentStores` opens its store.
  public init(name: String, managedObjectModel model: NSManagedObjectModel) {
    self.name = name
    persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    viewContext = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    viewContext.name = "viewContext"
    viewContext.persistentStoreCoordinator = persistentStoreCoordinator
    descriptions = Lock(Descriptions(all: []))
    super.init()
    let url = type(of: self).defaultDirectoryURL().appendingPathComponent("\(name).sqlite")
    persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
  }

  /// Makes a container of the model of the same name.
  ///
  /// It is looked for in the folders of `FAULTLINE_MODELS`, in the main bundle and in the resources
  /// of Swift packages beside the executable. If it is not there, the model is empty.
  public convenience init(name: String) {
    let url = ModelPlaces.model(named: name)
    if url == nil {
      StandardError.write(
        "CoreData: error: Failed to load model named \(name); there is no \(name).xcdatamodeld in "
          + "\(ModelPlaces.description).")
    }
    let model = url.flatMap { NSManagedObjectModel(contentsOf: $0) }
    self.init(name: name, managedObjectModel: model ?? NSManagedObjectModel())
  }

  /// The folder of stores whose descriptions say nothing else: Application Support, made if need
  /// be.
  open class func defaultDirectoryURL() -> URL {
    let url = applicationSupport
    try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    return url
  }

  private static let applicationSupport: URL = {
    let urls = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)
    return urls.first ?? URL(fileURLWithPath: NSTemporaryDirectory())
  }()

  /// The model.
  open var managedObjectModel: NSManagedObjectModel {
    persistentStoreCoordinator.managedObjectModel
  }

  /// The stores to open.
  open var persistentStoreDescriptions: [NSPersistentStoreDescription] {
    get { descriptions.withLock { $0.all } }
    set { descriptions.withLock { $0.all = newValue } }
  }

  /// Opens every store that is neither open nor being opened, and calls the handler once for each,
  /// with its error if any.
  ///
  /// The handler of a store that is not added asynchronously is called before this returns, on
  /// this thread.
  open func loadPersistentStores(
    completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
  ) {
    let pending = descriptions.withLock { descriptions in
      descriptions.loads.removeAll {
        !$0.isOpening && $0.store?.owner !== persistentStoreCoordinator
      }
      let pending = descriptions.all.filter { description in
        !descriptions.loads.contains { $0.description === description }
      }
      descriptions.loads += pending.map { Load(description: $0) }
      return pending
    }
    for description in pending {
      guard description.shouldAddStoreAsynchronously else {
        load(description, block)
        continue
      }
      let box = UncheckedBox((description, block))
      SerialQueue(label: "load \(name)", kind: .private).async {
        self.load(box.value.0, box.value.1)
      }
    }
  }

  private func load(
    _ description: NSPersistentStoreDescription,
    _ block: (NSPersistentStoreDescription, (any Error)?) -> Void
  ) {
    var store: NSPersistentStore?
    var failure: (any Error)?
    do {
      store = try persistentStoreCoordinator.addPersistentStore(
        ofType: description.type, configurationName: description.configuration, at: description.url,
        options: description.options)
    } catch {
      failure = error
    }
    descriptions.withLock { descriptions in
      descriptions.loads.removeAll { $0.description === description }
      descriptions.loads.append(Load(description: description, isOpening: false, store: store))
    }
    block(description, failure)
  }

  /// A new private-queue context on the coordinator, which the caller keeps.
  open func newBackgroundContext() -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = persistentStoreCoordinator
    return context
  }

  /// Runs a block on a new private-queue context later and returns at once.
  @preconcurrency open func performBackgroundTask(
    _ block: @escaping @Sendable (NSManagedObjectContext) -> Void
  ) {
    let context = newBackgroundContext()
    context.perform { block(context) }
  }

  /// Runs a block on a new private-queue context and suspends the caller until it has run.
  ///
  /// The block is not `@Sendable`, as in Apple's SDK, so it may capture an object, which is wrong.
  ///
  /// - Throws: what the block throws.
  open func performBackgroundTask<T, Failure: Error>(
    _ block: @escaping (NSManagedObjectContext) throws(Failure) -> T
  ) async throws(Failure) -> T {
    let context = newBackgroundContext()
    let sent = UncheckedBox(block)
    return try await context.perform { () throws(Failure) -> T in try sent.value(context) }
  }
}

// Safe to share: the constants are themselves shareable, `descriptions` is a lock.
