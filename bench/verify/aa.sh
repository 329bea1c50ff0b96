#!/usr/bin/env bash
# Verifies a short workload against itself many times, and counts the verdicts. README.md describes the method.
#   bench/verify/aa.sh [VERIFICATIONS] [RUNS_PER_SIDE]      defaults: 20 and 5
set -euo pipefail
cd "$(dirname "$0")/../.."
whittle="${WHITTLE:-target/release/whittle}"
count="${1:-20}" runs="${2:-5}"
java="${JAVA_HOME:+$JAVA_HOME/bin/}java"
program="$java -cp java/workloads/target/whittle-workloads.jar:java/workloads/target/lib/* whittle.workloads.crc.Fixed --documents 40"
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
for number in $(seq "$count"); do
    "$whittle" verify --quiet --json --baseline "$program" --candidate "$program" --runs "$runs" --profiled-runs 2 \
        --metric '^documents (?<documents_count>[0-9]+)' > "$results/$number.json" || [ $? -ge 4 ]
    jq -r --arg number "$number" '(.endpoints[] | select(.kind == "cpu")) as $cpu
        | [$number, .words, ($cpu.low_ratio - 1) * 100, ($cpu.high_ratio - 1) * 100, $cpu.noise_ratio * 100] | @tsv' \
        "$results/$number.json" | awk -F'\t' '{ printf "%3d  %-20s  CPU per document %+.1f to %+.1f %%, noise %.1f %%\n", $1, $2, $3, $4, $5 }'
done
echo
jq -r .words "$results"/*.json | sort | uniq -c
