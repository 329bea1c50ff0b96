#!/bin/sh
# Installs the tools that the project's build needs: `setup.sh build|demo|check|test|fuzz|audit|dist|matrix`.
#
# Required: git and make. Optional: rustup, a JDK and Maven. The script installs missing tools with
# their ordinary clients: Debian packages with apt-get if the user is root, the Rust toolchain with
# rustup, and Python packages with pip into .cache/venv. If a tool cannot be installed, the script
# prints the command that installs it, and fails. If nothing is missing, the script prints nothing.
#
# On purpose, the script does not install rustup and does not change a default toolchain. It writes
# outside the checkout only through these clients.

set -eu
cd "$(dirname "$0")/.."

# The oldest JDK that whittle and its workloads support.
OLDEST_JDK=17
# The oldest Node.js that the build of the page runs on.
OLDEST_NODE=20
# The independent SQL engine that checks our tables. Newer versions should work as well.
DUCKDB_VERSION=2.0.0
# Clients that push profiles in tests: Pyroscope's Java agent, and the reference implementation of gRPC.
PYROSCOPE_AGENT_VERSION=2.9.2
PYROSCOPE_AGENT_SHA256=ad738199a90734f7b8392bae1ab892027d411acb953ef1f00cd6e8e7c669ff8f
GRPC_VERSION=1.85.1
# Checks licences, sources and known vulnerabilities of crates. Its build takes two minutes on two cores.
CARGO_DENY_VERSION=0.20.2
# Compiles and links static programs for other architectures: zig with the C library musl, and its use by cargo.
ZIG_VERSION=0.17.1
CARGO_ZIGBUILD_VERSION=0.24.1
# Programs that run on any Linux.
STATIC_TARGETS="x86_64-unknown-linux-musl aarch64-unknown-linux-musl"
# Write the packages of the distributions.
CARGO_DEB_VERSION=3.8.0
CARGO_GENERATE_RPM_VERSION=0.21.1
# The schema of the list of packages (SBOM).
CYCLONEDX_VERSION=11.12.0

main() {
    case "${1:-}" in
    build | demo | check | test | fuzz | audit | dist | matrix) ;;
    *)
        echo "usage: scripts/setup.sh build|demo|check|test|fuzz|audit|dist|matrix" >&2
        exit 2
        ;;
    esac
    need_c_compiler
    if [ "$1" = fuzz ]; then
        need_cpp_compiler
        # Maven downloads async-profiler, which is in the collector.
        need_jdk
        need_maven
        need_rust
        stop_at_gaps
        return
    fi
    if [ "$1" = audit ]; then
        need_node
        need_rust
        need_cargo_deny
        stop_at_gaps
        return
    fi
    need_jdk
    need_maven
    need_node
    need_rust
    need_wasm
    if [ "$1" = dist ] || [ "$1" = matrix ]; then
        need_static
    fi
    if [ "$1" = dist ]; then
        need_packers
    fi
    if [ "$1" = matrix ]; then
        want_emulators
    fi
    if [ "$1" = check ] || [ "$1" = test ]; then
        need_rust_checks
        need_duckdb
    fi
    if [ "$1" = test ]; then
        need_grpc
        need_cyclonedx
        need_pyroscope_agent
        need_chromium
        need_test_servers
        need_static
        want_clang
    fi
    stop_at_gaps
}

# Tools that could not be installed, one line for each tool.
gaps=""

has() { command -v "$1" >/dev/null 2>&1; }

say() { echo "setup: $*" >&2; }

gap() {
    gaps="$gaps
  $1"
}

stop_at_gaps() {
    [ -n "$gaps" ] || return 0
    say "please install what is missing, then run the same command again:$gaps"
    exit 1
}

# Installs Debian packages if possible. Returns false if it is not possible.
apt_install() {
    has apt-get && [ "$(id -u)" = 0 ] || return 1
    say "installing $*"
    if [ -z "${is_apt_updated:-}" ]; then
        quietly apt-get update || return 1
        is_apt_updated=yes
    fi
    quietly env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
}

# Runs a command, and shows its output only if the command fails.
quietly() {
    log=$(mktemp)
    if "$@" >"$log" 2>&1; then
        rm -f "$log"
    else
        cat "$log" >&2
        rm -f "$log"
        return 1
    fi
}

# Rust uses the C compiler to link, and zstd is written in C.
need_c_compiler() {
    has cc || apt_install gcc libc6-dev || gap "a C compiler: apt-get install gcc libc6-dev"
}

# The fuzzer is written in C++.
need_cpp_compiler() {
    has c++ || apt_install g++ || gap "a C++ compiler: apt-get install g++"
}

