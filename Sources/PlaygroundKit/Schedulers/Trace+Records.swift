import Foundation

/// A trace as it goes from the process that made it to the one that tells it.
///
/// JSON would take longer than the run of a few thousand steps. So only what there is once is JSON;
/// choices and steps are numbers of as many bytes as they need, and a text is told once and called
/// by its number from then on.
extension Trace {
  /// The whole trace as bytes.
  var data: Data {
    get throws {
      var head = self
      (head.choices, head.steps) = ([], [])
      let json = try JSONEncoder().encode(head)
      var writer = Writer()
      writer.add(json.count)
      writer.bytes += json
      writer.add(choices) { writer, choice in
        writer.add(choice.options) { $0.add($1) }
        writer.add(choice.chosen)
        writer.add(choice.isSwitchPoint)
        writer.add(choice.step)
      }
      writer.add(steps) { $0.add($1) }
      return Data(writer.bytes)
    }
  }

  /// Reads what `data` wrote; a trace of more steps than the run may have made is none.
  init(data: Data, stepsMax: Int = .max) throws {
    var reader = Reader(bytes: Array(data))
    let length = try reader.number()
    guard length <= Self.headBytesMax else { throw Reader.damaged }
    self = try JSONDecoder().decode(Trace.self, from: Data(reader.bytes(length)))
    choices = try reader.array { reader in
      Choice(
        options: try reader.array { try $0.number() }, chosen: try reader.number(),
        isSwitchPoint: try reader.flag(), step: try reader.number())
    }
    steps = try reader.array(most: stepsMax) { try $0.step() }
  }

  /// What the JSON may take: it holds what there is once, and takes much more room in memory.
  private static let headBytesMax = 1 << 24

  /// The trace, if its numbers lead to something in it.
  ///
  /// - Throws: `Complaint` when one does not; only code that is not ours leaves such a trace.
  func checked() throws(Complaint) -> Trace {
    // Far from where sums overflow.
    let times = 0...1 << 60
    let isWhole =
      steps.allSatisfy { step in
        parties.indices.contains(step.party)
          && step.choice.map(choices.indices.contains) ?? true
          && step.asker.map(parties.indices.contains) ?? true
          && times.contains(step.start) && times.contains(step.end) && step.start <= step.end
          && step.stack.allSatisfy { $0.magnitude < 1 << 48 }
      }
      && choices.allSatisfy { choice in
        choice.options.allSatisfy(parties.indices.contains)
          && choice.options.indices.contains(choice.chosen)
          && (0...steps.count).contains(choice.step)
      }
    if !isWhole { throw Reader.damaged }
    return self
  }

  private struct Writer {
    var bytes: [UInt8] = []
    private var numbers: [String: Int] = [:]

    /// Seven bits a byte, the lowest first; all bytes but the last have the eighth set.
    mutating func add(_ number: Int) {
      var rest = UInt(bitPattern: number)
      while rest > 0x7F {
        bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
        rest >>= 7
      }
      bytes.append(UInt8(rest))
    }

    mutating func add(_ flag: Bool) { add(flag ? 1 : 0) }

    mutating func add(_ text: String) {
      if let number = numbers[text] { return add(number) }
      add(numbers.count)
      numbers[text] = numbers.count
      add(text.utf8.count)
      bytes.append(contentsOf: text.utf8)
    }

    mutating func add<Value>(_ values: [Value], _ body: (inout Writer, Value) -> Void) {
      add(values.count)
      for value in values { body(&self, value) }
    }

    /// Whether there is one, and then which.
    mutating func add<Value>(optional value: Value?, _ body: (inout Writer, Value) -> Void) {
      add(value != nil)
      if let value { body(&self, value) }
    }

