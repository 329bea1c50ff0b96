//! A straight line through points, with the intervals of its parameters.

use crate::distributions::student_t_975;

/// `y = intercept + slope · x` by least squares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LineFit {
    /// Value at 0.
    pub intercept: f64,
    /// Growth per unit of x.
    pub slope: f64,
    /// Half the width of the 95 % interval of the intercept.
    pub intercept_error: f64,
    /// Half the width of the 95 % interval of the slope.
    pub slope_error: f64,
}

impl LineFit {
    /// Fits a line. `None` with fewer than 4 points, or if all x are equal.
    ///
    /// Source of the errors: Draper and Smith, Applied Regression Analysis, 3rd edition, 1.4.
    pub fn new(points: &[(f64, f64)]) -> Option<Self> {
        let count = points.len() as f64;
        let mean = |value: fn(&(f64, f64)) -> f64| points.iter().map(value).sum::<f64>() / count;
        let (x_mean, y_mean) = (mean(|point| point.0), mean(|point| point.1));
        let sxx: f64 = points.iter().map(|(x, _)| (x - x_mean).powi(2)).sum();
        if points.len() < 4 || sxx <= f64::EPSILON * x_mean * x_mean {
            return None;
        }
        let sxy: f64 = points.iter().map(|(x, y)| (x - x_mean) * (y - y_mean)).sum();
        let slope = sxy / sxx;
        let intercept = y_mean - slope * x_mean;
        let residual: f64 = points.iter().map(|(x, y)| (y - intercept - slope * x).powi(2)).sum();
        let freedom = count - 2.0;
        let variance = residual / freedom;
        let t = student_t_975(freedom);
        Some(Self {
            intercept,
            slope,
            intercept_error: t * (variance * (1.0 / count + x_mean * x_mean / sxx)).sqrt(),
            slope_error: t * (variance / sxx).sqrt(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found_with_its_errors() {
        // Anscombe's first data set: y = 3.0001 + 0.5001 x, standard errors 1.1247 and 0.1179 (The American Statistician 27, 1973).
        let x = [10.0, 8.0, 13.0, 9.0, 11.0, 14.0, 6.0, 4.0, 12.0, 7.0, 5.0];
        let y = [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68];
        let points: Vec<(f64, f64)> = x.into_iter().zip(y).collect();
        let fit = LineFit::new(&points).expect("fits");
        let t = student_t_975(9.0);
        assert!((fit.intercept - 3.0001).abs() < 1e-4 && (fit.slope - 0.5001).abs() < 1e-4, "{fit:?}");
        assert!((fit.intercept_error / t - 1.1247).abs() < 1e-3 && (fit.slope_error / t - 0.1179).abs() < 1e-3);
        assert_eq!(LineFit::new(&[(1.0, 2.0); 5]), None);
    }
}
