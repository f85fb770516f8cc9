import CSwiftRuntime
import Foundation

/// Has the heap of the process grow in huge pages, of 2 MB, where the kernel leaves that to those
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
/// they take address space, and memory as they are used.
enum HugePages {
  /// How much the heap grows, in bytes.
  private static let room = 64 << 20
  /// How much it grows at a time from then on.
  private static let roomLater: Int32 = 2 << 20
  private static let isDone = Lock(false)

  /// Prepares the heap, once, by whoever opens the first store on the main thread; other threads
  /// have heaps of their own. Not under control, where processes are copied.
  static func prepareHeap() {
    #if canImport(Glibc)
      guard Scheduling.hook == nil, MainThread.isCurrent else { return }
      isDone.withLock { isDone in
        if !isDone { advise() }
        isDone = true
      }
    #endif
  }

  #if canImport(Glibc)
    private static func advise() {
      mallopt(M_MMAP_THRESHOLD, 32 << 20)
      mallopt(M_TRIM_THRESHOLD, Int32(2 * room))
      mallopt(M_TOP_PAD, Int32(room))
      // More than is free makes the heap grow.
      let first = malloc(Int(roomLater))
      mallopt(M_TOP_PAD, roomLater)
      let page = sysconf(Int32(_SC_PAGESIZE))
      let start = (Int(bitPattern: first) + page - 1) / page * page
      let end = Int(bitPattern: sbrk(0))
      // Another malloc has its heap elsewhere.
      if first != nil, start < end, end - start <= 2 * room {
        madvise(UnsafeMutableRawPointer(bitPattern: start), end - start, MADV_HUGEPAGE)
      }
      free(first)
    }
  #endif
}
