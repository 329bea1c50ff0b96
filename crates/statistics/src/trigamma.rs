//! The trigamma function and its inverse: the natural variation of a variance's logarithm.
//!
//! The logarithm of a variance with `d` degrees of freedom has the variance `trigamma(d / 2)`.

/// For numbers from this number on, the series is exact to 15 digits.
const LARGE: f64 = 15.0;
/// Maximum number of steps of Newton's method. Three steps are nearly always enough.
const MOST_STEPS: usize = 50;

/// The second derivative of the logarithm of the gamma function, for numbers above 0; NaN for other numbers.
///
/// Source: Abramowitz and Stegun, 6.4.6 (recurrence) and 6.4.12 (series).
pub fn trigamma(x: f64) -> f64 {
    if x.is_nan() || x <= 0.0 {
        return f64::NAN;
    }
    let (mut x, mut sum) = (x, 0.0);
    while x < LARGE {
        sum += 1.0 / (x * x);
        x += 1.0;
    }
    let inverse = 1.0 / x;
    let square = inverse * inverse;
    let series = 1.0 / 6.0
        - square
            * (1.0 / 30.0
                - square * (1.0 / 42.0 - square * (1.0 / 30.0 - square * (5.0 / 66.0 - square * 691.0 / 2730.0))));
    sum + inverse * (1.0 + inverse * (0.5 + inverse * series))
}

/// The number that has the trigamma `y`, for `y` above 0; NaN for other numbers.
///
/// Source: G. K. Smyth, Statistical Applications in Genetics and Molecular Biology 3 (2004), appendix: Newton's
/// iteration on 1 / trigamma, which is convex, so the iteration approaches from one side.
pub fn trigamma_inverse(y: f64) -> f64 {
    if y.is_nan() || y <= 0.0 {
        return f64::NAN;
    }
    let mut x = 0.5 + 1.0 / y;
    for _ in 0..MOST_STEPS {
        let value = trigamma(x);
        let step = value * (1.0 - value / y) / tetragamma(x);
        x += step;
        if (-step / x) < 1e-10 {
            break;
        }
    }
    x
}

/// The derivative of trigamma. Source: Abramowitz and Stegun, 6.4.6 and 6.4.13.
fn tetragamma(x: f64) -> f64 {
    let (mut x, mut sum) = (x, 0.0);
    while x < LARGE {
        sum -= 2.0 / (x * x * x);
        x += 1.0;
    }
    let inverse = 1.0 / x;
    let square = inverse * inverse;
    let series = 0.5 - square * (1.0 / 6.0 - square * (1.0 / 6.0 - square * (3.0 / 10.0 - square * 5.0 / 6.0)));
    sum - square * (1.0 + inverse + square * series)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trigamma_at_known_points() {
        let pi = std::f64::consts::PI;
        assert!((trigamma(1.0) - pi * pi / 6.0).abs() < 1e-13);
        assert!((trigamma(0.5) - pi * pi / 2.0).abs() < 1e-12);
        assert!(trigamma(0.0).is_nan() && trigamma(-1.0).is_nan() && trigamma(f64::NAN).is_nan());
    }

    #[test]
    fn tetragamma_is_the_slope() {
        for x in [0.3, 1.0, 4.0, 20.0, 1000.0] {
            let slope = (trigamma(x * (1.0 + 1e-5)) - trigamma(x * (1.0 - 1e-5))) / (2e-5 * x);
            assert!((tetragamma(x) / slope - 1.0).abs() < 1e-6, "{x}");
        }
    }

    #[test]
    fn the_inverse_is_the_inverse() {
        for x in [0.01, 0.5, 1.0, 3.0, 30.0, 1e4] {
            assert!((trigamma_inverse(trigamma(x)) / x - 1.0).abs() < 1e-8, "{x}: {}", trigamma_inverse(trigamma(x)));
        }
        assert!(trigamma_inverse(0.0).is_nan() && trigamma_inverse(-1.0).is_nan());
    }
}
