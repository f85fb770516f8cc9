/// Hears which properties a key path reads: the key path is read from a probe object that has no
/// values, and whose to-one destinations are probes too.
final class PropertyRecorder {
  private static let current = ThreadLocal<PropertyRecorder>()
  private var names: [String] = []
  private weak var latest: NSManagedObject?

  /// The names of the properties that are read, one from each probe, while `body` runs.
  static func record(_ body: () -> Void) -> [String] {
    let recorder = PropertyRecorder()
    let outer = current.value
    current.value = recorder
    defer { current.value = outer }
    body()
    return recorder.names
  }

  /// Notes the first property of a probe, if somebody listens on this thread.
  static func hears(_ name: String, of probe: NSManagedObject) -> Bool {
    guard let recorder = current.value else { return false }
    if recorder.latest !== probe { recorder.names.append(name) }
    recorder.latest = probe
    return true
  }

  /// What stands at the other end of a probe's relationship; nil if nobody listens.
  static func probe(_ destination: EntityLayout?) -> NSManagedObject? {
    guard current.value != nil, let destination else { return nil }
    let probe = destination.objectClass.init(entity: destination.entity, insertInto: nil)
    probe.dropValues()
    return probe
  }
}
