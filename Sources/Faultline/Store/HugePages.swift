import CSwiftRuntime
import Foundation

/// Has the heap of the process begin in huge pages, of 2 MB, where the kernel leaves that to those
/// who ask (`/sys/kernel/mm/transparent_hugepage/enabled` says `madvise`).
///
/// A fetched object and its row take 450 bytes, and each first touch of a page of 4 KB takes the
/// kernel 1.4 µs: a fifth of the time of fetching, inserting or updating 50,000 objects. Touched
/// for the first time in pages of 2 MB the same memory takes a seventh. It is what
/// `GLIBC_TUNABLES=glibc.malloc.hugetlb=1` does for a program that is started with it.
///
/// malloc is the whole program's, so this changes more than the engine: memory that was freed is
/// kept up to twice `room`, and no block under 32 MB is mapped by itself, which glibc arrives at
/// by itself in a program that frees such blocks. The first `room` bytes are asked for at once;
/// they take address space, and memory as they are used. What the heap grows by after them is in
/// pages of 4 KB, because malloc tells nobody when it grows; so are the heaps that threads other
/// than the main one often have for themselves.
enum HugePages {
  /// How much of the heap is in huge pages, in bytes: about 140,000 objects and their rows.
  private static let room = 64 << 20
  private static let isDone = Lock(false)

  /// Prepares the heap, once, before the first store is opened; not under control, where processes
  /// are copied.
  static func prepareHeap() {
    if Scheduling.hook != nil { return }
    isDone.withLock { isDone in
      if !isDone { growHeap() }
      isDone = true
    }
  }

  /// Lets the heap grow by `room`, which is in huge pages once it is used.
  static func growHeap() {
    #if canImport(Glibc)
      mallopt(M_MMAP_THRESHOLD, 32 << 20)
      mallopt(M_TRIM_THRESHOLD, Int32(2 * room))
      mallopt(M_TOP_PAD, 2 << 20)
      // Without mappings of their own, even this many bytes come from the heap.
      mallopt(M_MMAP_MAX, 0)
      let block = malloc(room)
      mallopt(M_MMAP_MAX, mappingsMax)
      guard let block else { return }
      let page = sysconf(Int32(_SC_PAGESIZE))
      let skipped = -Int(bitPattern: block) & (page - 1)
      madvise(block + skipped, (room - skipped) & ~(page - 1), MADV_HUGEPAGE)
      free(block)
    #endif
  }

  /// How many mappings of their own glibc allows at first.
  private static let mappingsMax: Int32 = 65_536
}
