#!/usr/bin/env python3
"""Compares what `whittle try` measures with what the real fix saves, for all programs with a known problem.

    run.py [--jdks 17,25] [--sample N] [--findings] [--again] [PROGRAM]...

--sample N: only N programs, drawn at random, always the same ones; a larger sample contains the smaller ones
--findings: only collects the programs and lists which findings can be tried
--again:    measures trials and fixes again, also those with kept answers
PROGRAM:    only these programs, for example c01 or Ledger; results.tsv is then not written

The program is target/release/whittle, or the one in WHITTLE. Everything is kept in .cache/try-bench, so an interrupted run
continues where it ended. README.md describes the method and the result.
"""

import argparse
import random
import sys
import time
from pathlib import Path

import table
from judge import judged, known_finding
from measure import WHITTLE, Measured
from programs import ROOT, Programs, java_of

KEPT = ROOT / ".cache/try-bench"
#: The oldest JDK compiles.
COMPILER_JDK = 17
#: The start of the order in which programs are drawn.
SEED = 21


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jdks", default="17,25", type=lambda text: [int(jdk) for jdk in text.split(",")])
    parser.add_argument("--sample", type=int)
    parser.add_argument("--findings", action="store_true")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("programs", nargs="*")
    return parser.parse_args()


def progress(begin, number, count, text):
    minutes = (time.monotonic() - begin) / 60
    print(f"[{number} of {count}, {minutes:.0f} min] {text}", flush=True)


def words(row):
    """A row in one line."""
    name = f"JDK {row.jdk} {row.program}: {row.cause}"
    if row.agrees:
        patch = f", patch {row.patch_percent:.1f} % ({row.patch_agrees})" if row.patch_agrees else ""
        return (f"{name}, {row.remedy} ({row.promise}): tried {row.tried_percent:.1f} %, fixed {row.fixed_percent:.1f} %, "
                f"agrees: {row.agrees}{patch}")
    return f"{name}, {row.remedy or 'no remedy'}: {row.reason}"


def list_findings(measured):
    """Collects all programs, and prints which known findings can be tried."""
    begin = time.monotonic()
    for number, each in enumerate(measured, 1):
        view = each.findings() or {"findings": []}
        finding = known_finding(view["findings"], each.program)
        trial = finding["trial"] if finding else {"reason": "the cause was not found"}
        answer = trial.get("remedy") or trial.get("reason")
        progress(begin, number, len(measured), f"JDK {each.jdk} {each.program.name}: {each.program.causes[0]}: {answer}")


def main():
    options = arguments()
    programs = Programs(KEPT, java_of(COMPILER_JDK)).all
    chosen = [program for program in programs if not options.programs or program.name in options.programs]
    if not chosen:
        sys.exit(f"no program is {', '.join(options.programs)}")
    if options.sample:
        random.Random(SEED).shuffle(chosen)
        chosen = chosen[:options.sample]
    print(f"{len(chosen)} programs, {WHITTLE}", flush=True)
    measured = []
    for jdk in options.jdks:
        for program in chosen:
            folder = KEPT / str(jdk) / f"{program.set}-{program.name}"
            folder.mkdir(parents=True, exist_ok=True)
            measured.append(Measured(folder, program, jdk, java_of(jdk)))
    list_findings(measured)
    if options.findings:
        return
    begin, rows = time.monotonic(), []
    for number, each in enumerate(measured, 1):
        rows.append(judged(each, options.again))
        progress(begin, number, len(measured), words(rows[-1]))
    if not options.programs:
        table.write(Path(__file__).with_name("results.tsv"), rows)
    print(f"\n{table.sums(rows, options.jdks)}\n\n{table.missing_remedies(rows)}")


if __name__ == "__main__":
    main()
