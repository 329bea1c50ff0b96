#!/usr/bin/env python3
"""Judges the findings for programs that use a released library with a known performance fault.

    bench/findings/libraries.py           # all programs of java/libraries/faults.tsv, on JDK 17 and 25; a quarter of an hour

Each program runs with the library version that has the fault, and with the version that has the fix. The cause, the calling
line and the saving were written down before anybody looked at a profile. Writes libraries.tsv: a row for each program and JDK.

Needs: Maven, JDK 17 and 25 in /usr/lib/jvm, target/release/whittle (or WHITTLE). Jars are kept in .cache/libraries. Experiments
are also there, and each run replaces them.
"""
import csv
import functools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WHITTLE = os.environ.get("WHITTLE", str(ROOT / "target/release/whittle"))
KEPT = ROOT / ".cache/libraries"
SOURCES = ROOT / "java/libraries/src"
LOAD = ROOT / "java/development/src/com/acme/load/Load.java"
JDKS = {17: "java-17-openjdk-amd64", 25: "temurin-25-jdk-amd64"}

POM = """<project><modelVersion>4.0.0</modelVersion><groupId>whittle</groupId><artifactId>jars</artifactId>
<version>1</version><dependencies>{}</dependencies></project>"""
DEPENDENCY = "<dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version></dependency>"


def run(words, **more):
    return subprocess.run([str(word) for word in words], check=True, **more)


def jars(name, role, artifacts):
    """Fetches the artifacts with their dependencies. Returns the folder."""
    folder = KEPT / "jars" / name / role
    if not list(folder.glob("*.jar")):
        with tempfile.TemporaryDirectory() as project:
            pom = Path(project) / "pom.xml"
            dependencies = (DEPENDENCY.format(*artifact.split(":")) for artifact in artifacts.split(","))
            pom.write_text(POM.format("".join(dependencies)))
            run(["mvn", "-q", "-B", "-f", pom, "dependency:copy-dependencies", "-DincludeScope=runtime", f"-DoutputDirectory={folder}"])
    return folder


@functools.cache
def class_path(main, role, artifacts):
    """Compiles the program with one version of its library. Returns the class path."""
    name = main.rsplit(".", 1)[1]
    source = SOURCES / (main.replace(".", "/") + ".java")
    library, classes = jars(name, role, artifacts), KEPT / "classes" / name / role
    classes.mkdir(parents=True, exist_ok=True)
    javac = Path("/usr/lib/jvm") / JDKS[17] / "bin/javac"
    run([javac, "-g", "-nowarn", "-cp", f"{library}/*", "-d", classes, LOAD, source])
    # Some programs have a configuration of their library next to the source.
    return f"{classes}:{source.parent}:{library}/*"


def collected(main, role, jdk, path):
    experiment = KEPT / "experiments" / f"{main.rsplit('.', 1)[1]}-{role}-{jdk}.whittle"
    experiment.parent.mkdir(parents=True, exist_ok=True)
    java = Path("/usr/lib/jvm") / JDKS[jdk] / "bin/java"
    words = [WHITTLE, "collect", "-q", "-f", "-o", experiment, "--", java, "-Dwarm=1.5", "-Dseconds=6", "-cp", path, main]
    run(words, stdout=subprocess.DEVNULL)
    return experiment


def findings(experiment):
    output = run([WHITTLE, "findings", experiment, "--json"], capture_output=True, text=True).stdout
    return json.loads(output)["findings"]


def place(finding):
    return f"{finding['calling']['file']}:{finding['calling']['line']}"


def brief(finding):
    return f"{finding['detector']} {finding['spent']['program_ratio']:.0%} {place(finding)}"


def judge(row, jdk):
    main, name = row["program"], row["program"].rsplit(".", 1)[1]
    slow, fixed = (findings(collected(main, role, jdk, class_path(main, role, row[role]))) for role in ("fault", "fix"))
    line = f"{name}.java:{row['calling_line']}"
    at_line = [finding for finding in slow if place(finding) == line]
    of_cause = [finding for finding in at_line if finding["detector"] == row["cause"]]
    best = (of_cause or at_line or [None])[0]
    result = {
        "program": name, "jdk": jdk, "cause": row["cause"],
        "first": brief(slow[0]) if slow else "",
        "is_line_first": "yes" if slow and place(slow[0]) == line else "no",
        "is_cause_first": "yes" if slow and slow[0] in of_cause else "no",
        "is_cause_found": "yes" if of_cause else "no",
        "range_percent": "", "measured_percent": "", "is_covered": "",
        "found_in_fixed": " | ".join(brief(finding) for finding in fixed if finding["detector"] == row["cause"]),
    }
    if best and best["expected"]:
        expected, suffix = best["expected"], "" if jdk == 17 else "_25"
        saved = float(row[f"saved_{expected['endpoint']}_percent{suffix}"])
        low, high = expected["low_ratio"] * 100, expected["high_ratio"] * 100
        result |= {"range_percent": f"{low:.0f} to {high:.0f} {expected['endpoint']}", "measured_percent": f"{saved:.1f}",
                   "is_covered": "yes" if low <= saved <= high else "no"}
    return result


def main():
    rows = list(csv.DictReader((ROOT / "java/libraries/faults.tsv").open(), delimiter="\t"))
    results = []
    for jdk in JDKS:
        for row in rows:
            results.append(judge(row, jdk))
            print(*results[-1].values(), sep="\t", flush=True)
    with (ROOT / "bench/findings/libraries.tsv").open("w") as table:
        writer = csv.DictWriter(table, results[0].keys(), delimiter="\t", lineterminator="\n")
        writer.writeheader()
        writer.writerows(results)
    for jdk in JDKS:
        of_jdk = [result for result in results if result["jdk"] == jdk]
        count = {key: sum(result[key] == "yes" for result in of_jdk) for key in
                 ("is_line_first", "is_cause_first", "is_cause_found", "is_covered")}
        ranges = sum(result["is_covered"] != "" for result in of_jdk)
        print(f"JDK {jdk}: {len(of_jdk)} programs; right line first {count['is_line_first']}, with the expected cause "
              f"{count['is_cause_first']}, expected cause in any place {count['is_cause_found']}; saving in the range "
              f"{count['is_covered']} of {ranges}")


sys.exit(main())
