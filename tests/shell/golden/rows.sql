CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, r REAL, b);
INSERT INTO t VALUES (1, 'one', 1, x'00ff'), (2, 'two', 2.25, 'text'), (3, NULL, NULL, NULL);
SELECT * FROM t WHERE id = 2;
.headers on
SELECT id, name AS label, r FROM t WHERE id = 1;
SELECT * FROM t WHERE id = 77;
.mode json
SELECT * FROM t WHERE id = 3;
SELECT * FROM t WHERE id = 77;
BEGIN;
DELETE FROM t WHERE id = 1;
ROLLBACK;
SELECT name FROM t WHERE id = 1;
