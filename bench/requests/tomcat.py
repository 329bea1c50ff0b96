#!/usr/bin/env python3
"""Compares the requests that whittle saw with the access log of Tomcat.

tomcat.py [--seconds 8] [--jdk HOME] [--connections 16,200]

The archive of Tomcat is that of bench/follow/servers.py, which fetches it. Tomcat runs with a folder of its own, and logs each
request with its time. WHITTLE is the program to use. DuckDB reads the table, as an independent reader.
"""
import argparse, math, os, shutil, signal, socket, subprocess, tempfile, time
from pathlib import Path

import duckdb

ROOT = Path(__file__).resolve().parents[2]
WHITTLE = os.environ.get("WHITTLE", str(ROOT / "target/release/whittle"))
TOMCAT = ROOT / ".cache/follow/apache-tomcat-11.0.24"
LOAD = ROOT / "target/workloads/http_load"
PATHS = ["/examples/servlets/servlet/HelloWorldExample?a=%d", "/examples/servlets/servlet/RequestHeaderExample", "/docs/api/index.html"]
# Microseconds from the first byte of the request to the last byte of the answer.
SERVER = """<Server port="-1"><Service name="Catalina"><Connector port="{port}" maxKeepAliveRequests="-1" address="127.0.0.1"/>
<Engine name="Catalina" defaultHost="localhost"><Host name="localhost" appBase="{home}/webapps">
<Valve className="org.apache.catalina.valves.AccessLogValve" directory="{logs}" prefix="access" suffix=".txt" fileDateFormat=""
 pattern="%m %U %s %D" buffered="true"/></Host></Engine></Service></Server>"""


def at_rank(values, share):
    return sorted(values)[math.ceil(len(values) * share) - 1]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def run(folder, connections, options):
    port = free_port()
    shutil.copytree(TOMCAT / "conf", folder / "conf")
    for name in ("logs", "temp", "work"):
        (folder / name).mkdir()
    (folder / "conf/server.xml").write_text(SERVER.format(port=port, home=TOMCAT, logs=folder / "logs"))
    environment = {**os.environ, "JAVA_HOME": options.jdk, "CATALINA_BASE": str(folder), "CATALINA_HOME": str(TOMCAT)}
    experiment = folder / "tomcat.whittle"
    server = subprocess.Popen([TOMCAT / "bin/catalina.sh", "run"], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while subprocess.run([LOAD, "--port", str(port), "--connections", "1", "--seconds", "0.01", "--path", PATHS[0]],
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
            time.sleep(0.2)
        before = len((folder / "logs/access.txt").read_text().splitlines()) if (folder / "logs/access.txt").exists() else 0
        collection = subprocess.Popen([WHITTLE, "collect", "-q", "-f", "-o", experiment, "-p", str(server.pid)])
        time.sleep(3)
        each = str(max(connections // len(PATHS), 1))
        loads = [subprocess.Popen([LOAD, "--port", str(port), "--connections", each, "--seconds", str(options.seconds), "--path", path,
                                   "--pause-us", str(options.pause_us)], stdout=subprocess.PIPE, text=True) for path in PATHS]
        answers = [load.communicate()[0] for load in loads]
        time.sleep(1)
        collection.send_signal(signal.SIGINT)
        collection.wait()
    finally:
        server.terminate()
        server.wait()
    log = {}
    # Tomcat's probe before the collection is the first request of its path.
    for line in (folder / "logs/access.txt").read_text().splitlines():
        method, path, status, micros = line.split(" ")
        log.setdefault(f"{method} {path}", []).append((int(status), int(micros)))
    probes = [entry for entry in log[f"GET {PATHS[0].split('?')[0]}"]][:1]
    log[f"GET {PATHS[0].split('?')[0]}"] = log[f"GET {PATHS[0].split('?')[0]}"][len(probes):]
    print(f"{connections} connections: {' '.join(answer.strip() for answer in answers)}")
    for name, logged in sorted(log.items()):
        seen = duckdb.sql(f"""SELECT end_ns - start_ns, requests_count, on_cpu_ns IS NULL FROM '{experiment}/requests-*.parquet'
                              WHERE name = '{name}'""").fetchall()
        lengths = [length / 1000 for length, count, _ in seen for _ in range(count)]
        if not lengths:
            print(f"{name}: logged {len(logged)}, seen none")
            continue
        micros = [time for _, time in logged]
        figures = [f"{label} {at_rank(lengths, share):.0f} and {at_rank(micros, share)} µs" for label, share in (("p50", 0.5), ("p99", 0.99))]
        print(f"{name}: seen {len(lengths)}, logged {len(logged)}; {'; '.join(figures)}; without times {sum(none for *_, none in seen)}")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--seconds", type=float, default=8)
    arguments.add_argument("--pause-us", type=int, default=2000)
    arguments.add_argument("--connections", default="16,200")
    arguments.add_argument("--jdk", default="/usr/lib/jvm/java-17-openjdk-amd64")
    options = arguments.parse_args()
    for connections in map(int, options.connections.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            run(Path(folder), connections, options)


main()
