//! Finds Java sources and class files.

use super::{FileCode, MAX_CLASS_BYTES, MAX_SOURCE_BYTES, is_inside, is_source_name, listed, read_all, read_source};
use std::fs;
use std::path::{Path, PathBuf};
use whittle_collect::{open_regular_file, read_zip_entry};
use whittle_views::source::{JavaClass, SourceText};

/// Usual source folders of a project.
const SOURCE_ROOTS: [&str; 7] = [
    "src/main/java",
    "src/main/kotlin",
    "src/main/scala",
    "src/main/groovy",
    "src/test/java",
    "target/generated-sources/annotations",
    "src",
];
/// The project is searched up to this many levels above a jar or class folder. `target/classes` is two levels below the
/// project, and Gradle's `build/classes/java/main` is four levels below the project.
const PROJECT_LEVELS: usize = 5;

impl FileCode {
    pub(super) fn find_java_source(&self, class: &JavaClass<'_>) -> Result<SourceText, String> {
        let path = class.path();
        if !is_inside(&path) || !is_source_name(&path) {
            return Err(format!("\"{path}\" is not the name of a source file"));
        }
        let mut looked_in: Vec<String> = Vec::new();
        let mut advice = "";
        let mut looked = |place: &Path| looked_in.push(place.display().to_string());
        for place in &self.source_path {
            looked(place);
            if let Some(source) = in_named_place(place, &path, class.source_file) {
                return Ok(source);
            }
        }
        if let Some(origin) = class.origin {
            let origin = Path::new(origin.split("!/").next().unwrap_or(origin));
            looked(origin);
            if let Some(source) = next_to_origin(origin, &path) {
                return Ok(source);
            }
        }
        // A class with an origin is the program's class. The JDK's archive does not contain such classes.
        if class.origin.is_none() {
            let sources = self.jdk.as_ref().and_then(|jdk| jdk.sources());
            match &sources {
                Some(sources) => looked(sources),
                None => advice = "; the JDK's own sources, src.zip, are not installed",
            }
            if let Some(source) = sources.and_then(|sources| in_zip(&sources, &path, None)) {
                return Ok(source);
            }
        }
        let looked_in =
            if looked_in.is_empty() { String::new() } else { format!(" in or next to {}", listed(&looked_in)) };
        Err(format!("no file {path}{looked_in}; add --source-path DIR or JAR{advice}"))
    }

    pub(super) fn find_class_file(&self, class_name: &str) -> Option<Vec<u8>> {
        let path = format!("{class_name}.class");
        if !is_inside(&path) {
            return None;
        }
        let named = self.source_path.iter().find_map(|place| {
            if place.is_dir() {
                return read_all(open_regular_file(&place.join(&path)).ok()?, MAX_CLASS_BYTES);
            }
            entry(place, MAX_CLASS_BYTES, |name| (name == path).then_some(0)).map(|(_, bytes)| bytes)
        });
        let in_module = format!("classes/{path}");
        let in_jdk = || {
            let modules = self.jdk.as_ref()?.modules();
            modules.iter().find_map(|module| entry(module, MAX_CLASS_BYTES, |name| (name == in_module).then_some(0)))
        };
        named.or_else(|| in_jdk().map(|(_, bytes)| bytes))
    }
}

/// Searches a folder or archive of the source path: first by package, then only by file name.
fn in_named_place(place: &Path, path: &str, file_name: &str) -> Option<SourceText> {
    if !place.is_dir() {
        return in_zip(place, path, Some(file_name));
    }
    let roots = || SOURCE_ROOTS.iter().map(|root| place.join(root));
    let by_package = std::iter::once(place.to_owned()).chain(roots()).find_map(|root| read_source(&root.join(path)));
    // The folder can contain projects or modules: `app/src/main/java`, `java.base`.
    let in_modules = || folders_in(place).into_iter().find_map(|folder| in_project(&folder, path));
    by_package.or_else(in_modules).or_else(|| read_source(&place.join(file_name)))
}

fn in_project(folder: &Path, path: &str) -> Option<SourceText> {
    let roots = std::iter::once(folder.to_owned()).chain(SOURCE_ROOTS.iter().map(|root| folder.join(root)));
    roots.into_iter().find_map(|root| read_source(&root.join(path)))
}

fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

/// Searches next to the jar or folder that a class was loaded from: `x-sources.jar`, the sources of its project, or the folder
/// itself and the folder around it, as `javac` and `javac -d` write classes.
fn next_to_origin(origin: &Path, path: &str) -> Option<SourceText> {
    let stem = origin.to_str().and_then(|name| name.strip_suffix(".jar"));
    let beside = stem.and_then(|stem| in_zip(Path::new(&format!("{stem}-sources.jar")), path, None));
    let above = || {
        let folders = origin.ancestors().skip(1).take(PROJECT_LEVELS);
        let roots = folders.flat_map(|folder| SOURCE_ROOTS.iter().map(move |root| folder.join(root)));
        roots.into_iter().find_map(|root| read_source(&root.join(path)))
    };
    let in_folder = || {
        let folders = origin.ancestors().take(2).filter(|_| origin.is_dir());
        folders.into_iter().find_map(|folder| read_source(&folder.join(path)))
    };
    // Some jars contain their sources.
    beside.or_else(above).or_else(in_folder).or_else(|| in_zip(origin, path, None))
}

/// Searches an archive at its root, then below a folder (`java.base/java/lang/…`), then only by `file_name`.
fn in_zip(archive: &Path, path: &str, file_name: Option<&str>) -> Option<SourceText> {
    if !archive.is_file() {
        return None;
    }
    let ends_with = |name: &str, end: &str| name.strip_suffix(end).is_some_and(|rest| rest.ends_with('/'));
    let rank = |name: &str| {
        let is_file = |file: &&str| name == *file || ends_with(name, file);
        match name {
            _ if name == path => Some(0),
            _ if ends_with(name, path) => Some(1),
            _ => file_name.filter(is_file).map(|_| 2),
        }
    };
    let (name, bytes) = entry(archive, MAX_SOURCE_BYTES, rank)?;
    let path = format!("{}!/{name}", archive.display());
    Some(SourceText { path, text: String::from_utf8_lossy(&bytes).into_owned() })
}

fn entry(archive: &Path, max_bytes: u64, rank: impl Fn(&str) -> Option<u32>) -> Option<(String, Vec<u8>)> {
    // A damaged file, or a file that is not an archive, has no source. The message lists the searched places.
    read_zip_entry(archive, rank, max_bytes).ok().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_found_in_the_folder_of_the_classes_and_around_it() {
        let folder = tempfile::tempdir().expect("folder");
        let classes = folder.path().join("app");
        fs::create_dir_all(classes.join("shop")).expect("folder");
        fs::write(classes.join("Many.java"), "class Many {}").expect("file");
        fs::write(classes.join("shop/Cart.java"), "class Cart {}").expect("file");
        fs::write(folder.path().join("Outside.java"), "class Outside {}").expect("file");
        for (path, text) in
            [("Many.java", "class Many {}"), ("shop/Cart.java", "class Cart {}"), ("Outside.java", "class Outside {}")]
        {
            assert_eq!(next_to_origin(&classes, path).map(|source| source.text).as_deref(), Some(text), "{path}");
        }
        assert!(next_to_origin(&classes, "Missing.java").is_none());
    }
}
