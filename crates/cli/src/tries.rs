//! The file in an experiment's folder that keeps the results of trials. The tables of the experiment do not change.

use std::io::Write;
use std::path::Path;
use whittle_experiment::TRIES_FILE;
use whittle_findings::{FindingsView, Trials, Tried};

/// A larger file is not read.
const MAX_TRIES_BYTES: u64 = 1 << 20;

/// Adds the results of earlier trials to the findings of an experiment. A file that cannot be read adds nothing.
pub(crate) fn add_tried(view: &mut FindingsView, experiment: &Path) {
    if let Some(trials) = read(experiment) {
        view.add_tried(&trials);
    }
}

fn read(experiment: &Path) -> Option<Trials> {
    let path = experiment.join(TRIES_FILE);
    let metadata = std::fs::symlink_metadata(&path).ok()?;
    let is_readable = metadata.is_file() && metadata.len() <= MAX_TRIES_BYTES;
    if !is_readable {
        return None;
    }
    Trials::parse(&std::fs::read_to_string(path).ok()?)
}

/// Keeps a result in the experiment. A reader sees the old file or the new file, and never a part.
pub(crate) fn keep(experiment: &Path, tried: Tried) -> Result<(), String> {
    let path = experiment.join(TRIES_FILE);
    let mut trials = match path.exists() {
        true => {
            read(experiment).ok_or_else(|| format!("{} is damaged, or a newer whittle wrote it", path.display()))?
        }
        false => Trials::default(),
    };
    trials.add(tried);
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
        }
    }

    #[test]
    fn results_are_added_to_the_file_and_a_damaged_file_stays() {
        let folder = tempfile::tempdir().unwrap();
        keep(folder.path(), tried("buffer-output")).unwrap();
        keep(folder.path(), tried("presize")).unwrap();
        let text = std::fs::read_to_string(folder.path().join(TRIES_FILE)).unwrap();
        assert!(text.contains("buffer-output") && text.contains("presize"), "{text}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
        std::fs::write(folder.path().join(TRIES_FILE), "{").unwrap();
        assert!(keep(folder.path(), tried("presize")).unwrap_err().contains("is damaged"));
        assert_eq!(std::fs::read_to_string(folder.path().join(TRIES_FILE)).unwrap(), "{");
        assert!(keep(&folder.path().join("missing"), tried("presize")).unwrap_err().contains("cannot write"));
    }
}
