/// Douglas Crockford's 32 digits for people, and the check character over them.
///
/// There is no letter that looks like a digit: an `o` that somebody writes is read as 0, an `i` or
/// an `l` as 1, and case does not count. Those are readings, not damage.
enum Crockford {
  /// The digits in order of their values.
  static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

  /// The values of all characters that are read as a digit.
  private static let values: [Character: UInt8] = {
    var values: [Character: UInt8] = ["O": 0, "I": 1, "L": 1]
    for (value, digit) in alphabet.enumerated() { values[digit] = UInt8(value) }
    for (digit, value) in values { values[Character(digit.lowercased())] = value }
    return values
  }()

  /// The value of a digit; nil for any other character.
  static func value(of digit: Character) -> UInt8? { values[digit] }

  /// A text as it is printed: digits as they stand in the alphabet, everything else as it is.
  static func canonical(_ text: some StringProtocol) -> String {
    String(text.map { character in value(of: character).map { alphabet[Int($0)] } ?? character })
  }

  /// Digits as text.
  static func text(_ digits: [UInt8]) -> String { String(digits.map { alphabet[Int($0)] }) }

  /// The check character of a text of digits and separators.
  ///
  /// The digits are the coefficients of a polynomial over the field of 32 elements, evaluated at a
  /// primitive element. So each has another weight than its neighbours, none of them 0, and neither
  /// one wrong digit nor two neighbours that changed places keep the value. A leading 1 makes the
  /// length count. A separator adds 1 and moves no weight, so that it cannot change places with a
  /// digit unnoticed.
  static func check(_ text: some StringProtocol) -> Character {
    var sum: UInt8 = 1
    for character in text {
      if let value = value(of: character) {
        // Times x in GF(32) with x⁵ = x² + 1, of which x is primitive.
        sum = (sum << 1) ^ (sum & 16 == 0 ? 0 : 0b10_0101) ^ value
      } else {
        sum ^= 1
      }
    }
    return alphabet[Int(sum)]
  }
}
