#!/usr/bin/env python3
"""Collects servers and a build that start through their own scripts, and prints how much has Java frames.

servers.py [--seconds 60] [--jdk HOME] [NAME]...

The archives are fetched with Maven into .cache/follow. WHITTLE is the program to use. Each server is ended by its process
id after the collection. DuckDB reads the tables, as an independent reader.
"""
import argparse, json, os, signal, subprocess, time
from pathlib import Path

import duckdb

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / ".cache/follow"
WHITTLE = os.environ.get("WHITTLE", str(ROOT / "target/release/whittle"))
FETCH = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1"
# Name: artefact, command below the archive's folder.
PROGRAMS = {
    "tomcat": ("org.apache.tomcat:tomcat:11.0.24:tar.gz", "apache-tomcat-11.0.24/bin/catalina.sh run"),
    "wildfly": ("org.wildfly:wildfly-dist:39.0.1.Final:zip", "wildfly-39.0.1.Final/bin/standalone.sh"),
    "keycloak": ("org.keycloak:keycloak-quarkus-dist:26.7.3:zip", "keycloak-26.7.3/bin/kc.sh start-dev"),
    "zipkin": ("io.zipkin:zipkin-server:3.6.1:jar:exec", "sh -c 'java -jar zipkin-server-3.6.1-exec.jar; true'"),
    "maven": (None, f"mvn -q -B -f {ROOT}/java/workloads/pom.xml clean package -DbuildDirectory=target/follow"),
}


def fetch(artefact):
    file = KEPT / ("-".join(artefact.split(":")[1:3]) + ("-exec" if artefact.endswith(":exec") else "") + "." + artefact.split(":")[3])
    if artefact and not file.exists():
        copy = [f"{FETCH}:copy", f"-Dartifact={artefact}", f"-DoutputDirectory={KEPT}"]
        subprocess.run(["mvn", "-q", "-B", *copy], check=True, stdout=subprocess.DEVNULL)
        if file.suffix in (".zip", ".gz"):
            subprocess.run(["unzip", "-q", "-o", file] if file.suffix == ".zip" else ["tar", "xzf", file], cwd=KEPT, check=True)


def collect(name, command, options):
    """The experiment and the exit status."""
    experiment = KEPT / f"{name}.whittle"
    limit = [] if name == "maven" else ["-d", f"{options.seconds}s"]
    words = ["sh", "-c", f"exec {command}"]
    environment = os.environ | ({"JAVA_HOME": options.jdk, "PATH": f"{options.jdk}/bin:{os.environ['PATH']}"} if options.jdk else {})
    collecting = subprocess.Popen([WHITTLE, "collect", "-q", "-f", "--follow", "-o", experiment, *limit, "--", *words],
                                  cwd=KEPT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if limit:
        time.sleep(options.seconds + 5)
        # Children of whittle's program that do not end with it are ended one by one.
        below = descendants(collecting.pid)
        for process in below:
            end(process)
    return experiment, collecting.wait()


def descendants(pid):
    listed = subprocess.run(["ps", "-eo", "pid=,ppid=,comm="], capture_output=True, text=True).stdout.split("\n")
    parents = {int(line.split()[0]): int(line.split()[1]) for line in listed if line.strip() and "whittle-hand" not in line}
    found, open_ones = [], [pid]
    while open_ones:
        parent = open_ones.pop()
        children = [child for child, other in parents.items() if other == parent]
        found += children
        open_ones += children
    return found


def end(pid):
    try:
        os.kill(pid, signal.SIGTERM)
    except ProcessLookupError:
        pass


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--jdk", default=os.environ.get("JAVA_HOME"))
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    KEPT.mkdir(parents=True, exist_ok=True)
    print("| program | exit status | CPU time | closure | CPU time before the first Java frame, by JVM |\n|---|---|---|---|---|")
    for name in options.names or PROGRAMS:
        artefact, command = PROGRAMS[name]
        if artefact:
            fetch(artefact)
        experiment, status = collect(name, command, options)
        closure = json.loads((experiment / "manifest.json").read_text())["closure"]
        sql = (Path(__file__).parent / "before_java.sql").read_text().replace("EXPERIMENT", str(experiment))
        jvms = [(cpu, before) for _, cpu, before in duckdb.sql(sql).fetchall() if before is not None]
        share = lambda cpu, before: f"{before:.2f} of {cpu:.1f} s"
        print(f"| {name} | {status} | {closure['exact_cpu_ns'] / 1e9:.1f} s | {100 * closure['rooted_ns'] / closure['exact_cpu_ns']:.1f} % "
              f"| {', '.join(share(*each) for each in jvms)} |", flush=True)


if __name__ == "__main__":
    main()
