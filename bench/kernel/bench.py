"""Measures the cost of whittle and of other tools: per system call, for other processes, for programs, for attaching.

    bench.py WORK JAVA...     WORK: an empty folder; JAVA: java programs

Every value compares slices of one process with and without the tool, as a difference or a ratio. The slices without the
tool are taken right before and right after: plain, tool, tool, plain. The order of the tools is reversed from round to
round. The output is the median of the rounds and their range."""

import json
import os
import statistics
import subprocess
import sys
import time

from commanded import Commanded, Figures
from tools import ROOT, WHITTLE, AsyncProfiler, Tool, Whittle, tools_for_native
from tracers import run_times, tracers_of_calls

ROUNDS = int(os.environ.get("ROUNDS", "4"))
PARTS = os.environ.get("PARTS", "calls others share programs attach").split()
SLICES = 6
#: Number of calls in a slice. A slice takes some 50 ms.
CALLS, CALLS_IF_SLOW = 150_000, 2_000
#: How long the loop runs before it is measured with a tool. In this time, whittle determines the distance between two
#: samples.
WARM_UP_SECONDS = 0.8
#: How long a batch of slices waits until the tracers of other users have ended.
LONGEST_WAIT_SECONDS = 30

WORKLOADS = os.path.join(ROOT, "target/workloads")
CLASSES = os.path.join(ROOT, "java/workloads/target")
PACKAGE = "whittle.workloads."
#: Programs with a fixed amount of work, about a quarter of a second each. The system-call-heavy program mainly writes
#: single bytes.
PROGRAMS = {
    "CPU-heavy: Compute": "Compute 30",
    "allocation-heavy: truth.AllocationHeavy": PACKAGE + "truth.AllocationHeavy --cycles 500000",
    "system-call-heavy: crc.Slow": PACKAGE + "crc.Slow --documents 3",
    "8 KB a call: truth.ExactCalls": PACKAGE + "truth.ExactCalls --writes 30000 --reads 30000 --failing-writes 1 --write-bytes 8192 --read-bytes 8192",
}


def calls_slices(loop, tracers, calls):
    """Median CPU and elapsed nanoseconds per call, from slices with exactly `tracers` BPF programs at each call."""
    end = time.monotonic() + LONGEST_WAIT_SECONDS
    cpu, wall = [], []
    while len(cpu) < SLICES and time.monotonic() < end:
        if tracers_of_calls() != tracers:
            time.sleep(0.05)
            continue
        answer = loop.ask(str(calls))
        if tracers_of_calls() == tracers:
            cpu.append(answer["cpu_ns"] / calls)
            wall.append(answer["wall_ns"] / calls)
    return (statistics.median(cpu), statistics.median(wall)) if len(cpu) == SLICES else None


def warm_up(loop, calls):
    end = time.monotonic() + WARM_UP_SECONDS
    while time.monotonic() < end:
        loop.ask(str(calls))


def added_per_call(loop, tool, calls, during=lambda: None):
    """CPU and elapsed nanoseconds that a tool adds to each call. `None`: tracers of other users were running."""
    before = calls_slices(loop, 0, calls)
    tool.start(loop.pid)
    try:
        warm_up(loop, calls)
        with_tool = calls_slices(loop, tool.tracers, calls)
        during()
    finally:
        tool.end()
    after = calls_slices(loop, 0, calls)
    if before and with_tool and after:
        return [with_tool[kind] - (before[kind] + after[kind]) / 2 for kind in (0, 1)]
    return None


def print_added(title, tools):
    """Prints a table of the time that each tool adds to each call of the loop."""
    loop = Commanded([os.path.join(WORKLOADS, "write_loop")])
    figures = {tool.name: (Figures(), Figures()) for tool in tools}
    for round_number in range(ROUNDS):
        for tool in tools if round_number % 2 == 0 else tools[::-1]:
            is_slow = tool.name.startswith(("strace", "perf"))
            added = added_per_call(loop, tool, CALLS_IF_SLOW if is_slow else CALLS)
            for figure, value in zip(figures[tool.name], added or ()):
                figure.add(value)
    plain = calls_slices(loop, 0, CALLS)
    loop.end()
    print(f"\n{title}; the call itself {plain[0]:.0f} ns\n\n| | CPU ns added | real ns added |\n|---|---|---|" if plain else f"\n{title}")
    for name, (cpu, wall) in figures.items():
        print(f"| {name} | {cpu.text()} | {wall.text()} |", flush=True)


