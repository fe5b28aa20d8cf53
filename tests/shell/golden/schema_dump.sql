CREATE TABLE a_users(id INTEGER PRIMARY KEY, name TEXT, r REAL, b);
CREATE INDEX a_users_name ON a_users(name);
CREATE TABLE "b odd name"("group" INTEGER, b);
INSERT INTO a_users VALUES (1, 'one', 0.1, x'00ff'), (2, 'it''s', 1e300, NULL), (3, 'two
lines', 5, 'a\nb
c');
INSERT INTO "b odd name" VALUES (9e18, -1.5), (1e999, '');
.dump
.dump a_users
.mode insert a_users
SELECT * FROM a_users;
.headers on
SELECT * FROM "b odd name";
