import Foundation

/// A trace as it goes from the process that made it to the one that tells it.
///
/// JSON would take longer than the run of a few thousand steps. So only what there is once is JSON;
/// choices and steps are records, with ASCII's separators between what they are made of. Nobody
/// types those; where a text has one all the same, it arrives as a space.
extension Trace {
  /// Between the head, the choices and the steps.
  private static let groups = UInt8(0x1C)
  /// Between choices, or steps.
  private static let records = UInt8(0x1D)
  /// Between the fields of one.
  private static let fields = UInt8(0x1E)
  /// Between the items of a field, and between their parts.
  private static let items = UInt8(0x1F)

  /// The whole trace as bytes.
  var data: Data {
    get throws {
      var head = self
      (head.choices, head.steps) = ([], [])
      var writer = Writer()
      writer.bytes = Array(try JSONEncoder().encode(head))
      writer.bytes.append(Self.groups)
      for choice in choices {
        writer.add(choice.options.map(String.init).joined(separator: " "))
        writer.add(choice.chosen)
        writer.add(choice.isSwitchPoint ? 1 : 0)
        writer.add(choice.step)
        writer.bytes.append(Self.records)
      }
      writer.bytes.append(Self.groups)
      for step in steps { writer.add(step) }
      return Data(writer.bytes)
    }
  }

  private struct Writer {
    var bytes: [UInt8] = []

    mutating func add(_ text: String, end: UInt8 = Trace.fields) {
      for byte in text.utf8 {
        bytes.append((Trace.groups...Trace.items).contains(byte) ? UInt8(ascii: " ") : byte)
      }
      bytes.append(end)
    }

    mutating func add(_ number: Int?) { add(number.map(String.init) ?? "") }

    /// A text that may be missing: what is there begins with a sign.
    mutating func add(optional text: String?) { add(text.map { "=\($0)" } ?? "") }

    mutating func add(_ step: Step) {
      add(step.party)
      add(optional: step.queue)
      add(step.point)
      add(step.subject)
      for touch in step.touches {
        add(touch.thing, end: Trace.items)
        add(touch.isWrite ? "1" : "0", end: Trace.items)
        add(touch.version.map(String.init) ?? "", end: Trace.items)
      }
      bytes.append(Trace.fields)
      for note in step.notes { add(note, end: Trace.items) }
      bytes.append(Trace.fields)
      add(step.start)
      add(step.end)
      add(step.choice)
      add(step.isSwitch ? 1 : 0)
      switch step.stop {
      case nil: add("")
      case .ended: add("ended")
      case .abandoned: add("abandoned")
      case .waits(let queue): add("=\(queue)")
      }
      add(step.asker)
      bytes.append(Trace.records)
    }
  }

  /// Reads what `data` wrote.
  init(data: Data) throws {
    let groups = Array(data).split(
      separator: Self.groups, maxSplits: 2, omittingEmptySubsequences: false)
    guard groups.count == 3 else { throw Self.damaged }
    self = try JSONDecoder().decode(Trace.self, from: Data(groups[0]))
    choices = try groups[1].split(separator: Self.records).map { record in
      let fields = Reader(record)
      guard fields.count >= 4, let chosen = fields.number(1), let step = fields.number(3) else {
        throw Self.damaged
      }
      return Choice(
        options: fields.text(0).split(separator: " ").compactMap { Int($0) }, chosen: chosen,
        isSwitchPoint: fields.number(2) == 1, step: step)
    }
    steps = try groups[2].split(separator: Self.records).map { record in
      guard let step = Reader(record).step else { throw Self.damaged }
      return step
    }
  }

  private static var damaged: Complaint { Complaint(.ourBug, "a trace cannot be read") }

  private struct Reader {
    private let fields: [ArraySlice<UInt8>]

    init(_ record: ArraySlice<UInt8>) {
      fields = record.split(separator: Trace.fields, omittingEmptySubsequences: false)
    }

    var count: Int { fields.count }

    func text(_ index: Int) -> String { String(decoding: fields[index], as: UTF8.self) }

    func number(_ index: Int) -> Int? { Int(text(index)) }

    func optional(_ index: Int) -> String? {
      fields[index].isEmpty ? nil : String(decoding: fields[index].dropFirst(), as: UTF8.self)
    }

    /// The items of a field; each ends with a separator.
    func items(_ index: Int) -> [String] {
      fields[index].split(separator: Trace.items, omittingEmptySubsequences: false).dropLast()
        .map { String(decoding: $0, as: UTF8.self) }
    }

    var step: Step? {
      guard count >= 12, let party = number(0), let start = number(6), let end = number(7) else {
        return nil
      }
      let parts = items(4)
      let touches = stride(from: 0, to: parts.count - parts.count % 3, by: 3).map { index in
        Touch(
          thing: parts[index], isWrite: parts[index + 1] == "1", version: Int(parts[index + 2]))
      }
      return Step(
        party: party, queue: optional(1), point: text(2), subject: text(3), touches: touches,
        notes: items(5), start: start, end: end, choice: number(8), isSwitch: number(9) == 1,
        stop: stop, asker: number(11))
    }

    private var stop: Stop? {
      switch text(10) {
      case "": nil
      case "ended": .ended
      case "abandoned": .abandoned
      default: optional(10).map { .waits(queue: $0) }
      }
    }
  }
}
