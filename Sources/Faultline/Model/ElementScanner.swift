import Foundation

/// Reads the XML that Xcode writes: elements and their attributes. Text between them says nothing
/// in a model and is passed over.
///
/// It is not Foundation's parser because that one can be made to crash: libxml2 2.9.14 dies of
/// `<?xml version="1.0" encoding="UTF7"` and a zero byte.
struct ElementScanner {
  private let bytes: [UInt8]
  private var position = 0
  private var line = 1

  /// More than any model has: an element of a fetch request of a property of an entity is the 5th.
  private static let depthMax = 16

  /// Begins with bytes that are UTF-8.
  init(_ data: Data) {
    bytes = Array(data)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
  }

  /// The outermost element of the whole document.
  mutating func document() throws(ModelError) -> ModelElement {
    var open: [ModelElement] = []
    while let isText = try passText(isInside: !open.isEmpty) {
      if isText { continue }
      if accept("</") {
        let name = try name("a tag")
        passSpace()
        guard accept(">"), let element = open.popLast(), element.name == name else {
          throw refusal("</\(name)> closes nothing")
        }
        if open.isEmpty { return try end(element) }
        open[open.count - 1].children.append(element)
        continue
      }
      let (element, isClosed) = try tag()
      if !isClosed {
        open.append(element)
        if open.count > Self.depthMax { throw refusal("its elements are nested too deeply") }
      } else if open.isEmpty {
        return try end(element)
      } else {
        open[open.count - 1].children.append(element)
      }
    }
    throw refusal(
      open.last.map { "<\($0.name)> of line \($0.line) is not closed" } ?? "it is empty")
  }

  private mutating func end(_ root: ModelElement) throws(ModelError) -> ModelElement {
    while let isText = try passText(isInside: false) {
      if !isText { throw refusal("something stands behind </\(root.name)>") }
    }
    return root
  }

  // MARK: Between tags

  /// Passes over what stands before the next tag: true if there was something, false at a tag, nil
  /// at the end.
  private mutating func passText(isInside: Bool) throws(ModelError) -> Bool? {
    if position == bytes.count { return nil }
    if accept("<!--") {
      try pass(until: "-->", "a comment")
    } else if accept("<![CDATA[") {
      if !isInside { throw refusal("text stands outside of all elements") }
      try pass(until: "]]>", "a CDATA section")
    } else if accept("<?") {
      try instruction()
    } else if accept("<!") {
      throw refusal("it declares a document type")
    } else if bytes[position] == UInt8(ascii: "<") {
      return false
    } else {
      let start = position
      passSpace()
      if position == start, !isInside { throw refusal("text stands outside of all elements") }
      while position < bytes.count, bytes[position] != UInt8(ascii: "<") { try advance() }
    }
    return true
  }

  private mutating func instruction() throws(ModelError) {
    let start = position
    try pass(until: "?>", "<?")
    let words = String(decoding: bytes[start..<position], as: UTF8.self).lowercased()
    guard words.hasPrefix("xml "), let encoding = words.range(of: "encoding=") else { return }
    let name = words[encoding.upperBound...].dropFirst().prefix { $0 != "\"" && $0 != "'" }
    if !["utf-8", "us-ascii", "ascii"].contains(name) {
      throw refusal("it says that it is not UTF-8")
    }
  }

  private mutating func pass(until end: String, _ what: String) throws(ModelError) {
    let start = line
    while !accept(end) {
      if position == bytes.count { throw refusal("\(what) of line \(start) is not closed") }
      try advance()
    }
  }

  // MARK: Tags

