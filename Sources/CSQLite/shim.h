#pragma once

#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast of -1 to a function pointer, a macro that Swift cannot import.
// It makes SQLite copy the value before the call returns, so no Swift buffer has to outlive a bind.
static inline int relay_sqlite3_bind_blob(sqlite3_stmt *statement, int index, const void *octets, sqlite3_uint64 count) {
    return sqlite3_bind_blob64(statement, index, octets, count, SQLITE_TRANSIENT);
}

static inline int relay_sqlite3_bind_text(sqlite3_stmt *statement, int index, const char *octets, sqlite3_uint64 count) {
    return sqlite3_bind_text64(statement, index, octets, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

// sqlite3_db_config is variadic, which Swift cannot call.
// Defensive: no SQL, not even SQL hidden in a prepared file's schema, may corrupt the file on purpose.
static inline int relay_sqlite3_defend(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
}

// Whether the last close of the file moves the write-ahead log into it. Off, a file that turns out not to be ours, or not
// to be in order, is left as it was found.
static inline int relay_sqlite3_checkpoint_on_close(sqlite3 *database, int on) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !on, (int *)0);
}
