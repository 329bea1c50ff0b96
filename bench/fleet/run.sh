#!/usr/bin/env bash
# Measures how long queries over many machines take, and how fast segments become tables.
# Usage: bench/fleet/run.sh [SERVICES]
set -euo pipefail
cd "$(dirname "$0")/../.."
SERVICES=${1:-12}
STORE=$(mktemp -d)
trap 'rm -rf "$STORE"' EXIT

cargo bench --quiet --profile fleet --package whittle-fleet --bench queries -- "$SERVICES" "$STORE/questions"

cargo build --quiet --profile fleet --package whittle-fleet
cargo run --quiet --profile fleet --package whittle-fleet --example land_segments -- "$STORE/intake" 30 4 10
echo "intake of 1,200 segments with 1,200 samples each:"
/usr/bin/time -f '%e s elapsed, %U s user, %S s system, %M KB' target/fleet/whittle-fleet intake --once --late 999999d --store "$STORE/intake"
du -sb "$STORE/intake/tables"
