//! The class path for the compilation of a program's sources.

use std::collections::BTreeSet;
use std::ffi::OsString;
use whittle_model::ArchiveTable;

/// The class path of the command line, or of the environment, and the jars and folders of the recorded classes.
pub(super) fn of(command: &[OsString], archive: &ArchiveTable) -> String {
    let words: Vec<String> = command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let mut paths = of_command(&words);
    if paths.is_empty() {
        paths.extend(std::env::var("CLASSPATH"));
    }
    let origins = archive.origin.iter().filter_map(|origin| origin.split("!/").next());
    let origins: BTreeSet<&str> = origins.filter(|origin| !origin.is_empty()).collect();
    paths.extend(origins.into_iter().map(str::to_owned));
    paths.join(":")
}

/// The paths in the words of a command line. A module path has folders with jars.
fn of_command(words: &[String]) -> Vec<String> {
    let mut paths = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let (name, value) = word.split_once('=').map_or((word.as_str(), None), |(name, value)| (name, Some(value)));
        let value =
            |words: &mut std::slice::Iter<'_, String>| value.map(str::to_owned).or_else(|| words.next().cloned());
        match name {
            "-cp" | "-classpath" | "--class-path" | "-jar" => paths.extend(value(&mut words)),
            "-p" | "--module-path" => {
                let folders = value(&mut words).unwrap_or_default();
                paths.extend(folders.split(':').flat_map(|folder| [folder.to_owned(), format!("{folder}/*")]));
            }
            _ => {}
        }
    }
    paths
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "test code")]
    use super::*;

    #[test]
    fn all_ways_to_write_a_class_path() {
        let of = |text: &str| of_command(&text.split(' ').map(str::to_owned).collect::<Vec<_>>()).join(":");
        assert_eq!(of("java -cp a:b.jar Main"), "a:b.jar");
        assert_eq!(of("java --class-path=a -Xmx1g Main"), "a");
        assert_eq!(of("java -jar app.jar -v"), "app.jar");
        assert_eq!(of("java -p mods -m app/app.Main"), "mods:mods/*");
        assert_eq!(of("./run.sh"), "");
    }

    #[test]
    fn jars_of_recorded_classes_follow() {
        let mut archive = ArchiveTable::default();
        for origin in ["/b.jar!/BOOT-INF/classes", "", "/a", "/b.jar"] {
            archive.push(whittle_model::ArchivedClass {
                class_name: "A".to_owned(),
                origin: origin.to_owned(),
                digest: None,
                bytes: None,
            });
        }
        assert_eq!(of(&["java", "-cp", "x", "A"].map(OsString::from), &archive), "x:/a:/b.jar");
    }
}
