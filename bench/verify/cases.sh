#!/usr/bin/env bash
# Verifies programs with a known fault against their fixed versions. Compares each interval with the values that the
# programs themselves print in separate runs without whittle. README.md describes the method.
#   bench/verify/cases.sh             the workloads, and the cases of the reference data (WHITTLE_SHARED, else ../shared)
#   bench/verify/cases.sh c01 crc …   only these
# Variables: WHITTLE, JAVA_HOME, RUNS (timed runs per side, 4), ALONE (runs per side without whittle, 3), SECONDS_EACH
# (3)
set -euo pipefail
cd "$(dirname "$0")/../.."
whittle="${WHITTLE:-target/release/whittle}"
java="${JAVA_HOME:+$JAVA_HOME/bin/}java"
runs="${RUNS:-4}" alone="${ALONE:-3}" seconds="${SECONDS_EACH:-3}"
shared="${WHITTLE_SHARED:-../shared}"
class_path="java/workloads/target/whittle-workloads.jar:java/workloads/target/lib/*"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# printed METRIC REGEX FILE: prints the last text that the group METRIC matched.
printed() {
    perl -ne 'BEGIN { ($name, $regex) = splice @ARGV, 0, 2 } while (/$regex/g) { $value = $+{$name} // $value }
        END { print "$value\n" }' "$@"
}

# judge NAME METRIC REGEX BETTER BASELINE CANDIDATE RENAME: adds a line to the table.
judge() {
    local name=$1 metric=$2 regex=$3 better=$4 baseline=$5 candidate=$6 rename=$7 number side
    for number in $(seq "$alone"); do
        for side in baseline candidate; do
            set -f
            # shellcheck disable=SC2086 # the words of a command line
            ${!side} > "$work/$side.$number.out" 2>&1 || { echo "$name: the $side failed"; tail -3 "$work/$side.$number.out"; return; }
            set +f
            printed "$metric" "$regex" "$work/$side.$number.out" >> "$work/$name.$side"
        done
    done
    # Ratio of geometric means, and the standard error of its logarithm.
    read -r ratio error < <(paste "$work/$name.baseline" "$work/$name.candidate" | awk '
        { d = log($2 / $1); s += d; q += d * d; n++ }
        END { m = s / n; print exp(m), (n > 1 ? sqrt((q - n * m * m) / (n - 1) / n) : 0) }')
    "$whittle" verify --quiet --json --baseline "$baseline" --candidate "$candidate" --runs "$runs" --profiled-runs 2 \
        --metric "$regex" --endpoint "$metric" --better "$better" --rename "$rename" \
        > "$work/$name.json" 2> "$work/$name.err" || [ $? -ge 4 ] || { echo "$name: $(tail -3 "$work/$name.err")"; return; }
    jq -r --arg name "$name" --argjson ratio "$ratio" --argjson error "$error" '
        def percent: (. - 1) * 1000 | round / 10 | if . > 0 then "+\(.)" else "\(.)" end;
        .endpoints[] | select(.is_primary) | select(.kind == "finding" | not)
        | (if .low_ratio <= $ratio and $ratio <= .high_ratio then "covers"
           elif (.low_ratio <= $ratio * (2 * $error | exp)) and ($ratio * (-2 * $error | exp) <= .high_ratio) then "within both errors"
           else "OUTSIDE" end) as $holds
        | [$name, .name, ($ratio | percent), (.ratio | percent), "\(.low_ratio | percent) to \(.high_ratio | percent)", $holds, .verdict.word]
        | @tsv' "$work/$name.json" | tee -a "$work/table"
    jq -r '.endpoints[] | select(.is_primary | not) | "    \(.sentence)"' "$work/$name.json"
    jq -r '"    verdict: \(.words); " + ([.endpoints[] | select(.kind == "finding") | .sentence] | join("; "))' "$work/$name.json"
}

wanted() { [ $# -eq 1 ] || case " ${*:2} " in *" $1 "*) ;; *) return 1 ;; esac; }

workload() { echo "$java -cp $class_path whittle.workloads.$1"; }

! wanted crc "$@" || judge crc cpu_per_document_ms \
    '^documents (?<documents_count>[0-9]+)|cpu_ms_per_document (?<cpu_per_document_ms>[0-9.]+)' smaller \
    "$(workload "crc.Slow --seconds $seconds")" "$(workload "crc.Fixed --seconds $seconds")" whittle.workloads.crc.slow=whittle.workloads.crc.fixed
! wanted buffers "$@" || judge buffers messages_per_second \
    'total messages=(?<messages_count>[0-9]+) .*messages_per_second=(?<messages_per_second>[0-9.]+)' larger \
    "$(workload "buffers.Slow --seconds $seconds")" "$(workload "buffers.Fixed --seconds $seconds")" whittle.workloads.buffers.Slow=whittle.workloads.buffers.Fixed
! wanted orders "$@" || judge orders consumers_cpu_per_message_ms \
    'total messages=(?<messages_count>[0-9]+)|consumers_cpu_ms_per_message=(?<consumers_cpu_per_message_ms>[0-9.]+)' smaller \
    "$(workload "orders.Slow --seconds $seconds")" "$(workload "orders.Fixed --seconds $seconds")" whittle.workloads.orders.Slow=whittle.workloads.orders.Fixed
! wanted readers "$@" || judge readers files_per_second \
    'total files=(?<files_count>[0-9]+) .*files_per_second=(?<files_per_second>[0-9.]+)' larger \
    "$(workload "readers.Slow --seconds $seconds")" "$(workload "readers.Fixed --seconds $seconds")" whittle.workloads.readers.Slow=whittle.workloads.readers.Fixed
if wanted lister "$@"; then
    sleep infinity &
    listed=$!
    trap 'kill "$listed"; rm -rf "$work"' EXIT
    judge lister per_process_us 'rounds=(?<lists_count>[0-9]+)|us_per_process=(?<per_process_us>[0-9.]+)' smaller \
        "$(workload "lister.Slow --pids $listed --seconds $seconds")" "$(workload "lister.Fixed --pids $listed --seconds $seconds")" \
        whittle.workloads.lister.Slow=whittle.workloads.lister.Fixed
fi

result='units=(?<units_count>\d+) wall_us_per_unit=(?<wall_per_unit_us>[\d.]+) main_cpu_us_per_unit=(?<main_cpu_per_unit_us>[\d.]+)'
if [ -d "$shared/cases" ]; then
    javac="${JAVA_HOME:+$JAVA_HOME/bin/}javac"
    # shellcheck disable=SC2046 # file names without spaces
    "$javac" -g -nowarn -d "$work/classes" $(find "$shared/cases" -name '*.java') 2> /dev/null
    for case in $(cut -f1 "$shared/cases/cases.tsv" | tail -n +2); do
        wanted "$case" "$@" || continue
        # In these cases, the fix saves waiting time, not CPU time.
        case $case in c04 | c09 | c22) metric=wall_per_unit_us ;; *) metric=main_cpu_per_unit_us ;; esac
        judge "$case" "$metric" "$result" smaller \
            "$java -Dseconds=$seconds -cp $work/classes $case.Slow" "$java -Dseconds=$seconds -cp $work/classes $case.Fixed" "$case.Slow=$case.Fixed"
    done
else
    echo "not run: the cases of the reference data need ../shared or WHITTLE_SHARED"
fi

printf '\n%s\n' "case	endpoint	alone %	verified %	95 % interval %	interval	word" | cat - "$work/table" | column -t -s$'\t'
