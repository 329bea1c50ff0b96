//! Tests that a wrong clock or a wrong option does not delete the data of a fleet.

use super::odd::Odd;
use super::*;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use whittle_fleet::retention::RetentionError;
use whittle_fleet::store_clock::StoreClock;

/// A store with data of several days, the first at noon. `behind`: how far the store's clock is behind this machine.
fn with_days(day_count: i64, behind: Duration) -> (Arc<InMemory>, Catalogue) {
    let objects = Arc::new(InMemory::new());
    let store = Arc::new(Store::over(Arc::new(Odd { objects: objects.clone(), behind, fatal: None }), "odd"));
    for day in 0..day_count {
        let start_s = NOON_S + day * DAY_S;
        land(&store, &segment((day as u128, 0), "host-1", start_s, experiment_from_text("main\nwork")));
    }
    let options = IntakeOptions { late_s: 100 * DAY_S, ..IntakeOptions::default() };
    let taken = block_on(Intake::new(Catalogue::new(Arc::clone(&store)), options).run(NOON_S + day_count * DAY_S));
    assert_eq!(taken.unwrap().segment_count, day_count as u64);
    (objects, Catalogue::new(store))
}

fn keep(days: u32) -> RetentionOptions {
    RetentionOptions { days, ..RetentionOptions::default() }
}

fn local_s() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() as i64
}

/// The number of days with samples.
fn day_count(catalogue: &Catalogue) -> usize {
    let snapshot = block_on(catalogue.newest()).unwrap();
    let samples = snapshot.files.iter().filter(|file| file.table == FleetTable::Samples);
    samples.map(|file| file.first_s / DAY_S).collect::<BTreeSet<_>>().len()
}

/// The clock of this machine is years ahead of the store's clock. By this clock, all data is old.
#[test]
fn the_store_s_clock_decides_what_is_old() {
    let store_s = NOON_S + 3 * DAY_S;
    let behind = Duration::from_secs(u64::try_from(local_s() - store_s).unwrap());
    let (objects, catalogue) = with_days(3, behind);
    let clock = block_on(StoreClock::read(catalogue.store())).unwrap();
    assert!((store_s..store_s + 60).contains(&clock.now_s()), "{clock:?}");
    let before = paths(&objects, "");
    let removed = block_on(retain(&catalogue, keep(30), clock.now_s())).unwrap();
    assert_eq!((removed.expired_count, removed.object_count, day_count(&catalogue)), (0, 0, 3));
    assert_eq!(paths(&objects, ""), before);
}

#[test]
fn more_than_half_of_the_tables_is_removed_only_after_a_confirmation() {
    let (objects, catalogue) = with_days(4, Duration::ZERO);
    block_on(objects.put(&Path::from("refused/damaged/old.tar"), "old".into())).unwrap();
    let before = paths(&objects, "");
    for (days, now_s) in [(30, NOON_S + 400 * DAY_S), (1, NOON_S + 3 * DAY_S), (30, i64::from(i32::MAX) * 4)] {
        let refused = block_on(retain(&catalogue, keep(days), now_s)).unwrap_err();
        let text = refused.to_string();
        assert!(matches!(refused, RetentionError::TooMuch(_)), "{text}");
        assert!(text.contains("--keep-days") && text.contains("--once --yes"), "{text}");
        assert_eq!(paths(&objects, ""), before, "nothing at all is removed");
    }
    let half = block_on(retain(&catalogue, keep(2), NOON_S + 3 * DAY_S)).unwrap();
    assert!(half.expired_count > 0 && day_count(&catalogue) == 2, "{half:?}");
    let options = RetentionOptions { is_confirmed: true, ..keep(30) };
    block_on(retain(&catalogue, options, NOON_S + 400 * DAY_S)).unwrap();
    assert_eq!(day_count(&catalogue), 0);
}

/// With `--keep-days 1`, each usual removal is nearly everything.
#[test]
fn one_day_of_several_needs_no_confirmation() {
    let (_, catalogue) = with_days(2, Duration::ZERO);
    block_on(retain(&catalogue, keep(1), NOON_S + DAY_S)).unwrap();
    assert_eq!(day_count(&catalogue), 1);
    let refused = block_on(retain(&catalogue, keep(1), NOON_S + 2 * DAY_S)).unwrap_err();
    assert!(refused.to_string().contains("nothing"), "the last day needs a confirmation: {refused}");
}
