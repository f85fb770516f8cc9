import Foundation
import XCTest

@testable import Faultline

final class HugePagesTests: XCTestCase {
  private struct Mapping {
    let addresses: ClosedRange<UInt>
    var isHuge = false
  }

  /// What the kernel tells of the mappings of this process that are called its heap.
  private func heap() throws -> [Mapping] {
    // Piece by piece: nobody knows the length of this file before its end.
    let file = try XCTUnwrap(FileHandle(forReadingAtPath: "/proc/self/smaps"))
    var data = Data()
    while let piece = try file.read(upToCount: 4096), !piece.isEmpty { data += piece }
    let text = String(decoding: data, as: UTF8.self)
    var mappings: [Mapping] = []
    var isHeap = false
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      let bounds = words[0].split(separator: "-").map { UInt($0, radix: 16) }
      if bounds.count == 2, let first = bounds[0], let last = bounds[1] {
        isHeap = words.last == "[heap]"
        if isHeap { mappings.append(Mapping(addresses: first...last)) }
      } else if isHeap, words[0] == "VmFlags:" {
        mappings[mappings.count - 1].isHuge = words.contains("hg")
      }
    }
    return mappings
  }

  func testTheHeapGrowsInHugePages() throws {
    #if !os(Linux)
      throw XCTSkip("only Linux is asked for huge pages")
    #else
      guard FileManager.default.fileExists(atPath: "/sys/kernel/mm/transparent_hugepage/enabled")
      else { throw XCTSkip("this kernel has no huge pages") }
      HugePages.prepareHeap()
      HugePages.follow()
      // More than the heap has left when it has just grown.
      let some = (0..<5).map { _ in
        UnsafeMutableRawPointer.allocate(byteCount: 20 << 20, alignment: 16)
      }
      defer { for block in some { block.deallocate() } }
      HugePages.follow()
      let mappings = try heap()
      let inHeap = mappings.filter { $0.addresses.contains(UInt(bitPattern: some[4])) }
      if inHeap.isEmpty { throw XCTSkip("this malloc has its heap elsewhere") }
      XCTAssertTrue(inHeap.allSatisfy(\.isHuge))
    #endif
  }
}
