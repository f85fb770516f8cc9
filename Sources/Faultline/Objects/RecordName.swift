/// Names a record without an id object: its concrete entity and its key.
///
/// A list of many costs no counting of references: the model, which whoever asked holds, keeps the
/// entity.
struct RecordName {
  /// The concrete entity.
  unowned(unsafe) let layout: EntityLayout
  /// The key.
  let key: Int64

  init(_ layout: EntityLayout, _ key: Int64) {
    self.layout = layout
    self.key = key
  }
}
