//! Opens the analyzer in the user's browser, without showing its access token to others.
//!
//! Every user of the machine can read command lines. So the browser opens a file that only this user can read, and the
//! file redirects to the address.

use crate::terminal::output;
use std::fs::{self, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The file that redirects the browser to the analyzer. It is removed when dropped.
pub(crate) struct Signpost(PathBuf);

impl Drop for Signpost {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Opens `url` if there are a desktop and a terminal. If the browser does not open, the user still has the printed
/// address.
pub(crate) fn open(url: &str) -> Option<Signpost> {
    let has_desktop = ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some());
    if !has_desktop || !io::stdout().is_terminal() {
        return None;
    }
    let opened = write_signpost(&folder(), url).and_then(|signpost| start(&signpost.0).map(|()| signpost));
    opened.inspect_err(|error| output::note(&format!("the browser could not be opened: {error}"))).ok()
}

/// The user's folder for files of the session.
fn folder() -> PathBuf {
    std::env::var_os("XDG_RUNTIME_DIR").map_or_else(std::env::temp_dir, PathBuf::from)
}

fn write_signpost(folder: &Path, url: &str) -> io::Result<Signpost> {
    let path = folder.join(format!("whittle-view-{}.html", std::process::id()));
    // Removes the file of an ended process that had the same process id. A file of another user cannot be removed, so
    // the next line fails.
    let _ = fs::remove_file(&path);
    // An ampersand begins a character reference in HTML.
    let url = url.replace('&', "&amp;");
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
    let signpost = Signpost(path);
    writeln!(file, "<!doctype html><meta http-equiv=\"refresh\" content=\"0;url={url}\"><title>whittle</title>")?;
    Ok(signpost)
}

fn start(file: &Path) -> io::Result<()> {
    let mut command = Command::new("xdg-open");
    let mut child = command.arg(file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    // On some desktops, xdg-open runs until the browser ends.
    std::thread::spawn(move || child.wait());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn only_the_user_can_read_the_file_and_it_is_removed_at_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let signpost = write_signpost(folder.path(), "http://127.0.0.1:1/#token=abc/home?m=user&lt=1").unwrap();
        let path = signpost.0.clone();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(
            fs::read_to_string(&path).unwrap().contains("0;url=http://127.0.0.1:1/#token=abc/home?m=user&amp;lt=1\"")
        );
        drop(signpost);
        assert!(!path.exists());
    }
}
