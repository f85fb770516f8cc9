/// Carries a reference through a lock whose closure must be Sendable; the lock protects the use.
struct UncheckedBox<Content>: @unchecked Sendable {
  /// What is carried.
  let value: Content
  init(_ value: Content) { self.value = value }
}
