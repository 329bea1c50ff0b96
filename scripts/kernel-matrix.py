#!/usr/bin/env python3
"""Boots Debian's kernels in QEMU and checks the static whittle in each: `scripts/kernel-matrix.py [OPTION]... [KERNEL]...`.

KERNEL is SUITE[/VERSION][/rt][:arm64]: a Debian release with its newest small kernel, or with the newest one of a version or
with PREEMPT_RT; for x86-64 unless `:arm64` follows. Examples: bookworm, trixie-backports/6.18, trixie/rt, trixie:arm64.

In each kernel six programs make 300,000 system calls each. whittle must use the engine `kernel` and count all of them. A kernel
before 5.15 is too old, and whittle must say so. With `--jvm`:
  - a Java program counts its own calls of write; whittle must count the same calls, and name the line that makes them
  - two programs are delayed by the limits of their control groups, `memory.high` and `cpu.max`; most of their delay must have
    this reason

Emulation without KVM is 10 to 20 times slower than a machine, so only counts and reasons are checked. The closure is printed.

`--broken-count` lets one program make one call more than is expected: every kernel must then be wrong. The script fails if one is
not.

Needs: apt-get, dpkg-deb, qemu-system, cpio, zig in .cache/venv, and target/ARCHITECTURE-unknown-linux-musl/release/whittle;
javac for `--jvm`. Exit status 77: something is missing, and nothing ran. Packages are kept in .cache/kernels.
"""
import argparse, csv, json, os, re, shutil, subprocess, sys, tempfile, time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / ".cache/kernels"
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
KERNELS = ["bullseye", "bookworm", "bookworm-backports", "trixie", "trixie/rt", "trixie-backports/6.18", "trixie-backports/7.2",
           "trixie-backports"]
# These take longer, so only `--jvm` boots them.
KERNELS_ARM64 = ["bookworm:arm64", "trixie:arm64"]
OLDEST = (5, 15)
PROGRAMS = 6
CALLS_EACH = 300_000
# A boot and its check take 1 min on a quiet machine with two cores, and 5 min on a busy machine.
BOOT_SECONDS = 900
# Sometimes QEMU 7.2 emulates one instruction of newer kernels wrongly. These kernels then panic during the boot.
BOOTS = 3
# Numbers of CPUs. With one CPU, all programs are preempted on the same CPU.
CPUS = [2, 1]
JAVA_SECONDS = 20
JAVA_SOURCES = ROOT / "java/old-jdks/src"
# The JVM of the guests, and the libraries that it loads.
JVM_SUITE = "bookworm"
JVM_PACKAGES = ["openjdk-17-jre-headless", "libc6", "libgcc-s1", "libstdc++6", "zlib1g"]
# mitigations=off, nokaslr and a fixed clock: emulated kernels boot in seconds, and 6.1 does not read a slow clock.
COMMON_OPTIONS = "psi=1 panic=-1 loglevel=3 mitigations=off nokaslr"


@dataclass(frozen=True)
class Machine:
    """What differs between the processors."""
    debian: str
    rust: str
    qemu: list
    options: str


MACHINES = {
    # `-cpu max` crashes some kernels in QEMU 7.2.
    "amd64": Machine("amd64", "x86_64", ["qemu-system-x86_64", "-accel", "tcg,thread=multi", "-cpu", "Nehalem"],
                     "console=ttyS0 tsc=reliable clocksource=tsc"),
    "arm64": Machine("arm64", "aarch64", ["qemu-system-aarch64", "-accel", "tcg,thread=multi", "-machine", "virt,gic-version=3",
                                          "-cpu", "cortex-a72"], "console=ttyAMA0"),
}


