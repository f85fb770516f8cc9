#if os(Linux)
  import CInterposition
  import Foundation

  /// The application's own threads: each is a party, on the thread that it asked for.
  extension ControlledScheduler {
    /// What the C library runs in a new thread.
    typealias ThreadBody =
      @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?

    /// What a new thread is told.
    private final class Start {
      let run: (@escaping () -> Void) -> Void
      let body: ThreadBody
      let argument: UnsafeMutableRawPointer?

      init(
        _ run: @escaping (@escaping () -> Void) -> Void, _ body: @escaping ThreadBody,
        _ argument: UnsafeMutableRawPointer?
      ) { (self.run, self.body, self.argument) = (run, body, argument) }
    }

    /// Makes the thread, which stands still until its party is chosen.
    func startThread(
      _ thread: UnsafeMutableRawPointer?, _ attributes: UnsafeRawPointer?, _ body: ThreadBody?,
      _ argument: UnsafeMutableRawPointer?
    ) -> Int32 {
      guard let run, let parent = current, let body else {
        return faultline_real_start_thread(thread, attributes, body, argument)
      }
      reach(.outside("starts"), subject: "a thread")
      guard let (party, runWhole) = addThread(by: parent) else { return EAGAIN }
      let start = Unmanaged.passRetained(Start(runWhole, body, argument))
      let result = faultline_real_start_thread(
        thread, attributes,
        { start in
          let start = Unmanaged<Start>.fromOpaque(start!).takeRetainedValue()
          var answer: UnsafeMutableRawPointer?
          start.run { answer = start.body(start.argument) }
          return answer
        }, start.toOpaque())
      if let id = thread?.assumingMemoryBound(to: UInt.self).pointee, result == 0 {
        run.outside.threads[id] = party
      }
      return result
    }

    /// Waits until a thread has come to its end.
    func join(_ thread: UInt) {
      guard let run, let party = current, let other = run.outside.threads[thread] else { return }
      reach(.outside("asks for"), subject: "the end of a thread")
      wait(
        OutsideWait(words: other.name, holders: { [other] }, isOver: { other.hasEnded }), run,
        party)
    }
  }
#endif
