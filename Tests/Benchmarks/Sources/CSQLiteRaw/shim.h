// The C API of SQLite for the side that the engine is compared with; nothing of ours.
#include <sqlite3.h>
