#!/usr/bin/env python3
"""Collects servers and a build that start through their own scripts, and prints how much has Java frames.

servers.py [--seconds 60] [--jdk HOME] [--compare] [NAME]...

With `--compare`, each program also runs without whittle, and its exit status and standard output are compared. Digits are left out,
because they are times and ids, and so is the order of lines, because threads print at the same time. The archives are fetched with Maven into .cache/follow. WHITTLE is the program to use. Each server is ended by its process
id after the collection. DuckDB reads the tables, as an independent reader.
"""
import argparse, collections, json, os, re, signal, subprocess, time
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
    "artemis": ("org.apache.activemq:apache-artemis:2.56.0:tar.gz:bin", "artemis/bin/artemis run"),
    # The archive with Kafka's scripts is not in Maven's repository. These commands are what the scripts execute.
    "kafka": (None, f"java -Xmx1G -cp '{ROOT}/java/kafka-shop/target/lib/*' kafka.Kafka kafka.properties"),
    "maven": (None, f"mvn -q -B -f {ROOT}/java/workloads/pom.xml clean package -DbuildDirectory=target/follow"),
}


# What a program needs before its first start. The paths are below KEPT.
KAFKA_LIBRARIES = f"{ROOT}/java/kafka-shop/target/lib/*"
PREPARE = {
    "artemis": "test -d artemis || apache-artemis-2.56.0/bin/artemis create artemis --user a --password a --allow-anonymous",
    "kafka": "test -d kafka-data || { printf '%s\n' process.roles=broker,controller node.id=1 listeners=PLAINTEXT://localhost:19092,"
             "CONTROLLER://localhost:19093 controller.quorum.voters=1@localhost:19093 controller.listener.names=CONTROLLER "
             "advertised.listeners=PLAINTEXT://localhost:19092 log.dirs=kafka-data offsets.topic.replication.factor=1 > kafka.properties"
             f" && java -cp '{KAFKA_LIBRARIES}' kafka.tools.StorageTool format -t MkU3OEVBNTcwNTJENDM2Qg -c kafka.properties; }}",
}


def fetch(artefact):
    _, name, version, kind, *classifier = artefact.split(":")
    file = KEPT / ("-".join([name, version, *classifier]) + "." + kind)
    if not file.exists():
        copy = [f"{FETCH}:copy", f"-Dartifact={artefact}", f"-DoutputDirectory={KEPT}"]
        subprocess.run(["mvn", "-q", "-B", *copy], check=True, stdout=subprocess.DEVNULL)
        if file.suffix in (".zip", ".gz"):
            subprocess.run(["unzip", "-q", "-o", file] if file.suffix == ".zip" else ["tar", "xzf", file], cwd=KEPT, check=True)


def collect(name, command, options):
    """The experiment, the exit status and the standard output."""
    experiment = KEPT / f"{name}.whittle"
    limit = [] if name == "maven" else ["-d", f"{options.seconds}s"]
    status, output = run([WHITTLE, "collect", "-q", "-f", "--follow", "-o", experiment, *limit, "--"], (name, command), options)
    return experiment, status, output


def run(before, named, options):
    """Runs a program's command after the words `before`. Returns the exit status and the standard output."""
    name, command = named
    environment = os.environ | ({"JAVA_HOME": options.jdk, "PATH": f"{options.jdk}/bin:{os.environ['PATH']}"} if options.jdk else {})
    with open(KEPT / "output", "w+b") as output:
        running = subprocess.Popen([*before, "sh", "-c", f"exec {command}"], cwd=KEPT, env=environment, stdout=output,
                                   stderr=subprocess.DEVNULL)
        if name != "maven":
            time.sleep(options.seconds + 5)
            # Children that do not end with their parent are ended one by one.
            below = descendants(running.pid)
            for process in below if before else [running.pid, *below]:
                end(process)
        status = running.wait()
        output.seek(0)
        return status, output.read().decode(errors="replace")


def difference(one, other):
    """The lines that only one of two outputs has."""
    lines = lambda text: collections.Counter(re.sub(r"[0-9a-f]{8,}|[0-9]+", "#", line).strip() for line in text.splitlines())
    one, other = lines(one), lines(other)
    return [f"- {line}" for line in (one - other).elements()] + [f"+ {line}" for line in (other - one).elements()]


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
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    KEPT.mkdir(parents=True, exist_ok=True)
    print("| program | exit status | CPU time | closure | CPU time before the first Java frame, by JVM |\n|---|---|---|---|---|")
    for name in options.names or PROGRAMS:
        artefact, command = PROGRAMS[name]
        if artefact:
            fetch(artefact)
        if name in PREPARE:
            subprocess.run(PREPARE[name], shell=True, check=True, cwd=KEPT, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
        alone = run([], (name, command), options) if options.compare else None
        experiment, status, output = collect(name, command, options)
        closure = json.loads((experiment / "manifest.json").read_text())["closure"]
        sql = (Path(__file__).parent / "before_java.sql").read_text().replace("EXPERIMENT", str(experiment))
        jvms = [(cpu, before) for _, cpu, before in duckdb.sql(sql).fetchall() if before is not None]
        share = lambda cpu, before: f"{before:.2f} of {cpu:.1f} s"
        print(f"| {name} | {status} | {closure['exact_cpu_ns'] / 1e9:.1f} s | {100 * closure['rooted_ns'] / closure['exact_cpu_ns']:.1f} % "
              f"| {', '.join(share(*each) for each in jvms)} |", flush=True)
        if alone:
            lines = difference(alone[1], output)
            print(f"  without whittle: exit status {alone[0]}, {len(alone[1].splitlines())} lines, {len(lines)} different", *lines[:6],
                  sep="\n    ", flush=True)


if __name__ == "__main__":
    main()
