import Synchronization

/// The one lock of the engine: it protects the value inside it and is never held while user code runs.
///
/// A controlled scheduler does not see this lock: everything between two switch points is atomic,
/// and no switch point stands inside a critical section.
package typealias Lock = Mutex
