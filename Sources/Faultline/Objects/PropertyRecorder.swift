/// Hears which property a key path reads: the key path is read from a probe object that has no
/// values.
final class PropertyRecorder {
  private static let current = ThreadLocal<PropertyRecorder>()
  private var name: String?

  /// The name of the first property that is read from a probe while `body` runs.
  static func record(_ body: () -> Void) -> String? {
    let recorder = PropertyRecorder()
    let outer = current.value
    current.value = recorder
    defer { current.value = outer }
    body()
    return recorder.name
  }

  /// Notes a property, if somebody listens on this thread.
  static func hears(_ name: String) -> Bool {
    guard let recorder = current.value else { return false }
    if recorder.name == nil { recorder.name = name }
    return true
  }
}
