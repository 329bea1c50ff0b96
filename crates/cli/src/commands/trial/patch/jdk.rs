//! The JDK that compiles a patch.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Folders where distributions put JDKs.
const JDK_FOLDERS: [&str; 3] = ["/usr/lib/jvm", "/opt/java", "/usr/java"];

/// A folder of a JDK with a compiler: the JDK of the command line, or of the environment, or an installed one. The JDK that the
/// experiment names is not used, because an experiment can be from somebody else.
pub(super) fn find(command: &[OsString]) -> Result<PathBuf, String> {
    let of_command = command.first().and_then(|word| home_of(&word.to_string_lossy(), "java"));
    let of_environment = std::env::var_os("JAVA_HOME").map(PathBuf::from);
    let of_search_path = home_of("javac", "javac");
    let homes = of_command.into_iter().chain(of_environment).chain(of_search_path).chain(installed());
    let mut with_compiler = homes.filter(|home| home.join("bin/javac").is_file() && home.join("bin/java").is_file());
    with_compiler.next().ok_or_else(|| {
        "a patch needs a JDK with a compiler, and none was found; set JAVA_HOME to a JDK of version 11 or later"
            .to_owned()
    })
}

/// The home of a program in `HOME/bin`. `None`: the word is another program.
fn home_of(word: &str, program: &str) -> Option<PathBuf> {
    let path = Path::new(word);
    if path.file_name()?.to_str()? != program {
        return None;
    }
    let file = if word.contains('/') { path.to_owned() } else { in_search_path(word)? };
    Some(file.canonicalize().ok()?.parent()?.parent()?.to_owned())
}

fn in_search_path(program: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(program)).find(|path| path.is_file())
}

fn installed() -> Vec<PathBuf> {
    let entries = JDK_FOLDERS.iter().flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten().flatten());
    let mut homes: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    homes.sort();
    homes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_java_has_a_home() {
        assert_eq!(home_of("./run.sh", "java"), None);
        assert_eq!(home_of("/missing/bin/java", "java"), None);
        assert_eq!(home_of("", "java"), None);
    }
}
