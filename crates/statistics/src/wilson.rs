//! The interval of a share, and the dependence between samples.

/// The 95 % interval of a share of samples by Wilson's method, adapted to samples that come in bursts.
///
/// The share is `hits` divided by `count`, the number of samples. `dispersion` is the variance between blocks divided
/// by the variance of independent samples. It is 1 if the samples are independent. The function [`dispersion`] computes
/// this value. Source: E. B. Wilson, Probable inference, JASA 22 (1927), with both counts divided by the dispersion
/// (quasi-binomial: McCullagh and Nelder, Generalized Linear Models, 4.5).
pub fn wilson(hits: f64, count: f64, dispersion: f64) -> (f64, f64) {
    if count <= 0.0 {
        return (0.0, 1.0);
    }
    const Z: f64 = 1.959_964;
    let (n, p) = (count / dispersion.max(1.0), (hits / count).clamp(0.0, 1.0));
    let scale = 1.0 + Z * Z / n;
    let centre = (p + Z * Z / (2.0 * n)) / scale;
    let half = Z / scale * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
    ((centre - half).max(0.0), (centre + half).min(1.0))
}

/// Pearson's dispersion of a share over blocks of time. For each block, `counts` is the number of samples, and `hits`
/// is the number of samples in the share.
pub fn dispersion(hits: &[f64], counts: &[f64]) -> f64 {
    let (all_hits, all): (f64, f64) = (hits.iter().sum(), counts.iter().sum());
    let p = all_hits / all;
    let blocks = counts.iter().filter(|count| **count > 0.0).count();
    if blocks < 2 || !(p > 0.0 && p < 1.0) {
        return 1.0;
    }
    let term = |(hits, count): (&f64, &f64)| {
        if *count > 0.0 { (hits - count * p).powi(2) / (count * p * (1.0 - p)) } else { 0.0 }
    };
    (hits.iter().zip(counts).map(term).sum::<f64>() / (blocks - 1) as f64).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wilsons_interval_is_the_published_one() {
        // Newcombe, Statistics in Medicine 17 (1998), table I: 81 of 263 give 0.2553 to 0.3662.
        let (low, high) = wilson(81.0, 263.0, 1.0);
        assert!((low - 0.2553).abs() < 5e-5 && (high - 0.3662).abs() < 5e-5, "{low} {high}");
        // 0 of 20 give 0 to 0.1611.
        let (low, high) = wilson(0.0, 20.0, 1.0);
        assert!(low < 1e-12 && (high - 0.1611).abs() < 5e-5, "{low} {high}");
    }

    #[test]
    fn bursts_widen_the_interval() {
        let even = dispersion(&[50.0, 50.0, 50.0, 50.0], &[100.0; 4]);
        let bursts = dispersion(&[100.0, 0.0, 100.0, 0.0], &[100.0; 4]);
        assert_eq!(even, 1.0);
        // 50² / 25 per block, 4 blocks, 3 degrees of freedom.
        assert!((bursts - 400.0 / 3.0).abs() < 1e-9, "{bursts}");
        let width = |dispersion| {
            let (low, high) = wilson(200.0, 400.0, dispersion);
            high - low
        };
        assert!(width(bursts) > 5.0 * width(even));
    }
}
