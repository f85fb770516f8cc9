import CoreData
import Foundation
import PlaygroundKit
import Synchronization

/// Calls that nothing in the scheduler stands for, each of which must end a run by its name.
extension OutsideProbe {
  static let refused: [Side] = [
    .column("refused", "a call that nothing stands for") { _ in
      DispatchIO(type: .stream, fileDescriptor: 0, queue: .global()) { _ in }.close()
    },
    .column("socket", "a socket is asked for") { _ in _ = socket(AF_UNIX, 1, 0) },
    .column("process", "another process is started") { _ in
      _ = try Process.run(URL(filePath: "/bin/true"), arguments: [])
    },
    .column("run loop", "main runs its loop itself") { _ in
      func run() {
        RunLoop.current.add(Timer(timeInterval: 0.01, repeats: false) { _ in }, forMode: .default)
        RunLoop.current.run(until: .now + 1)
      }
      run()
    },
    .column("mutex", "a Mutex is asked for that another thread has") { world in
      let mutex = Mutex(())
      DispatchQueue.global().async { mutex.withLock { _ in SwitchPoints.pass(touching: "page") } }
      mutex.withLock { _ in SwitchPoints.pass(touching: "page") }
    },
  ]
}
