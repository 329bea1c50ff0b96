#!/usr/bin/env bash
# Measures the cost of `whittle agent`: its own CPU time and the CPU time of the JVMs. There are three scenes: 1 idle
# JVM, 1 busy JVM, and 5 JVMs. README.md has results.
#   bench/agent/run.sh [SECONDS] [OPTION OF whittle agent]...
# WHITTLE: the program (default: target/release/whittle). JAVA: the JVM (default: java).
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:-60}; shift || true
whittle=${WHITTLE:-target/release/whittle}
java=${JAVA:-java}
work=$(mktemp -d)
mark="-Dagent.bench=$$"
printf "only = ['%s ']\n" "$mark" > "$work/rules.toml"
"$(dirname "$(readlink -f "$(command -v "$java")")")/javac" -d "$work" bench/agent/Idle.java
pids=()
trap 'kill "${pids[@]}" 2>/dev/null; rm -rf "$work"' EXIT

# CPU time of a process and its ended threads so far, in milliseconds (ticks of 10 ms).
cpu_ms() { awk '{ sub(/.*\) /, ""); print ($12 + $13) * 10 }' "/proc/$1/stat"; }
sum_ms() { local sum=0 pid; for pid in "$@"; do sum=$((sum + $(cpu_ms "$pid"))); done; echo "$sum"; }
start_idle() { "$java" "$mark" -cp "$work" Idle & pids+=($!); }
start_busy() { "$java" "$mark" -cp java/workloads/target/classes whittle.workloads.truth.Spin --seconds 86400 & pids+=($!); }

# scene NAME COMMAND...: starts JVMs and measures them, first alone and then with the agent.
scene() {
    local name=$1; shift
    pids=()
    "$@" > /dev/null
    local jvms=("${pids[@]}")
    sleep 10
    local before; before=$(sum_ms "${jvms[@]}"); sleep "$seconds"
    local alone=$(($(sum_ms "${jvms[@]}") - before))
    "$whittle" agent --store "$work/store" --spool "$work/spool" --rules "$work/rules.toml" "${options[@]}" & local agent=$!
    pids+=("$agent")
    sleep 15
    before=$(sum_ms "${jvms[@]}"); local agent_before; agent_before=$(cpu_ms "$agent"); sleep "$seconds"
    local with=$(($(sum_ms "${jvms[@]}") - before)) own=$(($(cpu_ms "$agent") - agent_before))
    local memory; memory=$(awk '/^VmRSS/ { print int($2 / 1024) }' "/proc/$agent/status")
    awk -v name="$name" -v s="$seconds" -v own="$own" -v alone="$alone" -v with="$with" -v memory="$memory" 'BEGIN {
        printf "%-20s agent %.2f %% of a core, %d MB; JVMs %.2f %% alone, %.2f %% with it\n",
            name, own / s / 10, memory, alone / s / 10, with / s / 10 }'
    kill -TERM "$agent"; wait "$agent" || true
    kill "${jvms[@]}"; wait "${jvms[@]}" 2> /dev/null || true
    pids=()
}
options=("$@")
one_idle() { start_idle; }
one_busy() { start_busy; }
five() { for _ in 1 2 3 4; do start_idle; done; start_busy; }
echo "$(nproc) CPUs, kernel $(uname -r), load $(cut -d' ' -f1-3 /proc/loadavg), $seconds s each"
scene "1 idle JVM" one_idle
scene "1 busy JVM" one_busy
scene "4 idle, 1 busy" five
echo "load $(cut -d' ' -f1-3 /proc/loadavg)"
