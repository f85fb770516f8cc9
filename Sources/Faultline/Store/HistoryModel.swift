import Foundation

/// The two entities by which fetch requests describe history, in a model that no store has.
enum HistoryModel {
  /// The entity of transactions.
  static var transaction: NSEntityDescription { model.entities[0] }
  /// The entity of changes.
  static var change: NSEntityDescription { model.entities[1] }

  private static let model: NSManagedObjectModel = {
    let model = NSManagedObjectModel()
    model.entities = [
      entity(
        "Transaction",
        [
          "author": .stringAttributeType, "bundleID": .stringAttributeType,
          "contextName": .stringAttributeType, "processID": .stringAttributeType,
          "timestamp": .dateAttributeType, "token": .undefinedAttributeType,
          "transactionNumber": .integer64AttributeType,
        ]),
      entity(
        "Change",
        [
          "changeID": .integer64AttributeType, "changeType": .integer64AttributeType,
          "changedEntity": .undefinedAttributeType, "changedObjectID": .objectIDAttributeType,
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

  /// A fetch request of an entity.
  fileprivate static func request(
    _ entity: NSEntityDescription
  ) -> NSFetchRequest<any NSFetchRequestResult> {
    let request = NSFetchRequest<any NSFetchRequestResult>()
    request.entity = entity
    return request
  }

  fileprivate static func refuse(_ key: String, _ entity: NSEntityDescription) -> Never {
    ProgrammerError.stop(
      "NSInvalidArgumentException: keypath \(key) not found in entity \(entity.name ?? "") of the "
        + "history; it has \(entity.attributesByName.keys.sorted().joined(separator: ", ")).")
  }
}

extension NSPersistentHistoryTransaction: PredicateValue, PredicateSubject {
  /// The entity by which fetch requests describe transactions.
  public class var entityDescription: NSEntityDescription? { HistoryModel.transaction }
  /// A request for transactions, to be given a predicate about `author`, `bundleID`,
  /// `contextName`, `processID`, `timestamp`, `token` or `transactionNumber`.
  public class var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
    HistoryModel.request(HistoryModel.transaction)
  }

  /// The transaction, which only equals itself.
  var operand: Operand { .record(self, self) }

  func operand(forKey key: String, before rest: ArraySlice<String>) -> Operand {
    switch key {
    case "author": Operand(author)
    case "bundleID": Operand(bundleID)
    case "contextName": Operand(contextName)
    case "processID": Operand(processID)
    case "timestamp": Operand(timestamp)
    // What the filter puts in the place of a token that it is compared with.
    case "token", "transactionNumber": .integer(transactionNumber)
    default: HistoryModel.refuse(key, HistoryModel.transaction)
    }
  }
}

extension NSPersistentHistoryChange: PredicateValue, PredicateSubject {
  /// The entity by which fetch requests describe changes.
  public class var entityDescription: NSEntityDescription? { HistoryModel.change }
  /// A request for changes, to be given a predicate about `changeID`, `changeType`,
  /// `changedEntity` or `changedObjectID`.
  public class var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
    HistoryModel.request(HistoryModel.change)
  }

  /// The change, which only equals itself.
  var operand: Operand { .record(self, self) }

  func operand(forKey key: String, before rest: ArraySlice<String>) -> Operand {
    switch key {
    case "changeID": .integer(changeID)
    case "changeType": .integer(Int64(changeType.rawValue))
    case "changedEntity": Operand(changedObjectID.entity)
    case "changedObjectID": Operand(changedObjectID)
    default: HistoryModel.refuse(key, HistoryModel.change)
    }
  }
}

extension NSPersistentHistoryChangeRequest {
  /// Whether the fetch request describes changes, and not transactions.
  var isAboutChanges: Bool { fetchRequest?.entity === HistoryModel.change }
}

/// Leaves of a store's history what a fetch request describes, in its order.
struct HistoryFilter {
  private let request: NSFetchRequest<any NSFetchRequestResult>
  private let predicate: NSPredicate?

  /// Makes the filter of a store; in a predicate a token is the number that it has for the store,
  /// and 0 if it has none.
  init(_ request: NSFetchRequest<any NSFetchRequestResult>, storeID: String) {
    guard request.entity === HistoryModel.transaction || request.entity === HistoryModel.change
    else {
      ProgrammerError.stop(
        "NSInvalidArgumentException: a request for history takes the fetchRequest of "
          + "NSPersistentHistoryTransaction or NSPersistentHistoryChange, not one of "
          + "\(request.entityName ?? "nil").")
    }
    self.request = request
    predicate = request.predicate.map {
      Substitution([:]) { constant in
        (constant as? NSPersistentHistoryToken).map { $0.numbers[storeID] ?? 0 } ?? constant
      }.predicate($0)
    }
  }

  /// The transactions that are left; of those with changes in question, with the changes that are.
  func filter(_ all: [NSPersistentHistoryTransaction]) -> [NSPersistentHistoryTransaction] {
    guard request.entity === HistoryModel.change else { return choose(all) }
    return all.filter { transaction in
      let changes = choose(transaction.changes ?? [])
      transaction.take(changes)
      return !changes.isEmpty
    }
  }

  private func choose<Element>(_ all: [Element]) -> [Element] {
    var chosen = all
    if let predicate { chosen.removeAll { !predicate.evaluate(with: $0) } }
    guard let order = request.sortDescriptors, !order.isEmpty else { return chosen }
    return chosen.sorted { left, right in
      for descriptor in order {
        let result = descriptor.compare(left, to: right)
        if result != .orderedSame { return result == .orderedAscending }
      }
      return false
    }
  }
}
