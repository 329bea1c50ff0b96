-- For each JVM of an experiment: its CPU time before the first sample with Java frames, in seconds.
-- EXPERIMENT is replaced by the path.
WITH RECURSIVE
functions AS (SELECT row_number() OVER (ORDER BY filename, file_row_number) - 1 AS row, kind, display_name FROM read_parquet('EXPERIMENT/functions-*.parquet', filename = true, file_row_number = true)),
frames AS (SELECT row_number() OVER (ORDER BY filename, file_row_number) - 1 AS row, function FROM read_parquet('EXPERIMENT/frames-*.parquet', filename = true, file_row_number = true)),
stacks AS (SELECT row_number() OVER (ORDER BY filename, file_row_number) - 1 AS row, parent, frame FROM read_parquet('EXPERIMENT/stacks-*.parquet', filename = true, file_row_number = true)),
java_stacks AS (
    SELECT stacks.row FROM stacks JOIN frames ON stacks.frame = frames.row JOIN functions ON frames.function = functions.row WHERE functions.kind = 'java'
    UNION
    SELECT stacks.row FROM stacks JOIN java_stacks ON stacks.parent = java_stacks.row
),
threads AS (SELECT row_number() OVER (ORDER BY file_row_number) - 1 AS row, process_id FROM read_parquet('EXPERIMENT/threads.parquet', file_row_number = true)),
cpu AS (
    SELECT process_id, time_ns, duration_ns, stack IN (SELECT row FROM java_stacks) AS is_java
    FROM read_parquet('EXPERIMENT/samples-*.parquet') samples JOIN threads ON samples.thread = threads.row WHERE event = 'cpu'
),
first_java AS (SELECT process_id, min(time_ns) AS first_ns FROM cpu WHERE is_java GROUP BY process_id)
SELECT process_id, sum(duration_ns) / 1e9 AS cpu_s, sum(duration_ns) FILTER (time_ns < first_ns) / 1e9 AS before_s
FROM cpu LEFT JOIN first_java USING (process_id) GROUP BY process_id HAVING cpu_s > 0.02 ORDER BY cpu_s DESC
