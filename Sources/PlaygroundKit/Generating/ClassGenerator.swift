import Faultline
import Foundation

/// A file of generated code.
public struct GeneratedFile: Equatable, Sendable {
  /// Its name.
  public let name: String
  /// What is in it.
  public let text: String
  /// Whether it is the application's as soon as it is there, so that it is never written again.
  public let isKept: Bool
}

/// Writes the classes of a data model, as Xcode's "Create NSManagedObject Subclass" does.
///
/// Each entity that names a class gets `Name+CoreDataClass.swift`, unless its class is written by
/// hand (the model says "Category/Extension"), and `Name+CoreDataProperties.swift`. Properties are
/// computed ones over a `ManagedSlot`, because `@NSManaged` does not link on Linux.
public struct ClassGenerator {
  /// A sentence for each oddity that is no error, and for each entity without a class.
  public private(set) var remarks: [String]
  /// The module that the generated code imports.
  private let module: String
  private let model: String
  private let classes: [EntityClass]

  /// Reads a model.
  ///
  /// - Throws: `Complaint` that names the place of the first mistake.
  public init(model url: URL, importing module: String = "Faultline") throws(Complaint) {
    self.module = module
    model = url.lastPathComponent
    let file: ModelFile
    do throws(ModelError) {
      file = try ModelFile(url)
      remarks = try ModelReader.fill(NSManagedObjectModel(), from: file).map(\.description)
    } catch { throw Complaint(.input, error.description) }
    let entities = EntityClass.parentsFirst(file.root.all("entity"))
    let names = EntityClass.names(of: entities)
    var seen = Set<String>()
    var classes: [EntityClass] = []
    for entity in entities {
      let name = entity["name"] ?? "?"
      guard let own = names[name] else {
        remarks.append(
          "Entity \(name) names no class, so no class is generated; name one in the model.")
        continue
      }
      if seen.insert(own).inserted {
        classes.append(EntityClass(entity, name: own, names))
      } else {
        remarks.append(
          "Entity \(name) shares the class \(own) with another entity, and has its properties.")
      }
    }
    self.classes = classes
  }

  /// The files, class by class.
  public var files: [GeneratedFile] {
    classes.flatMap { type in
      var files = [
        GeneratedFile(
          name: "\(type.name)+CoreDataProperties.swift",
          text: properties(of: type),
          isKept: false)
      ]
      if !type.isWrittenByHand {
        files.insert(
          GeneratedFile(
            name: "\(type.name)+CoreDataClass.swift",
            text: head("Generated once from \(model); from now on the file is yours.")
              + type.declaration,
            isKept: true), at: 0)
      }
      return files
    }
  }

  private func properties(of type: EntityClass) -> String {
    let text =
      head("Generated from \(model) and replaced each time; put none of your code here.")
      + PropertiesWriter(type).text
    // Names that are too long for a line cannot be broken.
    let isLong = text.split(separator: "\n").contains { $0.count > 100 }
    return (isLong ? "// swift-format-ignore-file\n" : "") + text
  }

  private func head(_ sentence: String) -> String {
    "// \(sentence)\n\n" + ["Foundation", module].sorted().map { "import \($0)\n" }.joined() + "\n"
  }
}

/// The class of an entity.
struct EntityClass {
  /// The name of the class, without its module.
  let name: String
  /// The name of the entity.
  let entity: String
  /// The name of the class that it inherits from.
  let parent: String
  /// Whether the application declares the class itself.
  let isWrittenByHand: Bool
  /// The properties, attributes first, each kind by name.
  let properties: [GeneratedProperty]

  init(_ element: ModelElement, name: String, _ names: [String: String]) {
    self.name = name
    entity = element["name"] ?? ""
    parent = element["parentEntity"].flatMap { names[$0] } ?? "NSManagedObject"
    isWrittenByHand = element["codeGenerationType"] == "category"
    properties = ["attribute", "relationship", "fetchedProperty"].flatMap { kind in
      element.all(kind).sorted { ($0["name"] ?? "") < ($1["name"] ?? "") }
        .map { GeneratedProperty($0, names) }
    }
  }

  /// The class.
  var declaration: String { "public class \(name): \(parent) {\n}\n" }

