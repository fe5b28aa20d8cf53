#!/usr/bin/env bash
# Installs a build into a folder of its own, builds a program outside the tree against it (by the CMake
# package and by pkg-config) and runs it; then looks at what a shared library of it would show.
#
#   run.sh SOURCE_DIR BUILD_DIR WORK_DIR COMPILER
set -euo pipefail

source=$1 build=$2 work=$3 compiler=$4
fail() { echo "install test: $*" >&2; exit 1; }

rm -rf "$work"
mkdir -p "$work"
cp -r "$source/tests/install/consumer" "$work/consumer"
cmake --install "$build" --prefix "$work/prefix" >"$work/install.log"

echo "-- headers stand alone and nothing else is installed"
for header in "$source"/api/include/kvsql/*.h; do
  name=$(basename "$header")
  [[ -f $work/prefix/include/kvsql/$name ]] || fail "kvsql/$name is not installed"
done
if found=$(grep -rnE '#include "|antlr' "$work/prefix/include"); then
  fail "a public header names what is not installed: $found"
fi

echo "-- find_package(kvsql)"
cmake -S "$work/consumer" -B "$work/cmake-build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$work/prefix" >"$work/configure.log" 2>&1 ||
  { cat "$work/configure.log"; fail "the consumer does not configure"; }
cmake --build "$work/cmake-build" >"$work/build.log" 2>&1 || { cat "$work/build.log"; fail "the consumer does not build"; }
"$work/cmake-build/consumer"
"$work/cmake-build/consumer" "$work/by-cmake.kvsql"
[[ -s $work/by-cmake.kvsql ]] || fail "no database was written"

echo "-- examples/agent_memory"
cp -r "$source/examples/agent_memory" "$work/agent_memory"
cmake -S "$work/agent_memory" -B "$work/agent-memory-build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$work/prefix" >"$work/configure.log" 2>&1 ||
  { cat "$work/configure.log"; fail "the example does not configure"; }
cmake --build "$work/agent-memory-build" >"$work/build.log" 2>&1 || { cat "$work/build.log"; fail "the example does not build"; }
expected="recalled: thought 3"
for number in 12 10 9 8 7 6 5 4 3 2; do expected+=$'\n'"#$number thought $number"; done
[[ $("$work/agent-memory-build/agent_memory") == "$expected" ]] || fail "the example answers something else"
# Twice on one file: what it remembered the first time is there, and numbers go on.
"$work/agent-memory-build/agent_memory" "$work/memory.kvsql" >/dev/null
"$work/agent-memory-build/agent_memory" "$work/memory.kvsql" | grep -qx '#24 thought 12' || fail "the example forgets"
lines=$(wc -l <"$work/agent_memory/main.cc")
((lines < 100)) || fail "the example has $lines lines; a page is what it may have"

echo "-- pkg-config kvsql"
pc=$(dirname "$(find "$work/prefix" -name kvsql.pc)")
export PKG_CONFIG_PATH=$pc
# shellcheck disable=SC2046
"$compiler" -std=c++20 -O1 "$work/consumer/main.cc" -o "$work/by-pkg-config" \
  $(pkg-config --cflags --libs kvsql) -Wl,-rpath,"$(pkg-config --variable=libdir kvsql)"
"$work/by-pkg-config" "$work/by-pkg-config.kvsql"

echo "-- only public symbols are visible"
archive=$(find "$work/prefix" -name 'libkvsql.a')
if [[ -n $archive ]]; then
  "$compiler" -shared -o "$work/libkvsql-probe.so" -Wl,--whole-archive "$archive" -Wl,--no-whole-archive
  library=$work/libkvsql-probe.so
else
  library=$(find "$work/prefix" -name 'libkvsql.so' | head -1)
fi
nm -D --defined-only -C "$library" >"$work/symbols"
grep -q ' kvsql::Database::' "$work/symbols" || fail "kvsql::Database is not visible"
if found=$(awk '$2 ~ /^[TDBR]$/' "$work/symbols" | grep -vE ' (vtable for |typeinfo (name )?for |guard variable for )?kvsql::' |
    grep -vE ' (_init|_fini|__bss_start|_edata|_end)$'); then
  fail "these symbols are not public: $(head -20 <<<"$found")"
fi
if found=$(grep -E ' kvsql::(pager|btree|kv|parser|planner|exec)::' "$work/symbols" | awk '$2 ~ /^[TDBR]$/'); then
  fail "these symbols are not public: $(head -20 <<<"$found")"
fi
echo "install test: passed"
