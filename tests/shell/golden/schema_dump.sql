CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT, r REAL, b);
CREATE TABLE "odd name"("group" INTEGER, b);
CREATE INDEX users_name ON users(name);
INSERT INTO users VALUES (1, 'one', 0.1, x'00ff'), (2, 'it''s', 1e300, NULL), (3, 'two
lines', 5, 'a\nb
c');
INSERT INTO "odd name" VALUES (9e18, -1.5), (1e999, '');
.dump
.dump users
.mode insert users
SELECT * FROM users;
.headers on
SELECT * FROM "odd name";
