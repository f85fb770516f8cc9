/// Turns as digits of five bits: the run of default choices before each turn, then its option.
///
/// 1. A run of `n` default choices is `n + 8` in binary, after one 0 for each of its digits beyond
///    four (the exponential Golomb code of order 3): short runs take four bits, and no length is
///    too long.
/// 2. An option is as many 0 as there are options between it and the default, then a 1.
/// 3. The bits are filled up with 0 to whole digits, at most four. Every turn ends with a 1, so
///    what is filled up cannot be taken for a turn, and each text has one reading.
/// 4. No turns at all are the digit 0.
enum ScheduleCode {
  /// Beyond this no run has choices, whatever a text says.
  private static let choicesMax = 1 << 32
  /// Beyond this no choice has options.
  private static let optionsMax = 1 << 16

  /// The digits of some turns.
  static func digits(of schedule: Schedule) -> [UInt8] {
    var bits = Bits()
    var next = 0
    for turn in schedule.turns {
      precondition(turn.choice >= next && turn.option > 0, "turns come in order of their choices")
      let run = turn.choice - next + 8
      let length = Int.bitWidth - run.leadingZeroBitCount
      bits.append(0, count: length - 4)
      bits.append(run, count: length)
      bits.append(0, count: turn.option - 1)
      bits.append(1, count: 1)
      next = turn.choice + 1
    }
    return bits.digits.isEmpty ? [0] : bits.digits
  }

  /// The turns that some digits say; nil if they say none that could have been written.
  static func schedule(of digits: [UInt8]) -> Schedule? {
    if digits == [0] { return Schedule() }
    guard var bits = Bits(digits: digits) else { return nil }
    var turns: [Schedule.Turn] = []
    var next = 0
    while !bits.isEmpty {
      guard let zeros = bits.takeZeros(max: 32), let rest = bits.take(zeros + 3),
        let between = bits.takeZeros(max: optionsMax)
      else { return nil }
      let choice = next + (1 << (zeros + 3)) + rest - 8
      guard choice < choicesMax else { return nil }
      turns.append(Schedule.Turn(choice: choice, option: between + 1))
      next = choice + 1
    }
    return Schedule(turns)
  }

  /// A row of bits that is written and read from its front, five in a digit.
  private struct Bits {
    private(set) var digits: [UInt8] = []
    private var position = 0
    /// Where nothing but filling follows.
    private var end = 0

    init() {}

    /// Digits to be read; nil if the last is nothing but filling.
    init?(digits: [UInt8]) {
      guard let last = digits.last, last > 0 else { return nil }
      self.digits = digits
      end = digits.count * 5 - last.trailingZeroBitCount
    }

    /// Whether all was read.
    var isEmpty: Bool { position >= end }

    mutating func append(_ number: Int, count: Int) {
      for shift in (0..<count).reversed() {
        if position.isMultiple(of: 5) { digits.append(0) }
        let bit = UInt8(truncatingIfNeeded: number >> shift) & 1
        digits[digits.count - 1] |= bit << UInt8(4 - position % 5)
        position += 1
      }
    }

    /// The next bits as a number; nil if there are not so many.
    mutating func take(_ count: Int) -> Int? {
      guard position + count <= digits.count * 5 else { return nil }
      var number = 0
      for _ in 0..<count {
        let bit = digits[position / 5] >> UInt8(4 - position % 5) & 1
        number = number << 1 | Int(bit)
        position += 1
      }
      return number
    }

    /// How many 0 stand before the next 1, which is taken too; nil if there are more or no 1.
    mutating func takeZeros(max: Int) -> Int? {
      for zeros in 0...max {
        guard let bit = take(1) else { return nil }
        if bit == 1 { return zeros }
      }
      return nil
    }
  }
}
