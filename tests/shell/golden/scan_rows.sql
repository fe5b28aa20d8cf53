CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, r REAL);
INSERT INTO t VALUES (1, 'one', 1), (2, 'two', 2.25), (3, NULL, NULL);
SELECT * FROM t;
.mode box
SELECT * FROM t ORDER BY id DESC;
.mode line
SELECT * FROM t WHERE r > 1;
.mode csv
.headers on
SELECT count(*), sum(r) FROM t;
