#!/usr/bin/env python3
"""Makes an imported experiment long, for measuring timelines.

Usage: long_run.py EXPERIMENT SECONDS SPAN_SECONDS [SAMPLES]

Replaces the samples, and adds the states of all threads, stops of the JVM, requests and counters. The threads and stacks stay. The
same arguments always give the same experiment.

Needs Python with DuckDB and PyArrow.
"""
import json
import sys
from pathlib import Path

import duckdb
import pyarrow
from pyarrow import parquet

STATES = """
    WITH spans AS (
        SELECT t.range AS thread, s.range AS span, (hash(t.range, s.range) >> 1)::BIGINT AS random
        FROM range({threads}) t, range({spans}) s
    ), times AS (
        SELECT thread, span, random,
            random % 400 * {unit} AS user_ns, (random >> 10) % 150 * {unit} AS system_ns, (random >> 20) % 50 * {unit} AS queue_ns
        FROM spans
    ), states AS (
        SELECT thread, span, unnest([
            {{'state': 'on_cpu_user', 'reason': 'none', 'ns': user_ns}},
            {{'state': 'on_cpu_system', 'reason': 'none', 'ns': system_ns}},
            {{'state': 'runnable', 'reason': 'run_queue', 'ns': queue_ns}},
            {{'state': 'blocked', 'reason': ['futex', 'socket', 'poll', 'file'][1 + (random >> 30) % 4],
              'ns': 1000 * {unit}::BIGINT - user_ns - system_ns - queue_ns}}
        ]) AS part
        FROM times
    )
    SELECT thread::UINTEGER AS thread, (span * 1000 * {unit}::BIGINT)::UBIGINT AS start_ns, ((span + 1) * 1000 * {unit}::BIGINT)::UBIGINT AS end_ns,
        part.state AS state, part.reason AS reason, part.ns::UBIGINT AS duration_ns
    FROM states WHERE part.ns > 0 ORDER BY thread, span"""

SAMPLES = """
    SELECT (range * {seconds} * 1000000000 // {samples})::UBIGINT AS time_ns, (hash(range) % {threads})::UINTEGER AS thread,
        (1 + hash(range + 1) % {stacks})::UINTEGER AS stack, 'wall' AS event, 'unknown' AS mode, 'none' AS reason, 1::UBIGINT AS count,
        10000000::UBIGINT AS duration_ns, 0::UBIGINT AS bytes, 0::UINTEGER AS object_class, 0::UINTEGER AS file
    FROM range({samples}) ORDER BY time_ns"""

STOPS = """
    SELECT (range * 2000000000)::UBIGINT AS start_ns, (range * 2000000000 + 1000000 + hash(range) % 20000000)::UBIGINT AS end_ns,
        'safepoint' AS kind, 'G1CollectForAllocation' AS name, 100000::UBIGINT AS reaching_ns,
        NULL::UBIGINT AS heap_before_bytes, NULL::UBIGINT AS heap_after_bytes
    FROM range({seconds} // 2 - 1)"""

REQUESTS = """
    SELECT 'http' AS kind, 'GET /orders/' || hash(range) % 20 AS name, 8080::UINTEGER AS port, 200::UINTEGER AS status,
        (range * 20000000)::UBIGINT AS start_ns, (range * 20000000 + 1000000 + hash(range) % 200000000)::UBIGINT AS end_ns,
        (hash(range) % {threads})::UINTEGER AS thread, (hash(range) % {threads})::UINTEGER AS answering_thread,
        100::UBIGINT AS read_bytes, 2000::UBIGINT AS written_bytes, 1::UBIGINT AS requests_count, NULL::UBIGINT AS number,
        NULL::UBIGINT AS on_cpu_ns, NULL::UBIGINT AS runnable_ns, NULL::UBIGINT AS futex_ns, NULL::UBIGINT AS socket_ns,
        NULL::UBIGINT AS disk_ns, NULL::UBIGINT AS sleep_ns, NULL::UBIGINT AS other_ns, NULL::UBIGINT AS away_ns,
        NULL::UBIGINT AS statements_count, NULL::UBIGINT AS statements_ns, NULL::VARCHAR AS trace
    FROM range({seconds} * 50 - 50)"""

COUNTERS = """
    SELECT (s.range * 1000000000)::UBIGINT AS time_ns, c.counter AS counter, (c.most * (hash(s.range, c.counter) % 1000) / 1000)::DOUBLE AS value
    FROM range({seconds}) s, (VALUES ('rss_bytes', 4e9), ('heap_used_bytes', 2e9), ('machine_busy_ratio', 1.0), ('idle_count', 0.0)) c(counter, most)"""


# The columns whose values can be missing. All others must be declared as complete, which DuckDB cannot do.
OPTIONAL = {
    "status", "number", "on_cpu_ns", "runnable_ns", "futex_ns", "socket_ns", "disk_ns", "sleep_ns", "other_ns", "away_ns",
    "statements_count", "statements_ns", "trace", "heap_before_bytes", "heap_after_bytes",
}


def declare_complete(path):
    table = parquet.read_table(path)
    fields = [field.with_nullable(field.name in OPTIONAL) for field in table.schema]
    parquet.write_table(table.cast(pyarrow.schema(fields)), path, compression="zstd")


def main():
    folder, seconds, span_seconds = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    samples = int(sys.argv[4]) if len(sys.argv) > 4 else 100_000
    database = duckdb.connect()
    rows = lambda table: database.execute(f"SELECT count(*) FROM '{folder}/{table}.parquet'").fetchall()[0][0]
    values = {
        "threads": rows("threads"),
        "stacks": rows("stacks-000001") - 1,
        "seconds": seconds,
        "spans": seconds // span_seconds,
        "unit": span_seconds * 1_000_000,
        "samples": samples,
    }
    tables = {
        "thread_states-000001": STATES,
        "samples-000001": SAMPLES,
        "jvm_events": STOPS,
        "requests-000001": REQUESTS,
        "counters-000001": COUNTERS,
    }
    for table, query in tables.items():
        path = folder / f"{table}.parquet"
        database.execute(f"COPY ({query.format(**values)}) TO '{path}' (COMPRESSION zstd)")
        declare_complete(path)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["duration_ns"] = seconds * 1_000_000_000
    (folder / "manifest.json").write_text(json.dumps(manifest))


main()
