/// Carries a reference through a lock whose closure must be Sendable; the lock protects the use.
struct UncheckedBox<Value>: @unchecked Sendable {
  /// What is carried.
  let value: Value
  init(_ value: Value) { self.value = value }
}