@dataclass(frozen=True)
class Kernel:
    name: str
    suite: str
    version: str
    is_real_time: bool
    machine: Machine

    @classmethod
    def parse(cls, name):
        rest, _, processor = name.partition(":")
        suite, *parts = rest.split("/")
        versions = [part for part in parts if part != "rt"]
        if not suite or len(versions) > 1 or (processor or "amd64") not in MACHINES:
            raise argparse.ArgumentTypeError(f"{name}: expected SUITE[/VERSION][/rt][:arm64]")
        return cls(name, suite, "".join(versions), "rt" in parts, MACHINES[processor or "amd64"])

    @property
    def folder(self):
        return KEPT / self.name.replace("/", "-").replace(":", "-")

    def package(self, archive):
        flavour = f"{'rt' if self.is_real_time else 'cloud'}-{self.machine.debian}"
        if not self.version:
            return f"linux-image-{flavour}"
        names = archive.cache("pkgnames", f"linux-image-{self.version}.").split()
        fitting = [name for name in names if name.endswith(f"-{flavour}")]
        if not fitting:
            raise Failed(f"{self.suite} has no kernel {self.version} of the kind {flavour}")
        return max(fitting, key=lambda name: [int(number) for number in re.findall(r"\d+", name)])

    def fetch(self):
        """The kernel's image."""
        archive = Archive(self.suite, self.machine.debian)
        depends = archive.cache("depends", "--recurse", "--no-recommends", "--no-suggests", "--no-conflicts", "--no-breaks",
                                "--no-replaces", "--no-enhances", "-t", self.suite, self.package(archive))
        archive.unpack(sorted(set(re.findall(r"^linux-(?:image|binary)-\d\S*$", depends, re.M))), self.folder)
        images = sorted((self.folder / "files").rglob("vmlinuz*"))
        if not images:
            raise Failed("its packages have no kernel image")
        return images[-1]


class Failed(Exception):
    """A kernel that could not be checked, with the reason."""


class Archive:
    """Debian's packages of a suite and an architecture, with a separate state: the machine's package sources do not change."""

    def __init__(self, suite, architecture):
        state = KEPT / f"apt-{suite}-{architecture}"
        for folder in ("state/lists/partial", "cache/archives/partial"):
            (state / folder).mkdir(parents=True, exist_ok=True)
        (state / "sources.list").write_text(f"deb [signed-by={KEYRING}] http://deb.debian.org/debian {suite} main\n")
        self.suite = suite
        self.options = ["-qq", *(f"-o{option}" for option in (
            f"Dir::Etc::SourceList={state}/sources.list", "Dir::Etc::SourceParts=-", f"Dir::State={state}/state",
            f"Dir::Cache={state}/cache", "Dir::State::status=/dev/null", f"APT::Architecture={architecture}",
            f"APT::Architectures::={architecture}", "APT::Sandbox::User=root"))]
        self.run("apt-get", "update")

    def run(self, program, command, *arguments, folder=None):
        done = subprocess.run([program, *self.options, command, *arguments], cwd=folder, capture_output=True, text=True)
        if done.returncode != 0:
            raise Failed(f"{program} {command} of {self.suite}: {done.stderr.strip()}")
        return done.stdout

    def cache(self, command, *arguments):
        return self.run("apt-cache", command, *arguments)

    def unpack(self, packages, folder):
        """Unpacks packages into `folder`/files, if they are not there yet."""
        versions = self.cache("show", "--no-all-versions", *packages) if packages else ""
        wanted = "\n".join(re.findall(r"^(?:Package|Version): (.*)$", versions, re.M))
        if not wanted:
            raise Failed(f"{self.suite} has no such package")
        if (folder / "packages").exists() and (folder / "packages").read_text() == wanted:
            return
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.run("apt-get", "download", *packages, folder=folder)
        for package in folder.glob("*.deb"):
            subprocess.run(["dpkg-deb", "-x", package, folder / "files"], check=True)
            package.unlink()
        (folder / "packages").write_text(wanted)


