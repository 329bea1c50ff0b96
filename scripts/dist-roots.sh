#!/bin/bash
# Installs what `make dist` built in minimal Debian roots, and tries it there: dist-roots.sh [SUITE]..., by default Debian 11, 12, 13
# and sid. Runs as root.
#
# In each root: the .deb is installed and removed again, and the program of the archive collects a command of the shell. A root is right
# if the experiment explains at least 90 % of the command's CPU time. Roots are kept in .cache/roots; remove the folder for new ones.
#
# Exit status 1: a root is wrong; 77: something is missing, and nothing ran.

set -euo pipefail
cd "$(dirname "$0")/.."

SUITES="bullseye bookworm trixie sid"
# Uses the CPU for a second, with the shell's own commands.
COMMAND='i=0; while [ $i -lt 400000 ]; do i=$((i + 1)); done'
LEAST_CLOSURE=0.90

dist=target/dist
kept=$PWD/.cache/roots

main() {
    need
    local failed=0
    # shellcheck disable=SC2086 # a list of words
    for suite in ${*:-$SUITES}; do
        if try "$suite"; then echo "$suite: $told: right"; else echo "$suite: WRONG"; failed=$((failed + 1)); fi
    done
    [ "$failed" = 0 ]
}

need() {
    local missing=""
    [ "$(id -u)" = 0 ] || missing+=" root"
    for tool in debootstrap unshare chroot python3; do command -v $tool >/dev/null || missing+=" $tool"; done
    deb=$(ls $dist/*_amd64.deb 2>/dev/null) archive=$(ls $dist/*-x86_64-linux.tar.gz 2>/dev/null) || true
    [ -n "$deb" ] && [ -n "$archive" ] || missing+=" $dist (make dist)"
    [ -z "$missing" ] || { echo "not run: roots need$missing"; exit 77; }
}

# Sets `told` to what the program says there.
try() {
    local root=$kept/$1 closure
    [ -e "$root/ready" ] || make_root "$1" || return 1
    cp "$deb" "$root/root/whittle.deb"
    inside "$root" sh -ec 'dpkg -i /root/whittle.deb >/dev/null && whittle --version >/dev/null && test -s /usr/share/man/man1/whittle-collect.1.gz &&
        test -e /usr/lib/systemd/system/whittle-agent.service && dpkg -P whittle >/dev/null 2>&1 && test ! -e /usr/bin/whittle' || return 1
    rm -rf "$root/root/archive"
    mkdir "$root/root/archive"
    tar xf "$archive" -C "$root/root/archive" --strip-components 1
    inside "$root" /root/archive/whittle collect -q -f -o /root/try.whittle -- sh -c "$COMMAND" || return 1
    closure=$(inside "$root" /root/archive/whittle overview /root/try.whittle --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["closure_ratio"])') || return 1
    told="$(inside "$root" /root/archive/whittle --version), closure $closure"
    python3 -c "import sys; sys.exit($closure < $LEAST_CLOSURE)" || { echo "$told"; return 1; }
}

make_root() {
    rm -rf "${kept:?}/$1"
    mkdir -p "$kept"
    debootstrap --variant=minbase "$1" "$kept/$1" >"$kept/$1.log" 2>&1 || { tail -n 3 "$kept/$1.log"; return 1; }
    touch "$kept/$1/ready"
}

# inside ROOT COMMAND...: with the machine's /proc and /sys. The mounts end with the command.
inside() {
    # shellcheck disable=SC2016 # expanded by the inner shell
    unshare --mount sh -c 'mount --rbind /sys "$0/sys" && mount --bind /proc "$0/proc" && exec chroot "$0" "$@"' "$@"
}

main "$@"
