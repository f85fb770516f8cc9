// The C API of SQLite as Debian's libsqlite3-dev installs it, and the one call of it that Swift
// cannot make: `sqlite3_config` takes a variable number of arguments.
#include <sqlite3.h>

/// Turns SQLite's memory statistics off for the process: each allocation otherwise takes a global
/// lock. Answers `SQLITE_MISUSE`, and changes nothing, once SQLite is in use.
static inline int faultline_sqlite3_disable_memory_statistics(void) {
  return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
