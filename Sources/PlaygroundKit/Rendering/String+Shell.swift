extension String {
  /// The text as one word of a shell's command line.
  public var quotedForShell: String {
    if visible != self {
      // Only this way of quoting can spell such characters out.
      let bytes = utf8.map { byte in
        0x20..<0x7F ~= byte && !"'\\".utf8.contains(byte)
          ? String(UnicodeScalar(byte)) : "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
      return "$'\(bytes.joined())'"
    }
    let isPlain = allSatisfy {
      $0.isASCII && ($0.isLetter || $0.isNumber || "_@%+:,./-".contains($0))
    }
    return isPlain && !isEmpty ? self : "'\(replacingOccurrences(of: "'", with: "'\\''"))'"
  }
}
