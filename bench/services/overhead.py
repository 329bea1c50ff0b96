#!/usr/bin/env python3
"""Measures the CPU time per request of a service, and its latency, with and without profilers.

overhead.py [--blocks 20] [--seconds 4] [--attach-seconds 3] [--threads 200] [--rate 40] [--jdk HOME] [PROFILER]...

PROFILER: none, whittle, whittle-instrument (with --instrument), jfr, async-cpu, async-wall (these two need ASYNC_PROFILER, a path of libasyncProfiler.so). Default:
none, whittle, jfr.

Two healthy shops get the same number of requests in each second: async-profiler has a shop of its own, because two profilers in
one JVM conflict. Blocks with and without a profiler take turns: one without, one
with the first profiler, one without, one with the second, and so on. `none` does nothing in its block, so it shows how much blocks
differ by themselves. A block with a profiler begins some seconds after the profiler's start and ends before its end, so the cost
of attaching and of the end is not in it.

The ratio of a block is the service's CPU time in it, divided by the mean of the two blocks without a profiler around it. The
result is the median of a profiler's blocks with a 95 % interval (bootstrap of the blocks). The ratio of latencies is the 99th
percentile of all requests in a profiler's blocks, divided by that in the blocks around them, with the same kind of interval.
"""
import argparse, contextlib, os, random, signal, statistics, subprocess, sys, time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import services

TICK = os.sysconf("SC_CLK_TCK")
# A block without a profiler begins this long after the end of the profiler.
REST_SECONDS = 2
# The services are compiled after this time.
WARM_SECONDS = 100


def cpu_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def block(options, profiler=None):
    """CPU time of each service and of the profiler's process in a block, and the times between which it ran."""
    pids = [*options.services, *([profiler] if profiler else [])]
    start, before = time.time(), [cpu_seconds(each) for each in pids]
    time.sleep(options.seconds)
    used = [cpu_seconds(each) - cpu for each, cpu in zip(pids, before)]
    return {"cpu": used[:2], "own": used[2] if profiler else 0.0, "start": start, "end": time.time()}


def jcmd(options, pid, *words):
    subprocess.run([str(Path(options.jdk) / "bin/jcmd"), str(pid), *words], check=True, stdout=subprocess.DEVNULL)


def with_none(options, _):
    time.sleep(options.attach_seconds)
    return block(options)


def with_whittle(*more):
    def run(options, pid):
        command = [services.WHITTLE, "collect", "-q", "-f", *more, "-o", str(options.folder / "on.whittle"), "-p", str(pid)]
        collector = subprocess.Popen(command)
        time.sleep(options.attach_seconds)
        measured = block(options, collector.pid)
        collector.send_signal(signal.SIGTERM)
        if collector.wait() != 0:
            sys.exit("whittle did not collect")
        return measured
    return run


def with_jfr(options, pid):
    jcmd(options, pid, "JFR.start", "name=bench", "settings=profile")
    time.sleep(options.attach_seconds)
    measured = block(options)
    jcmd(options, pid, "JFR.stop", "name=bench", f"filename={options.folder}/on.jfr")
    return measured


def with_async(event):
    def run(options, pid):
        library, file = os.environ["ASYNC_PROFILER"], options.folder / "on-async.jfr"
        jcmd(options, pid, "JVMTI.agent_load", library, f"start,event={event},interval=10ms,file={file},jfr")
        time.sleep(options.attach_seconds)
        measured = block(options)
        jcmd(options, pid, "JVMTI.agent_load", library, f"stop,file={file}")
        return measured
    return run


PROFILERS = {"none": with_none, "whittle": with_whittle(), "whittle-instrument": with_whittle("--instrument"), "jfr": with_jfr,
             "async-cpu": with_async("cpu"), "async-wall": with_async("wall")}


def interval(cells, figure):
    """A figure of cells with a 95 % interval: percentiles of the figure of 4,000 samples of the cells."""
    chance = random.Random(1)
    figures = sorted(figure(chance.choices(cells, k=len(cells))) for _ in range(4000))
    return f"{figure(cells):.3f} ({figures[100]:.3f} to {figures[-101]:.3f})"


def median_ratio(number, of):
    def figure(cells):
        return statistics.median(2 * of(cell["on"]) / (cell["before"]["cpu"][number] + cell["after"]["cpu"][number]) for cell in cells)
    return figure


