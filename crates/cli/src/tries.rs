//! The file in an experiment's folder that keeps the results of trials. The tables of the experiment do not change.

use std::io::Write;
use std::path::Path;
use whittle_experiment::TRIES_FILE;
use whittle_findings::{Trials, Tried, TriedTogether};

/// A larger file is not read.
const MAX_TRIES_BYTES: u64 = 1 << 20;

/// The text of the file, for the findings of the experiment. `None`: the experiment has no such file, or the file cannot
/// be read.
pub(crate) fn text(experiment: &Path) -> Option<String> {
    let path = experiment.join(TRIES_FILE);
    let metadata = std::fs::symlink_metadata(&path).ok()?;
    let is_readable = metadata.is_file() && metadata.len() <= MAX_TRIES_BYTES;
    is_readable.then(|| std::fs::read_to_string(path).ok()).flatten()
}

/// Keeps a result in the experiment.
pub(crate) fn keep(experiment: &Path, tried: Tried) -> Result<(), String> {
    change(experiment, |trials| trials.add(tried))
}

/// Keeps the result of several findings together. `None`: the experiment keeps no such result any more.
pub(crate) fn keep_together(experiment: &Path, together: Option<TriedTogether>) -> Result<(), String> {
    change(experiment, |trials| trials.set_together(together))
}

/// Changes the file. A reader sees the old file or the new file, and never a part.
fn change(experiment: &Path, change: impl FnOnce(&mut Trials)) -> Result<(), String> {
    let path = experiment.join(TRIES_FILE);
    let mut trials = match path.exists() {
        true => text(experiment)
            .and_then(|text| Trials::parse(&text))
            .ok_or_else(|| format!("{} is damaged, or a newer whittle wrote it", path.display()))?,
        false => Trials::default(),
    };
    change(&mut trials);
    let write = || -> std::io::Result<()> {
        let mut file = tempfile::Builder::new().prefix(".tries-").suffix(".tmp").tempfile_in(experiment)?;
        file.write_all(trials.text().as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(&path).map(drop).map_err(|error| error.error)
    };
    write().map_err(|error| format!("cannot write {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "test code")]
    use super::*;
    use whittle_findings::{RemedyPromise, TriedResult};

    fn tried(remedy: &str) -> Tried {
        Tried {
            detector: "unbuffered-write".to_owned(),
            function: "a.Log.put(int)".to_owned(),
            remedy: remedy.to_owned(),
            promise: RemedyPromise::Kept,
            result: TriedResult::Improved,
            ratio: Some(0.2),
            low_ratio: Some(0.1),
            high_ratio: Some(0.3),
            runs_count: 5,
            words: "improved".to_owned(),
            notes: Vec::new(),
        }
    }

    fn together() -> TriedTogether {
        TriedTogether {
            detectors: vec!["unbuffered-write".to_owned(), "boxing".to_owned()],
            result: TriedResult::Improved,
            ratio: Some(0.2),
            low_ratio: Some(0.1),
            high_ratio: Some(0.3),
            runs_count: 5,
            words: "unbuffered-write and boxing together: improved".to_owned(),
            notes: Vec::new(),
        }
    }

    #[test]
    fn results_are_added_to_the_file_and_a_damaged_file_stays() {
        let folder = tempfile::tempdir().unwrap();
        keep(folder.path(), tried("buffer-output")).unwrap();
        keep_together(folder.path(), Some(together())).unwrap();
        keep(folder.path(), tried("presize")).unwrap();
        let kept = text(folder.path()).unwrap();
        assert!(["buffer-output", "presize", "boxing together"].iter().all(|word| kept.contains(word)), "{kept}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
        keep_together(folder.path(), None).unwrap();
        assert!(!text(folder.path()).unwrap().contains("boxing together"));
        std::fs::write(folder.path().join(TRIES_FILE), "{").unwrap();
        assert!(keep(folder.path(), tried("presize")).unwrap_err().contains("is damaged"));
        assert_eq!(text(folder.path()).unwrap(), "{");
        assert!(keep(&folder.path().join("missing"), tried("presize")).unwrap_err().contains("cannot write"));
    }
}