# Prints the feature version (17, 21 …) of the JDK with the javac on the PATH; 0 if there is no javac.
jdk_version() {
    found=$(javac -version 2>&1 | sed -n 's/^javac \([0-9]*\).*/\1/p') || true
    echo "${found:-0}"
}

need_jdk() {
    [ "$(jdk_version)" -ge "$OLDEST_JDK" ] && return
    apt_install "openjdk-$OLDEST_JDK-jdk-headless" || apt_install default-jdk-headless || true
    [ "$(jdk_version)" -ge "$OLDEST_JDK" ] && return
    gap "a JDK, $OLDEST_JDK or newer, with javac on the PATH: apt-get install openjdk-$OLDEST_JDK-jdk-headless"
}

# Builds the workloads, and downloads async-profiler, which whittle contains.
need_maven() {
    has mvn || apt_install maven || gap "Maven 3.8 or newer: apt-get install maven, or https://maven.apache.org"
}

# Prints the major version of the Node.js on the PATH; 0 if there is no Node.js.
node_version() {
    found=$(node --version 2>/dev/null | sed -n 's/^v\([0-9]*\).*/\1/p') || true
    echo "${found:-0}"
}

# Builds the analyzer's page.
need_node() {
    [ "$(node_version)" -ge "$OLDEST_NODE" ] && has npm && return
    apt_install nodejs npm || true
    [ "$(node_version)" -ge "$OLDEST_NODE" ] && has npm && return
    gap "Node.js $OLDEST_NODE or newer, with npm: https://nodejs.org"
}

# The end-to-end tests open the analyzer in this browser.
need_chromium() {
    [ -x /usr/bin/chromium ] || [ -x "${CHROMIUM:-}" ] || apt_install chromium ||
        gap "Chromium: apt-get install chromium, or its path in CHROMIUM"
}

# The version that rust-toolchain.toml pins.
pinned_rust() { sed -n 's/^channel = "\(.*\)"/\1/p' rust-toolchain.toml; }

need_rust() {
    version=$(pinned_rust)
    rust_gap="Rust $version: rustup could not fetch it; try: rustup toolchain install $version"
    if has rustup; then
        rustup toolchain list | grep -q "^$version-" || install_rust "$version" || gap "$rust_gap"
    elif ! has_rust_without_rustup "$version"; then
        gap "Rust $version: https://rustup.rs, or apt-get install rustup"
    fi
}

# A cargo that rustup did not install is enough if it is not older than the pinned version.
has_rust_without_rustup() {
    has cargo && has rustc || return 1
    found=$(rustc --version | cut -d ' ' -f 2)
    [ "$(printf '%s\n%s\n' "$1" "$found" | sort -V | head -n 1)" = "$1" ]
}

# The command names the toolchain, because older versions of rustup do not read rust-toolchain.toml here.
install_rust() {
    say "installing Rust $*"
    quietly rustup toolchain install --profile minimal --no-self-update "$@"
}

# The engine of report files runs in the browser.
need_wasm() {
    if ! has rustup; then
        [ -d "$(rustc --print sysroot)/lib/rustlib/wasm32-unknown-unknown" ] || gap "Rust's library for wasm32-unknown-unknown"
        return
    fi
    has_part rust-std-wasm32-unknown-unknown ||
        install_rust "$version" --target wasm32-unknown-unknown ||
        gap "$rust_gap, with the target wasm32-unknown-unknown"
}

# The checks need formatter and lints in addition to the compiler.
need_rust_checks() {
    if ! has rustup; then
        cargo fmt --version >/dev/null 2>&1 || gap "rustfmt, of the same version as rustc"
        cargo clippy --version >/dev/null 2>&1 || gap "clippy, of the same version as rustc"
        return
    fi
    has_part rustfmt && has_part clippy ||
        install_rust "$version" --component rustfmt --component clippy ||
        gap "$rust_gap, with rustfmt and clippy"
}

# Returns true if the pinned toolchain has this component.
has_part() {
    rustup component list --toolchain "$version" | sed -n 's/ (installed)$//p' | grep -q "^$1"
}

# One test reads an experiment with an independent SQL engine.
need_duckdb() {
    need_venv || return 0
    need_python_package duckdb "$DUCKDB_VERSION"
}

# A Python environment in .cache/venv for packages that tests use.
need_venv() {
    [ -x .cache/venv/bin/python ] && return 0
    has python3 || apt_install python3 || { gap "Python 3: apt-get install python3 python3-venv" && return 1; }
    new_venv >/dev/null 2>&1 && return 0
    apt_install python3-venv && new_venv || { gap "Python's venv: apt-get install python3-venv" && return 1; }
}

# Trino and an S3-compatible store. The fleet's tests compare Trino's answers with those of whittle's engine.
need_test_servers() {
    scripts/test-servers.sh || gap "Trino and S3Proxy from Maven Central; try: scripts/test-servers.sh"
}

