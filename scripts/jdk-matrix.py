#!/usr/bin/env python3
"""Whittle on JDK 8, 11, 21 and 26: `scripts/jdk-matrix.py [RELEASE]...` as root, on a machine with BPF.

The JDKs are packages of Debian sid. debootstrap installs them into the folder .cache/jdks once (1.7 GB, about 3 minutes). Each
program of java/old-jdks then runs there, once launched by whittle and once attached to, with the whittle of target/release
(or WHITTLE). A cell is right if

    closure    samples explain at least 98 % of the CPU time that the kernel counted, 85 % if the program starts a thread per task
    finding    a finding names the expected cause and the marked line of the source
    calls      the number of calls of `write` is the program's own (launched only)
    report     a report file is written

Prints a table, and exits with status 1 if a cell is wrong, or with 77 if something is missing.
"""
import json, os, re, shutil, subprocess, sys, time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
GUEST = ROOT / ".cache/jdks"
SOURCES = ROOT / "java/old-jdks/src"
WHITTLE = os.environ.get("WHITTLE", str(ROOT / "target/release/whittle"))
RELEASES = ["8", "11", "21", "26"]
# A program that starts threads all the time has less: while a thread is started, it blocks all signals, and Java frames cannot be
# found without a signal.
MIN_CLOSURE = 0.98
MIN_CLOSURE_OF_STARTS = 0.85
SECONDS = 6
# What whittle has to tell at the end, because the JVM cannot report it.
LEFT_OUT = {"8": ["no allocations: before JDK 11", "no pauses of the JVM: JDK 8"]}
# Expected causes of each program. A program with none only shows that nothing breaks.
PROGRAMS = {
    "ByteWrites": {"unbuffered-write"},
    "ThreadPerTask": {"thread-per-task"},
    "PatternPerLine": {"regex-compile-per-call"},
    "SharedLock": {"lock-contention"},
    "Allocations": set(),
}


def missing(what):
    print(f"not run: jdk-matrix: needs {what}")
    sys.exit(77)


def prepare():
    if os.geteuid() != 0:
        missing("root")
    if not Path(WHITTLE).exists():
        missing(f"{WHITTLE}: `make build`")
    if not shutil.which("javac"):
        missing("javac")
    if json.loads(subprocess.run([WHITTLE, "doctor", "--json"], capture_output=True, text=True).stdout)["engine"] != "kernel":
        missing("the engine kernel: `whittle doctor`")
    if not (GUEST / "ready").exists():
        if not shutil.which("debootstrap"):
            missing("debootstrap")
        shutil.rmtree(GUEST, ignore_errors=True)
        print("installing the JDKs, about 3 minutes", file=sys.stderr)
        packages = ",".join(f"openjdk-{release}-jdk-headless" for release in RELEASES)
        subprocess.run(["debootstrap", "--variant=minbase", f"--include={packages}", "sid", str(GUEST)], check=True,
                       stdout=subprocess.DEVNULL)
        (GUEST / "ready").touch()
    shutil.rmtree(GUEST / "work", ignore_errors=True)
    (GUEST / "work/classes").mkdir(parents=True)
    javac = ["javac", "--release", "8", "-nowarn", "-Xlint:-options", "-d", str(GUEST / "work/classes")]
    subprocess.run([*javac, *map(str, SOURCES.rglob("*.java"))], check=True)
    shutil.copy(WHITTLE, GUEST / "work/whittle")


def inside(command, **options):
    """Runs a command in the folder of the JDKs, with the machine's /proc and /sys. The mounts end with the command."""
    script = 'mount --rbind /sys "$0/sys" && mount --bind /proc "$0/proc" && exec chroot "$0" "$@"'
    return subprocess.Popen(["unshare", "--mount", "sh", "-c", script, str(GUEST), *command], text=True, **options)


def java(release, program, seconds):
    architecture = {"x86_64": "amd64", "aarch64": "arm64"}[os.uname().machine]
    home = f"/usr/lib/jvm/java-{release}-openjdk-{architecture}"
    return [f"{home}/bin/java", f"-Dseconds={seconds}", "-cp", "/work/classes", f"com.acme.old.{program}"]


