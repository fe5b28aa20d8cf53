VALUES (1, NULL, 'text', 2.5, x'616263');
SELECT 1; SELECT 2;
SELECT
  'over lines
and more',
  'it''s';
SELECT '', NULL, '' ; 
SELECT -0.0, 0.1, 1e100, 1e-7, 123456789012345.6, 1e15, 1e16, 1000000000000.125, 1e999, -1e999;
SELECT 9223372036854775807, -9223372036854775808;
SELECT x'410042', 'äöü€', x'ff';
/* a comment */ SELECT 3; -- and another
# not SQL
;;
SELECT 4