def measure_calls(work):
    present = [tool for tool in tools_for_native(work) if tool.is_present()]
    print_added("Added to each one-byte write", present)
    measure_gprofng(work)


def measure_gprofng(work):
    """gprofng has to start the program. So the program is compared with another process that runs without gprofng."""
    command = os.path.join(WORKLOADS, "write_loop")
    cpu, wall = Figures(), Figures()
    for number in range(ROUNDS):
        try:
            traced = Commanded(["gprofng", "collect", "app", "-p", "off", "-i", "on", "-O", f"{work}/{number}.er", command])
        except FileNotFoundError:
            return
        plain = Commanded([command])
        with_tool, without = calls_slices(traced, 0, 20_000), calls_slices(plain, 0, CALLS)
        if with_tool and without:
            cpu.add(with_tool[0] - without[0])
            wall.add(with_tool[1] - without[1])
        traced.end()
        plain.end()
    print(f"| gprofng -i on | {cpu.text()} | {wall.text()} |", flush=True)


def measure_others(work):
    idle = subprocess.Popen(["sleep", "100000"])
    print_added("Added to each one-byte write of a process that is not observed", [
        Whittle("whittle (default) on an idle process", work, on=idle.pid),
        Whittle("whittle --follow on an idle process", work, ["--follow"], on=idle.pid),
        Whittle("whittle --events cpu on an idle process", work, ["--events", "cpu"], on=idle.pid, tracers=0),
    ])
    idle.kill()
    idle.wait()


def measure_share(work):
    """Run time of whittle's two BPF programs, as measured by the kernel. It includes the cost of this measurement."""
    names = ["on_call_start", "on_call_end"]
    figures = {name: Figures() for name in names}
    loop = Commanded([os.path.join(WORKLOADS, "write_loop")])
    setting = "kernel.bpf_stats_enabled"
    for _ in range(ROUNDS):
        tool = Whittle("whittle", work)
        tool.start(loop.pid)
        warm_up(loop, CALLS)
        subprocess.run(["sysctl", "-q", f"{setting}=1"], check=True)
        before = run_times(names)
        loop.ask(str(1_000_000))
        after = run_times(names)
        subprocess.run(["sysctl", "-q", f"{setting}=0"], check=True)
        tool.end()
        for name in names:
            runs = after[name][1] - before[name][1]
            if runs >= 1_000_000:
                figures[name].add((after[name][0] - before[name][0]) / runs)
    loop.end()
    print("\nRun time of whittle's programs as the kernel accounts it, ns a run\n")
    for name, figure in figures.items():
        print(f"| {name} | {figure.text()} |")


def jvm(java, work):
    class_path = os.pathsep.join([work, f"{CLASSES}/whittle-workloads.jar", f"{CLASSES}/lib/*"])
    return Commanded([java, "-Xmx1g", "-cp", class_path, "Repeat"])


def timed(process, command):
    start_ns = process.cpu_ns()
    return {**process.ask(command), "cpu_ns": process.cpu_ns() - start_ns}


def ratios(process, tool, command):
    """Throughput with the tool ÷ throughput without the tool: by CPU time of the process, and by elapsed time.

    In each phase, the second fastest slice is used: garbage collections and other programs only make slices slower."""
    def slices():
        return [timed(process, command) for _ in range(5)]

    before = slices()
    tool.start(process.pid)
    try:
        slices()
        with_tool = slices()
    finally:
        tool.end()
    after = slices()

    def nanoseconds(answers, key):
        return sorted(answer[key] for answer in answers)[1]

    keys = ("cpu_ns", "wall_ns")
    return [(nanoseconds(before, key) + nanoseconds(after, key)) / 2 / nanoseconds(with_tool, key) for key in keys]


