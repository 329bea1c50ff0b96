#!/usr/bin/env python3
"""Runs `whittle agent` on 50 hostile programs of one user and 5 honest JVMs of another, then ends the agent.

usage: run.py SECONDS WORK_FOLDER WHITTLE JAVA

Prints the agent's memory, threads, descriptors and helper processes over time, how long it needed to end, and whether the
segments of the honest JVMs are complete. Needs root.
"""

import json
import os
import signal
import subprocess
import sys
import tarfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "../../crates/cli/tests/measured/hostile/fake_jvm.c")
JAR = os.path.join(HERE, "../../java/workloads/target/whittle-workloads.jar")
MODES = ["silent", "backlog", "mute", "drip", "flood", "liar", "bomb", "noise", "killer", "freezer"]
HOSTILE_COUNT, HONEST_COUNT = 50, 5
HOSTILE_USER, HONEST_USER = 65534, 65533


def start(command, user, **options):
    return subprocess.Popen(
        command, user=user, group=user, extra_groups=[], cwd="/", stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options
    )


def build(work):
    for name, options in (("libjvm.so", ["-shared", "-fPIC", "-DLIBRARY"]), ("fake_jvm", ["-ldl"])):
        subprocess.run(["cc", "-O1", "-o", os.path.join(work, name), SOURCE, *options], check=True)


def status(pid):
    lines = open(f"/proc/{pid}/status").read().splitlines()
    field = {line.split(":")[0]: line.split()[1] for line in lines if len(line.split()) > 1}
    hands = subprocess.run(["ps", "--ppid", str(pid), "-o", "rss="], capture_output=True, text=True).stdout.split()
    return {
        "memory MB": int(field["VmRSS"]) / 1024,
        "threads": int(field["Threads"]),
        "descriptors": len(os.listdir(f"/proc/{pid}/fd")),
        "helper processes": len(hands),
        "their memory MB": sum(map(int, hands)) / 1024,
    }


def segments(store):
    """The manifests of all segments, by service."""
    found = {}
    for folder, _, names in os.walk(store):
        for name in names:
            with tarfile.open(os.path.join(folder, name)) as archive:
                manifest = json.load(archive.extractfile("manifest.json"))
            found.setdefault(manifest["labels"]["service"], []).append(manifest)
    return found


def is_complete(manifests):
    """True if each segment begins where the one before has ended."""
    manifests.sort(key=lambda manifest: manifest["start_monotonic_ns"])
    pairs = zip(manifests, manifests[1:])
    return all(one["start_monotonic_ns"] + one["duration_ns"] == next["start_monotonic_ns"] for one, next in pairs)


def main():
    seconds, work, whittle, java = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
    os.makedirs(work, exist_ok=True)
    os.chmod(work, 0o755)
    build(work)
    hostile = [
        start([f"{work}/fake_jvm", f"{work}/libjvm.so", MODES[number % len(MODES)]], HOSTILE_USER, stdout=subprocess.DEVNULL)
        for number in range(HOSTILE_COUNT)
    ]
    jar = f"{work}/workloads.jar"
    subprocess.run(["install", "-m", "644", JAR, jar], check=True)
    honest = []
    for number in range(HONEST_COUNT):
        spin = ["whittle.workloads.truth.Spin", "--seconds", str(seconds + 60)]
        environment = {"WHITTLE_SERVICE": f"honest-{number}", "PATH": os.environ["PATH"]}
        honest.append(start([java, "-Xmx64m", "-cp", jar, *spin], HONEST_USER, stdout=subprocess.DEVNULL, env=environment))
    log = open(f"{work}/agent.log", "w")
    command = [whittle, "agent", "--store", f"{work}/store", "--spool", f"{work}/spool"]
    agent = subprocess.Popen(command, stderr=log)
    began, rows = time.monotonic(), []
    while time.monotonic() - began < seconds:
        time.sleep(5)
        rows.append(status(agent.pid))
    ended = time.monotonic()
    agent.send_signal(signal.SIGTERM)
    agent.wait()
    took = time.monotonic() - ended
    for process in hostile + honest:
        process.kill()
        process.wait()
    print("| | after a third | at the end | largest |\n|---|---|---|---|")
    for name in rows[0]:
        values = [row[name] for row in rows]
        print(f"| {name} | {values[len(values) // 3]:.0f} | {values[-1]:.0f} | {max(values):.0f} |")
    print(f"\nSIGTERM to end: {took:.2f} s, exit status {agent.returncode}\n")
    print("| service | segments | seconds | without gaps | explained |\n|---|---|---|---|---|")
    for service, manifests in sorted(segments(f"{work}/store").items()):
        lasted = sum(manifest["duration_ns"] for manifest in manifests) / 1e9
        closures = [manifest["closure"] for manifest in manifests if manifest.get("closure")]
        exact = sum(closure["exact_cpu_ns"] for closure in closures)
        sampled = sum(closure["sampled_ns"] for closure in closures)
        share = f"{100 * sampled / exact:.1f} %" if exact else "no CPU time"
        print(f"| {service} | {len(manifests)} | {lasted:.0f} | {is_complete(manifests)} | {share} |")
    print("\nThe agent's log:", f"{work}/agent.log", "with", len(open(f"{work}/agent.log").readlines()), "lines")


main()