def launched(release, program, experiment):
    command = ["/work/whittle", "collect", "-f", "-o", experiment, "--", *java(release, program, SECONDS)]
    process = inside(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    output, errors = process.communicate()
    return process.returncode == 0, output, errors


def attached(release, program, experiment):
    target = inside(java(release, program, SECONDS + 6), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        time.sleep(2)
        command = ["/work/whittle", "collect", "-f", "-o", experiment, "-d", f"{SECONDS}s", "-p", str(target.pid)]
        process = inside(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        _, errors = process.communicate()
    finally:
        target.terminate(), target.wait()
    return process.returncode == 0, "", errors


def marked(program):
    lines = (SOURCES / f"com/acme/old/{program}.java").read_text().splitlines()
    return {number for number, line in enumerate(lines, 1) if "// [edit " in line}


def ask(*words):
    return json.loads(subprocess.run([WHITTLE, *words, "--json"], check=True, capture_output=True, text=True).stdout)


def found_lines(finding):
    lines = [(finding["calling"]["file"], line["line"]) for line in finding["calling"]["lines"]]
    return {*lines, (finding["calling"]["file"], finding["calling"]["line"]), (finding["site"]["file"], finding["site"]["line"])}


def check(release, program, experiment, output, is_launched):
    """What is wrong, and the closure."""
    wrong = []
    closure = ask("overview", experiment)["closure_ratio"] or 0
    if closure < (MIN_CLOSURE_OF_STARTS if program == "ThreadPerTask" else MIN_CLOSURE):
        wrong.append(f"closure {closure:.1%}")
    at = {(f"{program}.java", line) for line in marked(program)}
    findings = ask("findings", experiment)["findings"]
    told = {finding["detector"] for finding in findings if not at or at & found_lines(finding)}
    if PROGRAMS[program] and not PROGRAMS[program] & told:
        wrong.append("found " + (", ".join(finding["detector"] for finding in findings) or "nothing"))
    calls = re.search(r"write_calls=(\d+)", output)
    if not calls and program == "ByteWrites" and is_launched:
        wrong.append("the program told no number of calls")
    if calls:
        rows = ask("syscalls", experiment, "--limit", "0")["rows"]
        counted = sum(row["calls_count"] for row in rows if row["call"] == "write" and "old-jdks" in (row["file"] or ""))
        if counted != int(calls[1]):
            wrong.append(f"{counted} calls of write, the program made {calls[1]}")
    if program == "Allocations" and release not in LEFT_OUT and not ask("overview", experiment)["totals"].get("alloc_bytes"):
        wrong.append("no allocations")
    report = subprocess.run([WHITTLE, "report", "-f", "-o", f"{experiment}.html", experiment], capture_output=True, text=True)
    if report.returncode != 0:
        wrong.append(f"no report: {report.stderr.strip()}")
    return wrong, closure


def cell(release, program, way):
    inside_path = f"/work/{release}-{program}-{way.__name__}.whittle"
    is_good, output, errors = way(release, program, inside_path)
    if not is_good:
        return [f"collect failed: {errors.strip().splitlines()[-1:]}"], 0.0
    wrong, closure = check(release, program, f"{GUEST}{inside_path}", output, way is launched)
    wrong += [f"not told: {text}" for text in LEFT_OUT.get(release, []) if text not in errors]
    return wrong, closure


def main():
    releases = sys.argv[1:] or RELEASES
    if "-h" in releases or "--help" in releases or set(releases) - set(RELEASES):
        sys.exit(__doc__)
    prepare()
    failed = 0
    print(f"{'JDK':4} {'program':16} {'way':9} {'closure':>8}")
    for release in releases:
        for program in PROGRAMS:
            for way in (launched, attached):
                wrong, closure = cell(release, program, way)
                failed += bool(wrong)
                print(f"{release:4} {program:16} {way.__name__:9} {closure:8.2%}  {'; '.join(wrong) or 'right'}", flush=True)
    print(f"jdk-matrix: {failed} cells wrong" if failed else "jdk-matrix: all cells are right")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
