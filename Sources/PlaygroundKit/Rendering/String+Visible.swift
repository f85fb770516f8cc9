extension String {
  /// The text with each character spelt out that a terminal obeys instead of showing it: `\u{1b}`
  /// for an escape. Line breaks and tabs stay.
  ///
  /// Text that is not ours passes here where it enters a page or a complaint.
  public var visible: String { spelt { "\\u{\(String($0.value, radix: 16))}" } }

  /// The same inside JSON, whose encoder spells out only a part of these characters.
  public var visibleInJSON: String {
    spelt {
      let digits = String($0.value, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
  }

  private func spelt(_ spelling: (Unicode.Scalar) -> String) -> String {
    guard unicodeScalars.contains(where: \.isObeyed) else { return self }
    var text = ""
    for (index, scalar) in zip(unicodeScalars.indices, unicodeScalars) {
      let next = unicodeScalars.index(after: index)
      if scalar == "\r", next < unicodeScalars.endIndex, unicodeScalars[next] == "\n" { continue }
      if scalar.isObeyed { text += spelling(scalar) } else { text.unicodeScalars.append(scalar) }
    }
    return text
  }
}

extension Unicode.Scalar {
  /// Whether a terminal does something instead of showing it: a control character, or one that
  /// turns the direction of writing.
  fileprivate var isObeyed: Bool {
    switch value {
    case 0x09, 0x0A: false
    case ..<0x20, 0x7F...0x9F: true
    case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
