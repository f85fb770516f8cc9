extension Any? {
  /// The value without the optionals that `Any` may hide.
  var flattened: Any? {
    guard let self else { return nil }
    let mirror = Mirror(reflecting: self)
    guard mirror.displayStyle == .optional else { return self }
    return mirror.children.first.map { $0.value as Any? }?.flattened
  }
}