def measure_programs(work, javas):
    library = os.environ.get("ASYNC_PROFILER", "")
    print("\nThroughput with a profiler ÷ without\n\n| program | JDK | profiler | by CPU time | by real time |\n|---|---|---|---|---|")
    for java in javas:
        tools = [Whittle("whittle (default)", work)] + ([AsyncProfiler(work, java, library)] if os.path.exists(library) else [])
        for title, command in PROGRAMS.items():
            # Each tool gets a separate JVM. In one JVM, the two tools would share the signal.
            processes = {tool.name: jvm(java, work) for tool in tools}
            figures = {tool.name: (Figures(), Figures()) for tool in tools}
            for process in processes.values():
                for _ in range(3):
                    process.ask(command)
            for round_number in range(ROUNDS):
                for tool in tools if round_number % 2 == 0 else tools[::-1]:
                    for figure, value in zip(figures[tool.name], ratios(processes[tool.name], tool, command)):
                        figure.add(value)
            for name, (cpu, wall) in figures.items():
                print(f"| {title} | {version(java)} | {name} | {cpu.text(3)} | {wall.text(3)} |", flush=True)
                processes[name].end()


def version(java):
    text = subprocess.run([java, "-version"], capture_output=True, text=True, check=True).stderr
    return text.split('"')[1]


def first_sample_ms(experiment):
    """The time of the experiment's first sample, in milliseconds since its start, exact to one millisecond."""
    low, high = 0, 4096
    while low < high:
        middle = (low + high) // 2
        table = [WHITTLE, "functions", experiment, "--json", "--mode", "machine", "--filter", f"time in 0s..{middle + 1}ms"]
        answer = subprocess.run(table, capture_output=True, text=True)
        has_samples = answer.returncode == 0 and "leaves no samples" not in answer.stdout
        low, high = (low, middle) if has_samples else (middle + 1, high)
    return low


def measure_attach(work, javas):
    programs = [WHITTLE, *os.environ.get("OTHER_WHITTLE", "").split()]
    print("\nAttach\n\n| JDK | program | first sample after, ms | longest pause while attaching, ms | the same without attaching, ms |\n|---|---|---|---|---|")
    for java in javas:
        figures = {program: (Figures(), Figures(), Figures()) for program in programs}
        for round_number in range(2 * ROUNDS):
            for program in programs[:: -1 if round_number % 2 else 1]:
                attach_once(work, java, program, *figures[program])
        for program, (first, pause, plain) in figures.items():
            print(f"| {version(java)} | {program} | {first.text()} | {pause.text(1)} | {plain.text(1)} |", flush=True)


def attach_once(work, java, program, first, pause, plain):
    process = jvm(java, work)
    process.ask(PACKAGE + "truth.Spin --seconds 0.5")
    for figure, is_attached in ((plain, False), (pause, True)):
        process.ask("pause")
        start_ns = time.monotonic_ns()
        tool = Whittle("whittle", work, program=program)
        command = tool.command(process.pid) + ["-d", "1s"]
        collector = subprocess.Popen(command, stderr=subprocess.DEVNULL) if is_attached else None
        process.ask(PACKAGE + "truth.Spin --seconds 1")
        figure.add(process.ask("pause")["pause_ns"] / 1e6)
        if collector:
            collector.wait()
            manifest = json.load(open(os.path.join(tool.experiment, "manifest.json")))
            since_start_ms = (manifest["start_monotonic_ns"] - start_ns) / 1e6
            first.add(since_start_ms + first_sample_ms(tool.experiment))
    process.end()


def main():
    work, javas = sys.argv[1], sys.argv[2:]
    if "calls" in PARTS:
        measure_calls(work)
    if "others" in PARTS:
        measure_others(work)
    if "share" in PARTS:
        measure_share(work)
    if "programs" in PARTS:
        measure_programs(work, javas)
    if "attach" in PARTS:
        measure_attach(work, javas)


main()
