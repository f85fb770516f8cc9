import Foundation

/// The key by which the engine knows a record: the number of its store above the key of its row.
///
/// So one number names a record of any store of any coordinator, and identity maps, row caches and
/// references need nothing beside it. Only what speaks SQL or writes URIs takes it apart, through
/// `Schema.row` and `Schema.keyBase`. A negative key belongs to a record without a row.
enum RecordKey {
  /// How many bits the key of a row may have.
  static let rowBits: Int64 = 43

  /// The key of the row, `Z_PK`.
  static func row(_ key: Int64) -> Int64 { key & ((1 << rowBits) - 1) }

  /// The number of the store.
  static func store(_ key: Int64) -> Int64 { key >> rowBits }
}

/// The number of a store in this process; stores with one UUID share it, as they share ids.
///
/// It is free for another store when the last store and the last id with the UUID are gone.
final class StoreNumber: Sendable {
  /// The number.
  let value: Int64
  private let uuid: String
  private static let book = Lock(Book())

  private struct Book {
    var numbers: [String: Reference] = [:]
    var free: Set<Int64> = []
    var count: Int64 = 0

    struct Reference {
      let value: Int64
      weak var number: StoreNumber?
    }
  }

  private init(value: Int64, uuid: String) {
    self.value = value
    self.uuid = uuid
  }

  /// The number of the stores with this UUID.
  static func of(_ uuid: String) -> StoreNumber {
    book.withLock { book in
      if let known = book.numbers[uuid]?.number { return known }
      let value = book.free.min() ?? book.count
      if book.free.remove(value) == nil { book.count += 1 }
      guard value < 1 << (63 - RecordKey.rowBits) else {
        ProgrammerError.impossible("\(value) stores in one process")
      }
      let number = StoreNumber(value: value, uuid: uuid)
      book.numbers[uuid] = Book.Reference(value: value, number: number)
      return number
    }
  }

  deinit {
    Self.book.withLock { book in
      // By its value: to look at the other would hold it for a moment, perhaps as the last.
      if book.numbers[uuid]?.value == value { book.numbers[uuid] = nil }
      book.free.insert(value)
    }
  }
}
