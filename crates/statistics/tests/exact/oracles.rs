//! Comparison with SciPy, statsmodels and limma. The folder fixtures/statistics contains their results, and the scripts
//! that computed these results.

use serde_json::Value;
use whittle_statistics::{
    Difference, LoggedRuns, ModeratedT, benjamini_hochberg, holm, median_of_variances, permutation_p, sign_flip_p,
    student_t_quantile, student_t_two_sided, trigamma, trigamma_inverse, wilson,
};

const SCIPY: &str = include_str!("../fixtures/statistics/scipy.json");
const LIMMA: &str = include_str!("../fixtures/statistics/limma.json");
const LIMMA_TABLE: &str = include_str!("../fixtures/statistics/limma.tsv");

fn scipy(part: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(SCIPY).expect("JSON");
    let cases = all[part].as_array().expect("cases").clone();
    assert!(!cases.is_empty());
    cases
}

fn number(case: &Value, name: &str) -> f64 {
    case[name].as_f64().unwrap_or_else(|| panic!("{name} in {case}"))
}

fn numbers(case: &Value, name: &str) -> Vec<f64> {
    case[name].as_array().expect("numbers").iter().map(|number| number.as_f64().expect("a number")).collect()
}

/// Equal to nine digits, or both nearly zero.
fn assert_same(found: f64, expected: f64, what: impl std::fmt::Display) {
    let near = 1e-9 * expected.abs() + 1e-13;
    assert!((found - expected).abs() <= near, "{what}: {found} against {expected}");
}

#[test]
fn points_and_tails_of_students_t() {
    for case in scipy("quantiles") {
        let found = student_t_quantile(number(&case, "probability"), number(&case, "freedom"));
        // The crate `statrs` computes the inverse with a search that ends at eight digits.
        let expected = number(&case, "t");
        assert!((found - expected).abs() <= 1e-8 * expected.abs(), "{case}: {found}");
    }
    for case in scipy("two_sided") {
        assert_same(student_t_two_sided(number(&case, "t"), number(&case, "freedom")), number(&case, "p"), &case);
    }
}

#[test]
fn welchs_test_its_interval_and_equivalence() {
    for case in scipy("welch") {
        let found = Difference::welch(&numbers(&case, "baseline"), &numbers(&case, "candidate")).expect("values");
        assert_same(found.value, number(&case, "difference"), "difference");
        assert_same(found.freedom, number(&case, "freedom"), "freedom");
        assert_same(found.p(), number(&case, "p"), "p");
        assert_same(found.interval(0.95).0, number(&case, "low"), "low");
        assert_same(found.interval(0.95).1, number(&case, "high"), "high");
        let equivalence = found.equivalence_p(number(&case, "equivalence_low"), number(&case, "equivalence_high"));
        assert_same(equivalence, number(&case, "equivalence_p"), "equivalence");
    }
}

#[test]
fn paired_tests() {
    for case in scipy("paired") {
        let pairs = numbers(&case, "baseline").into_iter().zip(numbers(&case, "candidate"));
        let found = Difference::paired(&pairs.map(|(a, b)| b - a).collect::<Vec<_>>()).expect("values");
        assert_same(found.p(), number(&case, "p"), "p");
        assert_same(found.interval(0.95).0, number(&case, "low"), "low");
        assert_same(found.interval(0.95).1, number(&case, "high"), "high");
    }
}

#[test]
fn exact_tests() {
    for case in scipy("permutation") {
        let found = permutation_p(&numbers(&case, "baseline"), &numbers(&case, "candidate")).expect("few enough");
        assert_same(found, number(&case, "p"), &case);
    }
    for case in scipy("sign_flip") {
        assert_same(sign_flip_p(&numbers(&case, "differences")).expect("few enough"), number(&case, "p"), &case);
    }
}

#[test]
fn corrections_for_several_tests() {
    for case in scipy("corrected") {
        let ps = numbers(&case, "p");
        for (found, name) in [(holm(&ps), "holm"), (benjamini_hochberg(&ps), "benjamini_hochberg")] {
            found.iter().zip(numbers(&case, name)).for_each(|(found, expected)| assert_same(*found, expected, name));
        }
    }
}

#[test]
fn intervals_of_shares() {
    for case in scipy("wilson") {
        let (low, high) = wilson(number(&case, "hits"), number(&case, "count"), 1.0);
        // The point of the normal distribution has seven digits.
        assert!((low - number(&case, "low")).abs() < 1e-7 && (high - number(&case, "high")).abs() < 1e-7, "{case}");
    }
}

#[test]
fn trigamma_and_the_median_of_variances() {
    for case in scipy("trigamma") {
        assert_same(trigamma(number(&case, "x")), number(&case, "y"), &case);
    }
    for case in scipy("median_of_variances") {
        assert_same(median_of_variances(number(&case, "freedom")), number(&case, "ratio"), &case);
    }
}

#[test]
fn moderated_tests_are_limmas() {
    let facts: Value = serde_json::from_str(LIMMA).expect("JSON");
    for pair in facts["trigamma_inverse"].as_array().expect("pairs") {
        let (y, x) = (pair[0].as_f64().expect("y"), pair[1].as_f64().expect("x"));
        assert!((trigamma_inverse(y) / x - 1.0).abs() < 1e-7, "{y}");
    }
    let rows: Vec<Vec<f64>> = LIMMA_TABLE.lines().skip(1).map(fields).collect();
    assert_eq!(rows.len(), 40);
    let functions: Vec<LoggedRuns> = rows.iter().map(|row| logged(&row[..6])).collect();
    let moderated = ModeratedT::new(&functions).expect("functions");
    assert_close(moderated.run_variance, number(&facts, "run_variance"), "run variance");
    assert_close(moderated.prior_freedom, number(&facts, "prior_freedom"), "prior freedom");
    let found: Vec<Difference> = functions.iter().filter_map(|function| moderated.difference(function)).collect();
    let adjusted = benjamini_hochberg(&found.iter().map(Difference::p).collect::<Vec<_>>());
    for ((found, adjusted), row) in found.iter().zip(adjusted).zip(&rows) {
        assert_close(found.value, row[6], "difference");
        assert_close(found.standard_error.powi(2), row[7] * 2.0 / 3.0, "variance");
        assert_close(found.value / found.standard_error, row[8], "t");
        assert_close(found.p(), row[9], "p");
        assert_close(adjusted, row[10], "adjusted p");
    }
}

/// The file contains limma's numbers with about ten digits.
fn assert_close(found: f64, expected: f64, what: &str) {
    assert!((found - expected).abs() <= 1e-6 * expected.abs() + 1e-9, "{what}: {found} against {expected}");
}

fn fields(line: &str) -> Vec<f64> {
    line.split('\t').map(|field| field.trim().parse().unwrap_or_else(|_| panic!("{field}"))).collect()
}

fn logged(counts: &[f64]) -> LoggedRuns {
    let logs: Vec<f64> = counts.iter().map(|count| count.ln()).collect();
    LoggedRuns {
        baseline: logs[..3].to_vec(),
        candidate: logs[3..].to_vec(),
        sampling_variance: counts.iter().map(|count| 1.0 / count).sum::<f64>() / 6.0,
        is_typical: true,
    }
}