  /// An opening tag, and whether it closes itself.
  private mutating func tag() throws(ModelError) -> (ModelElement, isClosed: Bool) {
    position += 1
    let name = try name("a tag")
    var values: [String: String] = [:]
    while true {
      let isParted = passSpace()
      if accept("/>") { return (ModelElement(name: name, line: line, values: values), true) }
      if accept(">") { return (ModelElement(name: name, line: line, values: values), false) }
      if !isParted { throw refusal("the tag <\(name) is not closed") }
      let key = try self.name("<\(name)")
      passSpace()
      guard accept("=") else { throw refusal("\(key) in <\(name) has no value") }
      passSpace()
      if values.updateValue(try value(of: key), forKey: key) != nil {
        throw refusal("<\(name) has \(key) twice")
      }
    }
  }

  private mutating func name(_ place: String) throws(ModelError) -> String {
    let start = position
    while position < bytes.count, Self.isNamePart(bytes[position]) { position += 1 }
    if position == start { throw refusal("a name is missing in \(place)") }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private static func isNamePart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
      UInt8(ascii: "."), UInt8(ascii: ":"), 0x80...:
      true
    default: false
    }
  }

  private mutating func value(of key: String) throws(ModelError) -> String {
    guard position < bytes.count, [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(bytes[position])
    else { throw refusal("the value of \(key) has no quotation marks") }
    let quote = bytes[position]
    position += 1
    var text: [UInt8] = []
    while position < bytes.count, bytes[position] != quote {
      switch bytes[position] {
      case UInt8(ascii: "<"): throw refusal("the value of \(key) is not closed")
      case UInt8(ascii: "&"): text += try reference(in: key)
      case UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        text.append(UInt8(ascii: " "))
        try advance()
      default:
        text.append(bytes[position])
        try advance()
      }
    }
    if position == bytes.count { throw refusal("the value of \(key) is not closed") }
    position += 1
    return String(decoding: text, as: UTF8.self)
  }

  /// The letter that `&amp;` or `&#38;` stands for.
  private mutating func reference(in key: String) throws(ModelError) -> [UInt8] {
    let longest = bytes[position...].prefix(12)
    guard let end = longest.firstIndex(of: UInt8(ascii: ";")) else {
      throw refusal("an & in the value of \(key) begins nothing")
    }
    let name = String(decoding: bytes[(position + 1)..<end], as: UTF8.self)
    position = end + 1
    if let letter = Self.letters[name] { return [letter] }
    let isHexadecimal = name.hasPrefix("#x")
    let digits = name.dropFirst(isHexadecimal ? 2 : 1)
    guard name.hasPrefix("#"), let code = UInt32(digits, radix: isHexadecimal ? 16 : 10),
      digits.first != "+", code >= 32 || [9, 10, 13].contains(code),
      let scalar = Unicode.Scalar(code)
    else { throw refusal("the value of \(key) has the unknown letter &\(name);") }
    return Array(String(Character(scalar)).utf8)
  }

  private static let letters: [String: UInt8] = [
    "amp": UInt8(ascii: "&"), "lt": UInt8(ascii: "<"), "gt": UInt8(ascii: ">"),
    "quot": UInt8(ascii: "\""), "apos": UInt8(ascii: "'"),
  ]

  // MARK: Letters

  /// Passes one byte; what XML does not allow is refused.
  private mutating func advance() throws(ModelError) {
    let byte = bytes[position]
    if byte == UInt8(ascii: "\n") { line += 1 }
    if byte < 32, ![9, 10, 13].contains(byte) { throw refusal("it has a letter that no text has") }
    position += 1
  }

  @discardableResult
  private mutating func passSpace() -> Bool {
    let start = position
    while position < bytes.count, [9, 10, 13, 32].contains(bytes[position]) {
      if bytes[position] == UInt8(ascii: "\n") { line += 1 }
      position += 1
    }
    return position > start
  }

  private mutating func accept(_ text: String) -> Bool {
    guard bytes[position...].starts(with: text.utf8) else { return false }
    position += text.utf8.count
    return true
  }

  private func refusal(_ reason: String) -> ModelError {
    ModelError("This is no data model: \(reason).", line: line)
  }
}
