#!/usr/bin/env bash
# Runs the tests that take hours, every night: scripts/nightly.sh [PART]...; `make nightly` first builds
# everything that this script needs.
#   findings  findings in all programs with a known fault, on JDK 17 and 25; nearly an hour
#   long      the tests that are too long for `make test`, and the lint of the fleet; a quarter of an hour
#   jdks      the measuring tests on every installed JDK from 17 on, half an hour for two JDKs; and JDK 8, 11, 21 and 26
#   dist      static programs, packages and images, and the packages in fresh Debian roots; a quarter of an hour
#   soak      an hour of collection, with memory that must not grow
#   kernels   the engine `kernel`, and a JVM, on Debian's kernels in QEMU; a few minutes per kernel
#   benches   the measurements of bench/, shortened if their size can be set
#   audit     licences, sources and known vulnerabilities of all packages
#
# Prints each step, and at the end the steps that ran, failed or did not run. Exit status 1 if a step failed.

set -uo pipefail
cd "$(dirname "$0")/.."

PARTS="findings long jdks dist soak kernels benches audit"

ran=() failed=() not_run=()

main() {
    # shellcheck disable=SC2086 # a list of words
    set -- ${*:-$PARTS}
    for part in "$@"; do
        case " $PARTS " in *" $part "*) ;; *) echo "nightly: no part $part; parts: $PARTS" >&2; exit 2 ;; esac
    done
    cargo build --release --package whittle || exit 1
    for part in "$@"; do "part_$part"; done
    summary
}

part_findings() { step findings bench/findings/run.sh --fresh; }

part_long() {
    step long env WHITTLE_ALL_JDKS=1 RUST_TEST_THREADS=1 cargo test --workspace --test measured -- --ignored $(skipped)
    step lint cargo clippy --package whittle-fleet --all-targets -- -D warnings
}

# Ignored tests that have their own part, or that are run by hand.
skipped() { printf -- '--skip %s ' findings_cases:: memory_is_flat_over_an_hours_soak; }

part_jdks() {
    step jdks env WHITTLE_ALL_JDKS=1 cargo xtask test measured
    step jdk-matrix scripts/jdk-matrix.py
}

part_dist() {
    step dist make dist
    step dist-roots scripts/dist-roots.sh
}

part_soak() {
    step soak env RUST_TEST_THREADS=1 cargo test --workspace --test measured -- --ignored --exact kernel_faults::memory_is_flat_over_an_hours_soak
}

part_kernels() {
    if make --silent static; then step kernels scripts/kernel-matrix.py --jvm; else failed+=("the static programs for kernels"); fi
}

part_benches() {
    step bench/views bench/views/run.sh 10000000 100000 3
    step_with chromium bench/web bench/web/run.sh 10000
    step_with jq bench/verify/aa bench/verify/aa.sh 5
    step_with jq bench/verify/cases bench/verify/cases.sh crc buffers orders readers
    step bench/try bench/try/run.py --jdks 17 c01 c05 crc
    step bench/agent bench/agent/run.sh 20
    step bench/fleet bench/fleet/run.sh 4
    if [ "$(id -u)" = 0 ]; then step bench/kernel env ROUNDS=2 bench/kernel/run.sh; else skip bench/kernel "needs root"; fi
    if [ -e "${ASYNC_PROFILER:-}" ] && [ -e "${JFR_CONVERTER:-}" ] && [ -x "${JAVA:-}" ]; then
        step bench/jfr bench/jfr/run.sh
    else
        skip bench/jfr "needs JAVA, ASYNC_PROFILER and JFR_CONVERTER: bench/jfr/README.md"
    fi
}

part_audit() { step audit make audit; }

# step NAME COMMAND...: runs a command. Its exit status 77 means that something is missing; the command has
# reported it.
step() {
    local name=$1 begin=$SECONDS status
    shift
    printf '\n== %s: %s\n' "$name" "$*"
    "$@"
    status=$?
    case $status in
    0) ran+=("$name ($((SECONDS - begin)) s)") ;;
    77) not_run+=("$name") ;;
    *) failed+=("$name (exit status $status, $((SECONDS - begin)) s)") ;;
    esac
}

# step_with TOOL NAME COMMAND...: the same, for a command that needs a tool.
step_with() {
    if command -v "$1" >/dev/null; then step "${@:2}"; else skip "$2" "needs $1"; fi
}

skip() {
    echo "not run: $1: $2"
    not_run+=("$1: $2")
}

summary() {
    echo
    [ ${#ran[@]} = 0 ] || printf 'ran: %s\n' "${ran[@]}"
    [ ${#not_run[@]} = 0 ] || printf 'not run: %s\n' "${not_run[@]}"
    [ ${#failed[@]} = 0 ] || printf 'failed: %s\n' "${failed[@]}"
    # Lists the tests in these steps that did not run, and the flaky tests.
    [ ! -s "${WHITTLE_NOT_RUN:-}" ] || cargo xtask summary || failed+=("cargo xtask summary")
    echo "nightly: ${#ran[@]} ran, ${#failed[@]} failed, ${#not_run[@]} not run"
    [ ${#failed[@]} = 0 ]
}

main "$@"
