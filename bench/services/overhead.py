#!/usr/bin/env python3
"""Measures the CPU time per request of a service with and without profilers.

overhead.py [--blocks 20] [--seconds 12] [--threads 200] [--rate 60] [--jdk HOME] [PROFILER]...

PROFILER: whittle, jfr, async-cpu, async-wall (these two need ASYNC_PROFILER, the folder of a release). Default: whittle, jfr.

The healthy shop gets the same number of requests in each second. Blocks with and without a profiler take turns. A block with a
profiler begins some seconds after the profiler's start and ends before its end, so the cost of attaching and of the end is not in
it. Whittle's own CPU time and the time until it has ended are printed.
The ratio of a pair is the JVM's CPU time in the block with the profiler, divided by that in the block before it. The result is
the median of all pairs with a 95 % interval (bootstrap of the pairs), and the same for pairs of two blocks without a profiler.
"""
import argparse, os, random, signal, statistics, subprocess, sys, time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import services

TICK = os.sysconf("SC_CLK_TCK")
# After this time, whittle has attached and collects.
ATTACH_SECONDS = 6


def cpu_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def cpu_of_block(options, pid):
    """CPU time of the service in a block, in seconds."""
    before = cpu_seconds(pid)
    time.sleep(options.seconds)
    return cpu_seconds(pid) - before


def jcmd(options, pid, *words):
    subprocess.run([str(Path(options.jdk) / "bin/jcmd"), str(pid), *words], check=True, stdout=subprocess.DEVNULL)


def with_whittle(options, pid):
    command = [services.WHITTLE, "collect", "-q", "-f", "-o", str(options.folder / "on.whittle"), "-p", str(pid)]
    collector = subprocess.Popen(command)
    time.sleep(ATTACH_SECONDS)
    block = cpu_of_block(options, pid)
    begin = time.time()
    collector.send_signal(signal.SIGINT)
    _, _, usage = os.wait4(collector.pid, 0)
    return block, {"end s": time.time() - begin, "own CPU s": usage.ru_utime + usage.ru_stime}


def with_jfr(options, pid):
    jcmd(options, pid, "JFR.start", "name=bench", "settings=profile")
    block = cpu_of_block(options, pid)
    jcmd(options, pid, "JFR.stop", "name=bench", f"filename={options.folder}/on.jfr")
    return block, {}


def with_async(event):
    def run(options, pid):
        asprof = str(Path(os.environ["ASYNC_PROFILER"]) / "bin/asprof")
        file = str(options.folder / "on-async.jfr")
        subprocess.run([asprof, "start", "-e", event, "-i", "10ms", "-f", file, str(pid)], check=True, stdout=subprocess.DEVNULL)
        block = cpu_of_block(options, pid)
        subprocess.run([asprof, "stop", "-f", file, str(pid)], check=True, stdout=subprocess.DEVNULL)
        return block, {}
    return run


PROFILERS = {"whittle": with_whittle, "jfr": with_jfr, "async-cpu": with_async("cpu"), "async-wall": with_async("wall")}


def interval(ratios):
    """Median with a 95 % interval: percentiles of the medians of 4,000 samples of the pairs."""
    chance = random.Random(1)
    medians = sorted(statistics.median(chance.choices(ratios, k=len(ratios))) for _ in range(4000))
    return f"{statistics.median(ratios):.3f} (95 % interval {medians[100]:.3f} to {medians[-101]:.3f}), {len(ratios)} pairs"


def measure(options, pid):
    ratios, facts = {name: [] for name in ["no profiler", *options.profilers]}, {}
    for number in range(options.blocks):
        for name in options.profilers:
            before = cpu_of_block(options, pid)
            again = cpu_of_block(options, pid)
            ratios["no profiler"].append(again / before)
            block, more = PROFILERS[name](options, pid)
            ratios[name].append(block / again)
            for fact, value in more.items():
                facts.setdefault(f"{name}: {fact}", []).append(value)
            print(f"{number + 1}/{options.blocks} {name}: {before:.2f}, {again:.2f}, with {block:.2f} s", flush=True)
            time.sleep(1)
    for name, of_pairs in ratios.items():
        print(f"{name:12} {interval(of_pairs)}")
    for fact, values in facts.items():
        print(f"{fact}: median {statistics.median(values):.2f}, most {max(values):.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--blocks", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=12)
    parser.add_argument("--threads", default="200")
    parser.add_argument("--rate", default="60")
    parser.add_argument("--jdk", default=os.environ.get("JAVA_HOME", "/usr/lib/jvm/java-17-openjdk-amd64"))
    parser.add_argument("profilers", nargs="*", default=["whittle", "jfr"])
    options = parser.parse_intermixed_args()
    options.severity, options.folder = "0.5", services.KEPT / "overhead"
    options.folder.mkdir(parents=True, exist_ok=True)
    bed, java = services.Bed("shop"), str(Path(options.jdk) / "bin/java")
    service = subprocess.Popen(bed.service(java, options, "healthy"), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    load = None
    try:
        port = services.port_of(service)
        mix = ",".join(f"{kind}:10" for kind in services.KINDS.values())
        load = subprocess.Popen([java, *services.LOAD_JVM, "-cp", bed.classpath, "com.acme.load.Load", "--port", port, "--seconds", "100000",
                                 "--rate", options.rate, "--arrivals", "even", "--mix", mix], stdout=subprocess.DEVNULL)
        time.sleep(40)
        measure(options, service.pid)
    finally:
        for process in [load, service]:
            if process:
                process.terminate(), process.wait()


if __name__ == "__main__":
    main()
