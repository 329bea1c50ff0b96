//! Reads a recording chunk by chunk, as a collector does, and prints the resources that the import needs.
//!
//! Usage: `jfr_bench RECORDING.jfr`. Prints one line of JSON with rows, losses, CPU seconds and peak memory.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for the terminal")]

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::process::ExitCode;
use whittle_import::{CHUNK_HEADER_BYTES, ChunkExtent, JfrImport, JfrImporter, JfrOptions, chunk_extent};
use whittle_model::{Table, TableBuilder};

fn main() -> ExitCode {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("usage: jfr_bench RECORDING.jfr");
        return ExitCode::FAILURE;
    };
    match read(&path) {
        Ok((import, builder)) => {
            report(&import, &builder);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{path}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn read(path: &str) -> Result<(JfrImport, TableBuilder), Box<dyn std::error::Error>> {
    let mut file = File::open(path)?;
    let mut importer = JfrImporter::new(JfrOptions::default());
    let mut builder = TableBuilder::new();
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        file.by_ref().take(CHUNK_HEADER_BYTES as u64).read_to_end(&mut bytes)?;
        let ChunkExtent::Finished(chunk_bytes) = chunk_extent(&bytes) else { break };
        file.by_ref().take(chunk_bytes - bytes.len() as u64).read_to_end(&mut bytes)?;
        let consumed = importer.push(&bytes, &mut builder);
        if consumed < bytes.len() {
            file.seek(SeekFrom::Current(consumed as i64 - bytes.len() as i64))?;
            bytes.clear();
            break;
        }
    }
    file.read_to_end(&mut bytes)?;
    let import = importer.finish(&bytes, &mut builder)?;
    Ok((import, builder))
}

fn report(import: &JfrImport, builder: &TableBuilder) {
    let tables = builder.tables();
    eprintln!("{import:#?}");
    println!(
        "{{\"samples\": {}, \"stacks\": {}, \"frames\": {}, \"functions\": {}, \"threads\": {}, {}}}",
        tables.samples.len(),
        tables.stacks.len(),
        tables.frames.len(),
        tables.functions.len(),
        tables.threads.len(),
        resources().unwrap_or_default(),
    );
}

/// CPU seconds in user and system mode, and peak memory of this process, from the kernel.
fn resources() -> Option<String> {
    /// The kernel reports CPU time to programs in ticks. On every Linux, there are this many ticks per second.
    const TICKS_PER_SECOND: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut seconds = || Some(fields.next()?.parse::<f64>().ok()? / TICKS_PER_SECOND);
    let (user, system) = (seconds()?, seconds()?);
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let peak_kib: u64 = peak.trim().trim_end_matches(" kB").parse().ok()?;
    Some(format!(
        "\"user_cpu_seconds\": {user:.2}, \"system_cpu_seconds\": {system:.2}, \"peak_mib\": {:.1}",
        peak_kib as f64 / 1024.0
    ))
}
