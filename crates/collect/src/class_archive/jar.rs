//! Finds the needed classes in one jar and reads their bytes.
//!
//! A jar can contain jars (`BOOT-INF/lib/x.jar`). Inner jars without compression are read in place. Corrupt jars cause
//! an error, never a panic. Each length in a jar is checked against the limits before memory is allocated for it.

use flate2::read::DeflateDecoder;
use rawzip::{
    CompressionMethod, ReaderAt, ZipArchive, ZipArchiveEntryWayfinder, ZipEntry, ZipFileHeaderRecord, ZipLocator,
};
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::sync::Arc;
use whittle_native::ReadAt;

/// Maximum size of a compressed jar inside a jar, because whittle must decompress it into memory.
const MAX_NESTED_JAR_BYTES: u64 = 256 << 20;
/// Maximum size of a manifest. Real manifests have a few hundred bytes, or a few thousand with a long `Class-Path`.
const MAX_MANIFEST_BYTES: u64 = 1 << 20;
/// Maximum number of entries of a jar's directory. The largest jars of programs with all their libraries have about
/// 300,000 entries.
const MAX_ENTRIES: usize = 1 << 19;
/// Maximum size of a jar's directory: 256 bytes for each of its entries. Typical entries have 130 bytes.
const MAX_DIRECTORY_BYTES: u64 = 128 << 20;
/// Size of the buffer for the directory of a zip. It is longer than the longest entry name.
const BUFFER_BYTES: usize = 256 << 10;

const MANIFEST: &[u8] = b"META-INF/MANIFEST.MF";
const VERSIONS: &str = "META-INF/versions/";
/// Folders of classes inside a jar: plain jars, Spring Boot, web archives.
const CLASS_FOLDERS: [&str; 3] = ["BOOT-INF/classes/", "WEB-INF/classes/", ""];
/// Folders of jars inside a jar: Spring Boot, web archives, Spring Boot's web archives.
const JAR_FOLDERS: [&str; 3] = ["BOOT-INF/lib/", "WEB-INF/lib/", "WEB-INF/lib-provided/"];
/// The first version of Java with multi-release jars.
const FIRST_RELEASE: u32 = 9;

/// The bytes of a jar, from a file or from memory.
#[derive(Debug, Clone)]
pub(crate) enum JarBytes {
    /// A part of a file.
    InFile { file: Arc<dyn ReadAt>, start: u64, end: u64 },
    /// The decompressed bytes.
    InMemory(Arc<Vec<u8>>),
}

impl JarBytes {
    /// The bytes of a whole file.
    pub(crate) fn of_file(file: impl ReadAt + 'static) -> io::Result<Self> {
        let end = file.size()?;
        Ok(Self::InFile { file: Arc::new(file), start: 0, end })
    }

    fn len(&self) -> u64 {
        match self {
            Self::InFile { start, end, .. } => end - start,
            Self::InMemory(bytes) => bytes.len() as u64,
        }
    }
}

impl ReaderAt for JarBytes {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let left = usize::try_from(self.len().saturating_sub(offset)).unwrap_or(usize::MAX);
        let wanted = buffer.len().min(left);
        let buffer = &mut buffer[..wanted];
        match self {
            _ if wanted == 0 => Ok(0),
            Self::InFile { file, start, .. } => file.read_at(buffer, start + offset),
            Self::InMemory(bytes) => {
                let from = offset as usize;
                buffer.copy_from_slice(&bytes[from..from + wanted]);
                Ok(wanted)
            }
        }
    }
}

/// Why a jar, or an entry in it, is unreadable.
#[derive(Debug, thiserror::Error)]
pub(crate) enum JarError {
    #[error(transparent)]
    Zip(#[from] rawzip::Error),
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("compressed with method {0}, which Java does not support")]
    Method(u16),
    #[error("at least {0} bytes, but the limit is {1}")]
    TooLarge(u64, u64),
    #[error("its directory has more than {MAX_ENTRIES} entries; the rest was not read")]
    TooManyEntries,
    #[error("its directory has more than {} MiB; the rest was not read", MAX_DIRECTORY_BYTES >> 20)]
    LargeDirectory,
    #[error("it has too many classes and jars; the rest was not read")]
    TooManyNames,
    #[error("the jars inside jars are too large in total")]
    TooManyNestedBytes,
}

