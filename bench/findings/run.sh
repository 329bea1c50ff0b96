#!/usr/bin/env bash
# Judges the findings for all programs with a known fault, on every installed JDK. README.md describes the method.
#   bench/findings/run.sh             uses experiments in .cache/judge again if they are newer than the programs
#   bench/findings/run.sh --fresh     collects all experiments again (takes an hour and a half)
#   bench/findings/run.sh --measure   measures what fixes save (whittle is off), for rows of programs.tsv without savings
#   bench/findings/run.sh --sealed    judges java/sealed, once for each release; nobody may tune detectors with the result
set -euo pipefail
cd "$(dirname "$0")/../.."
export WHITTLE_JUDGE="${WHITTLE_JUDGE:-$PWD/.cache/judge}"
test=all_programs_on_all_jdks
case "${1:-}" in
    --fresh) rm -rf "$WHITTLE_JUDGE/exp" ;;
    --measure) test=savings_of_new_programs_measured_alone ;;
    --sealed) test=sealed_programs_on_all_jdks ;;
    "") ;;
    *) sed -n '2,6p' "$0"; exit 2 ;;
esac
cargo test --release --package whittle --test measured -- --ignored --exact --nocapture "findings_cases::$test"
