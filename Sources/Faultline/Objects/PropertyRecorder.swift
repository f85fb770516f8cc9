import Foundation

/// Hears which properties a key path reads: the key path is read from a probe object that has no
/// values of its own, and whose to-one destinations are probes too.
///
/// On Linux a key path does not say what it is made of, so a property that is computed from others
/// is known by what it answers: something else than the property that it read. The key path is read
/// three times, with other samples for values each time, the last time with none.
final class PropertyRecorder {
  private enum Samples: CaseIterable { case some, others, none }

  private static let current = ThreadLocal<PropertyRecorder>()
  private let samples: Samples
  private var names: [String] = []
  private weak var latest: NSManagedObject?
  private var slot: Slot?
  private var destination: NSManagedObject?
  private var readsTwo = false

  private init(_ samples: Samples) { self.samples = samples }

  /// The names of the properties that are read on the way to what `read` returns, one from each
  /// probe; none if that is not the value of the last of them.
  static func names(_ read: () -> Any?) -> [String] {
    let outer = current.value
    defer { current.value = outer }
    var names: [String]?
    for samples in Samples.allCases {
      let recorder = PropertyRecorder(samples)
      current.value = recorder
      guard recorder.isValue(read()), names == nil || names == recorder.names else { return [] }
      names = recorder.names
    }
    return names ?? []
  }

  /// Notes a property of a probe, if somebody listens on this thread.
  static func hears(_ slot: Slot, of probe: NSManagedObject) -> Bool {
    guard let recorder = current.value else { return false }
    if recorder.latest !== probe {
      recorder.names.append(slot.name)
    } else if recorder.slot?.name != slot.name {
      recorder.readsTwo = true
    }
    recorder.latest = probe
    recorder.slot = slot
    return true
  }

  /// What stands at the other end of a probe's relationship; nil if nobody listens.
  static func probe(_ destination: EntityLayout?) -> NSManagedObject? {
    guard let recorder = current.value, let destination else { return nil }
    let probe = destination.objectClass.init(entity: destination.entity, insertInto: nil)
    probe.dropValues()
    recorder.destination = probe
    return probe
  }

  /// What an attribute of a probe is; null if nobody listens.
  static func sample(of slot: Slot) -> Value {
    guard let recorder = current.value, case .attribute(let type) = slot.kind else { return .null }
    switch recorder.samples {
    case .some: return sample(type, 1, " aÉ7 ")
    case .others: return sample(type, -7, "ß0B")
    case .none: return .null
    }
  }

  /// What an attribute of a probe is, as key-value coding hands it out.
  static func answer(of slot: Slot) -> Any? {
    guard case .attribute(let type) = slot.kind else { return nil }
    return sample(of: slot).any(type)
  }

  private static func sample(_ type: NSAttributeType, _ number: Int64, _ text: String) -> Value {
    switch type {
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
      return .integer(number)
    case .booleanAttributeType: return .integer(number > 0 ? 1 : 0)
    case .doubleAttributeType, .floatAttributeType, .dateAttributeType:
      return .double(Double(number) + 0.5)
    case .decimalAttributeType: return .boxed(Boxed(.decimal(Decimal(number) + 0.5)))
    case .stringAttributeType: return .string(text)
    case .binaryDataAttributeType: return .data(Data(text.utf8))
    case .UUIDAttributeType:
      let byte = UInt8(truncatingIfNeeded: number)
      return .boxed(
        Boxed(.uuid(UUID(uuid: (byte, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)))))
    case .URIAttributeType:
      return .boxed(Boxed(.url(URL(fileURLWithPath: "/\(number)/Sample"))))
    case .transformableAttributeType, .undefinedAttributeType, .objectIDAttributeType,
      .compositeAttributeType:
      return .null
    }
  }

  /// Whether something is the value of the property that was read last.
  private func isValue(_ result: Any?) -> Bool {
    guard let slot, !readsTwo else { return false }
    switch slot.kind {
    case .toOne: return destination != nil && result.flattened as? NSManagedObject === destination
    case .toMany: if case .list = Operand(result) { return true } else { return false }
    case .attribute:
      switch (Operand(result), Operand(Self.sample(of: slot))) {
      case (_, .null): return true
      case (.integer(let a), .integer(let b)): return a == b
      case (.double(let a), .double(let b)): return a == b
      case (.text(let a), .text(let b)): return a == b
      case (.data(let a), .data(let b)): return a == b
      default: return false
      }
    }
  }
}
