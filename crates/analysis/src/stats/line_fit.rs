//! A straight line through points, and how far its ends can be trusted.

/// `y = intercept + slope · x` by least squares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LineFit {
    /// Value at 0.
    pub intercept: f64,
    /// Growth for each unit of x.
    pub slope: f64,
    /// Half the width of the 95 % interval of the intercept.
    pub intercept_error: f64,
    /// Half the width of the 95 % interval of the slope.
    pub slope_error: f64,
}

impl LineFit {
    /// Fits a line; missing with fewer than 4 points, or if all x are the same.
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

/// The 97.5 % point of Student's t, within 0.01 from 3 degrees of freedom on. Source: Abramowitz and Stegun, 26.7.5.
pub fn student_t_975(freedom: f64) -> f64 {
    const Z: f64 = 1.959_964;
    let z = |power: i32| Z.powi(power);
    Z + (z(3) + Z) / (4.0 * freedom)
        + (5.0 * z(5) + 16.0 * z(3) + 3.0 * Z) / (96.0 * freedom.powi(2))
        + (3.0 * z(7) + 19.0 * z(5) + 17.0 * z(3) - 15.0 * Z) / (384.0 * freedom.powi(3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn students_t_is_that_of_the_tables() {
        for (freedom, t) in [(4.0, 2.776), (8.0, 2.306), (18.0, 2.101), (120.0, 1.980)] {
            assert!((student_t_975(freedom) - t).abs() < 0.01, "{freedom}: {}", student_t_975(freedom));
        }
    }

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