def percentile(latencies):
    latencies = sorted(latencies)
    return latencies[min(len(latencies) - 1, int(0.99 * len(latencies)))]


def latency_ratio(number):
    def figure(cells):
        on = [each for cell in cells for each in cell["on"]["latencies"][number]]
        off = [each for cell in cells for side in ("before", "after") for each in cell[side]["latencies"][number]]
        return percentile(on) / percentile(off)
    return figure


def number_of_service(profiler):
    return 1 if profiler.startswith("async") else 0


def measure(options):
    cells = {name: [] for name in options.profilers}
    before = block(options)
    for turn in range(options.blocks):
        for name in options.profilers:
            number = number_of_service(name)
            on = PROFILERS[name](options, options.services[number])
            time.sleep(REST_SECONDS)
            after = block(options)
            cells[name].append({"before": before, "on": on, "after": after})
            used = ", ".join(f"{part['cpu'][number]:.2f}" for part in (before, on, after))
            print(f"{turn + 1}/{options.blocks} {name}: {used} s before, with it, after", flush=True)
            before = after
    return cells


def add_latencies(cells, logs):
    requests = [[tuple(map(int, line.split())) for line in log.read_text().splitlines() if len(line.split()) == 2] for log in logs]
    for part in (part for of_profiler in cells.values() for cell in of_profiler for part in cell.values()):
        is_in = lambda end: part["start"] * 1e3 <= end < part["end"] * 1e3
        part["latencies"] = [[latency for end, latency in of_service if is_in(end)] for of_service in requests]


def report(name, cells):
    for number in {number_of_service(name)} if name != "none" else {0, 1}:
        figures = [median_ratio(number, lambda on: on["cpu"][number]), median_ratio(number, lambda on: on["cpu"][number] + on["own"]),
                   latency_ratio(number)]
        print(f"service {number + 1}, {name:18} {', '.join(interval(cells, figure) for figure in figures)}")


@contextlib.contextmanager
def two_shops(options, fault="healthy"):
    """Starts two shops, each with its load, and ends them. `options` gets `services`, their process ids, and `logs`, the
    latencies of their requests."""
    options.severity, options.virtual = "0.5", False
    options.logs = [options.folder / f"requests-{number}.txt" for number in (1, 2)]
    bed, java = services.Bed("shop"), str(Path(options.jdk) / "bin/java")
    of_fault = services.KINDS[bed.faults[fault]["endpoint"]] if fault in bed.faults else None
    mix = ",".join(f"{kind}:{40 if kind == of_fault else 10}" for kind in services.KINDS.values())
    started, options.services = [], []
    try:
        for log in options.logs:
            started.append(subprocess.Popen(bed.service(java, options, fault), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True))
            options.services.append(started[-1].pid)
            port = services.port_of(started[-1])
            load = [java, *services.LOAD_JVM, "-cp", bed.classpath, "com.acme.load.Load", "--port", port, "--seconds", "100000", "--rate",
                    options.rate, "--arrivals", "even", "--mix", mix, "--log", str(log)]
            started.append(subprocess.Popen(load, stdout=subprocess.DEVNULL))
        yield
    finally:
        for process in reversed(started):
            process.terminate(), process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--blocks", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--attach-seconds", type=float, default=3, help="time between a profiler's start and its block: "
                        "after 3 s, whittle has attached and collects; more leaves out what the JVM compiles again")
    parser.add_argument("--threads", default="200")
    parser.add_argument("--rate", default="40")
    parser.add_argument("--jdk", default=os.environ.get("JAVA_HOME", "/usr/lib/jvm/java-17-openjdk-amd64"))
    parser.add_argument("profilers", nargs="*", default=["none", "whittle", "jfr"])
    options = parser.parse_intermixed_args()
    options.folder = services.KEPT / "overhead"
    options.folder.mkdir(parents=True, exist_ok=True)
    with two_shops(options):
        time.sleep(WARM_SECONDS)
        cells = measure(options)
    add_latencies(cells, options.logs)
    print("CPU time per request, the same with the profiler's own process, p99 of the latency; ratios with 95 % intervals")
    for name, of_profiler in cells.items():
        report(name, of_profiler)


if __name__ == "__main__":
    main()
