import Foundation
import SQLiteConnection

/// An open SQLite database with a store's schema: one connection that writes, a few that read.
///
/// Writers take turns on `writerQueue`. Readers run beside them, each on a connection of its own
/// that sees the last commit (WAL). A database in memory has one connection for everything.
final class Database: Sendable {
  /// Where the database is, or will be with the next save if it is written as a whole; nil in
  /// memory.
  var url: URL? { atomicFile?.withLock { $0.url } ?? fixedURL }
  private let fixedURL: URL?
  private let atomicFile: Lock<AtomicFile>?
  /// The UUID, and the number that the keys of records carry.
  let identity: StoreIdentity
  /// The tables.
  let schema: Schema
  /// How the database was opened.
  private let settings: Settings
  /// The queue inside which the writing connection may be used.
  let writerQueue: SerialQueue
  private let facts: Lock<Facts>
  private let writer: Writer
  private let checkpointer: Checkpointer
  private let idleReaders = Lock(IdleReaders())
  private let turns: ReaderTurns?
  /// The read transactions of blocks that may last.
  let openReads = LastingRead.Open()
  private let path: String
  /// The files that the connections have open; nil in memory.
  private let files: StoreFiles?
  /// Whether the connections reach a file, and not memory.
  let isFile: Bool
  /// Whether a read transaction can be held beside a writer.
  let canHold: Bool
  /// Whether the database refuses to be written: it was opened so, or without the history it has.
  let isReadOnly: Bool
  /// How the database keeps its history; nil if it keeps none.
  let history: History?

  /// What the store says about itself, with the changes that are not written yet.
  private struct Facts {
    var metadata: StoreMetadata
    var changes: [(inout StoreMetadata) -> Void] = []

    mutating func change(_ body: @escaping (inout StoreMetadata) -> Void) {
      body(&metadata)
      changes.append(body)
    }

    /// The first changes are written, and this is what the file holds since.
    mutating func take(_ written: StoreMetadata, count: Int) {
      changes.removeFirst(count)
      metadata = written
      for change in changes { change(&metadata) }
    }
  }

  /// The reading connections that nobody uses just now; none is kept once the database is closed.
  private struct IdleReaders {
    static let countMax = 4
    var connections: [Connection] = []
    var isClosed = false
  }

  /// The writing connection; used only inside `writerQueue`.
  private final class Writer: @unchecked Sendable {
    let connection: Connection
    /// Whether the coordinator is about to go on with a copy.
    var isLeft = false
    /// The state of the file in which it was last seen to hold this store.
    var seenData: UInt32
    var seenSchema: Int64
    /// What the file was like when it was last seen to hold this store; nil in memory.
    var seenContents: StoreFiles.Contents?
    /// Whether a commit waits until what it adds to the log is on the disk.
    let syncsLog: Bool
    init(_ connection: Connection, seenData: UInt32, seenSchema: Int64, hasLog: Bool) throws {
      self.connection = connection
      syncsLog = try hasLog && connection.syncsCommits()
      self.seenData = seenData
      self.seenSchema = seenSchema
    }
  }

  /// Opens a store's database, and makes it if there is none.
  ///
  /// - Throws: `CocoaError` with code 134080 if the file cannot be opened, 259 if it is not a
  ///   database; `OtherModel` if it was written with a model of other version hashes.
  init(url: URL?, schema: Schema, settings: Settings) throws {
    HugePages.prepareHeap()
    fixedURL = url
    let atomic = settings.isAtomic ? url.map { AtomicFile($0) } : nil
    atomicFile = atomic.map { Lock($0) }
    isFile = url != nil && !settings.isAtomic
    path = isFile ? url?.path ?? "" : ":memory:"
    let settings = MemoryConnections.reaching(path, settings)
    self.settings = settings
    do {
      var opening = settings
      // Memory is always written: it takes what the file holds.
      if settings.isAtomic { opening.isReadOnly = false }
      let connection = try Self.open(path, opening)
      try atomic?.load(into: connection)
      try Self.make(connection, schema: schema, settings, url: url)
      let seenSchema = try connection.schemaVersion()
      // Before the metadata are read: whatever is committed from now on has them read again.
      let seenData = connection.dataVersion
      let metadata = try Self.prepare(connection, schema: schema, settings, url: url)
      identity = StoreIdentity(uuid: metadata.uuid)
      let schema = Schema(schema, keyBase: identity.keyBase)
      self.schema = schema
      history =
        try settings.keepsHistory
        ? History(connection, schema, isReadOnly: settings.isReadOnly) : nil
      isReadOnly = try settings.isReadOnly || (!settings.keepsHistory && History.exists(connection))
      canHold = try isFile && Self.hasLog(connection)
      if isFile, let url, settings.vfsName != MemoryConnections.vfsName {
        files = try StoreFiles(connection, url, uuid: metadata.uuid, hasLog: canHold)
      } else {
        files = nil
      }
      facts = Lock(Facts(metadata: metadata))
      writer = try Writer(
        connection, seenData: seenData, seenSchema: seenSchema, hasLog: canHold)
      if isReadOnly, !settings.isReadOnly { Self.warnOfHistory(url) }
      let label = "store \(url?.lastPathComponent ?? "in memory")"
      writerQueue = SerialQueue(label: label, kind: .private)
      turns = settings.readersMax.map { ReaderTurns($0, label: label) }
      checkpointer = Checkpointer(label: label) { [path, files] in
        try files?.lookInside()
        return try Self.open(path, settings, amid: files)
      }
      noteContents()
      files?.remember()
      if atomic?.isMissing == true { try writeWhole(connection) }
    } catch let error as SQLiteError {
      throw StoreError.opening(error, url: url)
    }
  }

