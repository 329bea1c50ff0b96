//! Draws intervals of changes as bars of characters, on a common scale. Also draws values of runs as points.
//!
//! ```text
//! −60 %              0     +10 %
//!  ├──●──┤           │               clearly less
//!               ├────┼●────┤         around no change
//! ```

/// Width of a bar in characters.
const WIDTH: usize = 40;
/// Largest change that the scale shows.
const LARGEST: f64 = 1.0;
const SMALLEST_SPAN: f64 = 0.02;

/// A scale that several bars share.
#[derive(Debug, Clone, Copy)]
pub struct Scale {
    low: f64,
    high: f64,
}

impl Scale {
    /// A scale that contains 0 and these changes (ratio - 1). Changes above the limit are left out.
    pub fn of_changes(changes: impl IntoIterator<Item = f64>) -> Self {
        let (low, high) =
            changes.into_iter().filter(|change| change.is_finite()).fold((0.0, 0.0), |(low, high), it| {
                let it = it.clamp(-LARGEST, LARGEST);
                (f64::min(low, it), f64::max(high, it))
            });
        let margin = ((high - low) * 0.05).max(SMALLEST_SPAN / 2.0);
        Self { low: (low - margin).max(-LARGEST), high: high + margin }
    }

    /// A scale that contains all of these values. Missing if there are no values, or if all values are equal.
    pub fn of_values(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let ends = (f64::INFINITY, f64::NEG_INFINITY);
        let (low, high) = values.into_iter().fold(ends, |(low, high), it| (f64::min(low, it), f64::max(high, it)));
        (low.is_finite() && high.is_finite() && high > low).then_some(Self { low, high })
    }

    /// Position of a value. Missing if the value is outside the scale.
    fn place(self, value: f64) -> Option<usize> {
        let part = (value - self.low) / (self.high - self.low);
        (0.0..=1.0).contains(&part).then(|| (part * (WIDTH - 1) as f64).round() as usize)
    }

    /// Draws an interval, its middle, and the mark for no change.
    pub fn bar(self, (low, middle, high): (f64, f64, f64)) -> String {
        let mut bar = vec![' '; WIDTH];
        let end = |value: f64| self.place(value).unwrap_or(if value > self.high { WIDTH - 1 } else { 0 });
        let (from, to) = (end(low), end(high));
        bar[from..=to].fill('─');
        if let Some(zero) = self.place(0.0) {
            bar[zero] = if (from..=to).contains(&zero) { '┼' } else { '│' };
        }
        bar[from] = if self.place(low).is_some() { '├' } else { '◂' };
        bar[to] = if self.place(high).is_some() { '┤' } else { '▸' };
        bar[end(middle).clamp(from, to)] = '●';
        bar.into_iter().collect::<String>().trim_end().to_owned()
    }

    /// Draws the position of "no change", and the ends of the scale.
    pub fn head(self) -> String {
        let shown = |change: f64| format!("{:+.0} %", change * 100.0).replace('-', "−");
        let (left, right) = (shown(self.low), shown(self.high));
        let zero = self.place(0.0).unwrap_or_default();
        let mut line: Vec<char> = vec![' '; WIDTH];
        let mut put = |at: usize, text: &str| {
            let place = at.min(WIDTH.saturating_sub(text.chars().count()));
            let is_free =
                line[place.saturating_sub(1)..(place + text.chars().count()).min(WIDTH)].iter().all(|c| *c == ' ');
            if is_free {
                line.iter_mut().skip(place).zip(text.chars()).for_each(|(cell, c)| *cell = c);
            }
        };
        put(zero, "0");
        put(0, &left);
        put(WIDTH, &right);
        line.into_iter().collect::<String>().trim_end().to_owned()
    }

    /// Draws values as points. If several values have the same position, their number is shown.
    pub fn points(self, values: impl IntoIterator<Item = f64>) -> String {
        let mut counts = [0_u32; WIDTH];
        values.into_iter().filter_map(|value| self.place(value)).for_each(|place| counts[place] += 1);
        let shown = counts.map(|count| match count {
            0 => '·',
            1 => '●',
            many => char::from_digit(many, 10).unwrap_or('#'),
        });
        shown.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_show_interval_middle_and_no_change() {
        let scale = Scale { low: -0.39, high: 0.0 };
        assert_eq!(scale.bar((-0.30, -0.20, -0.10)), "         ├─────────●─────────┤         │");
        assert_eq!(scale.bar((-0.05, 0.0, 0.5)), format!("{}├────●", " ".repeat(34)));
        assert_eq!(scale.bar((-9.0, -0.30, -0.10)), "◂────────●───────────────────┤         │");
    }

    #[test]
    fn scales_hold_no_change_and_what_fits() {
        let scale = Scale::of_changes([-0.5, 7.0, f64::NAN]);
        assert!(scale.low < -0.5 && scale.high > 1.0 && scale.high < 1.2, "{scale:?}");
        let head = scale.head();
        assert!(head.starts_with("−57 %") && head.contains(" 0 ") && head.ends_with("+108 %"), "{head}");
        assert!(Scale::of_values([1.0, 1.0]).is_none() && Scale::of_values([]).is_none());
    }

    #[test]
    fn points_that_fall_together_are_counted() {
        let scale = Scale::of_values([0.0, 39.0]).expect("values");
        let points = scale.points([0.0, 0.1, 39.0, 20.0]);
        assert_eq!(points.chars().filter(|c| *c != '·').collect::<String>(), "2●●");
    }
}
