// The least that counting a badge costs with SQLite: floor_badge NUMBER DATABASE
//
// The database is a copy of a relay's, whose settings and statements these are (Connection.swift, Database.swift). The
// rows are counted up in turn.
#include "floor.h"
#include <sqlite3.h>
#include <string.h>

static sqlite3 *database;

static void execute(const char *sql) {
    require(sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK, sql);
}

static sqlite3_stmt *prepare(const char *sql) {
    sqlite3_stmt *statement;
    require(sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL) == SQLITE_OK, sql);
    return statement;
}

static void run(sqlite3_stmt *statement) {
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {}
    require(code == SQLITE_DONE, sqlite3_sql(statement));
    sqlite3_reset(statement);
}

int main(int count, char **arguments) {
    if (count != 3) return fprintf(stderr, "usage: floor_badge NUMBER DATABASE\n"), 64;
    long number = atol(arguments[1]);
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    require(sqlite3_open_v2(arguments[2], &database, flags, NULL) == SQLITE_OK, "opening the database");
    execute("PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON; PRAGMA foreign_keys = ON;"
            "PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY; PRAGMA journal_mode = WAL");
    unsigned char(*ids)[32] = NULL;
    long rows = 0;
    sqlite3_stmt *all = prepare("SELECT id FROM subscriptions LIMIT 1000");
    while (sqlite3_step(all) == SQLITE_ROW) {
        ids = realloc(ids, (rows + 1) * sizeof *ids);
        memcpy(ids[rows++], sqlite3_column_blob(all, 0), sizeof *ids);
    }
    sqlite3_finalize(all);
    require(rows > 0, "finding subscriptions");
    sqlite3_stmt *begin = prepare("BEGIN IMMEDIATE"), *commit = prepare("COMMIT");
    sqlite3_stmt *increment = prepare(
        "UPDATE subscriptions SET badge_count = badge_count + 1 WHERE id = ?1 AND badge_count < 2147483647");
    sqlite3_stmt *badge = prepare(
        "SELECT badges_enabled, badge_epoch, ("
        "    SELECT min(sum(sibling.badge_count), 2147483647) FROM subscriptions AS sibling"
        "    WHERE sibling.device = subscriptions.device AND sibling.badges_enabled"
        ") FROM subscriptions WHERE id = ?1");
    double start = processor_seconds();
    for (long i = 0; i < number; i++) {
        sqlite3_bind_blob(increment, 1, ids[i % rows], sizeof *ids, SQLITE_STATIC);
        sqlite3_bind_blob(badge, 1, ids[i % rows], sizeof *ids, SQLITE_STATIC);
        run(begin);
        run(increment);
        run(badge);
        run(commit);
    }
    report(start, number);
    return 0;
}