/// The position of an entry in a jar.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    place: ZipArchiveEntryWayfinder,
    method: CompressionMethod,
}

impl Entry {
    fn of(record: &ZipFileHeaderRecord<'_>) -> Self {
        Self { place: record.wayfinder(), method: record.compression_method() }
    }
}

/// The names of classes and jars that a search can still keep.
#[derive(Debug, Clone, Copy)]
pub(super) struct NameRoom {
    pub(super) count: usize,
    pub(super) bytes: usize,
}

impl Default for NameRoom {
    /// The limit for one search, or for one jar if its names are kept only for a moment. An application server with 2000
    /// jars has 400,000 classes with names of 50 bytes.
    fn default() -> Self {
        Self { count: MAX_ENTRIES, bytes: 32 << 20 }
    }
}

impl NameRoom {
    /// Takes the room for one name. False: the room is not sufficient, and remains as it is.
    pub(super) fn take(&mut self, name_bytes: usize) -> bool {
        let is_enough = self.count > 0 && self.bytes >= name_bytes;
        if is_enough {
            self.count -= 1;
            self.bytes -= name_bytes;
        }
        is_enough
    }
}

/// A needed class that is in a jar.
#[derive(Debug, Clone)]
pub(super) struct FoundClass {
    /// The name of the class in the JVM.
    pub(super) name: String,
    /// Folder of the class inside the jar, such as `BOOT-INF/classes` or `META-INF/versions/17`. Empty: the jar's root.
    pub(super) folder: String,
    pub(super) entry: Entry,
}

/// The relevant content of a jar.
#[derive(Debug, Default)]
pub(super) struct Contents {
    /// The needed classes, each once.
    pub(super) classes: Vec<FoundClass>,
    /// Jars of the program inside this jar, in the jar's order.
    pub(super) jars: Vec<(String, Entry)>,
    /// The words of the manifest's `Class-Path`.
    pub(super) class_path: Vec<String>,
    /// Why the rest of the jar's directory is unreadable.
    pub(super) error: Option<JarError>,
}

/// A jar.
#[derive(Debug)]
pub(crate) struct Jar {
    zip: ZipArchive<JarBytes>,
    buffer: Vec<u8>,
}

impl Jar {
    /// Finds the directory of a jar.
    pub(crate) fn open(bytes: JarBytes) -> Result<Self, JarError> {
        let mut buffer = vec![0; BUFFER_BYTES];
        let end = bytes.len();
        let zip = ZipLocator::new().locate_in_reader(bytes, &mut buffer, end).map_err(|(_, error)| error)?;
        Ok(Self { zip, buffer })
    }

    /// Finds needed classes. If a class has several versions, the version for Java `java_version` is used. The names of
    /// the classes and jars take room from `room`.
    pub(super) fn contents(
        &mut self,
        is_wanted: &dyn Fn(&str) -> bool,
        java_version: u32,
        room: &mut NameRoom,
    ) -> Contents {
        let mut seen = Seen { is_wanted, java_version, room, classes: Vec::new(), jars: Vec::new(), manifest: None };
        let read = self.visit_entries(|entry| {
            let is_enough = seen.add(entry.file_path().as_bytes(), || Entry::of(entry));
            if is_enough { Ok(()) } else { Err(JarError::TooManyNames) }
        });
        let Seen { classes, jars, manifest, .. } = seen;
        let manifest = manifest.and_then(|entry| self.read(entry, MAX_MANIFEST_BYTES).ok()).unwrap_or_default();
        let manifest = Manifest::parse(&String::from_utf8_lossy(&manifest));
        let classes = newest(classes, manifest.is_multi_release);
        Contents { classes, jars, class_path: manifest.class_path, error: read.err() }
    }

