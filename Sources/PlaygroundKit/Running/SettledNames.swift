/// Names in a trace that do not depend on what the process did before the run.
///
/// The engine numbers contexts without a name, and threads, for the life of a process, and the kit
/// numbers the stores of its runs. In a trace each kind is numbered from 1, in the same order.
struct SettledNames {
  /// How names of a kind begin, what stands instead, and whether a number follows.
  private struct Kind {
    var start: String
    var instead: String
    var hasNumber: Bool
  }

  private static let kinds = [
    Kind(start: "context ", instead: "context ", hasNumber: true),
    Kind(start: "thread ", instead: "thread ", hasNumber: true),
    Kind(start: "run-", instead: "", hasNumber: false),
  ]

  /// The numbers there are, by the beginning of the names.
  private var numbers: [String: [Int]] = [:]
  private var known: [String: String] = [:]

  /// A trace with such names.
  static func settled(_ trace: Trace) -> Trace {
    var names = SettledNames()
    for text in texts(of: trace) { names.learn(text) }
    names.numbers = names.numbers.mapValues { $0.sorted() }
    var trace = trace
    for index in trace.parties.indices {
      trace.parties[index].name = names.settled(trace.parties[index].name)
      trace.parties[index].lane = names.settled(trace.parties[index].lane)
    }
    for index in trace.steps.indices {
      trace.steps[index].queue = trace.steps[index].queue.map { names.settled($0) }
      trace.steps[index].subject = names.settled(trace.steps[index].subject)
      // A row has an entity's name and a key; there may be thousands of them.
      for touch in trace.steps[index].touches.indices
      where !trace.steps[index].touches[touch].isRow {
        let thing = trace.steps[index].touches[touch].thing
        trace.steps[index].touches[touch].thing = names.settled(thing)
      }
      if case .waits(let queue) = trace.steps[index].stop {
        trace.steps[index].stop = .waits(queue: names.settled(queue))
      }
    }
    trace.waits = trace.waits.map { names.settled($0) }
    if trace.ending.kind == .deadlock {
      trace.ending = Ending(.deadlock, names.settled(trace.ending.detail))
    }
    return trace
  }

  private static func texts(of trace: Trace) -> Set<String> {
    var texts = Set(trace.parties.map(\.name) + trace.waits)
    for step in trace.steps { texts.insert(step.subject) }
    return texts
  }

  private mutating func learn(_ text: String) {
    for kind in Self.kinds where kind.hasNumber {
      for part in text.split(separator: kind.start, omittingEmptySubsequences: false).dropFirst() {
        guard let number = Self.number(part)?.value else { continue }
        if numbers[kind.start]?.contains(number) != true {
          numbers[kind.start, default: []].append(number)
        }
      }
    }
  }

  private mutating func settled(_ text: String) -> String {
    if let known = known[text] { return known }
    var settled = text
    for kind in Self.kinds where text.contains(kind.start) {
      let parts = settled.split(separator: kind.start, omittingEmptySubsequences: false)
      settled = String(parts[0])
      for part in parts.dropFirst() {
        guard let (value, length) = Self.number(part) else {
          settled += kind.start + part
          continue
        }
        let place = numbers[kind.start]?.firstIndex(of: value)
        settled += kind.instead + (kind.hasNumber ? place.map { "\($0 + 1)" } ?? "?" : "")
        settled += part.dropFirst(length)
      }
      settled = settled.trimmingTrailingSpaces
    }
    known[text] = settled
    return settled
  }

  /// The number that a text begins with; that of a thread is hexadecimal, and begins with a digit.
  private static func number(_ text: Substring) -> (value: Int, length: Int)? {
    let digits = text.prefix(while: \.isHexDigit)
    guard digits.first?.isNumber ?? false, let value = Int(digits, radix: 16) else { return nil }
    return (value, digits.count)
  }
}
