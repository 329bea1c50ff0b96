#!/usr/bin/env python3
"""Starts services with faults, loads them, collects, and judges whittle's findings.

services.py record [--bed shop] [--jdk HOME] [--threads 16] [--severity 0.5] [--seconds 10] [--virtual] [--rate N] [FAULT]...
                                      FAULT can be `healthy`, or `all` for all faults at once. --virtual: the shop handles
                                      its requests on virtual threads, and whittle collects with --instrument. --rate: requests
                                      of the shop's load per second, for a slow machine
services.py judge  [-v] [PART]...     judges all experiments, or those with PART in their name

A fault is right if one of the first three findings has a cause of `expected.tsv` and a line with the mark `[call FAULT]` or
`[edit FAULT]` of the service's source. The healthy service must have no finding, other than
a hot path, which names no cause. Experiments are kept in .cache/services.
"""
import argparse, json, os, re, subprocess, sys, time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / ".cache/services"
WHITTLE = os.environ.get("WHITTLE", str(ROOT / "target/debug/whittle"))
# Options of the load generator's JVM: small, so that the load costs little.
LOAD_JVM = ["-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
# The kind of request in the shop's mix for each endpoint of faults.tsv.
KINDS = {"POST /orders": "create", "GET /orders/{customer}": "orders", "GET /products/{id}": "products",
         "GET /quote/{id}": "quote", "GET /report": "report"}
WARM_SECONDS = 15


def rows(path):
    lines = path.read_text().splitlines()
    head = lines[0].split("\t")
    return [dict(zip(head, line.split("\t"))) for line in lines[1:]]


class Bed:
    """A service: how to start it and its load."""

    def __init__(self, name):
        self.name, self.folder = name, ROOT / "java" / name
        self.classpath = f"{self.folder}/target/{name}.jar:{self.folder}/target/lib/*"
        self.faults = {row["name"]: row for row in rows(self.folder / "faults.tsv")}

    def service(self, java, options, fault):
        faults = self.switched_on(fault)
        if self.name == "shop":
            return [java, "-Xmx512m", f"-Dshop.faults={faults}", f"-Dshop.threads={options.threads}",
                    f"-Dshop.severity={options.severity}", f"-Dshop.logs={KEPT}/logs", "-cp", self.classpath,
                    "com.acme.shop.Shop", "--server.port=0",
                    f"--spring.threads.virtual.enabled={str(options.virtual).lower()}"]
        return [java, "-Xmx512m", f"-Dfaults={faults}", f"-Dseverity={options.severity}", "-cp", self.classpath,
                "com.acme.events.Shop"]

    def switched_on(self, fault):
        """The value of the service's option: `healthy` means no fault, `all` means all faults at once."""
        return {"healthy": "", "all": ",".join(self.faults)}.get(fault, fault)

    def load(self, java, port, seconds, fault, rate):
        if self.name == "shop":
            kind = KINDS[self.faults[fault]["endpoint"]] if fault in self.faults else None
            weights = {each: 40 if each == kind else 10 for each in KINDS.values()}
            mix = ",".join(f"{each}:{weight}" for each, weight in weights.items())
            main, more = "com.acme.load.Load", ["--rate", rate or ("60" if kind is None else "80"), "--mix", mix]
        else:
            main, more = "com.acme.events.Load", ["--rate", "100"]
        return [java, *LOAD_JVM, "-cp", self.classpath, main, "--port", port, "--seconds", str(seconds), *more]


def port_of(process):
    for line in process.stdout:
        if line.startswith("port="):
            return line.strip().removeprefix("port=")
    sys.exit("the service ended before it was ready")


def record_kafka(bed, java, options, fault, experiment):
    classpath = ["-cp", bed.classpath]
    broker = subprocess.Popen([java, "-Xmx512m", *classpath, "com.acme.records.Broker"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True)
    try:
        port = port_of(broker)
        seconds = WARM_SECONDS + options.seconds + 8
        faults = bed.switched_on(fault)
        shop = subprocess.Popen([java, "-Xmx256m", f"-Dfaults={faults}", f"-Dseverity={options.severity}", *classpath,
                                 "com.acme.records.Shop", "--port", port, "--seconds", str(seconds)],
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(3)
        feed = subprocess.Popen([java, *LOAD_JVM, *classpath, "com.acme.records.Feed", "--port", port, "--rate", "200",
                                 "--seconds", str(seconds - 4)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(WARM_SECONDS)
        collect(shop.pid, options, experiment)
        feed.terminate(), feed.wait(), shop.terminate(), shop.wait()
    finally:
        broker.terminate(), broker.wait()


def collect(pid, options, experiment):
    instrument = ["--instrument"] if options.virtual else []
    subprocess.run([WHITTLE, "collect", "-q", "-f", *instrument, "-o", experiment, "-p", str(pid), "-d", f"{options.seconds}s"],
                   check=True)


def record(options):
    bed = Bed(options.bed)
    java = str(Path(options.jdk) / "bin/java") if options.jdk else "java"
    version = re.search(r'"(\d+)', subprocess.run([java, "-version"], capture_output=True, text=True).stderr)[1]
    for fault in options.faults or ["healthy", *bed.faults]:
        threads = "virtual" if options.virtual else f"t{options.threads}"
        threads += f"-r{options.rate}" if options.rate else ""
        experiment = str(KEPT / f"{bed.name}-{fault}-{version}-{threads}-s{options.severity}.whittle")
        KEPT.mkdir(parents=True, exist_ok=True)
        if bed.name == "kafka-shop":
            record_kafka(bed, java, options, fault, experiment)
        else:
            service = subprocess.Popen(bed.service(java, options, fault), stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, text=True)
            try:
                command = bed.load(java, port_of(service), WARM_SECONDS + options.seconds + 3, fault, options.rate)
                load = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
                time.sleep(WARM_SECONDS)
                collect(service.pid, options, experiment)
                said = load.communicate()[0].strip().splitlines()
                print(fault, said[-1] if said else "no output of the load", flush=True)
            finally:
                service.terminate(), service.wait()


def marks(bed, fault):
    """Files and lines with the fault's marks."""
    found = set()
    for path in bed.folder.rglob("*.java"):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if re.search(rf"// \[(call|edit) {fault}\]", line):
                found.add((path.name, number))
    return found


def lines_of(finding):
    calling = finding["calling"]
    lines = {(calling["file"], line["line"]) for line in calling["lines"]} | {(calling["file"], calling["line"])}
    site = finding["site"]
    if site.get("line"):
        lines.add((site["file"], site["line"]))
    lines |= {(other["file"], other["line"]) for other in site.get("others", [])}
    return lines


def share(path, at):
    """The share of the fault's marked line in the time in which threads execute or wait with work, in percent. Of several lines, the
    largest share counts. The threads of the JVM count as executing."""
    command = [WHITTLE, "lines", path, "--filter", "not wait is idle and not wait is accept", "--metrics", "i.cpu,i.off_cpu",
               "--limit", "0", "--json"]
    view = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    time_of = lambda row: row["inclusive_cpu_ns"] + row["inclusive_off_cpu_ns"]
    file_of = lambda function: function.split("(")[0].rsplit(".", 1)[0].rsplit(".", 1)[-1].split("$")[0] + ".java"
    marked = [time_of(row) for row in view["rows"] if (file_of(row["function"]), row["line"]) in at]
    return 100 * max(marked, default=0) / time_of(view["total"])


def judge(options):
    expected = {(row["service"], row["fault"]): row["causes"].split(",") for row in rows(Path(__file__).parent / "expected.tsv")}
    right = all_count = 0
    for path in sorted(KEPT.glob("*.whittle")):
        name = path.name.removesuffix(".whittle")
        if options.faults and not any(part in name for part in options.faults):
            continue
        bed_name = next(bed for bed in ("vertx-shop", "kafka-shop", "shop") if name.startswith(bed))
        bed = Bed(bed_name)
        rest = name.removeprefix(bed_name + "-")
        fault = next(each for each in sorted(["healthy", "all", *bed.faults], key=len, reverse=True) if rest.startswith(each))
        view = json.loads(subprocess.run([WHITTLE, "findings", str(path), "--json"], capture_output=True, text=True, check=True).stdout)
        found = [(finding["detector"], lines_of(finding), finding["spent"]["program_ratio"]) for finding in view["findings"]]
        if fault == "healthy":
            # A hot path says where the time goes, and that no cause is known.
            is_right = all(cause == "hot-path" for cause, _, _ in found)
        elif fault == "all":
            names = {name for name in bed.faults for cause, lines, _ in found
                     if cause in expected[bed_name, name] and lines & marks(bed, name)}
            print(f"{len(names)} of {len(bed.faults)} faults are found at once in {name}: {', '.join(sorted(names))}")
            for cause, lines, ratio in found if options.verbose else []:
                print(f"        {cause} {ratio:.3f} {sorted(map(str, lines))}")
            continue
        else:
            wanted, at = expected[bed_name, fault], marks(bed, fault)
            is_right = any(cause in wanted and lines & at for cause, lines, _ in found[:3])
        right, all_count = right + is_right, all_count + 1
        print("right" if is_right else "WRONG", name, "" if fault == "healthy" else f"({share(path, at):.1f} % at marked lines)")
        if options.verbose or not is_right:
            for cause, lines, ratio in found[:6]:
                print(f"        {cause} {ratio:.3f} {sorted(map(str, lines))}")
    print(f"{right} of {all_count}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["record", "judge"])
    parser.add_argument("--bed", default="shop", choices=["shop", "vertx-shop", "kafka-shop"])
    parser.add_argument("--jdk", default=os.environ.get("JAVA_HOME"))
    parser.add_argument("--threads", default="16")
    parser.add_argument("--severity", default="0.5")
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--rate")
    parser.add_argument("--virtual", action="store_true")
    parser.add_argument("-v", "--verbose", action="store_true")
    parser.add_argument("faults", nargs="*")
    options = parser.parse_intermixed_args()
    record(options) if options.action == "record" else judge(options)


if __name__ == "__main__":
    main()