    /// Calls `visit` for the entries of the directory, in its order. An error of `visit` ends the reading.
    fn visit_entries(
        &mut self,
        mut visit: impl FnMut(&ZipFileHeaderRecord<'_>) -> Result<(), JarError>,
    ) -> Result<(), JarError> {
        let start = self.zip.directory_offset();
        let mut entries = self.zip.entries(&mut self.buffer);
        let mut count = 0;
        while let Some(entry) = entries.next_entry()? {
            count += 1;
            if count > MAX_ENTRIES {
                return Err(JarError::TooManyEntries);
            }
            if entry.central_directory_offset().saturating_sub(start) > MAX_DIRECTORY_BYTES {
                return Err(JarError::LargeDirectory);
            }
            visit(&entry)?;
        }
        Ok(())
    }

    /// The entry with the smallest rank. Entries without a rank are ignored.
    pub(crate) fn best_entry(
        &mut self,
        rank: impl Fn(&str) -> Option<u32>,
    ) -> Result<Option<(String, Entry)>, JarError> {
        let mut best: Option<(u32, String, Entry)> = None;
        self.visit_entries(|entry| {
            let path = entry.file_path();
            if let Ok(name) = str::from_utf8(path.as_bytes())
                && let Some(rank) = rank(name)
                && best.as_ref().is_none_or(|(known, ..)| rank < *known)
            {
                best = Some((rank, name.to_owned(), Entry::of(entry)));
            }
            Ok(())
        })?;
        Ok(best.map(|(_, name, entry)| (name, entry)))
    }

    /// Returns the decompressed and checked bytes of an entry. Fails if the entry has more than `max_bytes`.
    pub(crate) fn read(&self, entry: Entry, max_bytes: u64) -> Result<Vec<u8>, JarError> {
        let stated = entry.place.uncompressed_size_hint();
        if stated > max_bytes {
            return Err(JarError::TooLarge(stated, max_bytes));
        }
        let local = self.zip.get_entry(entry.place)?;
        match entry.method {
            CompressionMethod::STORE => read_limited(&local, local.reader(), max_bytes),
            CompressionMethod::DEFLATE => read_limited(&local, DeflateDecoder::new(local.reader()), max_bytes),
            other => Err(JarError::Method(other.as_u16())),
        }
    }

    /// Opens a jar inside the jar. A jar without compression is read in place. Other jars are decompressed, and their
    /// size is subtracted from `bytes_left`.
    pub(super) fn nested(&self, entry: Entry, bytes_left: &mut u64) -> Result<JarBytes, JarError> {
        if let (CompressionMethod::STORE, JarBytes::InFile { file, start, end }) = (entry.method, self.zip.get_ref()) {
            let (from, to) = self.zip.get_entry(entry.place)?.compressed_data_range();
            let (from, to) = (start.saturating_add(from), start.saturating_add(to));
            let (from, to) = (from.min(*end), to.min(*end));
            return Ok(JarBytes::InFile { file: Arc::clone(file), start: from, end: to });
        }
        let size = entry.place.uncompressed_size_hint();
        if size <= MAX_NESTED_JAR_BYTES {
            // An unreadable jar also counts, because its decompression takes the same time. No entry is decompressed
            // beyond its size in the directory.
            *bytes_left = bytes_left.checked_sub(size).ok_or(JarError::TooManyNestedBytes)?;
        }
        Ok(JarBytes::InMemory(Arc::new(self.read(entry, MAX_NESTED_JAR_BYTES)?)))
    }
}

fn read_limited(entry: &ZipEntry<'_, JarBytes>, unpacked: impl Read, max_bytes: u64) -> Result<Vec<u8>, JarError> {
    let mut bytes = Vec::new();
    // The size in the jar was checked, but it can be wrong. Reading one byte more than the limit detects a wrong size.
    entry.verifying_reader(unpacked).take(max_bytes + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max_bytes { Err(JarError::TooLarge(max_bytes, max_bytes)) } else { Ok(bytes) }
}

/// The result of reading a jar's directory.
struct Seen<'w> {
    is_wanted: &'w dyn Fn(&str) -> bool,
    java_version: u32,
    room: &'w mut NameRoom,
    /// Needed classes, each with its minimum version of Java; 0: any version.
    classes: Vec<(u32, FoundClass)>,
    jars: Vec<(String, Entry)>,
    manifest: Option<Entry>,
}

impl Seen<'_> {
    /// Keeps an entry if it is needed. False: there is no room for it.
    fn add(&mut self, name: &[u8], entry: impl FnOnce() -> Entry) -> bool {
        if name == MANIFEST {
            self.manifest = Some(entry());
            return true;
        }
        let Ok(name) = str::from_utf8(name) else { return true };
        if let Some(path) = name.strip_suffix(".class") {
            let Some((version, folder, class)) = self.wanted_class(path) else { return true };
            if !self.room.take(name.len()) {
                return false;
            }
            let (name, folder) = (class.to_owned(), folder.trim_end_matches('/').to_owned());
            self.classes.push((version, FoundClass { name, folder, entry: entry() }));
        } else if name.ends_with(".jar") && JAR_FOLDERS.iter().any(|folder| name.starts_with(folder)) {
            if !self.room.take(name.len()) {
                return false;
            }
            self.jars.push((name.to_owned(), entry()));
        }
        true
    }

