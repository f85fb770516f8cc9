import Foundation

/// Reads bytes as a predicate format; what is one is printed and read again.
@_cdecl("LLVMFuzzerTestOneInput")
public func readPredicate(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Int32 {
  let format = String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  // As many arguments as there can be placeholders, of every kind in turn.
  let values: [Any?] = ["name", 1, nil, 2.5, ["a"], "a.b", Date(timeIntervalSinceReferenceDate: 1)]
  let arguments = format.indices.filter { format[$0] == "%" }.indices.map {
    values[$0 % values.count]
  }
  // `%K` takes texts only, so the format is read with nothing but texts too.
  for arguments in [arguments, arguments.map { _ in "key" }] {
    guard let predicate = try? readWhole(format, arguments) else { continue }
    let text = PredicateText.text(predicate)
    _ = predicate.hash
    _ = try? readWhole(text, [])
  }
  if var parser = try? PredicateParser(format, arguments) { _ = try? parser.wholeExpression() }
  return 0
}

private func readWhole(_ format: String, _ arguments: [Any?]) throws -> NSPredicate {
  var parser = try PredicateParser(format, arguments)
  return try parser.wholePredicate()
}