# A test calls our gRPC service with this package. It is installed in the same environment as duckdb
# (see need_duckdb).
need_grpc() { need_python_package grpcio "$GRPC_VERSION"; }

# Checks the list of packages that `make sbom` writes.
need_cyclonedx() {
    need_venv || return 0
    need_python_package "cyclonedx-python-lib[json-validation]" "$CYCLONEDX_VERSION"
}

# need_python_package PACKAGE VERSION: installs a package, with the extras that its name states, into .cache/venv.
need_python_package() {
    python=.cache/venv/bin/python
    [ -x "$python" ] || return 0
    "$python" -c "from importlib.metadata import version; assert version('${1%%[*}') == '$2'" >/dev/null 2>&1 && return
    say "installing $1 $2 into .cache/venv"
    quietly "$python" -m pip install --quiet --only-binary :all: "$1==$2" ||
        gap "$1 $2: pip could not fetch it; try: $python -m pip install '$1==$2'"
}

need_cargo_deny() { need_cargo_tool cargo-deny "$CARGO_DENY_VERSION"; }

need_packers() {
    need_cargo_tool cargo-deb "$CARGO_DEB_VERSION"
    need_cargo_tool cargo-generate-rpm "$CARGO_GENERATE_RPM_VERSION"
    has umoci || apt_install umoci || gap "umoci, which writes container images: apt-get install umoci"
}

# need_cargo_tool NAME VERSION: builds a tool into .cache/tools. Without optimisation, the build takes half the time, and the
# tools still take only seconds.
need_cargo_tool() {
    grep -q "^\"$1 $2 " .cache/tools/.crates.toml 2>/dev/null && return
    say "building $1 $2 into .cache/tools, about two minutes"
    quietly env CARGO_PROFILE_DEV_DEBUG=0 CARGO_TARGET_DIR=.cache/tools/target cargo install --quiet --locked --debug \
        --root .cache/tools "$1@$2" ||
        gap "$1 $2: try: cargo install --locked --root .cache/tools $1@$2"
    rm -rf .cache/tools/target
}

# What a static program for x86-64 and arm64 needs.
need_static() {
    for static_target in $STATIC_TARGETS; do
        if has rustup; then
            has_part "rust-std-$static_target" || install_rust "$version" --target "$static_target" ||
                gap "$rust_gap, with the target $static_target"
        elif [ ! -d "$(rustc --print sysroot)/lib/rustlib/$static_target" ]; then
            gap "Rust's library for $static_target"
        fi
    done
    need_venv || return 0
    need_python_package ziglang "$ZIG_VERSION"
    need_python_package cargo-zigbuild "$CARGO_ZIGBUILD_VERSION"
}

# In a test, this agent pushes profiles to our receiver (Apache-2.0). A file with another digest is never used.
need_pyroscope_agent() {
    agent=.cache/pyroscope-agent-$PYROSCOPE_AGENT_VERSION.jar
    if [ ! -f "$agent" ]; then
        say "fetching the Java agent of Pyroscope $PYROSCOPE_AGENT_VERSION"
        quietly mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy -DoutputDirectory=.cache \
            "-Dartifact=io.pyroscope:agent:$PYROSCOPE_AGENT_VERSION" &&
            mv ".cache/agent-$PYROSCOPE_AGENT_VERSION.jar" "$agent" ||
            gap "the Java agent of Pyroscope: Maven could not fetch io.pyroscope:agent:$PYROSCOPE_AGENT_VERSION"
    fi
    [ ! -f "$agent" ] || is_pinned "$agent" "$PYROSCOPE_AGENT_SHA256" ||
        gap "the pinned Java agent of Pyroscope: $agent has another SHA-256 digest; remove the file"
}

# Returns true if the file $1 has the SHA-256 digest $2.
is_pinned() { echo "$2  $1" | sha256sum --check --status; }

# clang compiles the BPF programs again, to compare them with the committed objects. Without clang, this
# check reports that it did not run.
want_clang() {
    has clang && has llvm-strip && [ -f /usr/include/bpf/bpf_helpers.h ] && return
    apt_install clang llvm libbpf-dev || say "without clang, llvm-strip and libbpf-dev the BPF programs are not compiled anew"
}

# Emulators that boot the kernels. Without them, the matrix reports that it did not run.
want_emulators() {
    has qemu-system-x86_64 && has qemu-system-aarch64 && has cpio && return
    apt_install qemu-system-x86 qemu-system-arm ipxe-qemu cpio || say "without qemu-system-x86, qemu-system-arm and cpio no kernel is booted"
}

new_venv() { python3 -m venv --clear .cache/venv; }

main "$@"