    /// Version, folder and name of a needed class.
    fn wanted_class<'n>(&self, path: &'n str) -> Option<(u32, &'n str, &'n str)> {
        let (version, folder_length) = match path.strip_prefix(VERSIONS) {
            Some(rest) => {
                let (number, _) = rest.split_once('/')?;
                let version = number.parse().ok()?;
                let is_used = (FIRST_RELEASE..=self.java_version).contains(&version);
                (is_used.then_some(version)?, VERSIONS.len() + number.len() + 1)
            }
            None => (0, CLASS_FOLDERS.iter().find(|folder| path.starts_with(*folder))?.len()),
        };
        let (folder, class) = path.split_at(folder_length);
        (self.is_wanted)(class).then_some((version, folder, class))
    }
}

/// For each class, selects the entry that Java would use. This is the entry for the newest version. Without such an
/// entry, it is the first entry for any version.
fn newest(classes: Vec<(u32, FoundClass)>, is_multi_release: bool) -> Vec<FoundClass> {
    let mut newest: BTreeMap<String, (u32, FoundClass)> = BTreeMap::new();
    for (version, class) in classes {
        if version > 0 && !is_multi_release {
            continue;
        }
        match newest.get(&class.name) {
            Some((known, _)) if *known >= version => {}
            _ => drop(newest.insert(class.name.clone(), (version, class))),
        }
    }
    newest.into_values().map(|(_, class)| class).collect()
}

/// The needed attributes in the main section of a jar's manifest.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Manifest {
    is_multi_release: bool,
    pub(crate) class_path: Vec<String>,
}