  /// A connection for reading only.
  func openReader() throws -> Connection { try Self.open(path, readerSettings, amid: files) }

  private var readerSettings: Settings {
    var readOnly = settings
    readOnly.isReadOnly = true
    readOnly.pragmas["journal_mode"] = nil
    return readOnly
  }

  /// Makes sure, inside a transaction that is about to write, that the file still holds this store
  /// as this model describes it: somebody else may have migrated, replaced or emptied it, or begun
  /// to keep its history.
  private func recognise(_ connection: Connection) throws {
    if writer.isLeft { throw StoreError.otherStore(url) }
    try writer.seenContents = writer.seenContents.flatMap {
      try files?.checkContents(connection, since: $0)
    }
    let data = connection.dataVersion
    if data == writer.seenData { return }
    let version = try connection.schemaVersion()
    let isSameSchema = version == writer.seenSchema
    // In a file, another store of the same model may have come by a copy of the whole file.
    if files != nil || !isSameSchema {
      let metadata = try StoreMetadata.read(connection, url: url)
      guard metadata.uuid == identity.uuid else { throw StoreError.otherStore(url) }
      if !isSameSchema, !settings.ignoresVersions {
        do { try Self.refuseOtherModel(metadata, schema, connection, url) } catch let other
          as OtherModel
        { throw other.error }
      }
    }
    if !isSameSchema {
      if history == nil, try History.exists(connection) { throw StoreError.readOnly(url) }
      writer.seenSchema = version
    }
    writer.seenData = data
  }

  /// Changes what the engine itself notes about the store; it is written at the next save.
  func note(_ change: @escaping (inout StoreMetadata) -> Void) {
    facts.withLock { $0.change(change) }
  }

  /// Whether tables that a migration put aside are still there.
  var isCleanupDeferred: Bool { facts.withLock { $0.metadata.isCleanupDeferred } }

  /// Whether facts were set that are not written yet.
  var hasNewMetadata: Bool { facts.withLock { !$0.changes.isEmpty } }

  /// The facts that the store keeps about itself; what is set is written at the next save.
  var metadata: [String: Any] {
    get { facts.withLock { $0.metadata.all } }
    set { facts.withLock { $0.change($0.metadata.replacement(by: newValue)) } }
  }

  /// Lends a connection that sees the last commit.
  func read<T>(_ body: (Connection) throws -> T) throws -> T {
    do {
      guard isFile else {
        return try writerQueue.sync { try counted(writer.connection, body) }
      }
      if let turns { return try turns.sync { try lend(body) } }
      if canHold, let read = try LastingRead.begin(on: self) {
        defer { read.finish() }
        try read.renew()
        return try counted(read.connection, body)
      }
      return try lend(body)
    } catch let error as SQLiteError {
      throw StoreError.operation(error, url: url)
    }
  }

  /// Whether a connection can go on reading after its caller has done something else.
  var canReadInParts: Bool { canHold && turns == nil && Scheduling.hook == nil }

  /// The rows of a read, part by part if there are many.
  func rowsInParts(_ begin: (Connection) throws -> RowSteps) throws -> LoadedRows {
    do {
      let read = try LastingRead.begin(on: self) ?? LastingRead(self)
      var isWhole = true
      defer { if isWhole { read.finish() } }
      try read.renew()
      return try counted(read.connection) { connection in
        var steps = try begin(connection)
        var rows: [LoadedRow] = []
        guard try steps.load(LoadedRows.partLength, into: &rows) else { return LoadedRows(rows) }
        // The caller's next reads take another connection; this one stays in use until it goes.
        isWhole = false
        LastingRead.endCurrent(of: self)
        return LoadedRows(rows, read, steps)
      }
    } catch let error as SQLiteError {
      throw StoreError.operation(error, url: url)
    }
  }

  private func lend<T>(_ body: (Connection) throws -> T) throws -> T {
    let connection = try borrowReader()
    defer { giveBack(connection) }
    return try counted(connection, body)
  }

  /// A reading connection that stands in no transaction; whoever borrows it gives it back.
  func borrowReader() throws -> Connection {
    try idleReaders.withLock { $0.connections.popLast() } ?? openReader()
  }

  /// Takes a reading connection back that stands in no transaction.
  func giveBack(_ connection: Connection) {
    idleReaders.withLock { idle in
      guard !idle.isClosed,
        idle.connections.count < settings.readersMax ?? IdleReaders.countMax
      else { return }
      idle.connections.append(connection)
    }
  }

