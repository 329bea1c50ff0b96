#!/usr/bin/env python3
"""Do the intervals of shares hold in recorded programs? Compares the two halves of each recording.

    bench/findings/halves.py [FOLDER]     # experiments of run.sh, in .cache/judge/exp if no folder is given

Each experiment after its warm-up is split in halves of time. `whittle findings` gives the share of a finding with its 95 %
interval in each half. If the program does the same in both halves and the intervals are right, the difference of both shares
is within the interval of a difference, the root of the sum of both squared half widths, for 95 % of the findings. Programs that
do something else in the second half make this rarer. Findings in one half only are counted apart.

Needs: target/release/whittle (or WHITTLE). Prints a line for each measure, and the findings outside.
"""
import json
import math
import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WHITTLE = os.environ.get("WHITTLE", str(ROOT / "target/release/whittle"))
# Smaller findings and findings with fewer samples are not reported in each half, so they cannot be compared.
LEAST_RATIO = 0.05
LEAST_SAMPLES = 60


def findings(experiment, time=None):
    words = [WHITTLE, "findings", str(experiment), "--json"] + (["--filter", f"time in {time}"] if time else [])
    output = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    view = json.loads(output)
    return view, {key(finding): finding["spent"] for finding in view["findings"]}


def key(finding):
    return finding["detector"], finding["calling"]["function"], finding["calling"].get("line")


def duration_s(experiment):
    return json.loads((experiment / "manifest.json").read_text())["duration_ns"] / 1e9


def compare(experiment):
    """The findings of both halves: measure, finding, difference of the shares, and the half width of its interval."""
    whole_view, whole = findings(experiment)
    start, end = whole_view["work"]["from_ns"] / 1e9, duration_s(experiment)
    middle = (start + end) / 2
    halves = [findings(experiment, f"{a:.3f}s..{b:.3f}s")[1] for a, b in [(start, middle), (middle, end)]]
    for name, spent in whole.items():
        if spent["ratio"] < LEAST_RATIO or spent["samples_count"] < LEAST_SAMPLES:
            continue
        parts = [half.get(name) for half in halves]
        if None in parts:
            yield spent["measure"], name, None, None
            continue
        widths = [(part["high_ratio"] - part["low_ratio"]) / 2 for part in parts]
        yield spent["measure"], name, parts[1]["ratio"] - parts[0]["ratio"], math.hypot(*widths)


def clopper_pearson(covered, count):
    """The 95 % interval of a share of counts, by bisection of the binomial distribution."""
    def tail(p, at_least):
        return sum(math.comb(count, k) * p**k * (1 - p) ** (count - k) for k in at_least)

    def solve(is_above):
        low, high = 0.0, 1.0
        for _ in range(50):
            middle = (low + high) / 2
            low, high = (low, middle) if is_above(middle) else (middle, high)
        return low

    lower = 0.0 if covered == 0 else solve(lambda p: tail(p, range(covered, count + 1)) > 0.025)
    upper = 1.0 if covered == count else solve(lambda p: tail(p, range(0, covered + 1)) < 0.025)
    return lower, upper


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / ".cache/judge/exp"
    experiments = sorted(folder.glob("*.whittle"))
    if not experiments:
        sys.exit(f"{folder} has no experiments: run bench/findings/run.sh first")
    by_measure, missing = defaultdict(list), 0
    for experiment in experiments:
        for measure, name, difference, half_width in compare(experiment):
            if difference is None:
                missing += 1
                continue
            by_measure[measure].append(abs(difference) <= half_width)
            if abs(difference) > half_width:
                print(f"outside: {experiment.stem} {name[0]} at {name[1]}:{name[2]}, {difference:+.3f}, ±{half_width:.3f}")
    for measure, inside in sorted(by_measure.items()):
        low, high = clopper_pearson(sum(inside), len(inside))
        print(f"{measure}: {sum(inside)} of {len(inside)} inside, {sum(inside) / len(inside):.1%} (95 % interval {low:.1%} to {high:.1%})")
    print(f"{missing} findings are in one half only; {len(experiments)} experiments")


main()
