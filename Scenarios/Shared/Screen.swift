import CoreData
import Foundation
import PlaygroundKit

/// A list on a simulated screen, which only the main thread may use.
///
/// It stands for a table of UIKit. A reload asks for each row and replaces it before it asks for
/// the next one; a frame copies every row. On the main thread neither runs in the middle of the
/// other. `reload` has no annotation, as UIKit's had none before Swift 6, so the compiler accepts
/// it on any thread. The list takes a note of that, as Apple's Main Thread Checker does.
///
/// A lock guards each row, so that a reload on another thread corrupts no memory. Nothing
/// guards the list as a whole.
public final class Screen: Sendable {
  /// One row: the object it shows, and the text that it shows of it.
  public struct Row: Sendable, Hashable {
    /// The object's id, which may be used on any thread.
    public let id: NSManagedObjectID
    /// The text.
    public let value: String

    /// Makes a row.
    public init(_ id: NSManagedObjectID, _ value: String) { (self.id, self.value) = (id, value) }
  }

  /// Guards the next two.
  private let lock = NSLock()
  nonisolated(unsafe) private var list: [Row] = []
  nonisolated(unsafe) private var report: String?
  @MainActor private var frames: [[Row]] = []
  @MainActor private var isOn = true

  /// An empty list.
  public init() {}

  /// What the last frame shows.
  @MainActor public var shown: [Row] { frames.last ?? [] }

  /// Replaces the rows one after the other, and reports a call from another thread than main.
  ///
  /// - Parameter row: what the row at an index shows; it is asked only when its turn comes.
  public func reload(_ count: Int, row: (Int) throws -> Row) rethrows {
    if !Thread.isMainThread {
      lock.withLock { report = "reload() called on a background thread" }
    }
    for index in 0..<count {
      let new = try row(index)
      lock.withLock {
        if index < list.count { list[index] = new } else { list.append(new) }
      }
    }
    lock.withLock { list.removeLast(max(0, list.count - count)) }
  }

  /// Draws one frame: copies every row, as it is at this moment.
  @MainActor public func draw() {
    var frame: [Row] = []
    while let row = lock.withLock({ frame.count < list.count ? list[frame.count] : nil }) {
      frame.append(row)
    }
    frames.append(frame)
  }

  /// Draws a frame 60 times a second until the screen is turned off, but no more than so many.
  @MainActor public func display(framesMax: Int) async {
    for _ in 0..<framesMax where isOn {
      await withCheckedContinuation { next in
        DispatchQueue.main.asyncAfter(deadline: .now() + .nanoseconds(16_666_667)) { next.resume() }
      }
      draw()
    }
  }

  /// Ends the display after its next frame.
  @MainActor public func turnOff() { isOn = false }

  /// Notes what the list has reported and shows, and how many of its frames were whole.
  @MainActor public func note(_ world: World, isWhole: ([Row]) -> Bool) {
    let report = lock.withLock { self.report }
    let half = frames.count { !isWhole($0) }
    world.observe("list reloaded on", report == nil ? "the main thread" : "a background thread")
    world.observe("the list reports", report ?? "nothing", good: report == nil)
    let values = Set(shown.map(\.value)).sorted().joined(separator: ", ")
    world.observe("shown in the end", "\(shown.count) × \(values)")
    world.observe("drawn", frames.count, section: "frames of the list")
    world.observe("half drawn", half, good: half == 0, section: "frames of the list")
  }
}
