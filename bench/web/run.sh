#!/usr/bin/env bash
# Measures viewers of flame graphs in headless Chromium, and then whittle's timeline of many threads.
# Usage: `bench/web/run.sh [DISTINCT_STACKS …]` (default: 10000 100000 1000000). Prints one line of JSON per run.
#
# Needs whittle, Chromium, Node.js with npm, and Maven. If inferno-flamegraph is on the PATH, it is also measured.
# Environment variables: WHITTLE (default: target/release/whittle), THREADS (threads of the timeline, default: 10000),
# REPEATS (how often each viewer is opened, default: 3), VIEWERS (the viewers to measure, default: all), WORK (folder
# for files, default: a temporary folder).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
whittle=${WHITTLE:-$here/../../target/release/whittle}
work=${WORK:-$(mktemp -d)}
repeats=${REPEATS:-3}
viewers=${VIEWERS:-whittle async-profiler inferno speedscope threads}
# Longest time in which a viewer's own command can create its file, in seconds.
patience=180
converter=$work/jfr-converter-4.5.jar
speedscope=$work/node_modules/speedscope
[ "$#" -gt 0 ] || set -- 10000 100000 1000000

wanted() { [[ " $viewers " == *" $1 "* ]]; }
measure() { node "$here/measure.mjs" "$@" || true; }

if wanted async-profiler && [ ! -f "$converter" ]; then
    mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy \
        -Dartifact=tools.profiler:jfr-converter:4.5 "-DoutputDirectory=$work" >/dev/null
fi
if wanted speedscope && [ ! -d "$speedscope" ]; then
    npm install --silent --no-audit --no-fund --prefix "$work" speedscope@1.25.0 >&2
fi
for count in "$@"; do
    stacks=$work/$count.collapsed
    # The stacks contain one recursion of 3,000 frames. Two viewers get stacks without the recursion: inferno's picture
    # would be 48,000 pixels high, and speedscope's search would run out of stack.
    node "$here/stacks.mjs" "$count" deep >"$stacks"
    sed '$d' "$stacks" >"$work/$count-flat.collapsed"
    if wanted whittle; then
        "$whittle" import "$stacks" -f -o "$work/$count.whittle" 2>/dev/null
        "$whittle" report "$work/$count.whittle" -f --limit-size 1GB -o "$work/$count.html" 2>/dev/null
        measure whittle "$work/$count.html" "$repeats"
    fi
    if wanted async-profiler; then
        java -jar "$converter" -o flamegraph "$stacks" "$work/$count-async-profiler.html" >/dev/null
        measure async-profiler "$work/$count-async-profiler.html" "$repeats"
    fi
    if wanted inferno && command -v inferno-flamegraph >/dev/null; then
        if timeout "$patience" inferno-flamegraph <"$work/$count-flat.collapsed" >"$work/$count.svg" 2>/dev/null; then
            measure inferno "$work/$count.svg" "$repeats"
        else
            echo "{\"viewer\":\"inferno\",\"file\":\"$work/$count.svg\",\"failed\":\"no picture within $patience s\"}"
        fi
    fi
    if wanted speedscope; then
        # Does the same as speedscope's command line: writes the profile as a script that the page loads.
        (
            printf 'speedscope.loadFileFromBase64("%s.collapsed", "' "$count"
            base64 -w 0 <"$work/$count-flat.collapsed"
            printf '")'
        ) >"$work/$count-speedscope.js"
        measure speedscope "$speedscope/dist/release/index.html#localProfilePath=$work/$count-speedscope.js" "$repeats"
    fi
done
if wanted threads; then
    threads=${THREADS:-10000}
    node "$here/threads.mjs" "$threads" >"$work/$threads-threads.speedscope.json"
    "$whittle" import "$work/$threads-threads.speedscope.json" -f -o "$work/threads.whittle" 2>/dev/null
    "$whittle" report "$work/threads.whittle" -f --limit-size 1GB -o "$work/threads.html" 2>/dev/null
    measure whittle-threads "$work/threads.html" "$repeats"
fi
echo "files are in $work" >&2
