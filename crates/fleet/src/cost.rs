//! The cost of CPU time, in fully busy cores and in money.

use serde::Serialize;

/// Number of hours per year. It converts a cost per hour to a cost per year.
const HOURS_PER_YEAR: f64 = 8760.0;

/// The price of a core for an hour.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Price {
    /// The price of one core for one hour, in any currency.
    pub per_core_hour: f64,
}

impl Default for Price {
    /// The approximate price, in dollars, of a virtual core in public clouds (on-demand, general-purpose machine).
    fn default() -> Self {
        Self { per_core_hour: 0.04 }
    }
}

/// The cost of some CPU time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Cost {
    /// Number of cores that this CPU time keeps fully busy: CPU seconds per second of the requested time.
    pub cores: f64,
    /// Cost per year in money, if the number of cores stays the same.
    pub cost_per_year: f64,
}

impl Price {
    /// The cost of `cpu_ns` of CPU time in `covered_s` seconds.
    pub fn cost(self, cpu_ns: f64, covered_s: i64) -> Cost {
        let cores = cpu_ns / 1e9 / covered_s.max(1) as f64;
        Cost { cores, cost_per_year: cores * HOURS_PER_YEAR * self.per_core_hour }
    }

    /// The price in words, for headings.
    pub(crate) fn words(self) -> String {
        format!("cost per year at {} per core and hour", self.per_core_hour)
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
