.print making a file
.output rows.csv
.print id,name,id
.print "1,\"a, \"\"b\"\"\",2"
.print 3,4
.print 5,6,7,8
.print ,,
.output
.import --csv rows.csv made
.mode quote
SELECT * FROM made;
.schema
CREATE TABLE typed(a INTEGER, b TEXT, c REAL);
.import --csv --skip 1 rows.csv typed
SELECT * FROM typed;
.mode list
.output rows.txt
VALUES (10, 'x', 2.5), (11, 'y', 3);
.output
.import rows.txt typed
SELECT * FROM typed;