    mutating func add(_ step: Step) {
      add(step.party)
      add(optional: step.queue) { $0.add($1) }
      add(step.point)
      add(step.subject)
      add(step.touches) { writer, touch in
        writer.add(touch.thing)
        writer.add(touch.isWrite)
        writer.add(optional: touch.version) { $0.add($1) }
        writer.add(optional: touch.values) { writer, values in
          writer.add(values) { writer, value in
            writer.add(value.name)
            writer.add(value.value)
          }
        }
      }
      add(step.notes) { $0.add($1) }
      add(step.start)
      add(step.end)
      add(optional: step.choice) { $0.add($1) }
      add(step.isSwitch)
      switch step.stop {
      case nil: add(0)
      case .ended: add(1)
      case .abandoned: add(2)
      case .waits(let queue):
        add(3)
        add(queue)
      case .waitsFor(let words):
        add(4)
        add(words)
      }
      add(optional: step.asker) { $0.add($1) }
      add(optional: step.changes) { $0.add($1) { $0.add($1) } }
      add(optional: step.place) { $0.add($1) }
      add(step.stack) { $0.add($1) }
    }

    mutating func add(_ change: Change) {
      add(change.row)
      add(change.kind)
      add(change.fields) { writer, field in
        writer.add(field.name)
        for text in [field.read, field.own, field.stored, field.kept] {
          writer.add(optional: text) { $0.add($1) }
        }
      }
      add(optional: change.decision) { writer, decision in
        writer.add(decision.policy)
        writer.add(decision.read)
        writer.add(optional: decision.stored) { $0.add($1) }
        writer.add(decision.result)
      }
    }
  }

  private struct Reader {
    private var rest: ArraySlice<UInt8>
    private var texts: [String] = []

    init(bytes: [UInt8]) { rest = bytes[...] }

    static var damaged: Complaint { Complaint(.ourBug, "a trace cannot be read") }

    mutating func bytes(_ count: Int) throws -> ArraySlice<UInt8> {
      guard (0...rest.count).contains(count) else { throw Self.damaged }
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count)
    }

    mutating func number() throws -> Int {
      var number: UInt = 0
      for shift in stride(from: 0 as UInt, to: 64, by: 7) {
        guard let byte = rest.popFirst() else { break }
        number |= UInt(byte & 0x7F) << shift
        if byte <= 0x7F { return Int(bitPattern: number) }
      }
      throw Self.damaged
    }

    mutating func flag() throws -> Bool { try number() == 1 }

    mutating func text() throws -> String {
      let number = try number()
      if texts.indices.contains(number) { return texts[number] }
      guard number == texts.count else { throw Self.damaged }
      let text = String(decoding: try bytes(self.number()), as: UTF8.self)
      texts.append(text)
      return text
    }

    mutating func array<Value>(
      most: Int = .max, _ body: (inout Reader) throws -> Value
    ) throws -> [Value] {
      let count = try number()
      guard (0...min(rest.count, most)).contains(count) else { throw Self.damaged }
      return try (0..<count).map { _ in try body(&self) }
    }

    mutating func optional<Value>(_ body: (inout Reader) throws -> Value) throws -> Value? {
      try flag() ? try body(&self) : nil
    }

    mutating func step() throws -> Step {
      Step(
        party: try number(), queue: try optional { try $0.text() }, point: try text(),
        subject: try text(),
        touches: try array { reader in
          Touch(
            thing: try reader.text(), isWrite: try reader.flag(),
            version: try reader.optional { try $0.number() },
            values: try reader.optional { reader in
              try reader.array { Value(name: try $0.text(), value: try $0.text()) }
            })
        },
        notes: try array { try $0.text() }, start: try number(), end: try number(),
        choice: try optional { try $0.number() }, isSwitch: try flag(), stop: try stop(),
        asker: try optional { try $0.number() },
        changes: try optional { try $0.array { try $0.change() } },
        place: try optional { try $0.text() }, stack: try array { try $0.number() })
    }

    private mutating func change() throws -> Change {
      Change(
        row: try text(), kind: try text(),
        fields: try array { reader in
          Change.Field(
            name: try reader.text(), read: try reader.optional { try $0.text() },
            own: try reader.optional { try $0.text() },
            stored: try reader.optional { try $0.text() },
            kept: try reader.optional { try $0.text() })
        },
        decision: try optional { reader in
          Change.Decision(
            policy: try reader.text(), read: try reader.number(),
            stored: try reader.optional { try $0.number() }, result: try reader.text())
        })
    }

    private mutating func stop() throws -> Stop? {
      switch try number() {
      case 0: nil
      case 1: .ended
      case 2: .abandoned
      case 3: .waits(queue: try text())
      case 4: .waitsFor(try text())
      default: throw Self.damaged
      }
    }
  }
}
