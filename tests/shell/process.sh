#!/usr/bin/env bash
# The shell as a process: exit codes, errors and where they stand, options, subcommands, and input that
# nobody would write.
#
#   process.sh KVSQL WORK_DIR
set -uo pipefail

kvsql=$1 work=$2
rm -rf "$work"
mkdir -p "$work"
cd "$work" || exit 1
failures=0

# expect NAME CODE OUT ERR COMMAND...: exit code, the whole output (a literal), and a pattern that standard
# error must match ("" for nothing at all). Standard input is that of the caller.
expect() {
  local name=$1 code=$2 out=$3 err=$4 got=0
  shift 4
  "$@" >out.txt 2>err.txt || got=$?
  if ((got != code)); then
    echo "process: $name: exit code $got, not $code"
    failures=$((failures + 1))
  fi
  if [[ $(cat out.txt) != "$out" ]]; then
    echo "process: $name: printed"
    head -c 500 out.txt
    failures=$((failures + 1))
  fi
  if { [[ -z $err ]] && [[ -s err.txt ]]; } || { [[ -n $err ]] && ! grep -qE -- "$err" err.txt; }; then
    echo "process: $name: on standard error:"
    head -c 500 err.txt
    failures=$((failures + 1))
  fi
}

# ---- Arguments and standard input.
expect 'SQL argument' 0 '1' '' "$kvsql" a.kvsql 'SELECT 1' </dev/null
expect 'several arguments' 0 $'1\n2\nx' '' "$kvsql" :memory: 'SELECT 1' 'SELECT 2' '.print x' </dev/null
expect 'in memory without a file' 0 '3' '' "$kvsql" <<<'SELECT 1 + 2;'
expect 'no semicolon at the end' 0 '3' '' "$kvsql" <<<'SELECT 1 + 2'
expect 'empty input' 0 '' '' "$kvsql" </dev/null
expect 'the first command' 0 $'first\n1' '' "$kvsql" -cmd '.print first' :memory: 'SELECT 1' </dev/null
expect 'options before and behind the file' 0 $'a,b\n1,2' '' "$kvsql" --csv :memory: -header 'SELECT 1 AS a, 2 AS b' </dev/null
expect 'a file that is kept' 0 '' '' "$kvsql" kept.kvsql 'CREATE TABLE t(a INTEGER PRIMARY KEY, b); INSERT INTO t VALUES (1, 2);' </dev/null
expect 'and read again' 0 '2' '' "$kvsql" kept.kvsql 'SELECT b FROM t WHERE a = 1' </dev/null
expect 'a transaction that is not committed' 0 '' '' "$kvsql" kept.kvsql 'BEGIN; INSERT INTO t VALUES (5, 6);' </dev/null
expect 'is not kept' 0 '' '' "$kvsql" kept.kvsql 'SELECT b FROM t WHERE a = 5' </dev/null

# ---- Errors.
expect 'goes on after an error' 1 $'1\n3' 'Error at line 2, column 1: near "SELEC": syntax error' "$kvsql" <<<$'SELECT 1;\nSELEC 2;\nSELECT 3;'
expect 'shows where' 1 '' '\^--- error here' "$kvsql" <<<'SELEC 2;'
expect 'stops with -bail' 1 '1' 'line 2' "$kvsql" -bail <<<$'SELECT 1;\nSELEC 2;\nSELECT 3;'
expect 'arguments too' 1 $'1\n3' 'column 8: no such column: x' "$kvsql" :memory: 'SELECT 1' 'SELECT x' 'SELECT 3' </dev/null
expect 'arguments with -bail' 1 '1' 'no such column: x' "$kvsql" -bail :memory: 'SELECT 1' 'SELECT x' 'SELECT 3' </dev/null
printf 'SELECT 1;\n\nSELECT\n  2 +;\nINSERT INTO nosuch VALUES (1);\n' >errors.sql
expect 'names the file' 1 '1' 'Error in errors.sql at line 4' "$kvsql" :memory: '.read errors.sql' </dev/null
expect 'unknown command' 1 '1' 'line 1: unknown command: ".nosuch"' "$kvsql" <<<$'.nosuch\nSELECT 1;'
expect 'too few arguments' 1 '' 'usage: .separator COLUMN' "$kvsql" <<<'.separator'
expect 'unknown mode' 1 '' 'mode should be one of' "$kvsql" <<<'.mode nosuch'
expect '.exit says the code' 7 '' '' "$kvsql" <<<$'.exit 7\nSELECT 1;'
expect '.quit stops' 0 '1' '' "$kvsql" <<<$'SELECT 1;\n.quit\nSELECT 2;'
expect 'errors before .quit count' 1 '' 'bogus' "$kvsql" <<<$'bogus;\n.quit'

