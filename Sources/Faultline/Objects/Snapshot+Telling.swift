import Foundation

/// Values as a controlled scheduler is told of them.
extension Snapshot {
  /// The stored values of the row, or of some of its slots.
  func told(_ slots: SlotSet? = nil) -> [ToldValue] {
    layout.slots.indices.compactMap { slot in
      guard layout.slots[slot].isColumn, slots?.contains(slot) ?? true else { return nil }
      return ToldValue(name: layout.slots[slot].name, text: self[slot].told(layout.slots[slot]))
    }
  }
}

extension Value {
  /// The value in a few characters.
  func told(_ slot: Slot) -> String {
    switch self {
    case .null: return "nil"
    case .integer(let number):
      if slot.kind == .attribute(.booleanAttributeType) { return number == 0 ? "false" : "true" }
      return "\(number)"
    case .double(let number):
      guard slot.kind == .attribute(.dateAttributeType) else { return "\(number)" }
      let text = Date(timeIntervalSinceReferenceDate: number).formatted(.iso8601)
      return text.hasSuffix("T00:00:00Z") ? String(text.prefix(10)) : text
    case .string(let text): return "\"\(ToldValue.cut(text))\""
    case .data(let data): return "\(data.count) bytes"
    case .boxed(let box):
      switch box.content {
      case .uuid(let uuid): return "\(uuid.uuidString.prefix(8))…"
      case .url(let url): return ToldValue.cut(url.absoluteString)
      case .decimal(let decimal): return "\(decimal)"
      case .opaque: return "a transformable value"
      }
    case .key(let number): return slot.destination.told(number)
    case .id(let id): return id.layout.told(id.key)
    case .object(let object): return object.layout.told(object.key)
    case .toMany: return "several objects"
    }
  }
}

extension EntityLayout {
  /// A record by its entity and the key of its row.
  func told(_ key: Int64) -> String {
    key > 0 ? "\(name) \(RecordKey.row(key))" : "new \(name)"
  }
}
