#!/bin/sh
# Measures the cost of whittle and of other tools in one paired run. Run it as root, on a machine where no other user
# traces system calls.
#
# Arguments: java programs (default: the java program on the path). Needs python3, a C compiler and the built Java
# workloads. Uses these tools if they are installed: bpftrace, strace, perf, gprofng, clang with libbpf's headers (for
# the empty programs), and async-profiler. Environment variables: ASYNC_PROFILER (path of the library), ROUNDS (4),
# PARTS (the measured parts: "calls others share programs attach"), OTHER_WHITTLE (another version of the program, which
# the part "attach" compares in the same run).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ $# -gt 0 ] || set -- "$(command -v java)"

cargo build --quiet --release --manifest-path "$root/Cargo.toml" -p whittle
make --quiet -C "$root/native/workloads"
"$(dirname "$1")/javac" --release 17 -d "$work" "$here/Repeat.java" "$here/Compute.java"
if clang -target bpf -O2 -g -c "$here/empty.bpf.c" -o "$work/empty.bpf.o" && cc -O2 "$here/hold_programs.c" -o "$work/hold_programs" -lbpf; then
    :
else
    echo "the empty programs are not measured: they need clang and libbpf's headers" >&2
fi
PYTHONDONTWRITEBYTECODE=1 python3 "$here/bench.py" "$work" "$@"