class Guest:
    """The file system of the guests of one processor, as an initrd: busybox, whittle, programs, and perhaps a JVM."""

    def __init__(self, machine, options, work):
        root = work / machine.debian
        shutil.rmtree(root, ignore_errors=True)
        for folder in ("bin", "proc", "sys", "dev", "tmp"):
            (root / folder).mkdir(parents=True)
        if options.jvm:
            self.add_jvm(machine, root)
        Archive(JVM_SUITE, machine.debian).unpack(["busybox-static"], KEPT / f"busybox-{machine.debian}")
        shutil.copy(next((KEPT / f"busybox-{machine.debian}/files").rglob("bin/busybox")), root / "bin/busybox")
        shutil.copy(whittle_of(machine), root / "bin/whittle")
        for program in ("write_loop", "memory_limit", "quota"):
            subprocess.run([*zig(), "cc", "-target", f"{machine.rust}-linux-musl", "-static", "-O2", "-g", "-std=gnu11",
                            "-D_GNU_SOURCE", "-pthread", "-o", root / "bin" / program, ROOT / f"native/workloads/{program}.c"],
                           check=True)
        (root / "init").write_text(guest_script(options))
        (root / "init").chmod(0o755)
        # Without compression: to unpack it, an emulated processor takes longer than QEMU takes to read it.
        self.initrd = work / f"initrd-{machine.debian}"
        with self.initrd.open("wb") as initrd:
            names = subprocess.run(["find", "."], cwd=root, capture_output=True, check=True).stdout
            subprocess.run(["cpio", "-o", "-H", "newc", "--quiet"], cwd=root, input=names, stdout=initrd, check=True)

    @staticmethod
    def add_jvm(machine, root):
        folder = KEPT / f"jvm-{machine.debian}"
        Archive(JVM_SUITE, machine.debian).unpack(JVM_PACKAGES, folder)
        subprocess.run(["cp", "-a", f"{folder}/files/.", root], check=True)
        subprocess.run(["javac", "--release", "8", "-nowarn", "-Xlint:-options", "-d", root / "classes",
                        *map(str, JAVA_SOURCES.rglob("*.java"))], check=True)

    def boot(self, kernel, image, cpus, console):
        command = [*kernel.machine.qemu, "-m", "3G", "-smp", str(cpus), "-display", "none", "-no-reboot", "-net", "none",
                   "-serial", f"file:{console}", "-kernel", image, "-initrd", self.initrd,
                   "-append", f"{COMMON_OPTIONS} {kernel.machine.options}"]
        try:
            subprocess.run(command, stdin=subprocess.DEVNULL, timeout=BOOT_SECONDS)
        except subprocess.TimeoutExpired:
            raise Failed(f"no end after {BOOT_SECONDS} s") from None
        return console.read_text(errors="replace").replace("\r", "")


def guest_script(options):
    """The guest's first process."""
    calls = [CALLS_EACH] * PROGRAMS
    calls[0] += options.broken_count
    started = " ".join(f"echo {count} | write_loop &" for count in calls)
    return f"""#!/bin/busybox sh
export PATH=/bin HOME=/tmp
/bin/busybox --install -s /bin
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev; mkdir -p /dev/shm; ifconfig lo up
mount -t tmpfs tmpfs /tmp
echo "### kernel $(uname -r)"
whittle collect --follow -o /tmp/many.whittle -- sh -c '{started} wait'
whittle doctor
echo "### overview"
whittle overview /tmp/many.whittle --json
echo "### syscalls"
whittle syscalls /tmp/many.whittle --by call,file --limit 0 --json
{guest_script_of_jvm() if options.jvm else ""}
echo "### end"
poweroff -f
"""


