#!/usr/bin/env bash
# The checks among the scripts must find what they look for: a small project with one offence of each
# kind is checked by copies of them.
#
#   run.sh SOURCE_DIR WORK_DIR
set -euo pipefail

source=$1 work=$2
failures=0

# expect_found SCRIPT PATTERN: the script fails and its report has the pattern.
expect_found() {
  local report
  if report=$("$work/scripts/$1" 2>&1); then
    echo "$1 passed but should have found: $2"
    failures=$((failures + 1))
  elif ! grep -qE -- "$2" <<<"$report"; then
    echo "$1 did not report $2 but:"
    echo "$report"
    failures=$((failures + 1))
  fi
}
expect_clean() {
  "$work/scripts/$1" >/dev/null || { echo "$1 found something in a clean project"; failures=$((failures + 1)); }
}
put() {
  mkdir -p "$work/$(dirname "$1")"
  printf '%s\n' "${@:2}" >"$work/$1"
}

rm -rf "$work"
mkdir -p "$work"
cp -r "$source/scripts" "$work/scripts"
git -C "$work" init -q
put base/a.h '#include <string>' '#include "absl/status/status.h"'
put btree/a.cc '#include "btree/a.h"' '#include "pager/a.h"' '#include "base/a.h"'
put api/include/kvsql/a.h '#include <string>' '#include <kvsql/b.h>' '#include <absl/status/status.h>'
put bench/a.cc '#include <sqlite3.h>' '#include <lmdb.h>' '#include "exec/a.h"'
for script in check-includes check-lengths check-names; do
  expect_clean "$script"
done

put pager/up.cc '#include "btree/a.h"'
put exec/deep.cc '#include "pager/a.h"'
put exec/side.cc '#include "parser/a.h"'
put kv/public.h '#include <kvsql/a.h>'
put planner/lmdb.cc '#include <lmdb.h>'
put kv/antlr.cc '#include <antlr4-runtime.h>'
put base/relative.cc '#include "../base/a.h"'
put base/bare.cc '#include "a.h"'
put parser/tests.cc '#include "tests/support/a.h"'
put api/include/kvsql/c.h '#include "kv/a.h"'
put api/include/kvsql/d.h '#include <absl/strings/str_cat.h>'
for offence in \
  'pager/up.cc:1: pager may not include btree' \
  'exec/deep.cc:1: exec may not include pager' \
  'exec/side.cc:1: exec may not include parser' \
  'kv/public.h:1: kv may not include the public headers' \
  'planner/lmdb.cc:1: lmdb.h belongs to bench and tests' \
  'kv/antlr.cc:1: ANTLR stays inside parser' \
  'base/relative.cc:1: includes are rooted' \
  'base/bare.cc:1: includes are rooted' \
  'parser/tests.cc:1: parser may not include tests' \
  'api/include/kvsql/c.h:1: a public header includes' \
  'api/include/kvsql/d.h:1: public headers use of Abseil'; do
  expect_found check-includes "$offence"
done

yes '// line' | head -601 >"$work/base/long.cc" || :
expect_found check-lengths 'base/long.cc has 601 lines'

put docs/where.md "It lies in /wo""rk/main."
expect_found check-names 'docs/where.md:1'

((failures == 0)) && echo "scripts test: passed"
exit $((failures > 0))
