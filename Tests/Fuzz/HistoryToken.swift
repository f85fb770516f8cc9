import Foundation

/// Reads bytes as the text of an archived history token, and writes what was read again.
@_cdecl("LLVMFuzzerTestOneInput")
public func readHistoryToken(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Int32 {
  let text = String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  guard let numbers = NSPersistentHistoryToken.numbers(in: text) else { return 0 }
  let token = NSPersistentHistoryToken(numbers: numbers)
  let archive = token.text
  guard NSPersistentHistoryToken.numbers(in: archive) == numbers else {
    fatalError("a token is read differently from what it writes: \(archive)")
  }
  return 0
}
