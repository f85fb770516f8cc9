import Foundation

/// The two entities by which fetch requests describe history, in a model that no store has.
///
/// A predicate is asked about an object of such an entity, made of a transaction or change and
/// thrown away, so that all predicates work that work on objects.
enum HistoryModel {
  /// The model of both.
  static let model: NSManagedObjectModel = {
    let model = NSManagedObjectModel()
    model.entities = [
      entity(
        "Transaction",
        [
          "author": .stringAttributeType, "bundleID": .stringAttributeType,
          "contextName": .stringAttributeType, "processID": .stringAttributeType,
          "timestamp": .dateAttributeType, "transactionNumber": .integer64AttributeType,
        ]),
      entity(
        "Change",
        [
          "changeID": .integer64AttributeType, "changeType": .integer64AttributeType,
          "changedEntity": .stringAttributeType,
        ]),
    ]
    return model
  }()

  private static func entity(
    _ name: String, _ types: [String: NSAttributeType]
  ) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    entity.properties = types.map { name, type in
      let attribute = NSAttributeDescription()
      attribute.name = name
      attribute.attributeType = type
      return attribute
    }
    return entity
  }

  /// The entity of transactions.
  static var transaction: NSEntityDescription { model.entities[0] }
  /// The entity of changes.
  static var change: NSEntityDescription { model.entities[1] }

  /// A fetch request of an entity.
  static func request(_ entity: NSEntityDescription) -> NSFetchRequest<any NSFetchRequestResult> {
    let request = NSFetchRequest<any NSFetchRequestResult>()
    request.entity = entity
    return request
  }

  /// An object with these values that belongs to no context.
  static func probe(_ entity: NSEntityDescription, _ values: [String: Any?]) -> NSManagedObject {
    let probe = NSManagedObject(entity: entity, insertInto: nil)
    for (name, value) in values { probe.setValue(value, forKey: name) }
    return probe
  }
}

extension NSPersistentHistoryTransaction {
  /// The entity by which fetch requests describe transactions.
  public class var entityDescription: NSEntityDescription? { HistoryModel.transaction }
  /// A request for transactions, to be given a predicate about `author`, `bundleID`,
  /// `contextName`, `processID`, `timestamp` or `transactionNumber`.
  public class var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
    HistoryModel.request(HistoryModel.transaction)
  }

  /// The transaction as an object that a predicate can be asked about.
  fileprivate var probe: NSManagedObject {
    HistoryModel.probe(
      HistoryModel.transaction,
      [
        "author": author, "bundleID": bundleID, "contextName": contextName,
        "processID": processID, "timestamp": timestamp, "transactionNumber": transactionNumber,
      ])
  }
}

extension NSPersistentHistoryChange {
  /// The entity by which fetch requests describe changes.
  public class var entityDescription: NSEntityDescription? { HistoryModel.change }
  /// A request for changes, to be given a predicate about `changeID`, `changeType`, or
  /// `changedEntity`, a name.
  public class var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
    HistoryModel.request(HistoryModel.change)
  }

  /// The change as an object that a predicate can be asked about.
  fileprivate var probe: NSManagedObject {
    HistoryModel.probe(
      HistoryModel.change,
      [
        "changeID": changeID, "changeType": changeType.rawValue,
        "changedEntity": changedObjectID.entity.name,
      ])
  }
}

extension NSPersistentHistoryChangeRequest {
  /// Whether the fetch request describes changes, and not transactions.
  var isAboutChanges: Bool { fetchRequest?.entity === HistoryModel.change }
}

/// Leaves of a history what a fetch request describes, in its order.
struct HistoryFilter {
  private let request: NSFetchRequest<any NSFetchRequestResult>
  private let entity: NSEntityDescription

  init(_ request: NSFetchRequest<any NSFetchRequestResult>) {
    guard let entity = request.entity, entity.managedObjectModel === HistoryModel.model else {
      ProgrammerError.stop(
        "NSInvalidArgumentException: a request for history takes the fetchRequest of "
          + "NSPersistentHistoryTransaction or NSPersistentHistoryChange, not one of "
          + "\(request.entityName ?? "nil").")
    }
    self.request = request
    self.entity = entity
  }

  /// The transactions that are left; of those with changes in question, with the changes that are.
  func filter(_ all: [NSPersistentHistoryTransaction]) -> [NSPersistentHistoryTransaction] {
    guard entity === HistoryModel.change else { return choose(all, \.probe) }
    return all.filter { transaction in
      let changes = choose(transaction.changes ?? [], \.probe)
      transaction.take(changes)
      return !changes.isEmpty
    }
  }

  private func choose<Element>(
    _ all: [Element], _ probe: (Element) -> NSManagedObject
  ) -> [Element] {
    var chosen = all.map { ($0, probe($0)) }
    if let predicate = request.predicate { chosen.removeAll { !predicate.evaluate(with: $0.1) } }
    let terms = SortTerm.terms(request.sortDescriptors, layout: entity.layout)
    if terms.isEmpty { return chosen.map(\.0) }
    return chosen.sorted { terms.precedes($0.1, $1.1) ?? false }.map(\.0)
  }
}
