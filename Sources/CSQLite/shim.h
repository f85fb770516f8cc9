// The C API of SQLite as Debian's libsqlite3-dev installs it, and what of it Swift cannot reach:
// `sqlite3_config` and `sqlite3_db_config` take a variable number of arguments, and the methods of
// a file are behind one.
#include <sqlite3.h>

/// Turns SQLite's memory statistics off for the process: each allocation otherwise takes a global
/// lock. Answers `SQLITE_MISUSE`, and changes nothing, once SQLite is in use.
static inline int faultline_sqlite3_disable_memory_statistics(void) {
  return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

/// The beginning of the index of the write-ahead log, which every process that has the database
/// open maps: its first 48 bytes are the header that each commit changes
/// (https://sqlite.org/walformat.html, 2.1). Null if the connection has no log open.
static inline const volatile unsigned char *faultline_sqlite3_wal_header(sqlite3 *database) {
  sqlite3_file *file = 0;
  volatile void *region = 0;
  if (sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK ||
      !file || !file->pMethods || file->pMethods->iVersion < 2 || !file->pMethods->xShmMap ||
      file->pMethods->xShmMap(file, 0, 32768, 0, &region) != SQLITE_OK) {
    return 0;
  }
  return (const volatile unsigned char *)region;
}

/// Has the connection leave the write-ahead log as it is when it is closed as the last one: nothing
/// is copied into the database, and neither the log nor its index is deleted.
static inline int faultline_sqlite3_leave_log(sqlite3 *database) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

/// Copies the header; whoever compares two copies and finds them equal knows that nothing was
/// committed between.
static inline void faultline_sqlite3_copy_wal_header(
    const volatile unsigned char *header, unsigned char *copy) {
  for (int index = 0; index < 48; index++) copy[index] = header[index];
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
}
