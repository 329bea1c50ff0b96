#!/usr/bin/env python3
"""Measures what a trial costs a program beside the remedy.

    cost.py idle    [--runs 8] [--programs 12] [--jdk HOME]  the agent of the baseline, which has nothing to change
    cost.py removed [--blocks 12] [--seconds 5] [--jdk HOME] a service after a trial in it has ended

idle: Fixed programs of run.py, drawn at random, run without an agent and with the agent of the baseline, in turns. `whittle verify`
compares the CPU time per unit of work. The result is the geometric mean of the programs' ratios. The interval is a bootstrap of the
programs. Each run is new and begins with 1 s that does not count, so the start of the agent is not in it.

removed: two shops (java/shop) with the fault `regex-compile` get the same number of requests in each second. `whittle try -p` tries
the finding in the first one. The result is the CPU time per request after the trial, divided by that before it. The same
ratio of the second shop, which had no trial, is divided out. The interval is a bootstrap of the blocks.
"""

import argparse
import json
import os
import random
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "services"))
import overhead
import services
from measure import SECONDS, WHITTLE
from programs import ROOT, UNIT_COST, Programs, java_of
from run import COMPILER_JDK, KEPT, SEED

AGENT = ROOT / "crates/collect/hook/whittle-agent.jar"
FAULT = "regex-compile"
#: The JVM compiles changed methods again.
REST_SECONDS = 15
COLLECTED_SECONDS = 30
services.WHITTLE = WHITTLE


def idle(options):
    fixed = [program for program in Programs(KEPT, java_of(COMPILER_JDK)).all if "fixed" in program.mains and program.metric == UNIT_COST]
    random.Random(SEED).shuffle(fixed)
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        plan = Path(folder) / "baseline.plan"
        plan.write_text(f"report\t{folder}/report\n")
        (Path(folder) / ".tmp").mkdir()
        for program in fixed[:options.programs]:
            plain = program.command("fixed", options.java, SECONDS)
            with_agent = [*plain[:1], f"-javaagent:{AGENT}=try:{plan}", *plain[1:]]
            ratio, words = compared(plain, with_agent, options, folder)
            print(f"{program.name}: {words}", flush=True)
            ratios.append(ratio)
    print(f"CPU time per unit with the agent, divided by that without it: {overhead.interval(ratios, statistics.geometric_mean)}")


def compared(plain, with_agent, options, folder):
    """The ratio; and the ratio with its interval and the load of the machine, in words."""
    command = [WHITTLE, "verify", "--baseline", shlex.join(plain), "--candidate", shlex.join(with_agent), "--finding", "none",
               "--profiled-runs", "0", "--runs", str(options.runs), "--discard", "1", "--metric", UNIT_COST, "--endpoint",
               "cpu_us_per_unit", "--better", "smaller", "--quiet", "--json", "--force", "-o", f"{folder}/verify"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if not done.stdout.startswith("{"):
        sys.exit(done.stderr)
    endpoint = json.loads(done.stdout)["endpoints"][0]
    words = f"{endpoint['ratio']:.3f} ({endpoint['low_ratio']:.3f} to {endpoint['high_ratio']:.3f}), load {os.getloadavg()[0]:.1f}"
    return endpoint["ratio"], words


def removed(options):
    options.folder = services.KEPT / "removed"
    options.folder.mkdir(parents=True, exist_ok=True)
    with overhead.two_shops(options, FAULT):
        time.sleep(overhead.WARM_SECONDS)
        experiment = str(options.folder / "before.whittle")
        services.collect(options.services[0], argparse.Namespace(virtual=False, seconds=COLLECTED_SECONDS), experiment)
        time.sleep(REST_SECONDS)
        before = [overhead.block(options)["cpu"] for _ in range(options.blocks)]
        attach = [WHITTLE, "try", experiment, "regex-compile-per-call", "-p", str(options.services[0]), "--for", "40s"]
        tried = subprocess.run(attach, capture_output=True, text=True, check=False)
        print(tried.stdout or tried.stderr)
        time.sleep(REST_SECONDS)
        after = [overhead.block(options)["cpu"] for _ in range(options.blocks)]
    interval = overhead.interval(list(zip(before, after)), ratio)
    print(f"CPU time per request after the trial, divided by that before it: {interval}, load {os.getloadavg()[0]:.1f}")


def ratio(cells):
    """Of the first service, relative to the second one. A cell has a block before and a block after."""
    before, after = zip(*cells)
    first, second = (statistics.median(block[number] for block in after) / statistics.median(block[number] for block in before)
                     for number in (0, 1))
    return first / second


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["idle", "removed"])
    parser.add_argument("--runs", type=int, default=8)
    parser.add_argument("--blocks", type=int, default=12)
    parser.add_argument("--programs", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--threads", default="16")
    parser.add_argument("--rate", default="40")
    parser.add_argument("--jdk", default=os.environ.get("JAVA_HOME", "/usr/lib/jvm/java-17-openjdk-amd64"))
    options = parser.parse_args()
    options.java = str(Path(options.jdk) / "bin/java")
    {"idle": idle, "removed": removed}[options.what](options)


if __name__ == "__main__":
    main()
