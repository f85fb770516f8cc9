import CSQLite

/// One prepared statement: bound, stepped, read, reset, and used again.
///
/// ```
/// idle      bindings may change, there is no row
/// running   bindings stand still, a row may stand ready
///
///          step, first time               step: another row
///   idle ───────────────────▶ running ◀────────────────────┐
///    ▲                          │  └───────────────────────┘
///    └──────────────────────────┘
///      reset, the end of run, step: no more rows, any error
/// ```
///
/// In both states what was bound stays bound until it is bound anew, or until
/// ``Connection/statement(_:)`` hands the statement out again. Bind indexes count from one and
/// column indexes from zero, as in SQLite. Columns may be read only while a row stands ready.
package final class Statement {
  /// The five kinds of value that SQLite stores.
  package enum ColumnType: Int32, Sendable {
    /// A signed integer of up to 64 bits.
    case integer = 1
    /// A 64-bit floating point number.
    case float = 2
    /// UTF-8 text.
    case text = 3
    /// Bytes.
    case blob = 4
    /// No value.
    case null = 5
  }

  /// The text this was prepared from.
  package let sql: String
  /// How many columns its rows have; none for a statement that only changes something.
  package let columnCount: Int32

  /// The C statement.
  @usableFromInline let prepared: OpaquePointer
  /// What keeps the C connection alive for as long as the statement is.
  @usableFromInline let handle: DatabaseHandle
  /// Whether it has been started and has not ended.
  ///
  /// Here and below without the run-time test for overlapping access: one thread at a time uses a
  /// connection, and the test would cost more than most bindings.
  @exclusivity(unchecked) @usableFromInline var isRunning = false
  @exclusivity(unchecked) private var buffers: BindingBuffers

  /// Takes over a prepared C statement.
  init(_ prepared: OpaquePointer, on handle: DatabaseHandle, sql: String) {
    self.prepared = prepared
    self.handle = handle
    self.sql = sql
    columnCount = sqlite3_column_count(prepared)
    buffers = BindingBuffers(parameterCount: Int(sqlite3_bind_parameter_count(prepared)))
  }

  deinit {
    sqlite3_finalize(prepared)
    buffers.free()
  }

  // MARK: Binding

  /// Binds an integer.
  @inlinable
  package func bind(_ value: Int64, at index: Int32) throws(SQLiteError) {
    try check(sqlite3_bind_int64(prepared, index, value))
  }

  /// Binds a floating point number; SQLite has no NaN and stores NULL for it.
  @inlinable
  package func bind(_ value: Double, at index: Int32) throws(SQLiteError) {
    try check(sqlite3_bind_double(prepared, index, value))
  }

  /// Binds text, U+0000 within it included.
  package func bind(_ value: String, at index: Int32) throws(SQLiteError) {
    var value = value
    let resultCode = value.withUTF8 { utf8 in
      bindBytes(UnsafeRawBufferPointer(utf8), isText: true, at: index)
    }
    try check(resultCode)
  }

  /// Binds bytes; none at all are an empty blob, not NULL.
  package func bind(_ bytes: UnsafeRawBufferPointer, at index: Int32) throws(SQLiteError) {
    try check(bindBytes(bytes, isText: false, at: index))
  }

  /// Binds text that is at hand as UTF-8, which is cheaper than making a `String` of it first.
  package func bindText(
    utf8 bytes: UnsafeRawBufferPointer, at index: Int32
  ) throws(SQLiteError) {
    try check(bindBytes(bytes, isText: true, at: index))
  }

  /// Binds text that the caller keeps where it is until the statement has run to its end.
  package func bindText(
    keptUTF8 bytes: UnsafeRawBufferPointer, at index: Int32
  ) throws(SQLiteError) {
    guard let start = bytes.baseAddress else { return try bindText(utf8: bytes, at: index) }
    try check(
      sqlite3_bind_text64(
        prepared, index, start.assumingMemoryBound(to: CChar.self), UInt64(bytes.count), nil,
        UInt8(SQLITE_UTF8)))
  }

  /// Binds NULL.
  @inlinable
  package func bindNull(at index: Int32) throws(SQLiteError) {
    try check(sqlite3_bind_null(prepared, index))
  }

  // MARK: Running

  /// Goes to the next row and answers whether there is one; after an error the statement is idle.
  @inlinable
  package func step() throws(SQLiteError) -> Bool {
    if !isRunning {
      isRunning = true
      handle.statementsRun &+= 1
    }
    let resultCode = sqlite3_step(prepared)
    if resultCode == SQLITE_ROW { return true }
    if resultCode != SQLITE_DONE { throw failed(resultCode) }
    reset()
    return false
  }

  /// Steps to the end, whatever rows there are, and resets.
  @inlinable
  package func run() throws(SQLiteError) {
    while try step() {}
  }

  /// Ends a run half way; a read transaction that hung on it ends too.
  @inlinable
  package func reset() {
    // What reset answers is the error of the last step, which has been thrown already.
    sqlite3_reset(prepared)
    isRunning = false
  }

  /// Makes the statement as good as new, which is how the cache hands it out.
  func clear() {
    if isRunning { reset() }
    sqlite3_clear_bindings(prepared)
  }

  // MARK: Reading the row

  /// Whether a column holds NULL.
  @inlinable
  package func isNull(_ column: Int32) -> Bool {
    sqlite3_column_type(prepared, column) == SQLITE_NULL
  }

  /// The kind of value a column holds in this row; ask before reading, since reading may convert.
  @inlinable
  package func columnType(_ column: Int32) -> ColumnType {
    ColumnType(rawValue: sqlite3_column_type(prepared, column)) ?? .null
  }

  /// A column as an integer; 0 for NULL.
  @inlinable
  package func int64(_ column: Int32) -> Int64 {
    sqlite3_column_int64(prepared, column)
  }

  /// A column as a floating point number; 0 for NULL.
  @inlinable
  package func double(_ column: Int32) -> Double {
    sqlite3_column_double(prepared, column)
  }

  /// A column as text; empty for NULL, with invalid UTF-8 repaired.
  @inlinable
  package func text(_ column: Int32) -> String {
    withBlob(column) { String(decoding: $0, as: UTF8.self) }
  }

  /// Lends the bytes of a blob or, as UTF-8, of a text; none for NULL.
  ///
  /// They are SQLite's own: valid only inside the closure.
  @inlinable
  package func withBlob<R>(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> R) -> R {
    body(bytes(column))
  }

  /// The bytes of a blob or, as UTF-8, of a text; none for NULL.
  ///
  /// They are SQLite's own: valid until the next step or reset.
  @inlinable
  package func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
    // In this order: asking for the bytes may convert the value, and only then has it a length.
    let bytes = sqlite3_column_blob(prepared, column)
    let count = Int(sqlite3_column_bytes(prepared, column))
    return UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count)
  }

  /// The name of a column, as the query gives it.
  package func columnName(_ column: Int32) -> String {
    sqlite3_column_name(prepared, column).map { String(cString: $0) } ?? ""
  }

  // MARK: Errors and bytes

  /// Throws unless a binding went well.
  @inlinable
  @inline(__always)
  func check(_ resultCode: Int32) throws(SQLiteError) {
    if resultCode != SQLITE_OK { throw failure(resultCode) }
  }

  /// The error of a binding, kept out of line because it is rare.
  @usableFromInline
  @inline(never)
  func failure(_ resultCode: Int32) -> SQLiteError {
    SQLiteError(resultCode, on: sqlite3_db_handle(prepared), sql: sql)
  }

  /// The error of a step, read before the reset that makes the statement usable again.
  @usableFromInline
  @inline(never)
  func failed(_ resultCode: Int32) -> SQLiteError {
    let error = failure(resultCode)
    reset()
    return error
  }

  /// Copies bytes to a buffer that belongs to the parameter and binds that.
  ///
  /// Letting SQLite copy them costs an allocation for each value; a buffer of our own is allocated
  /// once and used again by every run. It is overwritten only while SQLite does not read it.
  private func bindBytes(
    _ bytes: UnsafeRawBufferPointer, isText: Bool, at index: Int32
  ) -> Int32 {
    if isRunning { return SQLITE_MISUSE }
    let (address, isStatic) = buffers.place(bytes, for: index)
    let destructor = isStatic ? nil : Self.transient
    let count = UInt64(bytes.count)
    guard isText else {
      return sqlite3_bind_blob64(prepared, index, address, count, destructor)
    }
    return sqlite3_bind_text64(
      prepared, index, address.assumingMemoryBound(to: CChar.self), count, destructor,
      UInt8(SQLITE_UTF8))
  }

  /// `SQLITE_TRANSIENT`, a cast that Swift does not import.
  private static var transient: sqlite3_destructor_type {
    unsafeBitCast(-1, to: sqlite3_destructor_type.self)
  }
}
