//! What CPU time costs: in cores that are busy all the time, and in money.

use serde::Serialize;

/// Hours of a year, for what goes on as it is.
const HOURS_PER_YEAR: f64 = 8760.0;

/// What a core costs in an hour.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Price {
    /// In the currency that the reader thinks of.
    pub per_core_hour: f64,
}

impl Default for Price {
    /// About what general-purpose machines of public clouds cost on demand, per virtual core, in dollars.
    fn default() -> Self {
        Self { per_core_hour: 0.04 }
    }
}

/// What some CPU time costs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Cost {
    /// Cores that did nothing else: CPU seconds per second of the time asked for.
    pub cores: f64,
    /// Money for a year at this rate.
    pub cost_per_year: f64,
}

impl Price {
    /// The cost of `cpu_ns` of CPU time in `covered_s` seconds.
    pub fn cost(self, cpu_ns: f64, covered_s: i64) -> Cost {
        let cores = cpu_ns / 1e9 / covered_s.max(1) as f64;
        Cost { cores, cost_per_year: cores * HOURS_PER_YEAR * self.per_core_hour }
    }

    /// For headings.
    pub(crate) fn words(self) -> String {
        format!("cost a year at {} per core and hour", self.per_core_hour)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_core_for_an_hour_is_half_a_core() {
        let cost = Price { per_core_hour: 0.1 }.cost(1800e9, 3600);
        assert_eq!((cost.cores, cost.cost_per_year), (0.5, 438.0));
    }
}
