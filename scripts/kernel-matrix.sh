#!/usr/bin/env bash
# Boots Debian's kernels in QEMU and checks the engine `kernel` in each: kernel-matrix.sh [SUITE[/VERSION]]...
#
# A suite (bookworm, bookworm-backports, trixie, …) is a Debian release with its newest small kernel. With a version
# (trixie-backports/6.18), it is the suite's newest small kernel of this version. In each kernel six programs make 300,000
# system calls each. whittle must use the engine `kernel` and count all of these calls. Emulation without KVM is 10 to 20
# times slower than a machine, so only counts are checked, no times. Two more programs are delayed by the limits of their
# control groups, `memory.high` and `cpu.max`. Most of their delay must have this reason. A kernel before 5.15 (bullseye) is too
# old, and whittle must say so.
#
# Needs: apt-get, qemu-system-x86_64, a static busybox, cpio, python3, target/release/whittle (or WHITTLE) and the native
# workloads. Exit status 77: something is missing, and nothing ran. Kernels are kept in .cache/kernels.

set -euo pipefail
cd "$(dirname "$0")/.."

SUITES="bullseye bookworm bookworm-backports trixie trixie-backports/6.18 trixie-backports/7.2 trixie-backports"
PACKAGE=linux-image-cloud-amd64
KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg
PROGRAMS=6
CALLS_EACH=300000
# A boot and its check take 1 min on a quiet machine with two cores, and 5 min on a busy machine.
BOOT_SECONDS=900
# Sometimes QEMU 7.2 emulates one instruction of newer kernels wrongly. These kernels then panic during the boot.
BOOTS=3
# Numbers of CPUs. With one CPU, all programs are preempted on the same CPU.
CPUS="2 1"

kept=$PWD/.cache/kernels
whittle=${WHITTLE:-target/release/whittle}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

main() {
    missing=$(missing_things)
    if [ -n "$missing" ]; then
        echo "not run: kernels need$missing"
        exit 77
    fi
    make_initrd
    failed=0
    # shellcheck disable=SC2086 # a list of words
    for suite in ${*:-$SUITES}; do
        check_suite "$suite" || { failed=$((failed + 1)); echo "    its output: $kept/$suite/console"; }
    done
    [ "$failed" = 0 ]
}

missing_things() {
    for tool in apt-get qemu-system-x86_64 busybox cpio python3; do
        command -v "$tool" >/dev/null || printf ' %s' "$tool"
    done
    # ldd fails for a static program.
    ! ldd "$(command -v busybox || echo /none)" >/dev/null 2>&1 || printf ' busybox-static'
    for file in "$whittle" target/workloads/write_loop "$KEYRING"; do
        [ -e "$file" ] || printf ' %s' "$file"
    done
}

check_suite() {
    fetch_kernel "$1" || { echo "$1: its kernel could not be fetched"; return 1; }
    kernel=$(find "$kept/$1/files" -name 'vmlinuz*' -type f | sort | tail -n 1)
    for cpus in $CPUS; do
        for _ in $(seq $BOOTS); do
            boot "$kernel" "$kept/$1/console" "$cpus" || { echo "$1: no end after $BOOT_SECONDS s"; return 1; }
            ! grep -q "### kernel" "$kept/$1/console" || break
            echo "$1: the kernel stopped before the first program started"
        done
        judge "$1, $cpus CPUs" "$kept/$1/console" || return 1
    done
}

# Runs apt-get or apt-cache with a separate state, so the machine's package sources do not change.
apt_of() {
    suite=$1 command=$2
    shift 2
    "$command" -qq -o "Dir::Etc::SourceList=$kept/$suite/apt/sources.list" -o Dir::Etc::SourceParts=- -o "Dir::State=$kept/$suite/apt/state" \
        -o "Dir::Cache=$kept/$suite/apt/cache" -o Dir::State::status=/dev/null -o APT::Architecture=amd64 \
        -o APT::Sandbox::User=root "$@"
}

