//! Numbers that look random but are the same in every run. Simulations use these numbers, because their tests must not
//! be flaky.

/// A generator of random numbers. Equal seeds give equal numbers.
///
/// Source: splitmix64, G. L. Steele, D. Lea and C. H. Flood, Fast splittable pseudorandom number generators, OOPSLA 2014.
#[derive(Debug, Clone)]
pub struct Seeded(u64);

impl Seeded {
    /// Makes a generator from a seed. Similar seeds give unrelated numbers.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number: 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// The next number between 0 and 1, both excluded.
    pub fn uniform(&mut self) -> f64 {
        ((self.bits() >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
    }

    /// The next number from a normal distribution with mean 0 and standard deviation 1. Source: G. E. P. Box and M. E.
    /// Muller, 1958.
    pub fn normal(&mut self) -> f64 {
        let (radius, angle) = ((-2.0 * self.uniform().ln()).sqrt(), std::f64::consts::TAU * self.uniform());
        radius * angle.cos()
    }

    /// The next number from a Poisson distribution. If the mean is above 100, a rounded normal distribution is used.
    pub fn poisson(&mut self, mean: f64) -> f64 {
        const LARGE: f64 = 100.0;
        if mean > LARGE {
            return (mean + mean.sqrt() * self.normal()).round().max(0.0);
        }
        // Adds up times between events until the sum exceeds the mean.
        let (mut count, mut time) = (0.0, -self.uniform().ln());
        while time < mean {
            count += 1.0;
            time -= self.uniform().ln();
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::Seeded;

    fn moments(values: &[f64]) -> (f64, f64) {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        (mean, values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count)
    }

    #[test]
    fn the_first_number_is_the_published_one() {
        assert_eq!(Seeded::new(0).bits(), 0xe220_a839_7b1d_cdaf);
    }

    #[test]
    fn means_and_variances_are_those_of_the_distributions() {
        let mut seeded = Seeded::new(1);
        let (mean, variance) = moments(&(0..20_000).map(|_| seeded.normal()).collect::<Vec<_>>());
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.04, "{mean} {variance}");
        for expected in [3.0, 5000.0] {
            let (mean, variance) = moments(&(0..20_000).map(|_| seeded.poisson(expected)).collect::<Vec<_>>());
            assert!((mean / expected - 1.0).abs() < 0.02 && (variance / expected - 1.0).abs() < 0.05);
        }
    }
}
