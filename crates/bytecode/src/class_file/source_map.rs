//! Source maps of class files: the attribute `SourceDebugExtension` in the format of JSR-45 ("SMAP").
//!
//! ```text
//! SMAP
//! Main.kt                 the compiled file
//! Kotlin                  the default stratum
//! *S Kotlin               a stratum: one way to translate lines
//! *F
//! + 1 Main.kt             file 1, and its path in the next row
//! app/MainKt
//! *L
//! 1#1,45:1                45 lines of file 1 from line 1 on are the lines of the class file from line 1 on
//! 1557#2:46               line 1557 of file 2 is line 46 of the class file
//! 9#1:47,3                line 9 of file 1 is the lines 47, 48 and 49 of the class file
//! *E
//! ```
//!
//! The text is untrusted. A row that cannot be read is skipped, and the numbers of strata, files and ranges are limited.

/// Limits. A class file has at most 65,535 lines, and Kotlin writes two strata.
const MAX_STRATA: usize = 8;
const MAX_FILES: usize = 20_000;
const MAX_RANGES: usize = 65_536;
/// Longer names are no names of files. Each line's file is compared with the file of the class.
const MAX_NAME_BYTES: usize = 1_000;

/// A source map.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceMap<'a> {
    strata: Vec<Stratum<'a>>,
}

/// A place in a source file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourcePlace<'a> {
    /// The file.
    pub file: MappedFile<'a>,
    /// Line, counted from 1.
    pub line: u32,
}

/// A source file of a source map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MappedFile<'a> {
    /// The name without folders: `Main.kt`.
    pub name: &'a str,
    /// What the compiler writes as the path. The Kotlin compiler writes the class of the code: `app/MainKt`. Empty if
    /// missing.
    pub path: &'a str,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Stratum<'a> {
    name: &'a str,
    /// Sorted by number.
    files: Vec<(u32, MappedFile<'a>)>,
    /// Sorted by the first line in the class file.
    ranges: Vec<Range>,
}

/// A row of `*L`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Range {
    file: u32,
    /// The first line in the source file.
    source_line: u32,
    /// Number of lines in the source file.
    count: u32,
    /// The first line in the class file.
    class_line: u32,
    /// Number of lines in the class file for each line in the source file.
    width: u32,
}

/// The part of the text that is read.
enum Section {
    Files,
    Lines,
    Other,
}

impl<'a> SourceMap<'a> {
    /// Reads a source map. `None` if the text is in another format.
    pub fn parse(text: &'a str) -> Option<Self> {
        let mut rows = text.lines().map(str::trim_end);
        if rows.next()? != "SMAP" {
            return None;
        }
        let mut strata: Vec<Stratum<'a>> = Vec::new();
        let mut section = Section::Other;
        let mut last_file = 0;
        while let Some(row) = rows.next() {
            if let Some(name) = row.strip_prefix("*S ") {
                if strata.len() == MAX_STRATA {
                    break;
                }
                strata.push(Stratum { name: name.trim(), ..Stratum::default() });
                (section, last_file) = (Section::Other, 0);
            } else if row.starts_with('*') {
                section = match row {
                    "*F" => Section::Files,
                    "*L" => Section::Lines,
                    "*E" => break,
                    _ => Section::Other,
                };
            } else if let Some(stratum) = strata.last_mut() {
                match section {
                    Section::Files => stratum.add_file(row, &mut rows),
                    Section::Lines => stratum.add_range(row, &mut last_file),
                    Section::Other => {}
                }
            }
        }
        for stratum in &mut strata {
            stratum.files.sort_by_key(|(number, _)| *number);
            stratum.ranges.sort_by_key(|range| range.class_line);
        }
        Some(Self { strata })
    }

    /// True if the map has a stratum with this name.
    pub fn has_stratum(&self, name: &str) -> bool {
        self.stratum(name).is_some()
    }

    /// The files of a stratum, by number.
    pub fn files(&self, stratum: &str) -> impl Iterator<Item = MappedFile<'a>> {
        self.stratum(stratum).into_iter().flat_map(|stratum| stratum.files.iter().map(|(_, file)| *file))
    }

    /// The place of a line of the class file. `None` if the stratum has no such line.
    pub fn place(&self, stratum: &str, class_line: u32) -> Option<SourcePlace<'a>> {
        self.stratum(stratum)?.place(class_line)
    }

    fn stratum(&self, name: &str) -> Option<&Stratum<'a>> {
        self.strata.iter().find(|stratum| stratum.name == name)
    }
}

impl<'a> Stratum<'a> {
    /// Reads `1 Main.kt`, or `+ 1 Main.kt` with the path in the next row.
    fn add_file(&mut self, row: &'a str, rows: &mut impl Iterator<Item = &'a str>) {
        let with_path = row.strip_prefix('+');
        let path = if with_path.is_some() { rows.next().unwrap_or_default() } else { "" };
        let file = with_path.unwrap_or(row).trim_start().split_once(' ');
        let Some((number, name)) = file else { return };
        if let Ok(number) = number.parse()
            && self.files.len() < MAX_FILES
            && name.len().max(path.len()) <= MAX_NAME_BYTES
        {
            self.files.push((number, MappedFile { name, path }));
        }
    }

