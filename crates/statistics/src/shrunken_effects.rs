//! Effects of groups that are estimated together: a group with few families is drawn towards the mean of all groups.
//!
//! The model has three variances: between groups, between families of a group, and within a family. They are estimated by
//! the method of moments with one value per family (Searle, Casella and McCulloch 1992, *Variance Components*, chapter 3). The
//! effects are empirical Bayes estimates (Efron and Morris 1975).

use std::collections::BTreeMap;

/// An observed value.
#[derive(Debug, Clone, Copy)]
pub struct Observed<'a> {
    /// The group, such as a pattern.
    pub group: &'a str,
    /// The family, such as a program. Values of one family depend on each other.
    pub family: &'a str,
    /// The value.
    pub value: f64,
}

/// A normal distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// Mean.
    pub mean: f64,
    /// Variance.
    pub variance: f64,
}

/// The estimates of all groups.
#[derive(Debug, Clone)]
pub struct ShrunkenEffects {
    /// What a new value of a new family has, if its group has no observed values.
    pub unknown: Spread,
    /// What a new value of a new family has, by group.
    pub by_group: BTreeMap<String, Spread>,
}

/// Mean and number of the values of one family.
struct Family {
    mean: f64,
    count: f64,
}

impl ShrunkenEffects {
    /// Estimates the effects. `None`: there are fewer than two groups, or no group has two families.
    pub fn estimate(values: &[Observed<'_>]) -> Option<Self> {
        let mut groups: BTreeMap<&str, BTreeMap<&str, Vec<f64>>> = BTreeMap::new();
        for value in values {
            groups.entry(value.group).or_default().entry(value.family).or_default().push(value.value);
        }
        let within = pooled_variance(groups.values().flat_map(BTreeMap::values).map(Vec::as_slice)).unwrap_or(0.0);
        let families: BTreeMap<&str, Vec<Family>> = groups
            .iter()
            .map(|(group, families)| (*group, families.values().map(|values| Family::of(values)).collect()))
            .collect();
        let means: Vec<Vec<f64>> =
            families.values().map(|families| families.iter().map(|family| family.mean).collect()).collect();
        let count = families.values().map(Vec::len).sum::<usize>() as f64;
        let noise = families.values().flatten().map(|family| within / family.count).sum::<f64>() / count;
        let between_families = (pooled_variance(means.iter().map(Vec::as_slice))? - noise).max(0.0);
        let known: Vec<Spread> = means
            .iter()
            .map(|means| Spread { mean: mean(means), variance: (between_families + noise) / means.len() as f64 })
            .collect();
        let centre = mean(&known.iter().map(|group| group.mean).collect::<Vec<_>>());
        let spread = known.iter().map(|group| (group.mean - centre).powi(2)).sum::<f64>() / (known.len() as f64 - 1.0);
        if known.len() < 2 {
            return None;
        }
        let errors = mean(&known.iter().map(|group| group.variance).collect::<Vec<_>>());
        let between_groups = (spread - errors).max(0.0);
        let new_family = between_families + within;
        let by_group = families.keys().zip(&known).map(|(group, known)| {
            let weight = if between_groups > 0.0 { between_groups / (between_groups + known.variance) } else { 0.0 };
            let mean = centre + weight * (known.mean - centre);
            ((*group).to_owned(), Spread { mean, variance: between_groups * (1.0 - weight) + new_family })
        });
        Some(Self {
            by_group: by_group.collect(),
            unknown: Spread { mean: centre, variance: between_groups + new_family },
        })
    }

    /// What a new value of a new family of this group has.
    pub fn of(&self, group: &str) -> Spread {
        self.by_group.get(group).copied().unwrap_or(self.unknown)
    }
}

impl Family {
    fn of(values: &[f64]) -> Self {
        Self { mean: mean(values), count: values.len() as f64 }
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The variance around the means of the samples. `None`: no sample has two values.
fn pooled_variance<'a>(samples: impl Iterator<Item = &'a [f64]>) -> Option<f64> {
    let (mut squares, mut freedom) = (0.0, 0.0);
    for sample in samples {
        let centre = mean(sample);
        squares += sample.iter().map(|value| (value - centre).powi(2)).sum::<f64>();
        freedom += sample.len() as f64 - 1.0;
    }
    (freedom > 0.0).then(|| squares / freedom)
}

#[cfg(test)]
mod tests {
    use super::{Observed, ShrunkenEffects};

    /// Values by hand: two groups with two families, one value each.
    #[test]
    fn estimates_are_the_formulas_of_the_method_of_moments() {
        let value = |group, family, value| Observed { group, family, value };
        let values = [value("a", "1", 0.0), value("a", "2", 2.0), value("b", "3", 9.0), value("b", "4", 11.0)];
        let effects = ShrunkenEffects::estimate(&values).unwrap();
        // Between families: (1+1+1+1)/2 = 2. Means 1 and 10 with variance 1 each; between groups: 40.5 - 1 = 39.5.
        let weight = 39.5 / 40.5;
        let a = effects.of("a");
        assert!((a.mean - (5.5 - 4.5 * weight)).abs() < 1e-12, "{a:?}");
        assert!((a.variance - (39.5 * (1.0 - weight) + 2.0)).abs() < 1e-12, "{a:?}");
        let unknown = effects.of("c");
        assert!((unknown.mean - 5.5).abs() < 1e-12 && (unknown.variance - 41.5).abs() < 1e-12, "{unknown:?}");
    }

    #[test]
    fn groups_that_do_not_differ_share_one_mean() {
        let families = ["1", "2", "3", "4", "5", "6"];
        let values = families.map(|family| Observed {
            group: if family < "4" { "a" } else { "b" },
            family,
            value: f64::from(family.as_bytes()[0] % 3),
        });
        let effects = ShrunkenEffects::estimate(&values).unwrap();
        assert!((effects.of("a").mean - effects.of("b").mean).abs() < 1e-12);
    }

    #[test]
    fn too_little_data_has_no_estimate() {
        let value = |group, family| Observed { group, family, value: 1.0 };
        assert!(ShrunkenEffects::estimate(&[]).is_none());
        assert!(ShrunkenEffects::estimate(&[value("a", "1"), value("b", "2")]).is_none());
        assert!(ShrunkenEffects::estimate(&[value("a", "1"), value("a", "2")]).is_none());
    }
}
