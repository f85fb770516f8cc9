import CSwiftRuntime
import Foundation
import Synchronization

/// Has the heap of the process grow in huge pages, of 2 MB, where the kernel leaves that to those
/// who ask (`/sys/kernel/mm/transparent_hugepage/enabled` says `madvise`).
///
/// A fetched object and its row take 450 bytes, and each first touch of a page of 4 KB takes the
/// kernel 1.4 µs: a fifth of the time of fetching, inserting or updating 50,000 objects. Touched
/// for the first time in pages of 2 MB the same memory takes a seventh. It is what
/// `GLIBC_TUNABLES=glibc.malloc.hugetlb=1` does for a program that is started with it.
///
/// malloc is the whole program's, so this changes more than the engine: its heap grows by `step`
/// at a time, memory that was freed is kept up to twice that, and no block under 32 MB is mapped by
/// itself, which glibc arrives at by itself in a program that frees such blocks. What the heap grew
/// by takes address space, and memory as it is used. The heaps that threads other than the main one
/// often have for themselves stay in pages of 4 KB.
enum HugePages {
  /// By how much the heap grows, in bytes: room for about 140,000 objects and their rows.
  private static let step = 64 << 20
  /// Where the heap ended when the kernel was last asked; 0 if it is not to be asked.
  private static let end = Atomic<UInt>(0)

  /// Prepares the heap, before the first store is opened; not under control, where processes are
  /// copied.
  static func prepareHeap() {
    #if canImport(Glibc)
      if Scheduling.hook != nil || end.load(ordering: .relaxed) > 0 { return }
      mallopt(M_MMAP_THRESHOLD, 32 << 20)
      mallopt(M_TRIM_THRESHOLD, Int32(2 * step))
      mallopt(M_TOP_PAD, Int32(step))
      // Has it grow at once, or what opening a store takes would be in small pages; by a small
      // block, behind which malloc writes.
      guard let block = malloc(256 << 10) else { return }
      end.store(UInt(bitPattern: block), ordering: .relaxed)
      free(block)
      follow()
    #endif
  }

  /// Asks for huge pages where the heap has grown since the last time, because malloc tells nobody
  /// when it grows; call it once in a while when memory is about to be used.
  static func follow() {
    #if canImport(Glibc)
      let (known, now) = (end.load(ordering: .relaxed), UInt(bitPattern: sbrk(0)))
      // A heap that shrank is followed from its new end.
      guard known > 0, now != known,
        end.compareExchange(expected: known, desired: now, ordering: .relaxed).exchanged,
        now > known
      else { return }
      let page = UInt(sysconf(Int32(_SC_PAGESIZE)))
      let first = (known + page - 1) & ~(page - 1)
      madvise(UnsafeMutableRawPointer(bitPattern: first), Int(now - first), MADV_HUGEPAGE)
    #endif
  }
}
