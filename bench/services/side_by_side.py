#!/usr/bin/env python3
"""Measures the CPU time per request of a service with whittle for minutes, beside the same service without it.

side_by_side.py [--rounds 2] [--blocks 10] [--seconds 5] [--settle-seconds 60] [--warm-seconds 240] [--threads 200] [--rate 40]
                [--jdk HOME] [--again] [PROFILER]...

PROFILER: whittle, whittle-instrument (with --instrument). Default: both.

Two healthy shops get the same number of requests in each second. A period has one profiler on one of them. It begins
`settle-seconds` after the profiler's start, because the JVM compiles changed methods again, and has `blocks` blocks in which the CPU
time of both services is read at the same times. The next period has the profiler on the other service. So the load of the machine is
the same for both sides of a block, and what is different between the two services cancels: with the ratios first / second of a pair
of periods, the cost is the square root of the ratio in the first period divided by the ratio in the second one.

The ratio of a period is the median of its blocks. The result is the geometric mean of the rounds, because the services still change from
round to round, with a 95 % interval (bootstrap of the blocks in each period). It is printed for all threads of the service and for all
but the threads of the JVM's compilers.
"""
import argparse, json, math, os, random, signal, statistics, subprocess, sys, time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import overhead, services

OPTIONS = {"whittle": [], "whittle-instrument": ["--instrument"]}


def cpu_seconds(pid):
    """CPU time of a process, and that of its threads that compile. The JVM ends idle ones of them: their time is part of the
    process's and no longer of a thread's, so a block in which one ends has a compiler time that is too small."""
    compilers = 0.0
    for task in Path(f"/proc/{pid}/task").iterdir():
        try:
            text = (task / "stat").read_text()
        except OSError:
            continue
        if "CompilerThre" in text:
            fields = text.rsplit(")", 1)[1].split()
            compilers += (int(fields[11]) + int(fields[12])) / overhead.TICK
    return overhead.cpu_seconds(pid), compilers


def block(options):
    before = [cpu_seconds(pid) for pid in options.services]
    time.sleep(options.seconds)
    after = [cpu_seconds(pid) for pid in options.services]
    used = [(end[0] - start[0], end[1] - start[1]) for start, end in zip(before, after)]
    return {"all": [each[0] for each in used], "work": [each[0] - max(0.0, each[1]) for each in used]}


def period(options, profiler, number):
    command = [services.WHITTLE, "collect", "-q", "-f", *OPTIONS[profiler], "-o", str(options.folder / "on.whittle"), "-p",
               str(options.services[number])]
    collector = subprocess.Popen(command)
    time.sleep(options.settle_seconds)
    own = overhead.cpu_seconds(collector.pid)
    blocks = [block(options) for _ in range(options.blocks)]
    own = (overhead.cpu_seconds(collector.pid) - own) / options.blocks
    collector.send_signal(signal.SIGTERM)
    if collector.wait() != 0:
        sys.exit("whittle did not collect")
    used = [statistics.median(each["all"][side] for each in blocks) for side in (0, 1)]
    print(f"{profiler} on service {number + 1}: {used[0]:.2f} and {used[1]:.2f} s per block, whittle itself {own:.2f} s", flush=True)
    return {"profiler": profiler, "number": number, "blocks": blocks, "own": own}


def cost(kind, rounds):
    """`rounds`: for each round, the blocks with the profiler on the first service, and those with it on the second one."""
    ratio = lambda blocks: statistics.median(each[kind][0] / each[kind][1] for each in blocks)
    return statistics.geometric_mean(math.sqrt(ratio(first) / ratio(second)) for first, second in rounds)


def report(periods, profiler):
    of_service = lambda number: [each["blocks"] for each in periods if each["profiler"] == profiler and each["number"] == number]
    rounds = list(zip(of_service(0), of_service(1)))
    chance = random.Random(1)
    draw = lambda blocks: chance.choices(blocks, k=len(blocks))
    for kind, name in (("all", "all threads"), ("work", "without the JVM's compilers")):
        drawn = sorted(cost(kind, [(draw(first), draw(second)) for first, second in rounds]) for _ in range(4000))
        print(f"{profiler}, {name}: {cost(kind, rounds):.3f} ({drawn[100]:.3f} to {drawn[-101]:.3f}), "
              f"{sum(len(blocks) for pair in rounds for blocks in pair)} blocks")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--blocks", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--settle-seconds", type=float, default=60)
    parser.add_argument("--warm-seconds", type=float, default=240)
    parser.add_argument("--threads", default="200")
    parser.add_argument("--rate", default="40")
    parser.add_argument("--jdk", default=os.environ.get("JAVA_HOME", "/usr/lib/jvm/java-17-openjdk-amd64"))
    parser.add_argument("--again", action="store_true", help="only report the last measurement again")
    parser.add_argument("profilers", nargs="*", default=list(OPTIONS))
    options = parser.parse_intermixed_args()
    options.folder = services.KEPT / "side-by-side"
    options.folder.mkdir(parents=True, exist_ok=True)
    kept = options.folder / "periods.json"
    if not options.again:
        with overhead.two_shops(options):
            time.sleep(options.warm_seconds)
            turns = [(profiler, number) for _ in range(options.rounds) for profiler in options.profilers for number in (0, 1)]
            kept.write_text(json.dumps([period(options, profiler, number) for profiler, number in turns]))
    periods = json.loads(kept.read_text())
    for profiler in dict.fromkeys(each["profiler"] for each in periods):
        report(periods, profiler)


if __name__ == "__main__":
    main()
