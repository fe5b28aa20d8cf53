CREATE TABLE a_users(id INTEGER PRIMARY KEY, name TEXT);
CREATE INDEX a_name ON a_users(name);
CREATE TABLE "b odd name"(a, b);
CREATE UNIQUE INDEX b_both ON "b odd name"(a, b DESC);
CREATE TABLE c(k TEXT PRIMARY KEY, v) WITHOUT ROWID;
.tables
.tables a%
.tables nosuch
.indexes
.indexes a_users
.schema
.schema a_users
.schema C
