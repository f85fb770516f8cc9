import CoreData
import Foundation
import XCTest

extension Usage {
  /// Stores, and how they are described.
  static let stores: [Usage] = [
    Usage("NSPersistentStoreCoordinator") { scene in
      let type: AnyObject.Type = NSPersistentStoreCoordinator.self
      scene.expect(ObjectIdentifier(Swift.type(of: scene.coordinator)) == ObjectIdentifier(type))
    },
    Usage("NSPersistentStoreCoordinator.init(managedObjectModel:)") { scene in
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SpecModel.library)
      scene.expect(coordinator.managedObjectModel === SpecModel.library)
    },
    Usage("addPersistentStore(ofType:configurationName:at:options:)") { scene in
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SpecModel.library)
      let store = try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: scene.spec.storeURL("Own"),
        options: nil)
      scene.expect(coordinator.persistentStores, [store])
    },
    Usage("NSPersistentStoreCoordinator.persistentStores") { scene in
      scene.expect(scene.coordinator.persistentStores.count, 1)
    },
    Usage("NSPersistentStoreCoordinator.remove(_:)") { scene in
      try scene.coordinator.remove(XCTUnwrap(scene.coordinator.persistentStores.first))
      scene.expect(scene.coordinator.persistentStores, [])
    },
    Usage("NSPersistentStoreCoordinator.destroyPersistentStore") { scene in
      try scene.articles()
      let store = try XCTUnwrap(scene.coordinator.persistentStores.first)
      let url = try XCTUnwrap(store.url)
      try scene.coordinator.remove(store)
      try scene.coordinator.destroyPersistentStore(at: url, ofType: NSSQLiteStoreType)
      try scene.coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: url)
      scene.context.reset()
      scene.expect(try scene.context.count(for: scene.request()), 0)
    },
    Usage("NSPersistentStore") { scene in
      let store: NSPersistentStore = try XCTUnwrap(scene.coordinator.persistentStores.first)
      scene.expect(store.isReadOnly, false)
      scene.expect(store.identifier.isEmpty, false)
    },
    Usage("NSSQLiteStoreType") { scene in
      scene.expect(scene.coordinator.persistentStores.first?.type, NSSQLiteStoreType)
    },
    Usage("NSInMemoryStoreType") { scene in
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SpecModel.library)
      try coordinator.addPersistentStore(
        ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
      let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
      context.persistentStoreCoordinator = coordinator
      Article(context: context).title = "a"
      try context.save()
      scene.expect(try context.count(for: scene.request()), 1)
    },
    Usage("NSPersistentStoreDescription") { scene in
      let description = NSPersistentStoreDescription(url: scene.spec.storeURL())
      description.setOption(true as NSNumber, forKey: NSReadOnlyPersistentStoreOption)
      scene.expect(description.isReadOnly)
    },
    Usage("NSPersistentStoreDescription.init()") { scene in
      scene.expect(NSPersistentStoreDescription().url?.path, "/dev/null")
    },
    Usage("NSPersistentStoreDescription.init(url:)") { scene in
      let url = scene.spec.storeURL()
      scene.expect(NSPersistentStoreDescription(url: url).url, url)
    },
    Usage("NSPersistentStoreDescription.url") { scene in
      let description = NSPersistentStoreDescription()
      description.url = URL(fileURLWithPath: "/dev/null")
      scene.expect(description.url?.path, "/dev/null")
    },
    Usage("NSPersistentStoreDescription.type") { scene in
      let description = NSPersistentStoreDescription()
      scene.expect(description.type, NSSQLiteStoreType)
      description.type = NSInMemoryStoreType
      scene.expect(description.type, NSInMemoryStoreType)
    },
    Usage("NSMigratePersistentStoresAutomaticallyOption") { scene in
      scene.expect(
        NSMigratePersistentStoresAutomaticallyOption, "NSMigratePersistentStoresAutomaticallyOption"
      )
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SpecModel.library)
      let options = [NSMigratePersistentStoresAutomaticallyOption: true]
      try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: scene.spec.storeURL("Own"),
        options: options)
      scene.expect(coordinator.persistentStores.count, 1)
    },
    Usage("NSInferMappingModelAutomaticallyOption") { scene in
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SpecModel.library)
      let options = [NSInferMappingModelAutomaticallyOption: true]
      try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: scene.spec.storeURL("Own"),
        options: options)
      scene.expect(coordinator.persistentStores.count, 1)
    },
  ]

  /// Models, made in code and read from files.
  static let models: [Usage] = [
    Usage("NSManagedObjectModel") { scene in
      let copy = SpecModel.library.copy() as? NSManagedObjectModel
      scene.expect(copy?.entities.count, SpecModel.library.entities.count)
    },
    Usage("NSManagedObjectModel.init()") { scene in
      scene.expect(NSManagedObjectModel().entities, [])
    },
    Usage("NSManagedObjectModel.init(contentsOf:)") { scene in
      scene.expect(NSManagedObjectModel(contentsOf: try scene.modelFile())?.entities.count, 1)
      scene.expect(NSManagedObjectModel(contentsOf: scene.spec.storeURL("none")) == nil)
    },
    Usage("a model found by its bundle") { scene in
      let file = try scene.modelFile()
      let bundle = try XCTUnwrap(Bundle(url: file.deletingLastPathComponent()))
      let url = try XCTUnwrap(bundle.url(forResource: "Small", withExtension: "xcdatamodel"))
      scene.expect(NSManagedObjectModel(contentsOf: url)?.entities.map(\.name), ["Small"])
    },
    Usage("NSManagedObjectModel.mergedModel(from:)") { scene in
      let file = try scene.modelFile()
      let bundle = try XCTUnwrap(Bundle(url: file.deletingLastPathComponent()))
      scene.expect(NSManagedObjectModel.mergedModel(from: [bundle])?.entities.count, 1)
    },
    Usage("NSManagedObjectModel.entities") { scene in
      scene.expect(SpecModel.library.entities.contains { $0.name == "Article" })
    },
    Usage("NSManagedObjectModel.entitiesByName") { scene in
      scene.expect(SpecModel.library.entitiesByName["Article"]?.name, "Article")
    },
    Usage("NSEntityDescription") { scene in
      let entity = NSEntityDescription()
      entity.name = "Own"
      scene.expect(entity.properties, [])
    },
    Usage("NSEntityDescription.name") { scene in
      scene.expect(Article.entity().name, "Article")
    },
    Usage("NSEntityDescription.managedObjectClassName") { scene in
      scene.expect(Article.entity().managedObjectClassName.contains("Article"))
    },
    Usage("NSEntityDescription.properties") { scene in
      scene.expect(Article.entity().properties.contains { $0.name == "title" })
    },
    Usage("NSEntityDescription.attributesByName") { scene in
      scene.expect(Article.entity().attributesByName["wordCount"] != nil)
    },
    Usage("NSEntityDescription.entity(forEntityName:in:)") { scene in
      let entity = NSEntityDescription.entity(forEntityName: "Article", in: scene.context)
      scene.expect(entity === Article.entity())
    },
    Usage("NSEntityDescription.insertNewObject(forEntityName:into:)") { scene in
      let object = NSEntityDescription.insertNewObject(
        forEntityName: "Article", into: scene.context)
      scene.expect(object is Article && object.isInserted)
    },
    Usage("NSAttributeDescription") { scene in
      let attribute = NSAttributeDescription()
      attribute.name = "own"
      attribute.defaultValue = 7
      scene.expect(attribute.defaultValue as? Int, 7)
    },
    Usage("NSAttributeDescription.attributeType") { scene in
      let attribute = NSAttributeDescription()
      attribute.attributeType = .dateAttributeType
      scene.expect(attribute.type, .date)
    },
    Usage("NSAttributeType.stringAttributeType") { scene in
      scene.expect(NSAttributeType.stringAttributeType.rawValue, 700)
    },
    Usage("NSAttributeType.integer64AttributeType") { scene in
      scene.expect(NSAttributeType.integer64AttributeType.rawValue, 300)
    },
    Usage("NSAttributeType.integer32AttributeType") { scene in
      scene.expect(NSAttributeType.integer32AttributeType.rawValue, 200)
    },
    Usage("NSPropertyDescription.isOptional") { scene in
      scene.expect(Article.entity().attributesByName["body"]?.isOptional, true)
    },
    Usage("NSRelationshipDescription") { scene in
      let relationship = NSRelationshipDescription()
      relationship.maxCount = 1
      scene.expect(relationship.isToMany, false)
    },
    Usage("NSRelationshipDescription.destinationEntity") { scene in
      let relationship = Article.entity().relationshipsByName["author"]
      scene.expect(relationship?.destinationEntity?.name, "Author")
    },
  ]
}

extension UsageScene {
  /// A model of one entity as Xcode writes it, in a folder of its own.
  fileprivate func modelFile() throws -> URL {
    let folder = spec.directory.appendingPathComponent("models \(UUID().uuidString)")
    let file = folder.appendingPathComponent("Small.xcdatamodel")
    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
    try """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
      <entity name="Small" syncable="YES">
        <attribute name="text" optional="YES" attributeType="String"/>
      </entity>
    </model>
    """.write(to: file.appendingPathComponent("contents"), atomically: true, encoding: .utf8)
    return file
  }
}
