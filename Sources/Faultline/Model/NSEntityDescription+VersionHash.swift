// The names are Core Data's own.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Foundation

/// The metadata key of the hashes of the entities with which a store was written.
public let NSStoreModelVersionHashesKey = "NSStoreModelVersionHashes"

extension NSEntityDescription {
  /// A hash over the facts that shape the entity's records; equal facts give equal hashes anywhere.
  public var versionHash: Data {
    let facts = [
      name ?? "", superentity?.name ?? "", isAbstract ? "abstract" : "", versionHashModifier ?? "",
      properties.filter { !$0.isTransient && !($0 is NSFetchedPropertyDescription) }.map(
        \.versionFacts
      ).sorted().joined(separator: ";"),
    ]
    return StableHash.bytes(of: (facts + constraintFacts).joined(separator: "|"))
  }
}

extension NSPropertyDescription {
  /// A hash over the facts of the property that shape its entity's records.
  public var versionHash: Data { StableHash.bytes(of: versionFacts) }

  /// The property's part of the entity's hash.
  fileprivate var versionFacts: String {
    let common = "\(name),\(isOptional),\(versionHashModifier ?? "")"
    switch self {
    case let composite as NSCompositeAttributeDescription:
      return "\(common),c(" + composite.elements.map(\.versionFacts).sorted().joined(separator: ";")
        + ")"
    case let derived as NSDerivedAttributeDescription:
      let expression = derived.derivationExpression.map(PredicateText.text) ?? ""
      return "\(common),a\(derived.attributeType.rawValue),d\(expression)"
    case let attribute as NSAttributeDescription:
      return "\(common),a\(attribute.attributeType.rawValue)"
    case let relationship as NSRelationshipDescription:
      return "\(common),r\(relationship.destinationEntity?.name ?? "")"
        + ",\(relationship.inverseRelationship?.name ?? ""),\(relationship.isToMany)"
        + ",\(relationship.isOrdered)"
    default: return common
    }
  }
}

/// A hash that is the same in every process and on every machine.
enum StableHash {
  /// 32 bytes made of four 64-bit FNV-1a hashes with different beginnings.
  static func bytes(of text: String) -> Data {
    var data = Data(capacity: 32)
    for seed in UInt64(0)..<4 {
      var hash = 14_695_981_039_346_656_037 ^ (seed &* 0x9E37_79B9_7F4A_7C15)
      for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 1_099_511_628_211 }
      withUnsafeBytes(of: hash.bigEndian) { data.append(contentsOf: $0) }
    }
    return data
  }
}
