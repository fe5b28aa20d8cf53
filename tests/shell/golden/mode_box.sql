.mode box
VALUES (1, NULL, 'text', 2.5), (-20, 'a,b', 'quote "here" and ''there''', 0.1), (3, '', 'ä ö', x'6162');
VALUES (NULL, 'line
end', 'tab	here', 1e300), (1000000, 'a|b', ' blank', -1e-7);
.headers on
.nullvalue nil
SELECT 1 AS one, NULL AS "two words", 'x' AS "q""uote", 'back\slash' AS 'ä';
SELECT 1 AS narrow, 'a much longer value than its name' AS v, 2 AS "a name much longer than its value";
.headers off
SELECT 1 AS one, NULL AS two;
