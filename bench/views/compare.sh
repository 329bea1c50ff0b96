#!/bin/sh
# Times every view of a comparison of two large experiments. Arguments: samples a side, stacks a side, repetitions.
set -eu
cd "$(dirname "$0")/../.."
exec cargo run --release --quiet -p whittle-engine --example compare_bench -- "$@"
