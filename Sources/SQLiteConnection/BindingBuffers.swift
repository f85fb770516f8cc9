/// Memory for the text and blobs bound to one statement: one reusable buffer for each parameter.
///
/// The statement that owns it frees it, after it has finalised the C statement that points here.
struct BindingBuffers {
  /// Longer values are left to SQLite to copy, so that one long text does not stay in memory.
  static let longestKept = 64 * 1024

  private struct Buffer {
    var address: UnsafeMutableRawPointer
    var capacity: Int
  }

  private let buffers: UnsafeMutableBufferPointer<Buffer?>

  /// Makes room for the buffers, each of which is allocated when it is first needed.
  init(parameterCount: Int) {
    // One at least, so that there is an address to give for no bytes at all.
    buffers = .allocate(capacity: max(1, parameterCount))
    buffers.initialize(repeating: nil)
  }

  /// Where SQLite finds the bytes: a copy that stays until the next call for the same parameter, or
  /// the bytes themselves, which SQLite then has to copy.
  ///
  /// The address is never null, since SQLite takes a null address for NULL.
  @inline(__always)
  func place(
    _ bytes: UnsafeRawBufferPointer, for index: Int32
  ) -> (address: UnsafeRawPointer, isStatic: Bool) {
    guard let source = bytes.baseAddress, bytes.count > 0 else {
      return (UnsafeRawPointer(buffers.baseAddress!), true)
    }
    // SQLite reports an index out of range itself.
    let slot = Int(index) - 1
    guard bytes.count <= Self.longestKept, buffers.indices.contains(slot) else {
      return (source, false)
    }
    let buffer = buffer(slot, holding: bytes.count)
    buffer.copyMemory(from: source, byteCount: bytes.count)
    return (UnsafeRawPointer(buffer), true)
  }

  /// Gives the memory back.
  func free() {
    for case let buffer? in buffers { buffer.address.deallocate() }
    buffers.deallocate()
  }

  @inline(__always)
  private func buffer(_ slot: Int, holding count: Int) -> UnsafeMutableRawPointer {
    if let buffer = buffers[slot], buffer.capacity >= count { return buffer.address }
    return grownBuffer(slot, holding: count)
  }

  @inline(never)
  private func grownBuffer(_ slot: Int, holding count: Int) -> UnsafeMutableRawPointer {
    buffers[slot]?.address.deallocate()
    let capacity = max(64, count + count / 2)
    let address = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
    buffers[slot] = Buffer(address: address, capacity: capacity)
    return address
  }
}
