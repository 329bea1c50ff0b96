//! Separates fixed cost from cost per unit of work.
//!
//! The program repeatedly reports how many units it has done so far. If the work varied over time, the experiment is
//! split into equal time ranges, and a line is fitted to CPU time over units. The CPU time at zero work is fixed cost,
//! for example the cost of a library that takes samples every second. The slope is the cost per unit.

use crate::stacks::Stacks;
use crate::sums::{BLOCK_COUNT, Selected};
use crate::view::{CostKind, PackageCost, UnitCost, WorkUnits};
use crate::work::WorkThreads;
use rustc_hash::FxHashMap;
use whittle_model::{SYSTEM_COUNTERS, StackIndex, Table};
use whittle_profile::Profile;
use whittle_statistics::LineFit;

/// The names of unit counters end with this suffix. These counters are running totals.
const SUFFIX: &str = "_count";
/// Fixed cost is separated only if the work varies at least this much (standard deviation divided by mean).
const LEAST_VARIATION: f64 = 0.1;
/// Fewer readings do not show how the work is distributed over time.
const FEWEST_READINGS: usize = 8;
/// Packages with a smaller share of the CPU time are not reported.
const SMALLEST_RATIO: f64 = 0.01;

/// Units of work that were done in each block of time.
pub(crate) struct UnitsByBlock {
    name: String,
    blocks: [f64; BLOCK_COUNT],
    /// Number of readings.
    readings_count: usize,
}

impl UnitsByBlock {
    /// The program's first counter of units. `None`: there is no counter, or the program did no work in the examined
    /// time.
    pub(crate) fn new(profile: &Profile, work: &WorkThreads) -> Option<Self> {
        let counters = &profile.tables().counters;
        let is_units = |name: &&String| name.ends_with(SUFFIX) && !SYSTEM_COUNTERS.contains(&name.as_str());
        let counter = counters.counter.iter().filter(is_units).min()?;
        let rows = (0..counters.len()).filter(|row| counters.counter[*row] == *counter);
        let mut readings: Vec<(u64, f64)> = rows.map(|row| (counters.time_ns[row], counters.value[row])).collect();
        readings.sort_by_key(|(time, _)| *time);
        let length = (work.to_ns - work.from_ns) as f64 / BLOCK_COUNT as f64;
        let total_at = |block: usize| total_at(&readings, work.from_ns as f64 + block as f64 * length);
        let blocks = std::array::from_fn(|block| (total_at(block + 1) - total_at(block)).max(0.0));
        let name = counter.strip_suffix(SUFFIX)?.replace('_', " ");
        (blocks.iter().sum::<f64>() > 0.0).then_some(Self { name, blocks, readings_count: readings.len() })
    }

    fn total(&self) -> f64 {
        self.blocks.iter().sum()
    }

    fn varies(&self) -> bool {
        let mean = self.total() / BLOCK_COUNT as f64;
        let variance = self.blocks.iter().map(|units| (units - mean).powi(2)).sum::<f64>() / BLOCK_COUNT as f64;
        self.readings_count >= FEWEST_READINGS && variance.sqrt() >= LEAST_VARIATION * mean
    }

    /// Splits a cost. `cpu_ns` is the total. `blocks` is its distribution over time, in any unit.
    pub(crate) fn cost(&self, cpu_ns: f64, blocks: &[f64; BLOCK_COUNT]) -> UnitCost {
        let mean = cpu_ns / self.total();
        let sum: f64 = blocks.iter().sum();
        let points: Vec<(f64, f64)> = self.blocks.iter().copied().zip(blocks.iter().copied()).collect();
        let fit = if self.varies() && sum > 0.0 { LineFit::new(&points) } else { None };
        let Some(fit) = fit else {
            return UnitCost {
                unit: self.name.clone(),
                cpu_ns_per_unit: mean,
                kind: CostKind::NotTold,
                fixed_ratio: None,
                low_ratio: None,
                high_ratio: None,
            };
        };
        let share = |value: f64| (value * BLOCK_COUNT as f64 / sum).clamp(0.0, 1.0);
        let (low, high) = (share(fit.intercept - fit.intercept_error), share(fit.intercept + fit.intercept_error));
        let kind = match () {
            () if low > 0.5 => CostKind::Fixed,
            () if high < 0.5 => CostKind::PerUnit,
            () => CostKind::NotTold,
        };
        UnitCost {
            unit: self.name.clone(),
            cpu_ns_per_unit: mean,
            kind,
            fixed_ratio: Some(share(fit.intercept)),
            low_ratio: Some(low),
            high_ratio: Some(high),
        }
    }
}

