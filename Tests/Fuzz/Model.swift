import Foundation

/// Reads bytes as a model file, and does what needs no store with the model if they are one.
@_cdecl("LLVMFuzzerTestOneInput")
public func readModel(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Int32 {
  let model = NSManagedObjectModel()
  do {
    let file = try ModelFile(
      Data(bytes: bytes, count: count), of: URL(fileURLWithPath: "/model"))
    _ = try ModelReader.fill(model, from: file).map(\.description)
    _ = model.entityVersionHashesByName
    _ = (model.copy() as? NSManagedObjectModel)?.versionChecksum
  } catch { _ = "\(error)" }
  return 0
}