# ---- Options.
expect '-version' 0 "$("$kvsql" version | cut -d' ' -f2)" '' "$kvsql" -version
expect '-help' 0 "$("$kvsql" help)" '' "$kvsql" --help
"$kvsql" -help | grep -q '^usage: kvsql' || { echo 'process: no help'; failures=$((failures + 1)); }
expect 'unknown option' 1 '' 'unknown option: -nosuch' "$kvsql" -nosuch a.kvsql
expect 'missing value' 1 '' 'missing argument to -separator' "$kvsql" -separator
expect '-nullvalue and -separator' 0 'nil;1' '' "$kvsql" -nullvalue nil -separator ';' :memory: 'SELECT NULL, 1' </dev/null
expect '-readonly reads' 0 '2' '' "$kvsql" -readonly kept.kvsql 'SELECT b FROM t WHERE a = 1' </dev/null
expect '-readonly does not write' 1 '' 'readonly' "$kvsql" -readonly kept.kvsql 'INSERT INTO t VALUES (9, 9)' </dev/null
expect '-readonly makes nothing' 1 '' 'unable to open database "missing.kvsql"' "$kvsql" -readonly missing.kvsql 'SELECT 1' </dev/null
[[ ! -e missing.kvsql ]] || { echo 'process: -readonly made a file'; failures=$((failures + 1)); }

# ---- Subcommands.
expect 'check' 0 'ok' '' "$kvsql" check kept.kvsql
expect 'check of nothing' 1 '' 'missing.kvsql' "$kvsql" check missing.kvsql
[[ ! -e missing.kvsql ]] || { echo 'process: check made a file'; failures=$((failures + 1)); }
expect 'check without a file' 1 '' 'usage: kvsql check FILE' "$kvsql" check
expect 'row' 0 '1|2' '' "$kvsql" row kept.kvsql t 1
expect 'row in another mode' 0 $'a = 1\nb = 2' '' sh -c "'$kvsql' -line row kept.kvsql t 1 | sed 's/^ *//'"
expect 'no such row' 1 '' 'no such row: 5' "$kvsql" row kept.kvsql t 5
expect 'no such table' 1 '' 'nosuch' "$kvsql" row kept.kvsql nosuch 5
expect 'no such keyspace' 1 '' 'sessions' "$kvsql" get kept.kvsql sessions user
expect '.row' 0 $'a = 1\nb = 2' '' sh -c "'$kvsql' -line kept.kvsql '.row t 1' | sed 's/^ *//'"
expect '.row sees the transaction' 0 '8|9' '' "$kvsql" kept.kvsql 'BEGIN; INSERT INTO t VALUES (8, 9)' '.row t 8' 'ROLLBACK' </dev/null
cp kept.kvsql check
expect 'a file of that name' 0 '2' '' "$kvsql" ./check 'SELECT b FROM t WHERE a = 1' </dev/null

# ---- A dump makes the same database again, in kvsql and, where it is installed, in sqlite3.
cat >made.sql <<'END'
CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT NOT NULL, r REAL, b);
CREATE UNIQUE INDEX t_name ON t(name);
INSERT INTO t VALUES (1, 'one', 0.1, x'00ff'), (2, 'it''s', 1e300, NULL), (3, '', -2.0, 'text');
INSERT INTO t VALUES (9223372036854775807, 'last', 3.0, -9223372036854775808);
CREATE TABLE w(a TEXT COLLATE NOCASE, b INT, PRIMARY KEY(a, b)) WITHOUT ROWID;
INSERT INTO w VALUES ('x', 1), ('X', 2), ('y', 0);
CREATE TABLE "group"("order" INTEGER);
END
expect 'a database to dump' 0 '' '' "$kvsql" made.kvsql '.read made.sql' </dev/null
expect 'dump' 0 "$("$kvsql" made.kvsql .dump)" '' "$kvsql" dump made.kvsql
# The pragma of the first line is nothing to kvsql, which may not know it.
"$kvsql" dump made.kvsql | grep -v '^PRAGMA' >dumped.sql
expect 'the dump is read' 0 '' '' "$kvsql" again.kvsql '.read dumped.sql' </dev/null
expect 'and is the same' 0 "$("$kvsql" dump made.kvsql)" '' "$kvsql" dump again.kvsql
grep -q "INSERT INTO t VALUES(1,'one',0.1" dumped.sql || { echo 'process: the dump has no rows'; failures=$((failures + 1)); }
if command -v sqlite3 >/dev/null; then
  sqlite3 made.sqlite '.read dumped.sql'
  expect 'sqlite3 reads the dump' 0 "$("$kvsql" dump made.kvsql)" '' sqlite3 made.sqlite .dump
