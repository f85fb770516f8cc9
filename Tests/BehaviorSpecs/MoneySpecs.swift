import CoreData
import Foundation
import XCTest

import class CoreData.NSExpression

/// Decimals keep the digits that were stored, on every way back from the store, and numbers have
/// the names and sums that they have on paper.
final class MoneySpecs: SpecCase {
  private typealias Request = NSFetchRequest<NSManagedObject>

  private static let shop: NSManagedObjectModel = {
    let total = NSDerivedAttributeDescription()
    total.name = "total"
    total.attributeType = .decimalAttributeType
    total.derivationExpression = NSExpression(format: "items.@sum.price")
    let order = SpecModel.entity("Order", NSManagedObject.self, [])
    order.properties = [total]
    let item = SpecModel.entity(
      "Item", NSManagedObject.self,
      [
        SpecModel.attribute("price", .decimalAttributeType),
        SpecModel.attribute("score", .doubleAttributeType),
      ])
    for entity in [order, item] { entity.managedObjectClassName = "NSManagedObject" }
    SpecModel.relate(
      SpecModel.toMany("items", order, .nullifyDeleteRule), SpecModel.toOne("order", item))
    let model = NSManagedObjectModel()
    model.entities = [order, item]
    return model
  }()

  /// An order of items with these prices and scores, saved.
  private func makeOrder(
    _ items: [(price: String, score: Double?)]
  ) throws -> (order: NSManagedObject, context: NSManagedObjectContext) {
    let context = try makeContainer(model: Self.shop).viewContext
    func insert(_ name: String) -> NSManagedObject {
      NSEntityDescription.insertNewObject(forEntityName: name, into: context)
    }
    let order = insert("Order")
    for (price, score) in items {
      let item = insert("Item")
      item.setValue(NSDecimalNumber(string: price), forKey: "price")
      item.setValue(score, forKey: "score")
      item.setValue(order, forKey: "order")
    }
    try context.save()
    return (order, context)
  }

  private let prices = ["19.99", "0.07", "4.35", "1.15"]

  func testF13_aProjectedDecimalIsTheOneThatTheObjectShows() throws {
    let (_, context) = try makeOrder(prices.map { ($0, nil) })
    let request = NSFetchRequest<NSDictionary>(entityName: "Item")
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = ["price"]
    let found = try context.fetch(request).map { ($0["price"] as? NSDecimalNumber)?.decimalValue }
    XCTAssertEqual(Set(found), Set(prices.map { Decimal(string: $0) }))
    let sum = NSExpressionDescription()
    sum.name = "sum"
    sum.expression = NSExpression(format: "sum:(price)")
    sum.expressionResultType = .decimalAttributeType
    request.propertiesToFetch = [sum]
    XCTAssertEqual(
      try context.fetch(request).first?["sum"] as? NSDecimalNumber,
      NSDecimalNumber(string: "25.56"))
  }

  func testF13_noPropertiesToFetchAreAllOfThem() throws {
    let (_, context) = try makeOrder([("1.5", 2)])
    let request = NSFetchRequest<NSDictionary>(entityName: "Item")
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = []
    XCTAssertEqual(try context.fetch(request).first?.count, 2)
  }

  func testD2_F65_aDerivedDecimalIsFoundByWhatItShows() throws {
    let (order, context) = try makeOrder([("19.99", nil), ("0.02", nil)])
    let total = NSDecimalNumber(string: "20.01")
    XCTAssertEqual(order.value(forKey: "total") as? NSDecimalNumber, total)
    context.refresh(order, mergeChanges: false)
    XCTAssertEqual(order.value(forKey: "total") as? NSDecimalNumber, total)
    let request = Request(entityName: "Order")
    request.predicate = NSPredicate(format: "total == %@", total)
    XCTAssertEqual(try context.count(for: request), 1)
  }

  func testA70_sumsOfDecimalsAreDecimalAndAnAverageCountsWhatHasNoValue() throws {
    let (order, _) = try makeOrder([("19.99", 4), ("0.02", nil)])
    func value(_ path: String) -> Any? { order.value(forKeyPath: path) }
    XCTAssertEqual(value("items.@sum.price") as? NSDecimalNumber, NSDecimalNumber(string: "20.01"))
    XCTAssertEqual(value("items.@avg.price") as? NSDecimalNumber, NSDecimalNumber(string: "10.005"))
    XCTAssertEqual(value("items.@avg.score") as? Double, 2)
    XCTAssertEqual((value("items.score") as? NSSet)?.count, 1)
    XCTAssertEqual(value("items.@sum.score") as? Double, 4)
  }

  func testA70_decimalsOfManyAreAListWithoutDuplicates() throws {
    let (order, _) = try makeOrder([("19.99", nil), ("0.02", nil), ("19.99", nil)])
    let found = order.value(forKeyPath: "items.price") as? [NSDecimalNumber]
    let expected = ["0.02", "19.99"].compactMap { Decimal(string: $0) }
    XCTAssertEqual(found?.map(\.decimalValue).sorted(), expected)
  }

  func testF66_aSectionIsNamedByTheNumberAsItIsWritten() throws {
    let (_, context) = try makeOrder([("19.99", 4), ("0.02", 4.5)])
    for (key, names) in [("score", ["4", "4.5"]), ("price", ["0.02", "19.99"])] {
      for batchSize in [0, 10] {
        let request = Request(entityName: "Item")
        request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)]
        request.fetchBatchSize = batchSize
        let controller = NSFetchedResultsController(
          fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: key,
          cacheName: nil)
        try controller.performFetch()
        XCTAssertEqual(controller.sections?.map(\.name), names)
      }
    }
  }
}