  /// The entities, each after the one that it inherits from, to which a class of both belongs.
  static func parentsFirst(_ entities: [ModelElement]) -> [ModelElement] {
    let parents = Dictionary(
      entities.map { ($0["name"] ?? "", $0["parentEntity"]) }, uniquingKeysWith: { $1 })
    func depth(_ name: String?) -> Int {
      name.flatMap { parents[$0] ?? nil }.map { depth($0) + 1 } ?? 0
    }
    let depths = entities.enumerated().map { (depth($1["name"]), $0) }
    return depths.sorted(by: <).map { entities[$1] }
  }

  /// The names of the entities' classes, by entity, for those that have one of their own.
  static func names(of entities: [ModelElement]) -> [String: String] {
    var names: [String: String] = [:]
    for element in entities {
      let name = (element["representedClassName"] ?? "").split(separator: ".").last.map(String.init)
      if let name, name != "NSManagedObject" { names[element["name"] ?? ""] = name }
    }
    return names
  }
}

/// A property of a generated class.
struct GeneratedProperty {
  /// Where the value comes from.
  enum Access {
    /// A slot of the row.
    case slot
    /// Key-value coding, for types that the engine does not know.
    case key
    /// A fetched property, which cannot be set.
    case fetched
  }

  /// Its name.
  let name: String
  /// Its type in Swift.
  let type: String
  /// Where the value comes from.
  let access: Access
  /// The class of the members of a to-many relationship.
  let member: String?
  /// Whether the members have an order.
  let isOrdered: Bool

  init(_ element: ModelElement, _ names: [String: String]) {
    name = element["name"] ?? ""
    isOrdered = element.flag("ordered")
    switch element.name {
    case "relationship":
      let destination = names[element["destinationEntity"] ?? ""] ?? "NSManagedObject"
      let isToMany = element.flag("toMany") && element["maxCount"] != "1"
      member = isToMany ? destination : nil
      type = isToMany ? (isOrdered ? "NSOrderedSet?" : "NSSet?") : "\(destination)?"
      access = .slot
    case "fetchedProperty":
      let entity = element.all("fetchRequest").first?["entity"] ?? ""
      type = "[\(names[entity] ?? "NSManagedObject")]?"
      access = .fetched
      member = nil
    default:
      (type, access) = Self.type(element)
      member = nil
    }
  }

  private static func type(_ element: ModelElement) -> (String, Access) {
    let isScalar = element.flag("usesScalarValueType")
    switch element["attributeType"] {
    case "Integer 16": return (isScalar ? "Int16" : "NSNumber?", .slot)
    case "Integer 32": return (isScalar ? "Int32" : "NSNumber?", .slot)
    case "Integer 64": return (isScalar ? "Int64" : "NSNumber?", .slot)
    case "Double": return (isScalar ? "Double" : "NSNumber?", .slot)
    case "Float": return (isScalar ? "Float" : "NSNumber?", .slot)
    case "Boolean": return (isScalar ? "Bool" : "NSNumber?", .slot)
    case "Date": return isScalar ? ("TimeInterval", .slot) : ("Date?", .slot)
    case "Decimal": return ("NSDecimalNumber?", .slot)
    case "String": return ("String?", .slot)
    case "Binary": return ("Data?", .slot)
    case "UUID": return ("UUID?", .slot)
    case "URI": return ("URL?", .slot)
    case "Composite": return ("[String: Any]?", .slot)
    default:
      var name = element["customClassName"] ?? "NSObject"
      if name.hasPrefix(".") { name.removeFirst() }
      return ((name.isEmpty ? "NSObject" : name) + "?", .key)
    }
  }

  /// The name with its first letter large, as accessors have it.
  var capitalised: String { name.prefix(1).uppercased() + name.dropFirst() }
  /// The name as Swift takes it where something is declared.
  var declared: String { Self.words.contains(name) ? "`\(name)`" : name }

  /// The name of its slot: a word of Swift, such as `Type`, would mean something else there.
  var slot: String { Self.words.contains(name) ? name + "Slot" : name }

  private static let words: Set = [
    "associatedtype", "class", "deinit", "enum", "extension", "fileprivate", "func", "import",
    "init", "inout", "internal", "let", "open", "operator", "private", "protocol", "public",
    "rethrows", "static", "struct", "subscript", "typealias", "var", "break", "case", "continue",
    "default", "defer", "do", "else", "fallthrough", "for", "guard", "if", "in", "repeat",
    "return", "switch", "where", "while", "as", "Any", "catch", "false", "is", "nil", "super",
    "throw", "throws", "true", "try", "precedencegroup", "Type", "Protocol",
  ]
}
