//! Which code is the program's own, in drawn experiments.

use whittle_findings::{FindingsOptions, FindingsView, findings};
use whittle_model::{ArchivedClass, Table};
use whittle_profile::Profile;
use whittle_profile::query::Query;
use whittle_testkit::experiment_from_text;
use whittle_views::source::NoFiles;

/// Findings in a program whose classes are in jars. A server starts the program, so its main class is a launcher's.
fn found(options: &FindingsOptions) -> FindingsView {
    let stack = [
        "io/quarkus/runner/GeneratedMain.main([Ljava/lang/String;)V",
        "io/netty/Loop.run()V",
        "com/acme/shop/Orders.list()V",
        "org/lib/parse/Parser.parse()V",
    ];
    let columns = |frame: &str| format!("{frame:<60}").repeat(100);
    let (manifest, mut tables) = experiment_from_text(&stack.map(columns).join("\n"));
    for row in 1..tables.functions.len() {
        let name = tables.functions.internal_name[row].split('(').next().unwrap_or_default().to_owned();
        let class_name = name.rsplit_once('.').map_or(name.clone(), |(class, _)| class.to_owned());
        let origin = format!("/opt/lib/{}.jar", class_name.replace('/', "-"));
        tables.archive.push(ArchivedClass { class_name, origin, digest: None, bytes: None });
    }
    let profile = Profile::load(manifest, tables).expect("drawn experiments are valid");
    findings(&profile, &Query::default(), options, &NoFiles { reason: "no files here" }).expect("findings")
}

/// The calling function of the first finding, and the note about the guess.
fn place_and_note(view: &FindingsView) -> (&str, Option<&str>) {
    let note = view.quality.iter().find(|doubt| doubt.id == "guessed_package").map(|doubt| doubt.text.as_str());
    (&view.findings.first().expect("a finding").calling.function, note)
}

#[test]
fn a_program_that_a_server_starts_has_its_findings_at_its_own_lines() {
    let view = found(&FindingsOptions::default());
    let (function, note) = place_and_note(&view);
    assert!(function.contains("Orders.list"), "{function}");
    let note = note.expect("the note about the guess");
    assert!(note.contains("guesses that com.acme is") && note.contains("org.lib is on 100 %"), "{note}");
}

#[test]
fn the_users_packages_replace_the_guess() {
    let own = FindingsOptions { own: vec!["org.lib".to_owned()], ..FindingsOptions::default() };
    let view = found(&own);
    let (function, note) = place_and_note(&view);
    assert!(function.contains("Parser.parse") && note.is_none(), "{function}, {note:?}");
    let library = FindingsOptions { third_party: vec!["com.acme".to_owned()], ..FindingsOptions::default() };
    let view = found(&library);
    let (_, note) = place_and_note(&view);
    assert!(note.is_some_and(|note| note.contains("guesses that org.lib is")), "{note:?}");
}
