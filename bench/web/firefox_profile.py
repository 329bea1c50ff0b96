#!/usr/bin/env python3
"""Writes the thread states of an experiment as a profile for Firefox Profiler, to measure both timelines with the same data.

Usage: firefox_profile.py EXPERIMENT > FILE.json

The experiment is one that `long_run.py` made. Each state is a marker of its thread; the states of a span come one after the other. Each
thread also has one sample per span with the thread's CPU time, which Firefox Profiler draws as the activity graph. All samples have the
same stack of one frame. Samples, stops, requests and counters of the experiment are left out.

Needs Python with DuckDB.
"""
import json
import sys
from pathlib import Path

import duckdb

# Version of the processed profile format, August 2026. Newer viewers convert it.
FORMAT_VERSION = 70
# Version of the browser's own format, which the viewer wants to know.
GECKO_VERSION = 34
# The states in the order in which a span shows them, with a colour of Firefox Profiler.
STATES = {"on_cpu_user": "green", "on_cpu_system": "orange", "runnable": "yellow", "blocked": "grey"}
ON_CPU = ("on_cpu_user", "on_cpu_system")
REASONS = ["none", "futex", "socket", "file", "poll", "run_queue"]
# Phase of a marker with a start and an end.
INTERVAL = 1
STRINGS = ["work"] + [f"{state}: {reason}" for state in STATES for reason in REASONS]


def table(**columns):
    return {**columns, "length": max(len(column) for column in columns.values())}


def shared_tables():
    """One stack of one frame, in the function `work`."""
    return {
        "stackTable": table(frame=[0], prefixOffset=[0]),
        "frameTable": table(
            address=[-1], lib=[-1], inlineDepth=[0], category=[0], subcategory=[0], func=[0], nativeSymbol=[None],
            innerWindowID=[None], line=[None], column=[None], originalLocation=[None],
        ),
        "funcTable": table(
            name=[0], isJS=[False], relevantForJS=[False], resource=[-1], source=[None], lineNumber=[None], columnNumber=[None],
            originalLocation=[None],
        ),
        "resourceTable": table(name=[], host=[], type=[]),
        "nativeSymbols": table(libIndex=[], address=[], name=[], functionSize=[]),
        "stringArray": STRINGS,
        "sources": table(id=[], filename=[], startLine=[], startColumn=[], sourceMapURL=[], content=[]),
        "sourceLocationTable": table(source=[], line=[], column=[]),
    }


def thread_table(number, name, spans):
    """A thread from its spans: (start_ns, end_ns, {state: (string, nanoseconds)})."""
    strings, starts, ends, categories = [], [], [], []
    times, on_cpu = [], []
    for start_ns, end_ns, states in spans:
        at_ns = start_ns
        for category, state in enumerate(STATES):
            if state in states:
                string, state_ns = states[state]
                strings.append(string)
                starts.append(at_ns / 1e6)
                at_ns += state_ns
                ends.append(at_ns / 1e6)
                categories.append(category)
        times.append(end_ns / 1e6)
        on_cpu.append(sum(states[state][1] for state in ON_CPU if state in states))
    markers = table(
        data=[None] * len(strings), name=strings, startTime=starts, endTime=ends, phase=[INTERVAL] * len(strings), category=categories
    )
    samples = table(stack=[0] * len(times), time=times, threadCPUDelta=on_cpu)
    return {
        "processType": "default", "processStartupTime": 0, "processShutdownTime": None, "registerTime": 0, "unregisterTime": None,
        "pausedRanges": [], "name": name, "isMainThread": False, "pid": "1", "tid": number + 1,
        "samples": {**samples, "weight": None, "weightType": "samples"}, "markers": markers,
    }


def spans_of_threads(database, folder):
    """Spans by the number of the thread, as `thread_table` wants them."""
    numbers = {string: number for number, string in enumerate(STRINGS)}
    threads = {}
    rows = database.execute(
        f"SELECT thread, start_ns, end_ns, state, reason, duration_ns FROM '{folder}/thread_states-*.parquet' ORDER BY thread, start_ns"
    )
    while batch := rows.fetchmany(100_000):
        for thread, start_ns, end_ns, state, reason, state_ns in batch:
            spans = threads.setdefault(thread, [])
            if not spans or spans[-1][0] != start_ns:
                spans.append((start_ns, end_ns, {}))
            spans[-1][2][state] = (numbers[f"{state}: {reason}"], state_ns)
    return threads


def main():
    folder = Path(sys.argv[1])
    database = duckdb.connect()
    duration_ms = json.loads((folder / "manifest.json").read_text())["duration_ns"] / 1e6
    names = [name for (name,) in database.execute(f"SELECT name FROM '{folder}/threads.parquet'").fetchall()]
    threads = spans_of_threads(database, folder)
    start_ns, end_ns, _ = next(iter(threads.values()))[0]
    meta = {
        "interval": (end_ns - start_ns) / 1e6, "startTime": 0, "profilingStartTime": 0, "profilingEndTime": duration_ms,
        "processType": 0, "product": "whittle", "stackwalk": 1, "version": GECKO_VERSION, "preprocessedProfileVersion": FORMAT_VERSION,
        "categories": [{"name": state, "color": colour, "subcategories": ["Other"]} for state, colour in STATES.items()],
        "markerSchema": [], "sampleUnits": {"time": "ms", "eventDelay": "ms", "threadCPUDelta": "ns"}, "symbolicated": True,
        "keepProfileThreadOrder": True,
    }
    tables = [thread_table(number, names[number], spans) for number, spans in threads.items()]
    json.dump({"meta": meta, "libs": [], "shared": shared_tables(), "threads": tables}, sys.stdout, separators=(",", ":"))


main()