impl Manifest {
    pub(crate) fn parse(text: &str) -> Self {
        // A line that begins with a space continues the previous line. An empty line ends the main section.
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let main = text.split("\n\n").next().unwrap_or_default().replace("\n ", "");
        let value = |key: &str| {
            main.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                name.eq_ignore_ascii_case(key).then(|| value.trim())
            })
        };
        Self {
            is_multi_release: value("Multi-Release").is_some_and(|value| value.eq_ignore_ascii_case("true")),
            class_path: value("Class-Path").unwrap_or_default().split_whitespace().map(str::to_owned).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A zip with only a directory, which has these names.
    fn directory<'n>(names: impl Iterator<Item = &'n str>) -> JarBytes {
        let mut bytes = Vec::new();
        for name in names {
            let mut record = [0; 46];
            record[..4].copy_from_slice(b"PK\x01\x02");
            record[28..30].copy_from_slice(&(name.len() as u16).to_le_bytes());
            bytes.extend(record);
            bytes.extend(name.as_bytes());
        }
        let size = bytes.len() as u32;
        let mut end = [0; 22];
        end[..4].copy_from_slice(b"PK\x05\x06");
        end[12..16].copy_from_slice(&size.to_le_bytes());
        bytes.extend(end);
        JarBytes::InMemory(Arc::new(bytes))
    }

    fn error_of(contents: &Contents) -> String {
        contents.error.as_ref().map(JarError::to_string).unwrap_or_default()
    }

    #[test]
    fn a_directory_with_too_many_entries_is_read_in_part() {
        let names = std::iter::repeat_n("x", MAX_ENTRIES).chain(["B.class"]);
        let mut jar = Jar::open(directory(["A.class"].into_iter().chain(names))).unwrap();
        let contents = jar.contents(&|_| true, 17, &mut NameRoom::default());
        assert_eq!(contents.classes.iter().map(|class| class.name.as_str()).collect::<Vec<_>>(), ["A"]);
        assert_eq!(error_of(&contents), "its directory has more than 524288 entries; the rest was not read");
        assert!(matches!(jar.best_entry(|_| None), Err(JarError::TooManyEntries)));
        let mut jar = Jar::open(directory(std::iter::repeat_n("x", MAX_ENTRIES))).unwrap();
        assert!(jar.contents(&|_| true, 17, &mut NameRoom::default()).error.is_none());
        assert!(jar.best_entry(|_| None).unwrap().is_none());
    }

    #[test]
    fn a_directory_with_too_many_bytes_is_read_in_part() {
        let long = "x".repeat(60_000);
        let names = std::iter::repeat_n(long.as_str(), 2_300);
        let mut jar = Jar::open(directory(["A.class"].into_iter().chain(names))).unwrap();
        let contents = jar.contents(&|_| true, 17, &mut NameRoom::default());
        assert_eq!(contents.classes.len(), 1);
        assert_eq!(error_of(&contents), "its directory has more than 128 MiB; the rest was not read");
    }

    #[test]
    fn kept_names_take_room() {
        let names = ["A.class", "BOOT-INF/lib/a.jar", "not-needed", "B.class", "C.class"];
        let mut jar = Jar::open(directory(names.into_iter())).unwrap();
        let mut room = NameRoom { count: 3, bytes: 1_000 };
        let contents = jar.contents(&|_| true, 17, &mut room);
        assert_eq!((contents.classes.len(), contents.jars.len(), room.count, room.bytes), (2, 1, 0, 968));
        assert_eq!(error_of(&contents), "it has too many classes and jars; the rest was not read");
        let mut room = NameRoom { count: 100, bytes: 31 };
        let contents = jar.contents(&|_| true, 17, &mut room);
        assert_eq!((contents.classes.len(), contents.jars.len(), room.bytes), (1, 1, 6));
        assert!(contents.error.is_some());
    }

    #[test]
    fn manifests_are_read_over_folded_lines() {
        let text = "Manifest-Version: 1.0\r\nClass-Path: lib/a.jar li\r\n b/b.jar\r\nmulti-release: TRUE\r\n\r\nName: x\r\nClass-Path: no.jar\r\n";
        let class_path = vec!["lib/a.jar".to_owned(), "lib/b.jar".to_owned()];
        assert_eq!(Manifest::parse(text), Manifest { is_multi_release: true, class_path });
        assert_eq!(Manifest::parse(""), Manifest::default());
    }

    #[test]
    fn a_part_of_a_file_ends_where_it_ends() {
        let mut file = tempfile::tempfile().unwrap();
        io::Write::write_all(&mut file, b"0123456789").unwrap();
        let part = JarBytes::InFile { file: Arc::new(file), start: 2, end: 6 };
        let whole = JarBytes::InMemory(Arc::new(b"2345".to_vec()));
        for bytes in [part, whole] {
            let mut buffer = [0; 8];
            assert_eq!(bytes.read_at(&mut buffer, 1).unwrap(), 3);
            assert_eq!(&buffer[..3], b"345");
            assert_eq!(bytes.read_at(&mut buffer, 4).unwrap(), 0);
            assert_eq!(bytes.read_at(&mut buffer, u64::MAX).unwrap(), 0);
        }
    }
}
