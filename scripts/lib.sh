# Shared by the scripts beside it; source it, do not run it.
set -euo pipefail

# The clone that the script stands in. ROOT is where a script may go; CALLER is where it was called.
CALLER=$PWD
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
JOBS=${KVSQL_JOBS:-$(nproc)}

say() { printf '== %s\n' "$*"; }
die() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }

# build PRESET [TARGET...]: configures build/PRESET and builds it (its default target without TARGET).
build() {
  local preset=$1
  shift
  say "build $preset (build/$preset)"
  (
    cd "$ROOT"
    cmake --preset "$preset" >"/tmp/kvsql-configure.$$" 2>&1 || {
      cat "/tmp/kvsql-configure.$$" >&2
      rm -f "/tmp/kvsql-configure.$$"
      exit 1
    }
    rm -f "/tmp/kvsql-configure.$$"
    cmake --build "build/$preset" -j "$JOBS" ${@:+--target "$@"}
  )
}

# The project's own files that git knows or would add, NUL-free names, one a line.
project_files() { (cd "$ROOT" && git ls-files --cached --others --exclude-standard -- "$@" | sort -u |
  while IFS= read -r file; do [[ -f $file ]] && printf '%s\n' "$file"; done); }
