import Foundation

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
  ///   type, which no model does.
  package static func parse(_ data: Data) throws(ModelError) -> ModelElement {
    if data.starts(with: Data("bplist".utf8)) {
      throw ModelError(
        "This is a binary model of Xcode 3; open it in Xcode 4 or later and save it as XML.")
    }
    guard String(validating: data, as: UTF8.self) != nil else {
      throw ModelError("This is no data model: it is not text in UTF-8.")
    }
    var scanner = ElementScanner(data)
    return try scanner.document()
  }
}
