#!/bin/sh
# Measures the time of every view of a large experiment. Arguments: samples, stacks, repetitions.
set -eu
cd "$(dirname "$0")/../.."
exec cargo run --release --quiet -p whittle-engine --example views_bench -- "$@"
