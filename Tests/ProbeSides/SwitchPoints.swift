import CoreData

/// Switch points where the engine has none, for programs whose orders can be counted by hand.
enum SwitchPoints {
  /// Others may go on here; what follows, up to the next point, writes something shared.
  static func pass(touching name: String) {
    Scheduling.reach(.fetch, name)
    Scheduling.touch(.note(name), isWrite: true)
  }
}
