#!/bin/bash
# Fuzzes every reader of outside bytes: `fuzz.sh [READER …]`.
#
# Builds the fuzzer, runs each reader for TIME seconds (60 if TIME is not set), adds inputs for new code to
# fuzz/corpus/READER, and keeps the corpus small. Prints a table, and fails if a reader crashed, hung or took too much
# memory. The input is then in fuzz/artifacts/READER. Fix the reader, and move the input to fuzz/corpus/READER under a name
# that begins with `seed-`, so the tests play the input, and minimising the corpus does not delete it.
#
# The compiler's own coverage counters are enough, so the pinned toolchain is used, and neither nightly Rust nor
# cargo-fuzz is needed.

set -euo pipefail
cd "$(dirname "$0")/.."

TIME="${TIME:-60}"
# Limits for one input. Shorter inputs are found and minimised faster.
MAX_INPUT_BYTES=65536
MAX_SECONDS=10
MAX_MEMORY_MB=2048
# Maximum size and number of the inputs that are kept for a reader, in addition to its seeds. The seeds (seed*) are real
# files and inputs of corrected errors. Minimising never removes seeds.
MAX_CORPUS_BYTES=102400
MAX_CORPUS_FILES=100

TARGET="$(rustc -vV | sed -n 's/^host: //p')"
export CARGO_TARGET_DIR="$PWD/.cache/fuzz"

build() {
    local flags=(-Cpasses=sancov-module)
    local option
    for option in level=4 inline-8bit-counters pc-table trace-compares; do
        flags+=("-Cllvm-args=-sanitizer-coverage-$option")
    done
    flags+=(-Ccodegen-units=4 --cfg fuzzing)
    (cd fuzz && RUSTFLAGS="${flags[*]}" cargo build --quiet --release --locked --target "$TARGET")
}

readers() {
    if [ $# -gt 0 ]; then printf '%s\n' "$@"; else ls fuzz/corpus; fi
}

# Keeps one input for each part of the code, in a fixed random order.
minimise() {
    local corpus=$1 log=$2 merged
    merged=$(mktemp -d)
    "$FUZZER" -merge=1 -rss_limit_mb="$MAX_MEMORY_MB" "$merged" "$corpus" >>"$log" 2>&1
    find "$corpus" -type f ! -name 'seed*' -delete
    local total=0 count=0 size file
    while read -r size file; do
        total=$((total + size)) count=$((count + 1))
        [ "$total" -le "$MAX_CORPUS_BYTES" ] && [ "$count" -le "$MAX_CORPUS_FILES" ] || break
        mv "$file" "$corpus/"
    done < <(find "$merged" -type f -printf '%s %p\n' | shuf --random-source=<(yes))
    rm -rf "$merged"
}

# The last value of a word in libFuzzer's output, such as `cov: 123`.
last() { grep -o "$1 [0-9]*" "$2" | tail -n 1 | grep -o '[0-9]*$' || echo 0; }
first() { grep "INITED" "$2" | grep -o "$1 [0-9]*" | head -n 1 | grep -o '[0-9]*$' || echo 0; }

fuzz() {
    local reader=$1 log found=0
    local corpus="fuzz/corpus/$reader" artifacts="fuzz/artifacts/$reader"
    log=$(mktemp)
    mkdir -p "$corpus" "$artifacts"
    export WHITTLE_READER=$reader
    "$FUZZER" -max_total_time="$TIME" -max_len="$MAX_INPUT_BYTES" -timeout="$MAX_SECONDS" \
        -rss_limit_mb="$MAX_MEMORY_MB" -artifact_prefix="$artifacts/" -print_final_stats=1 "$corpus" >"$log" 2>&1 || found=1
    if [ "$found" = 0 ]; then minimise "$corpus" "$log"; fi
    printf '%-15s %12s %9s %9s %9s\n' "$reader" "$(last stat::number_of_executed_units: "$log")" \
        "$(first cov: "$log")" "$(last cov: "$log")" "$found"
    if [ "$found" = 1 ]; then
        grep -E "panicked|SUMMARY|ERROR|Test unit written" "$log" | head -n 5 >&2 || true
        findings=$((findings + 1))
    fi
    rm -f "$log"
}

for reader in "$@"; do
    [ -d "fuzz/corpus/$reader" ] || { echo "fuzz: no reader $reader; readers: $(ls fuzz/corpus | tr '\n' ' ')" >&2; exit 2; }
done
build
FUZZER="$CARGO_TARGET_DIR/$TARGET/release/whittle-fuzz"
findings=0
printf '%-15s %12s %9s %9s %9s\n' reader executions "coverage" "at end" findings
while read -r reader; do
    fuzz "$reader"
done < <(readers "$@")
[ "$findings" = 0 ] || { echo "fuzz: $findings readers with findings; the inputs are in fuzz/artifacts" >&2; exit 1; }
