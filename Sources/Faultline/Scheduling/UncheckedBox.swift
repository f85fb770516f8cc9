/// Carries a value into a closure that must be Sendable; a lock or a queue protects its use there.
struct UncheckedBox<Content>: @unchecked Sendable {
  /// What is carried.
  let value: Content
  init(_ value: Content) { self.value = value }
}
