#!/bin/bash
# Builds in release mode and shows progress in one line: `build.sh PACKAGE…` for packages of cargo, `build.sh workloads` for the Java
# programs of the demo. The output of the tools is shown only if they fail.
#
# The build of the analyzer's page starts together with the crates. Cargo alone would build the page last, because only the server needs
# it, and one core would be idle meanwhile.

set -u
cd "$(dirname "$0")/.."

# Shorter work is not announced.
SILENT_SECONDS=2

main() {
    log=$(mktemp) errors=$(mktemp)
    trap 'rm -f "$log" "$errors"' EXIT
    if [ "$1" = workloads ]; then
        follow "the slow program and its fixed version" "half a minute" mvn -q -B -f java/workloads/pom.xml package
    else
        options=("${@/#/--package=}")
        count_crates
        [ -n "${WHITTLE_ANALYZER:-}" ] || build_page &
        follow "$1" "about 5 minutes on two cores" \
            cargo build --quiet --release "${options[@]}" --message-format=json-render-diagnostics
    fi
}

# Runs a command and shows progress: `follow WHAT TIME COMMAND…`.
follow() {
    what=$1 time=$2
    shift 2
    SECONDS=0
    "$@" >"$log" 2>"$errors" &
    command=$!
    while kill -0 "$command" 2>/dev/null; do
        show_progress
        sleep 1
    done
    [ ! -t 2 ] || printf '\r\033[K' >&2
    wait "$command" && return
    status=$?
    # The lines in JSON are for programs.
    grep -v '^{' "$log" >&2
    cat "$errors" >&2
    exit "$status"
}

show_progress() {
    line="building $what (the first time: $time)"
    if [ -t 2 ]; then
        [ "$SECONDS" -lt "$SILENT_SECONDS" ] ||
            printf '\r\033[K%s: %s%d:%02d' "$line" "$(crates)" $((SECONDS / 60)) $((SECONDS % 60)) >&2
    elif [ "$SECONDS" -ge "$SILENT_SECONDS" ] && [ -z "${is_said:-}" ]; then
        is_said=yes
        echo "$line" >&2
    fi
}

# Counts all crates, also those that only run during the build.
count_crates() {
    crate_count=$(cargo tree --prefix none --edges normal,build "${options[@]}" 2>/dev/null | cut -d ' ' -f 1,2 | sort -u | wc -l)
}

# Prints how many crates cargo has finished.
crates() {
    [ -n "${crate_count:-}" ] || return
    built=$(sed -n 's/^{"reason":"compiler-artifact","package_id":"\([^"]*\)".*/\1/p' "$log" | sort -u | wc -l)
    echo "$built of $crate_count crates, "
}

# The server's build script waits for the same lock, and then finds the finished page. The build script reports errors,
# so nothing is reported here.
build_page() {
    mkdir -p web/.cache
    flock web/.cache/lock make --silent -j 2 -C web >/dev/null 2>&1
}

main "$@"
