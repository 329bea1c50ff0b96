#!/bin/sh
# What whittle costs, beside other tools, in one paired run. As root, on a machine where nobody else traces system calls.
#
# Arguments: java programs (default: the one on the path). Needs python3, a C compiler and the built Java workloads; uses what is there
# of bpftrace, strace, perf, gprofng, clang with libbpf's headers (for the empty programs), and async-profiler (ASYNC_PROFILER, the path
# of its library). ROUNDS (4); PARTS ("calls others share programs attach"): what is measured.
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
