//! The programs and their known facts: cause, calling line, lines to edit, saving.

use super::languages::Language;
use super::marked::Marks;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The set of programs that contains a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Set {
    /// `../shared/cases`: these programs existed when the detectors were written.
    Cases,
    /// `java/development`: the results of these programs improved the detectors.
    Development,
    /// `java/sealed`: these programs were written without knowledge of the detectors, and their first result is published.
    Sealed,
}

impl Set {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Cases => "cases",
            Self::Development => "development",
            Self::Sealed => "sealed",
        }
    }

    /// The folder of programs whose source has marks. `None`: both versions have their own source.
    pub(crate) fn marked_folder(self) -> Option<PathBuf> {
        (self != Self::Cases).then(|| root().join("java").join(self.name()))
    }
}

/// Lines of one source file.
#[derive(Debug, Clone, Default)]
pub(crate) struct Place {
    /// The file's name, without folders.
    pub(crate) file: String,
    /// The line numbers. Each of these lines is a right answer.
    pub(crate) lines: BTreeSet<u64>,
}

impl Place {
    /// Whether whittle's place, an object with `file` and `line`, is one of these lines.
    pub(crate) fn has(&self, place: &serde_json::Value) -> bool {
        self.has_file(place) && place["line"].as_u64().is_some_and(|line| self.lines.contains(&line))
    }

    /// Stacks have no file names. If the place has no file name, the class of its function must have the name of this
    /// file.
    fn has_file(&self, place: &serde_json::Value) -> bool {
        let class = self.file.split('.').next().unwrap_or_default();
        match (place["file"].as_str(), place["function"].as_str()) {
            (Some(file), _) => file == self.file,
            (None, Some(function)) => function.split(['.', '$']).any(|part| part == class),
            (None, None) => false,
        }
    }
}

/// A program in two versions: with its fault, and without its fault.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    pub(crate) set: Set,
    /// The program's short name, such as `c01` or `Ledger`.
    pub(crate) name: String,
    pub(crate) language: Language,
    /// Accepted names of the fault. The first one is the usual name.
    pub(crate) causes: Vec<String>,
    /// Main class of the version with the fault, and main class of the version without the fault.
    pub(crate) mains: [String; 2],
    pub(crate) calling: Place,
    pub(crate) edit: Place,
    /// What the fix saved on JDK 17, without whittle. `None`: it was not measured.
    pub(crate) saved_17: Option<Saved>,
    /// The same on JDK 25.
    pub(crate) saved_25: Option<Saved>,
    /// For a hot path: the library's or JDK's function that the line calls.
    pub(crate) called: Option<String>,
}

impl Program {
    /// Whether the fault is of no known class.
    pub(crate) fn is_hot_path(&self) -> bool {
        self.causes[0] == "hot-path"
    }

    /// What the fix saved on a JDK, without whittle. `None`: it was not measured.
    pub(crate) fn saved_on(&self, jdk: u32) -> Option<Saved> {
        match jdk {
            17 => self.saved_17,
            25 => self.saved_25,
            _ => None,
        }
    }
}

/// Writes measured savings, on JDK 17 and on JDK 25, into the row of a program.
pub(crate) fn write_savings(set: Set, program: &Program, savings: [Saved; 2]) {
    let path = set.marked_folder().unwrap().join("programs.tsv");
    let text = std::fs::read_to_string(&path).unwrap();
    let with_savings = |line: &str| {
        let mut cells: Vec<String> = line.split('\t').map(str::to_owned).collect();
        if cells[0] == program.mains[0] {
            cells.resize(cells.len().max(7), String::new());
            for (start, saved) in [3, 5].into_iter().zip(savings) {
                (cells[start], cells[start + 1]) = (format!("{:.1}", saved.cpu), format!("{:.1}", saved.elapsed));
            }
        }
        cells.join("\t") + "\n"
    };
    std::fs::write(&path, text.lines().map(with_savings).collect::<String>()).unwrap();
}

/// Savings of a fix, in percent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Saved {
    /// CPU time of the working threads.
    pub(crate) cpu: f64,
    pub(crate) elapsed: f64,
}

impl Saved {
    /// Reads two cells of a table. `None`: the cells are empty or missing.
    fn of(cells: &[String]) -> Option<Self> {
        let number = |cell: usize| cells.get(cell)?.parse().ok();
        Some(Self { cpu: number(0)?, elapsed: number(1)? })
    }
}

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Rows of a tab-separated table, without the headings.
fn rows(path: &Path) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().skip(1).map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

fn numbers(text: &str) -> BTreeSet<u64> {
    text.split(',').map(|number| number.trim().parse().unwrap()).collect()
}

/// Programs of `../shared/cases`.
pub(crate) fn shared_cases(folder: &Path) -> Vec<Program> {
    rows(&folder.join("cases.tsv")).into_iter().map(|row| shared_case(&row)).collect()
}

fn shared_case(row: &[String]) -> Program {
    let place = |lines: BTreeSet<u64>| Place { file: "Slow.java".to_owned(), lines };
    let call_line = row[2].rsplit(':').next().unwrap();
    Program {
        set: Set::Cases,
        name: row[0].clone(),
        language: Language::Java,
        causes: vec![row[1].clone()],
        mains: [format!("{}.Slow", row[0]), format!("{}.Fixed", row[0])],
        calling: place(numbers(call_line)),
        edit: place(numbers(&row[3])),
        saved_17: Saved::of(&row[4..]),
        saved_25: None,
        called: None,
    }
}

/// The programs of a set whose sources have marks. Empty: the set does not exist.
pub(crate) fn marked_programs(set: Set) -> Vec<Program> {
    let Some(folder) = set.marked_folder().filter(|folder| folder.exists()) else { return Vec::new() };
    rows(&folder.join("programs.tsv")).into_iter().map(|row| marked_program(set, &folder, &row)).collect()
}

/// The source file of a main class, in the language that it is written in.
fn source_of(sources: &Path, main: &str) -> (Language, PathBuf) {
    let file = |language: Language| sources.join(format!("{}.{}", main.replace('.', "/"), language.ending()));
    let found = Language::ALL.into_iter().find(|language| file(*language).exists());
    let language = found.unwrap_or_else(|| panic!("{main}: there is no source file"));
    (language, file(language))
}

fn marked_program(set: Set, folder: &Path, row: &[String]) -> Program {
    let main = &row[0];
    let (language, path) = source_of(&folder.join("src"), main);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let marks = Marks::of(&text);
    let file = path.file_name().unwrap().to_string_lossy().into_owned();
    Program {
        set,
        name: main.rsplit('.').next().unwrap().to_owned(),
        language,
        causes: row[1].split('|').map(str::to_owned).collect(),
        mains: [main.clone(), main.clone()],
        calling: Place { file: file.clone(), lines: marks.calling },
        edit: Place { file, lines: marks.edit },
        saved_17: Saved::of(&row[3..]),
        saved_25: Saved::of(&row[5..]),
        called: row.get(7).filter(|called| !called.is_empty()).cloned(),
    }
}
