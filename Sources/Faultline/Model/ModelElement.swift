import Foundation

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// Why a file is not a data model, or what is unwise in one: a sentence with its place.
package struct ModelError: Error, Equatable, CustomStringConvertible {
  /// The file, as a reader knows it.
  package var file: String
  /// The line; nil if the sentence is about the whole file.
  package let line: Int?
  /// The sentence, without its place.
  package let text: String

  init(_ text: String, line: Int? = nil, file: String = "") {
    self.file = file
    self.line = line
    self.text = text
  }

  /// The place and the sentence.
  package var description: String {
    (file.isEmpty ? "" : file + ":") + (line.map { "\($0): " } ?? (file.isEmpty ? "" : " ")) + text
  }
}

/// One element of a model's XML, with those inside it.
package struct ModelElement: Sendable {
  /// The name of the element, such as `entity`.
  package let name: String
  /// The line on which its opening tag ends.
  package let line: Int
  /// The values in its opening tag, by name.
  package let values: [String: String]
  /// The elements inside it.
  package internal(set) var children: [ModelElement] = []

  /// A value of the opening tag.
  package subscript(name: String) -> String? { values[name] }

  /// Whether a value of the opening tag says yes.
  package func flag(_ name: String) -> Bool { values[name] == "YES" }

  /// The elements inside it that have a name.
  package func all(_ name: String) -> [ModelElement] { children.filter { $0.name == name } }

  /// Reads a document and answers its outermost element.
  ///
  /// - Throws: `ModelError` if the bytes are not well-formed XML in UTF-8, or declare a document
  ///   type, which no model does and which can make a small file endless.
  package static func parse(_ data: Data) throws(ModelError) -> ModelElement {
    if data.starts(with: Data("bplist".utf8)) {
      throw ModelError(
        "This is a binary model of Xcode 3; open it in Xcode 4 or later and save it as XML.")
    }
    guard String(validating: data, as: UTF8.self) != nil else {
      throw ModelError("This is no data model: it is not text in UTF-8.")
    }
    if let type = data.range(of: Data("<!DOCTYPE".utf8)) {
      let line = 1 + data[..<type.lowerBound].count { $0 == UInt8(ascii: "\n") }
      throw ModelError("This is no data model: it declares a document type.", line: line)
    }
    let reader = ElementReader()
    let parser = XMLParser(data: data)
    parser.delegate = reader
    let isComplete = parser.parse()
    if let error = reader.error { throw error }
    guard isComplete, parser.parserError == nil, let root = reader.root else {
      throw ModelError("This is no data model: it is not well-formed XML.")
    }
    return root
  }
}

/// Collects the elements of a document; the first thing that is wrong ends it.
private final class ElementReader: NSObject, XMLParserDelegate {
  private(set) var root: ModelElement?
  private(set) var error: ModelError?
  /// The elements that are open, outermost first.
  private var open: [ModelElement] = []

  /// More than any model has: an element of a fetch request of a property of an entity is the 5th.
  private static let depthMax = 16

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
    qualifiedName: String?, attributes values: [String: String]
  ) {
    if error != nil { return }
    if open.count == Self.depthMax {
      return refuse("This is no data model: its elements are nested too deeply.", parser)
    }
    open.append(ModelElement(name: name, line: parser.lineNumber, values: values))
  }

  func parser(
    _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
  ) {
    guard error == nil, let element = open.popLast() else { return }
    if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
  }

  func parser(_ parser: XMLParser, parseErrorOccurred parseError: any Error) {
    refuse("This is no data model: it is not well-formed XML.", parser)
  }

  private func refuse(_ text: String, _ parser: XMLParser) {
    if error == nil { error = ModelError(text, line: max(parser.lineNumber, 1)) }
    parser.abortParsing()
  }
}
