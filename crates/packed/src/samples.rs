//! Samples in time order. Samples with equal times are sorted by stack.
//!
//! There are only a few kinds of samples (event, mode, reason), so a kind takes one byte. Amounts are written kind by
//! kind, because the amounts of one kind are often all equal (10 ms of CPU time), or all 0. The classes of objects and
//! the files are written in the same way: most kinds have none, so these take two bytes together.

use crate::PackError;
use crate::bytes::{Reader, put_varint};
use crate::column::{put_integers, put_rows, read_integers, read_rows};
use whittle_model::{
    CpuMode, EventKind, FileIndex, ObjectClassIndex, SampleTable, StackIndex, Table, ThreadIndex, WaitReason,
};

/// The kind of a sample: event, mode, reason.
type Kind = (EventKind, CpuMode, WaitReason);

/// Appends the samples in their order.
pub(super) fn put_samples(bytes: &mut Vec<u8>, samples: &SampleTable) {
    let (kinds, kind_of_sample) = kinds(samples);
    let mut columns = Vec::new();
    put_integers(&mut columns, samples.time_ns.iter().copied());
    put_integers(&mut columns, samples.stack.iter().map(|stack| u64::from(stack.0)));
    put_integers(&mut columns, samples.thread.iter().map(|thread| u64::from(thread.0)));
    put_varint(&mut columns, kinds.len() as u64);
    for (event, mode, reason) in &kinds {
        columns.extend([*event as u8, *mode as u8, *reason as u8]);
    }
    put_integers(&mut columns, kind_of_sample.iter().map(|kind| u64::from(*kind)));
    for amounts in [&samples.count, &samples.duration_ns, &samples.bytes] {
        put_by_kind(&mut columns, &kind_of_sample, kinds.len(), |row| amounts[row]);
    }
    put_by_kind(&mut columns, &kind_of_sample, kinds.len(), |row| u64::from(samples.object_class[row].0));
    put_by_kind(&mut columns, &kind_of_sample, kinds.len(), |row| u64::from(samples.file[row].0));
    put_rows(bytes, samples.len(), columns);
}

/// Appends the values of all samples, kind by kind.
fn put_by_kind(columns: &mut Vec<u8>, kind_of_sample: &[u16], kinds: usize, value: impl Fn(usize) -> u64 + Copy) {
    for kind in 0..kinds {
        let of_kind = (0..kind_of_sample.len()).filter(|row| usize::from(kind_of_sample[*row]) == kind);
        put_integers(columns, of_kind.map(value));
    }
}

/// The kinds of samples, and for each sample the position of its kind.
fn kinds(samples: &SampleTable) -> (Vec<Kind>, Vec<u16>) {
    let mut kinds: Vec<Kind> = Vec::new();
    let of_sample = samples.event.iter().zip(&samples.mode).zip(&samples.reason);
    let numbers = of_sample.map(|((event, mode), reason)| {
        let kind = (*event, *mode, *reason);
        let known = kinds.iter().position(|known| *known == kind);
        known.unwrap_or_else(|| {
            kinds.push(kind);
            kinds.len() - 1
        }) as u16
    });
    let numbers = numbers.collect();
    (kinds, numbers)
}

/// Reads the samples.
pub(super) fn read_samples(reader: &mut Reader<'_>) -> Result<SampleTable, PackError> {
    let (rows, mut columns) = read_rows(reader)?;
    let time_ns = read_integers(&mut columns, rows)?;
    let stack: Vec<u32> = read_integers(&mut columns, rows)?;
    let thread: Vec<u32> = read_integers(&mut columns, rows)?;
    let kinds = read_kinds(&mut columns)?;
    let kind_of_sample: Vec<u16> = read_integers(&mut columns, rows)?;
    let mut rows_of_kind = vec![0_usize; kinds.len()];
    for kind in &kind_of_sample {
        *rows_of_kind.get_mut(usize::from(*kind)).ok_or(PackError::Damaged("a kind of sample"))? += 1;
    }
    let kind = |sample: &u16| kinds[usize::from(*sample)];
    Ok(SampleTable {
        time_ns,
        thread: thread.into_iter().map(ThreadIndex).collect(),
        stack: stack.into_iter().map(StackIndex).collect(),
        event: kind_of_sample.iter().map(|sample| kind(sample).0).collect(),
        mode: kind_of_sample.iter().map(|sample| kind(sample).1).collect(),
        reason: kind_of_sample.iter().map(|sample| kind(sample).2).collect(),
        count: read_by_kind(&mut columns, &rows_of_kind, &kind_of_sample)?,
        duration_ns: read_by_kind(&mut columns, &rows_of_kind, &kind_of_sample)?,
        bytes: read_by_kind(&mut columns, &rows_of_kind, &kind_of_sample)?,
        object_class: read_by_kind(&mut columns, &rows_of_kind, &kind_of_sample)?
            .into_iter()
            .map(ObjectClassIndex)
            .collect(),
        file: read_by_kind(&mut columns, &rows_of_kind, &kind_of_sample)?.into_iter().map(FileIndex).collect(),
    })
}

fn read_kinds(columns: &mut Reader<'_>) -> Result<Vec<Kind>, PackError> {
    let count = columns.count()?;
    (0..count).map(|_| read_kind(columns).ok_or(PackError::Damaged("a kind of sample"))).collect()
}

fn read_kind(columns: &mut Reader<'_>) -> Option<Kind> {
    let mut code = || columns.byte().ok().map(usize::from);
    let (event, mode, reason) = (code()?, code()?, code()?);
    Some((*EventKind::ALL.get(event)?, *CpuMode::ALL.get(mode)?, *WaitReason::ALL.get(reason)?))
}

/// One value for each sample, written kind by kind.
fn read_by_kind<N: TryFrom<u64> + Copy>(
    columns: &mut Reader<'_>,
    rows_of_kind: &[usize],
    kind_of_sample: &[u16],
) -> Result<Vec<N>, PackError> {
    let of_kind = rows_of_kind.iter().map(|rows| read_integers::<N>(columns, *rows).map(Vec::into_iter));
    let mut of_kind = of_kind.collect::<Result<Vec<_>, _>>()?;
    let values = kind_of_sample.iter().map(|kind| of_kind[usize::from(*kind)].next());
    values.collect::<Option<_>>().ok_or(PackError::Short)
}