# The package with the newest small kernel of a suite, or of a version in it.
package_of() {
    version=${1#"${1%%/*}"}
    [ -n "$version" ] || { echo "$PACKAGE"; return; }
    apt_of "$1" apt-cache pkgnames "linux-image-${version#/}." | grep -E -- '-cloud-amd64$' | sort -V | tail -n 1
}

# Unpacks a kernel into its folder.
fetch_kernel() {
    folder=$kept/$1 suite_name=${1%%/*}
    mkdir -p "$folder/apt/state/lists/partial" "$folder/apt/cache/archives/partial"
    echo "deb [signed-by=$KEYRING] http://deb.debian.org/debian $suite_name main" >"$folder/apt/sources.list"
    apt_of "$1" apt-get update || return 1
    package=$(package_of "$1")
    [ -n "$package" ] || return 1
    packages=$(apt_of "$1" apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces \
        --no-enhances -t "$suite_name" "$package" | grep -xE 'linux-(image|binary)-[0-9].*' | sort -u)
    [ -n "$packages" ] || return 1
    # shellcheck disable=SC2086 # a list of words
    [ "$(cat "$folder/packages" 2>/dev/null)" = "$packages" ] || {
        rm -rf "$folder/files" "$folder"/*.deb
        (cd "$folder" && apt_of "$1" apt-get download $packages) || return 1
        for package in "$folder"/*.deb; do dpkg-deb -x "$package" "$folder/files"; done
        rm "$folder"/*.deb
        echo "$packages" >"$folder/packages"
    }
}

# Makes the guest's file system: busybox, whittle, its libraries, and the program that makes system calls.
make_initrd() {
    root=$work/root
    mkdir -p "$root"/{bin,proc,sys,dev,tmp}
    cp "$(command -v busybox)" "$root/bin/busybox"
    cp "$whittle" "$root/bin/whittle"
    cp target/workloads/{write_loop,memory_limit,quota} "$root/bin/"
    for library in $(ldd "$whittle" target/workloads/write_loop | grep -o '/[^ ]*\.so[^ ]*' | sort -u); do
        mkdir -p "$root$(dirname "$library")"
        cp -L "$library" "$root$library"
    done
    cat >"$root/init" <<END
#!/bin/busybox sh
export PATH=/bin HOME=/tmp
/bin/busybox --install -s /bin
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev; mkdir -p /dev/shm; ifconfig lo up
echo "### kernel \$(uname -r)"
echo $CALLS_EACH >/tmp/calls
whittle collect --follow -o /tmp/many.whittle -- sh -c 'for i in $(seq -s ' ' $PROGRAMS); do write_loop </tmp/calls & done; wait'
whittle doctor
echo "### overview"
whittle overview /tmp/many.whittle --json
echo "### syscalls"
whittle syscalls /tmp/many.whittle --by call,file --limit 0 --json
mkdir /cg; mount -t cgroup2 cg /cg; echo "+memory +cpu" >/cg/cgroup.subtree_control
mkdir /cg/memory /cg/cpu; echo 8M >/cg/memory/memory.high
echo "### memory_limit"
whittle collect -q -o /tmp/memory.whittle -- memory_limit --group /cg/memory --megabytes 10
whittle timeline /tmp/memory.whittle --csv
echo "### quota"
whittle collect -q -o /tmp/quota.whittle -- quota --group /cg/cpu --seconds 5
whittle timeline /tmp/quota.whittle --csv
echo "### end"
poweroff -f
END
    chmod +x "$root/init"
    (cd "$root" && find . | cpio -o -H newc --quiet) | gzip -1 >"$work/initrd"
}

# mitigations=off, nokaslr and a fixed clock: emulated kernels boot in seconds, and 6.1 does not read a slow clock.
boot() {
    timeout "$BOOT_SECONDS" qemu-system-x86_64 -accel tcg,thread=multi -cpu Nehalem -m 2G -smp "$3" -display none -no-reboot -net none \
        -serial "file:$2" -kernel "$1" -initrd "$work/initrd" \
        -append "psi=1 console=ttyS0 panic=-1 loglevel=3 mitigations=off nokaslr tsc=reliable clocksource=tsc" </dev/null
}

# Prints one line about a kernel. Returns false if the result is wrong.
judge() {
    python3 - "$1" "$2" $((PROGRAMS * CALLS_EACH)) <<'END'
import csv, json, re, sys
suite, console, expected = sys.argv[1], open(sys.argv[2], errors="replace").read().replace("\r", ""), int(sys.argv[3])
version = re.search(r"### kernel (\S+)", console)
release = tuple(map(int, version[1].split(".")[:2])) if version else None
if release and release < (5, 15):
    told = f"the kernel is too old for them: this is Linux {release[0]}.{release[1]}, and they need 5.15"
    is_told = console.count(told) >= 2 and "run whittle as root" not in console
    print(f"{suite}: kernel {version[1]}, {'told as too old: ok' if is_told else 'not told as too old: WRONG'}")
    sys.exit(not is_told)
parts = re.search(r"### overview\n(.*?)### syscalls\n(.*?)### end", console, re.S)
if not version or not parts:
    sys.exit(f"{suite}: the guest did not come to its end")
def document(text):
    return json.JSONDecoder().raw_decode(text[text.index("{"):])[0]
overview, syscalls = document(parts[1]), document(parts[2])
# How much of the time off the CPU has the reason of the limit.
def explained(name):
    part = re.search(rf"### {name}\n(.*?)### ", console, re.S)[1]
    delayed = 0.0
    for line in re.findall(r"thread=.* wall_ns=(\d+) cpu_ns=(\d+)(?: stopped_ns=(\d+))?", part):
        wall, cpu, stopped = (int(number or 0) for number in line)
        delayed += stopped or wall - cpu
    table = part[part.index("thread_row,"):].splitlines()
    of_reason = sum(float(row["ns"]) for row in csv.DictReader(table) if row["state"] == name)
    return of_reason / delayed if delayed else 0.0
limits = {name: explained(name) for name in ("memory_limit", "quota")}
engine = overview["collectors"][0]["engine"]
calls = sum(row["calls_count"] for row in syscalls["rows"] if (row["call"], row["file"]) == ("write", "null"))
losses = ", ".join(f"{loss['reason']} {loss['count']}" for loss in overview["losses"])
is_right = engine == "kernel" and calls == expected and min(limits.values()) > 0.5
print(f"{suite}: kernel {version[1]}, engine {engine}, {calls} of {expected} calls, losses {losses or 'none'}, {', '.join(f'{name} {ratio:.0%} explained' for name, ratio in limits.items())}: {'ok' if is_right else 'WRONG'}")
sys.exit(not is_right)
END
}

main "$@"
