import CSQLite

/// A value that a function of ours is given by SQLite, or gives back.
package enum FunctionValue {
  case null
  case integer(Int64)
  case double(Double)
  case text(String)
  case blob([UInt8])
}

extension Connection {
  /// Lets statements of this connection call a Swift function.
  ///
  /// It must always give the same value for the same arguments, and must not use the connection.
  /// With an argument count of -1 it takes any number.
  package func define(
    _ name: String, argumentCount: Int32, _ body: @escaping ([FunctionValue]) -> FunctionValue
  ) throws(SQLiteError) {
    let box = Unmanaged.passRetained(FunctionBox(body)).toOpaque()
    let resultCode = sqlite3_create_function_v2(
      database, name, argumentCount, SQLITE_UTF8 | SQLITE_DETERMINISTIC, box,
      { context, count, values in FunctionBox.call(context, count, values) }, nil, nil,
      { Unmanaged<FunctionBox>.fromOpaque($0!).release() })
    // After a failure SQLite has released the box already.
    if resultCode != SQLITE_OK { throw SQLiteError(resultCode, on: database, sql: nil) }
  }
}

extension Connection {
  /// Lets statements of this connection order texts by a Swift function: negative where the first
  /// comes before the second, zero where there is no difference.
  package func defineOrder(
    _ name: String, _ body: @escaping (String, String) -> Int
  ) throws(SQLiteError) {
    let box = Unmanaged.passRetained(OrderBox(body)).toOpaque()
    let resultCode = sqlite3_create_collation_v2(
      database, name, SQLITE_UTF8, box,
      { box, count1, bytes1, count2, bytes2 in
        let left = UnsafeRawBufferPointer(start: bytes1, count: Int(count1))
        let right = UnsafeRawBufferPointer(start: bytes2, count: Int(count2))
        let body = Unmanaged<OrderBox>.fromOpaque(box!).takeUnretainedValue().body
        return Int32(
          clamping: body(
            String(decoding: left, as: UTF8.self), String(decoding: right, as: UTF8.self)))
      }, { Unmanaged<OrderBox>.fromOpaque($0!).release() })
    guard resultCode == SQLITE_OK else {
      // Unlike a function, a collation that was refused is not released.
      Unmanaged<OrderBox>.fromOpaque(box).release()
      throw SQLiteError(resultCode, on: database, sql: nil)
    }
  }
}

/// An order of texts as SQLite holds it.
private final class OrderBox {
  let body: (String, String) -> Int

  init(_ body: @escaping (String, String) -> Int) { self.body = body }
}

/// A Swift function as SQLite holds it.
private final class FunctionBox {
  private let body: ([FunctionValue]) -> FunctionValue

  init(_ body: @escaping ([FunctionValue]) -> FunctionValue) { self.body = body }

  static func call(
    _ context: OpaquePointer?, _ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?
  ) {
    let box = Unmanaged<FunctionBox>.fromOpaque(sqlite3_user_data(context)!).takeUnretainedValue()
    give(box.body((0..<Int(count)).map { argument(values?[$0]) }), context)
  }

  private static func argument(_ value: OpaquePointer?) -> FunctionValue {
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER: return .integer(sqlite3_value_int64(value))
    case SQLITE_FLOAT: return .double(sqlite3_value_double(value))
    case SQLITE_TEXT: return .text(String(decoding: bytes(value), as: UTF8.self))
    case SQLITE_BLOB: return .blob(Array(bytes(value)))
    default: return .null
    }
  }

  private static func bytes(_ value: OpaquePointer?) -> UnsafeRawBufferPointer {
    let start = sqlite3_value_blob(value)
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
  }

  private static func give(_ value: FunctionValue, _ context: OpaquePointer?) {
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    switch value {
    case .null: sqlite3_result_null(context)
    case .integer(let number): sqlite3_result_int64(context, number)
    case .double(let number): sqlite3_result_double(context, number)
    case .text(var text):
      text.withUTF8 { utf8 in
        utf8.withMemoryRebound(to: CChar.self) {
          sqlite3_result_text64(
            context, $0.baseAddress, UInt64($0.count), transient, UInt8(SQLITE_UTF8))
        }
      }
    case .blob(let bytes):
      bytes.withUnsafeBytes {
        sqlite3_result_blob64(context, $0.baseAddress, UInt64($0.count), transient)
      }
    }
  }
}
