#!/usr/bin/env python3
"""Compares the requests that whittle saw with --instrument with the server's own log.

hooked.py [--seconds 6] [--jdk HOME] [--requests 16,200] [--protocols 1,2] [--servers vertx,jetty,undertow] [--pause-us 20000] [--rounds 1]

HookedServer.java is the server and its clients: Vert.x, Jetty or Undertow, with HTTP/1.1 or HTTP/2 in clear text. The jars are those of
the agent's tests and of java/vertx-shop, so `mvn -f java/vertx-shop/pom.xml package` and `cargo xtask test agent` have fetched them.
WHITTLE is the program to use. DuckDB reads the table, as an independent reader.
"""
import argparse, math, os, signal, subprocess, tempfile, time
from pathlib import Path

import duckdb

ROOT = Path(__file__).resolve().parents[2]
WHITTLE = os.environ.get("WHITTLE", str(ROOT / "target/release/whittle"))
PROGRAM = Path(__file__).with_name("HookedServer.java")
MAVEN = Path.home() / ".m2/repository"
JETTY, XNIO = "12.1.11", "3.8.16.Final"
JARS = [*(f"org/eclipse/jetty/jetty-{part}/{JETTY}" for part in ("server", "http", "io", "util", "session")),
        *(f"org/eclipse/jetty/http2/jetty-http2-{part}/{JETTY}" for part in ("server", "common", "hpack")),
        "org/slf4j/slf4j-api/2.0.17", "io/undertow/undertow-core/2.3.18.Final", f"org/jboss/xnio/xnio-api/{XNIO}",
        f"org/jboss/xnio/xnio-nio/{XNIO}", "org/jboss/logging/jboss-logging/3.4.3.Final", "org/jboss/threads/jboss-threads/3.5.0.Final",
        "org/wildfly/common/wildfly-common/1.5.4.Final", "org/wildfly/client/wildfly-client-config/1.0.1.Final"]
# Before the collection, so that the classes are loaded, and most code is compiled.
WARM_SECONDS = 3


def class_path(folder):
    jars = [str(ROOT / "java/vertx-shop/target/lib/*"), *(str(MAVEN / jar / "*") for jar in JARS)]
    path = ":".join([str(folder), *jars])
    subprocess.run(["javac", "-nowarn", "-cp", path, "-d", folder, PROGRAM], check=True)
    return path


def at_rank(values, share):
    return sorted(values)[math.ceil(len(values) * share) - 1]


def load(java, port, protocol, requests, seconds, options):
    command = [*java, "load", port, protocol, str(requests), str(seconds), str(options.pause_us)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def wait_for_agent(collection):
    for line in collection.stderr:
        if "instrumented" in line:
            return line.strip()
    raise SystemExit("the collection ended before the agent was ready")


def run(java, folder, server, protocol, requests, options):
    name = f"{server}-{protocol}-{requests}"
    log, experiment = folder / f"{name}.log", folder / f"{name}.whittle"
    program = subprocess.Popen([*java, "serve", server, log], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    port = program.stdout.readline().strip().removeprefix("port=")
    load(java, port, protocol, requests, WARM_SECONDS, options)
    collection = subprocess.Popen([WHITTLE, "collect", "--instrument", "-f", "-o", experiment, "-p", str(program.pid)],
                                  stderr=subprocess.PIPE, text=True)
    said = wait_for_agent(collection)
    time.sleep(1)
    begin_ns = time.monotonic_ns()
    sent = load(java, port, protocol, requests, options.seconds, options)
    time.sleep(1)
    collection.send_signal(signal.SIGINT)
    said += collection.communicate()[1]
    program.communicate()
    if options.verbose:
        print(said)
    print(f"{server}, HTTP/{protocol}, {requests} requests at once: {sent}")
    logged = {}
    for line in log.read_text().splitlines():
        name, *times = line.split("\t")
        begin, end, written = map(int, times)
        if begin > begin_ns:
            logged.setdefault(name, []).append(((written - begin) / 1000, (end - begin) / 1000))
    for name, lengths in sorted(logged.items()):
        compare(experiment, name, *zip(*lengths))


def compare(experiment, name, logged, ended):
    seen = duckdb.sql(f"""SELECT (end_ns - start_ns) / 1000, requests_count FROM '{experiment}/requests-*.parquet'
                          WHERE name = '{name}'""").fetchall()
    seen = [length for length, count in seen for _ in range(count)]
    if not seen:
        print(f"  {name}: logged {len(logged)}, seen none")
        return
    print(f"  {name}: seen {len(seen)}, logged {len(logged)}")
    for label, share in (("p50", 0.5), ("p99", 0.99)):
        against = ", ".join(f"{at_rank(times, share):,.0f} µs {what} ({at_rank(seen, share) / at_rank(times, share) - 1:+.1%})"
                            for what, times in (("until the end", ended), ("until written", logged)))
        print(f"    {label} {at_rank(seen, share):,.0f} µs; in the log {against}")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--seconds", type=float, default=6)
    arguments.add_argument("--pause-us", type=int, default=20000)
    arguments.add_argument("--requests", default="16,200")
    arguments.add_argument("--protocols", default="1,2")
    arguments.add_argument("--servers", default="vertx,jetty,undertow")
    arguments.add_argument("--rounds", type=int, default=1)
    arguments.add_argument("--jdk", default="/usr/lib/jvm/java-17-openjdk-amd64")
    arguments.add_argument("--keep", type=Path, help="a folder for the experiments")
    arguments.add_argument("-v", "--verbose", action="store_true")
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        java = [f"{options.jdk}/bin/java", "-Xmx512m", "-cp", class_path(temporary), "HookedServer"]
        for server in options.servers.split(","):
            for protocol in options.protocols.split(","):
                for requests in map(int, options.requests.split(",")):
                    for _ in range(options.rounds):
                        run(java, folder, server, protocol, requests, options)


main()
