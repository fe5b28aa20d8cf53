.separator ;
VALUES (1, 2), (3, 4);
.separator "\t" "|\n"
VALUES (1, 2), (3, 4);
.nullvalue <null>
VALUES (NULL, '');
.mode list
VALUES (NULL, '');
.print one 'two  three' "four\tfive"
.echo on
SELECT 1;
SELECT
  2;
.print x
.echo off
.headers on
SELECT 5 AS five;
.mode
.mode column
.mode
.width 3 -8
VALUES ('abcdef', 'right'), ('ä', 'b');
.mode box
.width 4 4
VALUES ('wraps here', 'b'), ('c', 'd');
