#!/usr/bin/env bash
# Measures viewers of flame graphs in headless Chromium: `bench/web/run.sh [DISTINCT_STACKS …]`, 10000 100000 1000000 if left out.
#
# Needs whittle (WHITTLE, else target/release/whittle), Chromium, Node.js and Maven; inferno-flamegraph and speedscope are measured
# if they are on the PATH. Files go to WORK, a temporary folder if left out. One line of JSON a run.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
whittle=${WHITTLE:-$here/../../target/release/whittle}
work=${WORK:-$(mktemp -d)}
converter=$work/jfr-converter-4.5.jar
[ "$#" -gt 0 ] || set -- 10000 100000 1000000

measure() { node "$here/measure.mjs" "$@" || true; }

if [ ! -f "$converter" ]; then
    mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy \
        -Dartifact=tools.profiler:jfr-converter:4.5 "-DoutputDirectory=$work" >/dev/null
fi
for count in "$@"; do
    stacks=$work/$count.collapsed
    # One recursion of 3,000 frames in each; inferno gets the stacks without it, its picture would be 48,000 pixels high.
    node "$here/stacks.mjs" "$count" deep >"$stacks"
    "$whittle" import "$stacks" -f -o "$work/$count.whittle" 2>/dev/null
    "$whittle" report "$work/$count.whittle" -f --limit-size 1GB -o "$work/$count.html" 2>/dev/null
    measure whittle "$work/$count.html" 3
    java -jar "$converter" -o flamegraph "$stacks" "$work/$count-async-profiler.html" >/dev/null
    measure async-profiler "$work/$count-async-profiler.html" 3
    if command -v inferno-flamegraph >/dev/null; then
        sed '$d' "$stacks" | inferno-flamegraph >"$work/$count.svg" 2>/dev/null
        measure inferno "$work/$count.svg" 1
    fi
    if command -v speedscope >/dev/null; then
        # It writes a page that opens the file, and prints where.
        page=$(BROWSER=true speedscope "$stacks" 2>/dev/null | grep -o '/.*\.html' | head -n 1)
        [ -z "$page" ] || measure speedscope "$page" 1
    fi
done
echo "files are in $work" >&2
