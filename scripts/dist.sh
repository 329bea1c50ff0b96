#!/bin/bash
# Builds what users install, into target/dist: dist.sh [ARCHITECTURE]..., by default x86_64 and aarch64. `make dist` first
# installs the tools that this script needs.
#
#   whittle-VERSION-ARCHITECTURE-linux.tar.gz   the static program, manual pages, completions, the service
#   whittle_*.deb, whittle-*.rpm                packages of the same files
#   whittle-VERSION-ARCHITECTURE.oci.tar        a container image with only the program; built without a daemon
#   whittle.cdx.json                            the packages in the program (SBOM)
#   release-notes.md                            the section of CHANGELOG.md
#   SHA256SUMS

set -euo pipefail
cd "$(dirname "$0")/.."

ARCHITECTURES="x86_64 aarch64"
SHELLS="bash zsh fish"
# The largest program that we ship.
MOST_BYTES=$((30 * 1000 * 1000))
# The certificates of stores that the image's agent sends to. Debian, and distributions with RPM.
CERTIFICATES="/etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt"

export PATH=$PWD/.cache/venv/bin:$PWD/.cache/tools/bin:$PATH
dist=$PWD/target/dist
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)

main() {
    # shellcheck disable=SC2086 # a list of words
    set -- ${*:-$ARCHITECTURES}
    # The program for this machine writes manual pages and completions.
    case " $* " in *" $(uname -m) "*) ;; *) say "also name this machine's architecture, $(uname -m)"; exit 2 ;; esac
    rm -rf "$dist"
    mkdir -p "$dist/man" "$dist/completions"
    for architecture in "$@"; do
        say "building the static program for $architecture"
        build "$architecture"
    done
    generated_files
    for architecture in "$@"; do
        say "packing for $architecture"
        archive "$architecture"
        packages "$architecture"
        image "$architecture"
    done
    cargo xtask sbom
    cp target/whittle.cdx.json "$dist"
    release_notes >"$dist/release-notes.md"
    rm -r "$dist/man" "$dist/completions"
    (cd "$dist" && sha256sum -- * >SHA256SUMS && ls -l)
}

say() { echo "dist: $*" >&2; }

target_of() { echo "$1-unknown-linux-musl"; }

program_of() { echo "target/$(target_of "$1")/release/whittle"; }

# zig compiles the C sources in crates, and links, for both architectures.
build() {
    cargo zigbuild --quiet --release --package whittle --target "$(target_of "$1")"
    local bytes
    bytes=$(stat -c %s "$(program_of "$1")")
    [ "$bytes" -le "$MOST_BYTES" ] || { say "the program has $bytes bytes, more than $MOST_BYTES"; exit 1; }
}

generated_files() {
    local program
    program=$(program_of "$(uname -m)")
    "$program" man-pages "$dist/man"
    for shell in $SHELLS; do
        case $shell in zsh) file=_whittle ;; *) file=whittle.$shell ;; esac
        "$program" completions "$shell" >"$dist/completions/$file"
    done
}

archive() {
    local name=whittle-$version-$1-linux
    mkdir "$dist/$name"
    cp "$(program_of "$1")" LICENSE NOTICE THIRD_PARTY.txt packaging/whittle-agent.service packaging/agent.env "$dist/$name"
    cp -r "$dist/man" "$dist/completions" "$dist/$name"
    packed "$dist/$name.tar.gz" --gzip -C "$dist" "$name"
    rm -r "${dist:?}/$name"
}

# packed FILE OPTION...: an archive that does not depend on the time or the user of the build.
packed() {
    local file=$1
    shift
    tar --create --file "$file" --sort name --owner 0 --group 0 --numeric-owner --mtime "@$(build_time)" "$@"
}

build_time() { git log -1 --format=%ct 2>/dev/null || echo 0; }

packages() {
    local target
    target=$(target_of "$1")
    cargo deb --quiet --no-build --no-strip --package whittle --target "$target" --output "$dist/"
    cargo generate-rpm --package crates/cli --target "$target" --auto-req disabled --output "$dist/"
}

image() {
    local layout=$dist/layout root=$dist/root goarch file
    case $1 in x86_64) goarch=amd64 ;; aarch64) goarch=arm64 ;; *) goarch=$1 ;; esac
    mkdir -p "$root/usr/bin" "$root/etc/ssl/certs" "$root/tmp"
    cp "$(program_of "$1")" "$root/usr/bin/whittle"
    chmod 1777 "$root/tmp"
    for file in $CERTIFICATES; do
        [ ! -e "$file" ] || { cp -L "$file" "$root/etc/ssl/certs/ca-certificates.crt"; break; }
    done
    [ -e "$root/etc/ssl/certs/ca-certificates.crt" ] || { say "no certificates for the image: apt-get install ca-certificates"; exit 1; }
    umoci init --layout "$layout"
    umoci new --image "$layout:$version"
    umoci insert --image "$layout:$version" "$root" /
    umoci config --image "$layout:$version" --architecture "$goarch" --os linux --created "$(date -u -d "@$(build_time)" +%FT%TZ)" \
        --config.entrypoint /usr/bin/whittle --config.cmd --help
    packed "$dist/whittle-$version-$1.oci.tar" -C "$layout" .
    rm -r "$layout" "$root"
}

# The newest section of the changelog.
release_notes() {
    echo "# whittle $version"
    awk '/^## \[/ { sections++; next } sections == 1' CHANGELOG.md
}

main "$@"