fi

# ---- Files.
expect 'missing script' 1 '2' 'cannot open "nosuch.sql": No such file' "$kvsql" :memory: '.read nosuch.sql' 'SELECT 2' </dev/null
mkdir folder
expect 'a folder as a script' 1 '' 'folder: Is a directory' "$kvsql" :memory: '.read folder' </dev/null
expect 'a folder as input' 1 '' 'Is a directory' "$kvsql" :memory: <folder
expect 'a folder as the database' 1 '' 'unable to open database "folder"' "$kvsql" folder 'SELECT 1' </dev/null
head -c 20000 /dev/urandom >noise
cp noise noise.before
expect 'noise as the database' 1 '' 'unable to open database "noise"' "$kvsql" noise 'SELECT 1' </dev/null
cmp -s noise noise.before || { echo 'process: the file was changed'; failures=$((failures + 1)); }
expect 'a folder that is not there' 1 '' 'unable to open' "$kvsql" nosuch/a.kvsql 'SELECT 1' </dev/null
if ((EUID != 0)); then
  printf 'SELECT 1;' >secret
  chmod 000 secret
  expect 'an unreadable script' 1 '' 'Permission denied' "$kvsql" :memory: '.read secret' </dev/null
  expect 'an unreadable database' 1 '' 'unable to open' "$kvsql" secret 'SELECT 1' </dev/null
fi
printf '.read loop.sql\n' >loop.sql
expect 'a script that reads itself' 1 '' 'files read each other 25 deep' "$kvsql" :memory: '.read loop.sql' </dev/null
expect '.output to a file' 0 '2' '' "$kvsql" <<<$'.output out.csv\nSELECT 1;\n.output\nSELECT 2;'
[[ $(cat out.csv) == 1 ]] || { echo 'process: .output'; failures=$((failures + 1)); }
expect '.output to a folder' 1 '1' 'cannot open "folder"' "$kvsql" <<<$'.output folder\nSELECT 1;'

# ---- Input that nobody would write.
printf 'SELECT 1;\0\1\2\nSELECT 2;\n' >zero.sql
expect 'a zero byte' 1 '1' 'unrecognized token' "$kvsql" :memory: '.read zero.sql' </dev/null
"$kvsql" <noise >out.txt 2>err.txt
(($? <= 1)) || { echo "process: noise on standard input"; failures=$((failures + 1)); }
{ printf "SELECT length('"; head -c 5000000 /dev/zero | tr '\0' 'x'; printf "') IS NULL, 1;\nSELECT 2;\n"; } >long.sql
"$kvsql" <long.sql >out.txt 2>err.txt
[[ $(tail -1 out.txt) == 2 ]] || { echo "process: a long line"; failures=$((failures + 1)); }
{ printf 'SELECT '; for _ in $(seq 3000); do printf '('; done; printf '1;\nSELECT 2;\n'; } >deep.sql
expect 'deep nesting' 1 '2' 'nesting is deeper' "$kvsql" :memory: '.read deep.sql' </dev/null
head -c 3000000 /dev/zero | tr '\0' ';' >semicolons.sql
expect 'semicolons' 0 '' '' "$kvsql" :memory: '.read semicolons.sql' </dev/null
head -c 300000 /dev/zero | tr '\0' '.' >dots.sql
expect 'dots' 1 '' 'unknown command' "$kvsql" :memory: '.read dots.sql' </dev/null
expect 'a reader that leaves' 0 '1' '' sh -c "yes 'SELECT 1;' | head -200000 | '$kvsql' | head -1"
expect 'a full disk' 1 '' 'cannot write: No space left' sh -c "'$kvsql' :memory: 'SELECT 1' >/dev/full || exit 1" </dev/null

((failures == 0)) && echo 'process: passed'
exit $((failures > 0))
