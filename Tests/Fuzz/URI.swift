import Foundation

/// Reads bytes as the URI of an object's id; what is one is written and read again.
@_cdecl("LLVMFuzzerTestOneInput")
public func readRecordURI(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Int32 {
  let text = String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  guard let uri = URL(string: text), let record = RecordURI(uri) else { return 0 }
  guard RecordURI(record.url) == record else {
    fatalError("a URI is read differently from what it writes: \(record)")
  }
  return 0
}