  /// The last commit, held until the answer is released; nil where SQLite cannot hold one beside
  /// a writer: in memory, and without a write-ahead log.
  func hold() throws -> HeldRead? {
    guard canHold else { return nil }
    do { return try HeldRead(borrowReader(), of: self) } catch let error as SQLiteError {
      throw StoreError.operation(error, url: url)
    }
  }

  /// Runs a body on a connection that is lent already.
  func run<T>(_ connection: Connection, _ body: (Connection) throws -> T) throws -> T {
    do { return try counted(connection, body) } catch let error as SQLiteError {
      throw StoreError.operation(error, url: url)
    }
  }

  /// Runs a transaction on the writing connection: it commits, or nothing happened.
  func write<T>(_ body: (Transaction) throws -> T) throws -> T {
    LastingRead.endCurrent(of: self)
    Scheduling.reach(.coordinatorLock, writerQueue.label)
    return try writerQueue.sync {
      do {
        return try counted(writer.connection) { connection in
          Scheduling.reach(.save(.begin), writerQueue.label)
          try connection.statement("BEGIN IMMEDIATE").run()
          do {
            try recognise(connection)
            if writer.syncsLog { connection.makeLogRoom() }
            let transaction = Transaction(connection, schema, history)
            let result = try body(transaction)
            try transaction.recorder?.finish()
            let noted = facts.withLock { $0.changes }
            let written = try noted.isEmpty ? nil : write(noted, connection)
            // The memory's commit cannot fail any more, the file's can.
            try writeWhole(connection)
            Scheduling.reach(.save(.commit), writerQueue.label)
            try files?.check(connection)
            try connection.statement("COMMIT").run()
            writer.seenData = connection.dataVersion
            if !canHold { noteContents() }
            EngineCounters.add(.commits)
            if let written { facts.withLock { $0.take(written, count: noted.count) } }
            transaction.tellCommitted()
            checkpointer.committed(on: connection) { openReads.retireIdle() }
            return result
          } catch {
            // The first failure is what the caller must hear of; SQLite may have rolled back
            // already.
            try? connection.execute("ROLLBACK")
            throw error
          }
        }
      } catch let error as SQLiteError {
        // Behind most errors of files that are lost SQLite sees something else.
        try files?.check(writer.connection)
        throw StoreError.operation(error, url: url)
      }
    }
  }

  private func noteContents() {
    writer.seenContents = files.map { StoreFiles.Contents($0, writer.connection) }
  }

  private func writeWhole(_ connection: Connection) throws {
    guard let atomicFile else { return }
    var file = atomicFile.withLock { $0 }
    try file.save(connection, identity.uuid)
    atomicFile.withLock { if $0.url == file.url { $0 = file } }
  }

  /// Changes the metadata in the file, where somebody else may have changed them too.
  private func write(
    _ changes: [(inout StoreMetadata) -> Void], _ connection: Connection
  ) throws -> StoreMetadata {
    var metadata = try StoreMetadata.read(connection, url: url)
    for change in changes { change(&metadata) }
    try metadata.write(connection)
    return metadata
  }

  private func counted<T>(_ connection: Connection, _ body: (Connection) throws -> T) rethrows -> T
  {
    let before = connection.statementsRun
    defer { EngineCounters.add(.statements, connection.statementsRun - before) }
    return try body(connection)
  }

  /// The same kind of store in another file.
  func reopened(at url: URL) throws -> Database {
    try Database(url: url, schema: schema, settings: settings)
  }

  /// Copies the file between two saves; the next one is refused, because it belongs to the copy.
  func leave<Copy>(after copying: () throws -> Copy) throws -> Copy {
    try writerQueue.sync {
      try files?.check(writer.connection)
      let copy = try copying()
      writer.isLeft = true
      return copy
    }
  }

  /// Has the next save, and those after it, write a database that is written as a whole elsewhere.
  func relocate(to url: URL) {
    atomicFile?.withLock { $0 = AtomicFile(url, replacing: identity.uuid) }
  }

  /// Closes every connection; call it when no context uses the store any more.
  ///
  /// The one that writes comes last, because with the last connection SQLite copies the log into
  /// the file, which one that reads cannot do.
  func close() {
    LastingRead.endCurrent(of: self)
    idleReaders.withLock { $0 = IdleReaders(isClosed: true) }
    writerQueue.sync { closeWriter() }
  }

  private func closeWriter() {
    checkpointer.finish()
    if writer.connection.isOpen, let seen = writer.seenContents {
      files?.close(writer.connection, since: seen)
    }
    writer.connection.close()
  }

  deinit {
    // Taken out here, so that they go before the one that writes.
    let readers = idleReaders.withLock { idle in
      defer { idle.connections = [] }
      return idle.connections
    }
    guard settings.vfsName == MemoryConnections.vfsName else {
      for reader in readers { reader.close() }
      closeWriter()
      return
    }
    checkpointer.finish()
    MemoryConnections.keep(writer.connection, path, settings)
    for reader in readers {
      MemoryConnections.keep(reader, path, readerSettings)
    }
  }
}
