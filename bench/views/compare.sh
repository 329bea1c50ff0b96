#!/bin/sh
# Measures the time of every view of a comparison of two large experiments. Arguments: samples per side, stacks per
# side, repetitions.
set -eu
cd "$(dirname "$0")/../.."
exec cargo run --release --quiet -p whittle-engine --example compare_bench -- "$@"
