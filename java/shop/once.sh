#!/usr/bin/env bash
# One run for `whittle verify`: starts the shop, sends requests, prints their latencies, and stops the shop.
# once.sh [-Dshop.faults=a,b ...]: options of the shop
set -euo pipefail
cd "$(dirname "$0")/target"
out=$(mktemp)
java -Xmx512m "$@" -cp 'shop.jar:lib/*' com.acme.shop.Shop --server.port=0 > "$out" &
shop=$!
trap 'kill $shop; wait $shop || true; rm -f "$out"' EXIT
until grep -q '^port=' "$out"; do
    kill -0 $shop
    sleep 0.2
done
java -Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp 'shop.jar:lib/*' com.acme.load.Load --port "$(sed -n 's/^port=//p' "$out")" \
    --rate 80 --seconds 15 --warm 10 --mix create:5,orders:3,products:2
