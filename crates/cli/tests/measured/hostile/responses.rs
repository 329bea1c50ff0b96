//! Programs that respond in a wrong way, or attack the processes of whittle.

use super::{Lair, Rights, wait_for_end};
use crate::faults::is_root;
use crate::support::{Running, signal};
use std::time::Duration;
use whittle_testkit::any_jdk;

/// Memory of a `whittle collect` that reads no large recording, built for tests, is a tenth of this.
const LIMIT_BYTES: u64 = 600 << 20;

/// Before: a full queue blocked `connect` for ever; a byte now and then held whittle for days; endless bytes were read up
/// to 64 MB; a recording of one gigabyte needed this much memory.
#[test]
fn every_way_to_respond_ends_with_a_reason() {
    let modes = [
        ("silent", "did not open its attach socket"),
        ("backlog", "connect to the attach socket"),
        ("mute", "talk to the JVM"),
        ("drip", "talk to the JVM"),
        ("flood", "refused the attach command"),
        ("liar", "nothing was recorded"),
        ("bomb", "nothing was recorded"),
        ("rest", "nothing was recorded"),
        ("noise", "nothing was recorded"),
        ("escape", "refused the attach command"),
    ];
    Rights::for_all(|rights| {
        // Most attacks consist of waiting, so they run at the same time.
        std::thread::scope(|scope| {
            for (mode, reason) in modes {
                scope.spawn(move || respond(rights, mode, reason));
            }
        });
    });
}

/// Collects a program that responds in the given way. The collection must fail with the reason.
fn respond(rights: Rights, mode: &str, reason: &str) {
    let lair = Lair::new(rights);
    let mut program = lair.start(mode);
    let ended = lair.collect(&program, &["--engine", "ctimer"]);
    let (said, peak) = (ended.said, ended.peak_bytes);
    println!("{rights:?} {mode}: {} MiB, {said}", peak >> 20);
    assert!(!ended.is_success && said.contains(reason), "{rights:?} {mode}: {said}");
    assert!(!said.contains(['\x1b', '\x07']), "{rights:?} {mode}: {said:?}");
    assert!(peak < LIMIT_BYTES, "{rights:?} {mode}: {peak} bytes of memory");
    assert!(program.is_alive(), "{rights:?} {mode}");
}

/// Before: whittle took the user's ids in a thread, so this user could end or stop whittle itself.
#[test]
fn the_programs_user_can_only_harm_its_own_helper() {
    let Some(rights) = Rights::root() else { return };
    let lair = Lair::new(rights);
    for mode in ["killer", "freezer"] {
        let program = lair.start(mode);
        let ended = lair.collect(&program, &["--engine", "ctimer"]);
        assert!(!ended.is_success && ended.said.contains("helper process"), "{mode}: {}", ended.said);
    }
}

/// Before: SIGTERM had no effect while whittle waited for the program.
#[test]
fn a_collection_that_waits_for_a_program_can_be_ended() {
    Rights::for_all(|rights| {
        let lair = Lair::new(rights);
        for mode in ["backlog", "drip"] {
            let program = lair.start(mode);
            let mut child =
                lair.whittle(&[], &["collect", "-p", &program.pid(), "--engine", "ctimer"]).spawn().unwrap();
            std::thread::sleep(Duration::from_millis(1500));
            signal(&child.id().to_string(), "TERM");
            let ended = wait_for_end(&mut child, Duration::from_secs(100));
            assert!(ended.is_some(), "{rights:?} {mode}: {}", lair.said());
        }
    });
}

/// An honest JVM next to hostile programs is collected completely.
#[test]
fn an_honest_jvm_next_to_hostile_programs_is_collected() {
    let Some(jdk) = any_jdk() else { return };
    for rights in Rights::all() {
        let lair = Lair::new(rights);
        // Without another user for it, the killer may kill whittle itself.
        let modes: &[&str] = if is_root() { &["killer", "backlog", "drip"] } else { &["backlog", "drip"] };
        let _programs: Vec<Running> = modes.iter().map(|mode| lair.start(mode)).collect();
        let honest = lair.honest(&jdk, &[]);
        let ended = lair.collect(&honest, &[]);
        assert!(ended.is_success, "{rights:?}: {}", ended.said);
        let closure = &lair.manifest()["closure"];
        let ratio = closure["sampled_ns"].as_f64().unwrap() / closure["exact_cpu_ns"].as_f64().unwrap();
        assert!(ratio > 0.7, "{rights:?}: {closure}");
    }
}
