#!/usr/bin/env bash
# Runs each script of golden/ through kvsql and through sqlite3, from standard input and as a file of
# ".read": what they print, and their exit codes, must be the same byte for byte.
#
#   golden.sh KVSQL WORK_DIR
#
# Scripts named scan_* need queries over whole tables, schema_* need sqlite_schema, and wait until kvsql
# has them.
set -euo pipefail

kvsql=$1 work=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if ! command -v sqlite3 >/dev/null; then
  echo "golden: skipped: sqlite3 is not installed (scripts/install-packages installs it)"
  exit 77
fi
if [[ $(sqlite3 --version) != 3.40.* ]]; then
  echo "golden: skipped: the scripts are for sqlite3 3.40, this is $(sqlite3 --version | cut -d' ' -f1)"
  exit 77
fi
rm -rf "$work"
mkdir -p "$work"
cd "$work"

has() { "$kvsql" :memory: "CREATE TABLE t(a); $1" >/dev/null 2>&1; }
has 'SELECT * FROM t' && scans=1 || scans=
has 'SELECT name FROM sqlite_schema ORDER BY name' && schema=1 || schema=

failures=0 passed=0 waiting=()
for script in "$here"/golden/*.sql; do
  name=$(basename "$script" .sql)
  if [[ $name == scan_* && ! $scans ]] || [[ $name == schema_* && ! $schema ]]; then
    waiting+=("$name")
    continue
  fi
  for way in stdin read; do
    for program in sqlite3 kvsql; do
      command=$program
      [[ $program == kvsql ]] && command=$kvsql
      mkdir -p "$name-$way-$program"
      (
        cd "$name-$way-$program"
        code=0
        if [[ $way == stdin ]]; then
          "$command" db <"$script" >../"$name-$way-$program.out" 2>../"$name-$way-$program.err" || code=$?
        else
          "$command" db ".read $script" >../"$name-$way-$program.out" 2>../"$name-$way-$program.err" || code=$?
        fi
        # What ".read" answers for a script with errors is sqlite3's own business.
        [[ $way == read ]] || echo "exit $code" >>../"$name-$way-$program.out"
      )
    done
    if cmp -s "$name-$way-sqlite3.out" "$name-$way-kvsql.out"; then
      passed=$((passed + 1))
    else
      failures=$((failures + 1))
      echo "golden: $name ($way) differs; < sqlite3, > kvsql"
      diff "$name-$way-sqlite3.out" "$name-$way-kvsql.out" | head -20 || :
      head -5 "$name-$way-kvsql.err"
    fi
  done
done
echo "golden: $passed passed, $failures failed, ${#waiting[@]} wait for kvsql: ${waiting[*]}"
((failures == 0))
