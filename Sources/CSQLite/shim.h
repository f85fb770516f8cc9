// The C API of SQLite as Debian's libsqlite3-dev installs it; nothing of ours.
#include <sqlite3.h>
