CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE "odd name"(a, b);
CREATE TABLE s(k TEXT PRIMARY KEY, v) WITHOUT ROWID;
CREATE INDEX users_name ON users(name);
CREATE UNIQUE INDEX i2 ON "odd name"(a, b DESC);
.tables
.tables u%
.indexes
.indexes users
.schema
.schema users
