#!/usr/bin/env bash
# Judges findings on all programs with a known fault, on every JDK that is installed; README.md says how.
#   bench/findings/run.sh             experiments in .cache/judge that are newer than the programs are used again
#   bench/findings/run.sh --fresh     collects all again (most of an hour)
#   bench/findings/run.sh --measure   what the fixes of java/held-out save with whittle off, for programs.tsv
set -euo pipefail
cd "$(dirname "$0")/../.."
export WHITTLE_JUDGE="${WHITTLE_JUDGE:-$PWD/.cache/judge}"
test=all_programs_on_all_jdks
case "${1:-}" in
    --fresh) rm -rf "$WHITTLE_JUDGE/exp" ;;
    --measure) test=savings_of_held_out_programs_measured_alone ;;
    "") ;;
    *) sed -n '2,5p' "$0"; exit 2 ;;
esac
cargo test --release --package whittle --test measured -- --ignored --exact --nocapture "findings_cases::$test"