def guest_script_of_jvm():
    return f"""
mkdir /cg; mount -t cgroup2 cg /cg; echo "+memory +cpu" >/cg/cgroup.subtree_control
mkdir /cg/memory /cg/cpu; echo 8M >/cg/memory/memory.high
echo "### memory_limit"
whittle collect -q -o /tmp/memory.whittle -- memory_limit --group /cg/memory --megabytes 10
whittle timeline /tmp/memory.whittle --csv
echo "### quota"
whittle collect -q -o /tmp/quota.whittle -- quota --group /cg/cpu --seconds 5
whittle timeline /tmp/quota.whittle --csv
echo "### java"
java=$(ls /usr/lib/jvm/*/bin/java | head -n 1)
whittle collect -o /tmp/java.whittle -- $java -Dseconds={JAVA_SECONDS} -cp /classes com.acme.old.ByteWrites
echo "### java-overview"
whittle overview /tmp/java.whittle --json
echo "### java-syscalls"
whittle syscalls /tmp/java.whittle --by call,file --limit 0 --json
echo "### java-findings"
whittle findings /tmp/java.whittle --json
"""


def judge(console, options):
    """What whittle told in the guest, as text, and what is wrong."""
    release = re.search(r"### kernel (\S+)", console)
    if not release:
        raise Failed("the kernel stopped before the first program started")
    version = tuple(map(int, release[1].split(".")[:2]))
    if version < OLDEST:
        told = f"the kernel is too old for them: this is Linux {version[0]}.{version[1]}, and they need 5.15"
        is_told = console.count(told) >= 2 and "run whittle as root" not in console
        return f"{release[1]}, told as too old", [] if is_told else ["not told as too old"]
    if "### end" not in console:
        raise Failed("the guest did not come to its end")
    overview, syscalls = document(console, "overview"), document(console, "syscalls")
    engine, counted = overview["collectors"][0]["engine"], calls_of(syscalls, None)
    losses = ", ".join(f"{loss['reason']} {loss['count']}" for loss in overview["losses"])
    text = f"{release[1]}, engine {engine}, {counted:,} calls, losses {losses or 'none'}"
    wrong = [] if engine == "kernel" else [f"engine {engine}"]
    if counted != PROGRAMS * CALLS_EACH:
        wrong.append(f"{counted:,} of {PROGRAMS * CALLS_EACH:,} calls")
    if options.jvm:
        more, more_wrong = judge_jvm(console)
        text, wrong = text + more, wrong + more_wrong
    return text, wrong


def judge_jvm(console):
    limits = {name: explained(console, name) for name in ("memory_limit", "quota")}
    wrong = [f"{name} explains {ratio:.0%} of the delay" for name, ratio in limits.items() if ratio <= 0.5]
    made = re.search(r"write_calls=(\d+)", console)
    if not made:
        raise Failed("the Java program did not come to its end")
    overview, syscalls, findings = (document(console, f"java-{name}") for name in ("overview", "syscalls", "findings"))
    counted = calls_of(syscalls, "old-jdks")
    if counted != int(made[1]):
        wrong.append(f"{counted:,} calls of write, the Java program made {int(made[1]):,}")
    source = (JAVA_SOURCES / "com/acme/old/ByteWrites.java").read_text().splitlines()
    line = next(number for number, text in enumerate(source, 1) if "// [edit " in text)
    lines = [found["line"] for finding in findings["findings"] for found in finding["calling"]["lines"]]
    if line not in lines:
        wrong.append(f"no finding at line {line} of the Java program")
    closure = overview["closure_ratio"] or 0
    losses = ", ".join(f"{loss['reason']} {loss['count']}" for loss in overview["losses"])
    explained_text = ", ".join(f"{name} {ratio:.0%} explained" for name, ratio in limits.items())
    return f"; {explained_text}; Java: closure {closure:.1%}, {counted:,} calls, losses {losses or 'none'}", wrong


def part_of(console, name):
    """A part of the console's output."""
    found = re.search(rf"### {name}\n(.*?)### ", console, re.S)
    if not found:
        raise Failed(f"the guest told nothing about {name}")
    return found[1]


def document(console, part):
    """The JSON document in a part of the console's output."""
    text = part_of(console, part)
    if "{" not in text:
        raise Failed(f"the guest wrote no JSON about {part}")
    return json.JSONDecoder().raw_decode(text[text.index("{"):])[0]


