#!/bin/sh
# Measures CPU seconds and peak memory of three readers: whittle's reader, jfrs and jfrconv. All read a recording of
# about 100 MB.
#
# Needs: JAVA (a java program, 17 or newer), ASYNC_PROFILER (libasyncProfiler.so), JFR_CONVERTER (jar), perf events.
# Environment variables: ROUNDS (5), SECONDS_RECORDED (26), WORK (a folder for recordings, which are kept and used
# again).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
rounds=${ROUNDS:-5}
work=${WORK:-$(mktemp -d)}

cargo build --quiet --release --manifest-path "$root/Cargo.toml" -p whittle-import --example jfr_bench
cargo build --quiet --release --manifest-path "$here/jfrs-reader/Cargo.toml" --target-dir "$work/jfrs"

"$(dirname "$JAVA")/javac" -d "$work" "$here/DeepStacks.java"
record() { # file, further options
    [ -e "$work/$1" ] || "$JAVA" "-agentpath:$ASYNC_PROFILER=start,event=cpu,interval=100us,jfr,clock=monotonic,cstack=vmx,$2\
file=$work/$1" -cp "$work" DeepStacks "${SECONDS_RECORDED:-26}" 8 2000 >&2
}
record one-chunk.jfr ""
record chunks-of-5-seconds.jfr "chunktime=5s,"

# Prints CPU seconds and peak MiB of a command: the median of the rounds, scaled to 100 MB of recording.
measure() { # recording, name, command…
    recording=$1 name=$2
    shift 2
    for _ in $(seq "$rounds"); do
        command time -f '%U %S %M' -o "$work/time" "$@" >"$work/out" 2>&1 || { cat "$work/out"; exit 1; }
        cat "$work/time"
    done | python3 -c '
import statistics, sys
name, megabytes = sys.argv[1], float(sys.argv[2]) / 1e6
rows = [[float(value) for value in line.split()] for line in sys.stdin]
cpu = sorted(user + system for user, system, _ in rows)
print(f"{name:28} {megabytes:6.1f} MB  CPU {statistics.median(cpu):6.2f} s ({cpu[0]:.2f}-{cpu[-1]:.2f})"
      f"  {statistics.median(cpu) * 100 / megabytes:6.2f} s per 100 MB  peak {statistics.median(row[2] for row in rows) / 1024:7.1f} MiB")
' "$name" "$(stat -c %s "$work/$recording")"
}

for recording in one-chunk.jfr chunks-of-5-seconds.jfr; do
    echo "$recording"
    measure "$recording" "whittle-import" "$root/target/release/examples/jfr_bench" "$work/$recording"
    measure "$recording" "jfrs 0.2.5" "$work/jfrs/release/jfrs-reader" "$work/$recording"
    measure "$recording" "jfrconv to collapsed" "$JAVA" -jar "$JFR_CONVERTER" -o collapsed --cpu "$work/$recording" "$work/collapsed"
done
