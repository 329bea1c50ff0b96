#!/usr/bin/env bash
# Collects each healthy program for a minute (or for the given number of seconds) and prints its findings.
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds="${1:-60}"
folder="$PWD/.cache/healthy"
mkdir -p "$folder"
mvn -q -B -f java/healthy/pom.xml package
cargo build --release --package whittle
for program in Search Database Echo Json; do
    experiment="$folder/$program.whittle"
    target/release/whittle collect -q -f -o "$experiment" -- java -Dseconds="$seconds" \
        -cp 'java/healthy/target/whittle-healthy.jar:java/healthy/target/lib/*' "whittle.healthy.$program"
    target/release/whittle findings "$experiment"
done