def calls_of(syscalls, file):
    """Calls of write to a file with this text in its name, by default to /dev/null."""
    def fits(name):
        return name in ("null", "/dev/null") if file is None else file in (name or "")
    return sum(row["calls_count"] for row in syscalls["rows"] if row["call"] == "write" and fits(row["file"]))


def explained(console, name):
    """How much of the time off the CPU has the reason of the limit."""
    part = part_of(console, name)
    delayed = 0.0
    for line in re.findall(r"thread=.* wall_ns=(\d+) cpu_ns=(\d+)(?: stopped_ns=(\d+))?", part):
        wall, cpu, stopped = (int(number or 0) for number in line)
        delayed += stopped or wall - cpu
    if "thread_row," not in part:
        raise Failed(f"the guest wrote no timeline of {name}")
    table = part[part.index("thread_row,"):].splitlines()
    of_reason = sum(float(row["ns"]) for row in csv.DictReader(table) if row["state"] == name)
    return of_reason / delayed if delayed else 0.0


def zig():
    return [ROOT / ".cache/venv/bin/python", "-m", "ziglang"]


def whittle_of(machine):
    return ROOT / f"target/{machine.rust}-unknown-linux-musl/release/whittle"


def missing(kernels, options):
    tools = ["apt-get", "apt-cache", "dpkg-deb", "cpio", *(["javac"] if options.jvm else [])]
    tools += {kernel.machine.qemu[0] for kernel in kernels}
    yield from (tool for tool in tools if not shutil.which(tool))
    files = [Path(KEYRING), zig()[0], *(whittle_of(kernel.machine) for kernel in kernels)]
    yield from (str(file) for file in dict.fromkeys(files) if not file.exists())


def check(kernel, guest, options):
    """Boots a kernel with each number of CPUs. Returns how many boots were not as expected."""
    image, failed = kernel.fetch(), 0
    for cpus in CPUS:
        console = kernel.folder / f"console-{cpus}"
        for boot in range(BOOTS):
            began = time.monotonic()
            text = guest.boot(kernel, image, cpus, console)
            if "### kernel" in text:
                break
            print(f"{kernel.name}: the kernel stopped before the first program started", flush=True)
        told, wrong = judge(text, options)
        is_expected = bool(wrong) == bool(options.broken_count and "told as too old" not in told)
        failed += not is_expected
        print(f"{kernel.name}, {cpus} CPUs, {time.monotonic() - began:.0f} s: {told}: "
              f"{'WRONG: ' + '; '.join(wrong) if wrong else 'ok'}{'' if is_expected else f'    output: {console}'}", flush=True)
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernels", nargs="*", metavar="KERNEL", type=Kernel.parse)
    parser.add_argument("--jvm", action="store_true")
    parser.add_argument("--broken-count", action="store_true")
    options = parser.parse_args()
    names = KERNELS + (KERNELS_ARM64 if options.jvm else [])
    kernels = options.kernels or [Kernel.parse(name) for name in names]
    lacking = list(missing(kernels, options))
    if lacking:
        print(f"not run: kernels need {', '.join(lacking)}")
        sys.exit(77)
    failed, guests, began = 0, {}, time.monotonic()
    with tempfile.TemporaryDirectory() as work:
        for kernel in kernels:
            try:
                guest = guests.get(kernel.machine.debian) or Guest(kernel.machine, options, Path(work))
                guests[kernel.machine.debian] = guest
                failed += check(kernel, guest, options)
            except (Failed, subprocess.CalledProcessError) as failure:
                failed += 1
                print(f"{kernel.name}: {failure}: WRONG", flush=True)
    print(f"kernel-matrix: {failed} wrong after {(time.monotonic() - began) / 60:.0f} min" if failed else
          f"kernel-matrix: all as expected after {(time.monotonic() - began) / 60:.0f} min")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