/// The running total at a point in time, interpolated between readings.
fn total_at(readings: &[(u64, f64)], time_ns: f64) -> f64 {
    let after = readings.partition_point(|(time, _)| (*time as f64) < time_ns);
    match (readings[..after].last(), readings.get(after)) {
        (Some((before_ns, before)), Some((after_ns, after))) => {
            let part = (time_ns - *before_ns as f64) / (after_ns - before_ns).max(1) as f64;
            before + (after - before) * part
        }
        (Some((_, value)), None) | (None, Some((_, value))) => *value,
        (None, None) => 0.0,
    }
}

/// The packages of the application with their costs. `all_ns` is the work threads' CPU time.
pub(crate) fn work_units(units: &UnitsByBlock, selected: &Selected<'_>, stacks: &Stacks<'_>, all_ns: f64) -> WorkUnits {
    let (names, package_of) = packages(stacks, selected.profile.observed_stacks());
    let blocks = selected.cpu_by_block(&package_of, names.len());
    let costs = names.into_iter().zip(&blocks).map(|(name, blocks)| (name, blocks.iter().sum::<f64>(), blocks));
    let mut packages: Vec<PackageCost> = costs
        .filter(|(_, cpu_ns, _)| *cpu_ns > 0.0 && *cpu_ns >= SMALLEST_RATIO * all_ns)
        .map(|(package, cpu_ns, blocks)| PackageCost {
            package,
            ratio: cpu_ns / all_ns,
            cost: units.cost(cpu_ns, blocks),
        })
        .collect();
    packages.sort_by(|a, b| b.ratio.total_cmp(&a.ratio).then(a.package.cmp(&b.package)));
    WorkUnits { unit: units.name.clone(), units: units.total(), varies: units.varies(), packages }
}

/// For each observed stack, the position of a package in the list of names: the package of the deepest application
/// frame. Stacks without an application frame have a number that is not a position.
fn packages(stacks: &Stacks<'_>, observed: &[StackIndex]) -> (Vec<String>, Vec<u32>) {
    let mut numbers: FxHashMap<String, u32> = FxHashMap::default();
    let mut names: Vec<String> = Vec::new();
    let mut of = |stack: &StackIndex| {
        let Some(function) = stacks.application_function(*stack) else { return u32::MAX };
        let class =
            whittle_profile::roles::class_of(&stacks.tables.functions.internal_name[function.row()]).replace('/', ".");
        let package = class.rsplit_once('.').map_or("(no package)", |(package, _)| package);
        if let Some(number) = numbers.get(package) {
            return *number;
        }
        numbers.insert(package.to_owned(), names.len() as u32);
        names.push(package.to_owned());
        names.len() as u32 - 1
    };
    let package_of = observed.iter().map(&mut of).collect();
    (names, package_of)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(blocks: [f64; BLOCK_COUNT]) -> UnitsByBlock {
        UnitsByBlock { name: "messages".to_owned(), blocks, readings_count: BLOCK_COUNT }
    }

    #[test]
    fn what_stays_without_work_is_fixed_and_what_grows_is_not() {
        let load: [f64; BLOCK_COUNT] = std::array::from_fn(|block| if block % 2 == 0 { 100.0 } else { 300.0 });
        let noise = |block: usize| [0.98, 1.01, 1.0, 1.02, 0.99][block % 5];
        let fixed = std::array::from_fn(|block| 50.0 * noise(block));
        let per_unit = std::array::from_fn(|block| load[block] * noise(block));
        let units = units(load);
        assert_eq!(units.cost(1e9, &fixed).kind, CostKind::Fixed);
        assert_eq!(units.cost(1e9, &per_unit).kind, CostKind::PerUnit);
        assert_eq!(units.cost(8e9, &per_unit).cpu_ns_per_unit, 2e6);
    }

    #[test]
    fn steady_work_tells_nothing_apart() {
        let cost = units([100.0; BLOCK_COUNT]).cost(1e9, &[50.0; BLOCK_COUNT]);
        assert_eq!((cost.kind, cost.fixed_ratio), (CostKind::NotTold, None));
    }

    #[test]
    fn totals_between_readings_are_in_proportion() {
        let readings = [(100, 10.0), (200, 30.0)];
        assert_eq!([50.0, 100.0, 150.0, 250.0].map(|time| total_at(&readings, time)), [10.0, 10.0, 20.0, 30.0]);
    }
}
