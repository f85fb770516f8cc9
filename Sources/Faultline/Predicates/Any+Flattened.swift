/// An optional of any type.
private protocol AnyOptional {
  /// What it holds.
  var held: Any? { get }
}

extension Optional: AnyOptional {
  fileprivate var held: Any? { map { $0 } }
}

extension Any? {
  /// The value without the optionals that `Any` may hide.
  var flattened: Any? {
    guard let self else { return nil }
    guard let optional = self as? any AnyOptional else { return self }
    return optional.held.flattened
  }
}
