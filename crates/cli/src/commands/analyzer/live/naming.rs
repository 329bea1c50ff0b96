//! Default names of experiments.

use std::time::{SystemTime, UNIX_EPOCH};

const SECONDS_PER_DAY: u64 = 86_400;

/// Longer program names are shortened. This length is enough to recognise a program.
const MAX_PROGRAM_CHARS: usize = 40;

/// File systems limit names to 255 bytes.
const MAX_NAME_BYTES: usize = 100;

/// The default name of an experiment, such as `live-Slow-20261121-155900` for the program `whittle.workloads.crc.Slow`.
/// The time is in UTC.
pub(crate) fn experiment_name(program: &str) -> String {
    let now_s = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    format!("live-{}-{}", short_name(program), time_text(now_s))
}

/// True if the name is safe as a file name: not a path, not an option and not a shell pattern.
pub(crate) fn is_plain_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    name.chars().all(is_plain)
        && name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
        && name.len() <= MAX_NAME_BYTES
}

/// The simple name of a class, or a jar without its ending, in plain characters.
fn short_name(program: &str) -> String {
    let program = program.rsplit('/').next().unwrap_or(program);
    let name = match program.strip_suffix(".jar") {
        Some(jar) => jar,
        None => program.rsplit('.').next().unwrap_or(program),
    };
    let plain: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')).collect();
    if plain.is_empty() { "program".to_owned() } else { plain.chars().take(MAX_PROGRAM_CHARS).collect() }
}

/// The text `20261121-155900` for a time in seconds since 1970.
fn time_text(seconds: u64) -> String {
    let (day, second) = (seconds / SECONDS_PER_DAY, seconds % SECONDS_PER_DAY);
    let (year, month, day) = date_of(day);
    format!("{year:04}{month:02}{day:02}-{:02}{:02}{:02}", second / 3600, second / 60 % 60, second % 60)
}

/// Year, month and day for a number of days since 1970, computed as in Howard Hinnant's `civil_from_days`. There, years
/// begin in March, so that the leap day is the last day of a year.
fn date_of(days_since_1970: u64) -> (u64, u64, u64) {
    let days = days_since_1970 + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expected values: `date -u -d @SECONDS +%Y%m%d-%H%M%S`.
    #[test]
    fn times_are_written_as_date_does() {
        assert_eq!(time_text(0), "19700101-000000");
        assert_eq!(time_text(951_827_696), "20000229-123456");
        assert_eq!(time_text(1_709_251_199), "20240229-235959");
        assert_eq!(time_text(1_709_251_200), "20240301-000000");
        assert_eq!(time_text(4_102_444_799), "20991231-235959");
    }

    #[test]
    fn programs_are_named_by_their_last_word() {
        assert_eq!(short_name("whittle.workloads.crc.Slow"), "Slow");
        assert_eq!(short_name("spring-petclinic-3.1.jar"), "spring-petclinic-31");
        assert_eq!(short_name("app/com.example.Main"), "Main");
        assert_eq!(short_name("../../é"), "program");
        assert!(is_plain_name(&experiment_name("a.B<img onerror=x>")));
    }

    #[test]
    fn a_name_is_neither_a_path_nor_an_option() {
        for bad in ["", ".", "..", "../x", "a/b", "-o", "a b", "a\0b", ".hidden", "é"] {
            assert!(!is_plain_name(bad), "{bad}");
        }
        assert!(is_plain_name("live-Slow_1.2"));
        assert!(!is_plain_name(&"x".repeat(101)));
    }
}