    /// Reads `SOURCE_LINE#FILE,COUNT:CLASS_LINE,WIDTH`. File, count and width can be missing.
    fn add_range(&mut self, row: &str, last_file: &mut u32) {
        let Some(range) = parse_range(row, *last_file).filter(|_| self.ranges.len() < MAX_RANGES) else { return };
        *last_file = range.file;
        self.ranges.push(range);
    }

    fn place(&self, class_line: u32) -> Option<SourcePlace<'a>> {
        // Ranges do not overlap. If they do in a damaged map, the range that begins last is used.
        let after = self.ranges.partition_point(|range| range.class_line <= class_line);
        let range = self.ranges.get(after.checked_sub(1)?)?;
        let row = (class_line - range.class_line) / range.width;
        let line = range.source_line.checked_add(row).filter(|_| row < range.count)?;
        let file = self.files.partition_point(|(number, _)| *number < range.file);
        let (_, file) = self.files.get(file).filter(|(number, _)| *number == range.file)?;
        Some(SourcePlace { file: *file, line })
    }
}

fn parse_range(row: &str, last_file: u32) -> Option<Range> {
    let (source, class) = row.split_once(':')?;
    let (source, count) = source.split_once(',').unwrap_or((source, "1"));
    let (source_line, file) = match source.split_once('#') {
        Some((line, file)) => (line, file.parse().ok()?),
        None => (source, last_file),
    };
    let (class_line, width) = class.split_once(',').unwrap_or((class, "1"));
    let number = |text: &str| text.trim().parse::<u32>().ok();
    Some(Range {
        file,
        source_line: number(source_line)?,
        count: number(count)?,
        class_line: number(class_line)?,
        width: number(width)?.max(1),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "SMAP\nMain.kt\nKotlin\n*S Kotlin\n*F\n+ 1 Main.kt\napp/MainKt\n2 Other.kt\n*L\n1#1,45:1\n\
                        5#2,5:73\n7:80\n25#1,5:90\n*S KotlinDebug\n*F\n+ 1 Main.kt\napp/MainKt\n*L\n19#1:73,5\n*E\n\
                        *S After\n";

    #[test]
    fn lines_have_their_places_in_each_stratum() {
        let map = SourceMap::parse(TEXT).unwrap();
        let place =
            |stratum, line| map.place(stratum, line).map(|place| (place.file.name, place.file.path, place.line));
        assert_eq!(place("Kotlin", 1), Some(("Main.kt", "app/MainKt", 1)));
        assert_eq!(place("Kotlin", 45), Some(("Main.kt", "app/MainKt", 45)));
        assert_eq!(place("Kotlin", 46), None);
        assert_eq!((place("Kotlin", 73), place("Kotlin", 77)), (Some(("Other.kt", "", 5)), Some(("Other.kt", "", 9))));
        // A row without a file has the file of the row before.
        assert_eq!(place("Kotlin", 80), Some(("Other.kt", "", 7)));
        assert_eq!(place("Kotlin", 92), Some(("Main.kt", "app/MainKt", 27)));
        // A line of the source is several lines of the class file.
        for line in 73..78 {
            assert_eq!(place("KotlinDebug", line), Some(("Main.kt", "app/MainKt", 19)));
        }
        assert_eq!((place("KotlinDebug", 78), place("After", 1)), (None, None));
        assert!(map.has_stratum("Kotlin") && !map.has_stratum("After"));
    }

    #[test]
    fn damaged_rows_are_skipped() {
        for text in ["", "SMAP", "SMAP\n*L\n1:1", "smap\n*S Kotlin"] {
            assert_eq!(SourceMap::parse(text).and_then(|map| map.place("Kotlin", 1)), None, "{text}");
        }
        let text = "SMAP\nA\nKotlin\r\n*S Kotlin\r\n*F\n+ x A.kt\n+ 1 A.kt\na/A\n*L\n1#1\n-1#1:1\n1#1,0:1\n4294967295#1,9:7\n\
                    5#1:20,0\n";
        let map = SourceMap::parse(text).unwrap();
        let line = |line| map.place("Kotlin", line).map(|place| place.line);
        assert_eq!((line(1), line(7), line(8), line(20)), (None, None, None, None));
        let with_file = text.replace("+ x A.kt\n", "");
        let map = SourceMap::parse(&with_file).unwrap();
        let line = |line| map.place("Kotlin", line).map(|place| place.line);
        assert_eq!((line(1), line(7), line(8), line(20), line(21)), (None, Some(u32::MAX), None, Some(5), None));
    }
}
