//! Files and folders that only their owner can read, whatever the umask of the process is.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

const FILE_MODE: u32 = 0o600;
const FOLDER_MODE: u32 = 0o700;

/// Creates a folder and its missing parents. A folder that exists keeps its permissions.
///
/// # Errors
/// The system reports an error.
pub fn create_private_folders(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(path)
}

/// Creates a folder that does not exist, and its missing parents.
///
/// # Errors
/// The folder exists: another user could have created it. Otherwise the system reports an error.
pub fn create_new_private_folder(path: &Path) -> io::Result<()> {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).map_or(Ok(()), create_private_folders)?;
    DirBuilder::new().mode(FOLDER_MODE).create(path)
}

/// Checks that a folder belongs to this user, and that no other user can put links into it, which whittle would follow.
///
/// # Errors
/// It is not so, or the folder cannot be read.
pub fn check_own_folder(path: &Path) -> io::Result<()> {
    const WRITE_BY_OTHERS: u32 = 0o022;
    let found = fs::metadata(path)?;
    if found.uid() == own_user() && found.mode() & WRITE_BY_OTHERS == 0 {
        return Ok(());
    }
    Err(io::Error::other("it belongs to another user, or other users can write to it"))
}

/// The id of the user with whose rights this process accesses files.
pub fn own_user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Creates an empty file, in place of an existing file. It never writes into a file or through a link that another user
/// put there.
///
/// # Errors
/// The system reports an error. For example, the file of another user cannot be replaced in `/tmp`.
pub fn create_private_file(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    OpenOptions::new().write(true).create_new(true).mode(FILE_MODE).open(path)
}

/// Makes an open file readable only for its owner.
pub(crate) fn make_private(file: &File) -> io::Result<()> {
    file.set_permissions(Permissions::from_mode(FILE_MODE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_others_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        check_own_folder(folder.path()).unwrap();
        fs::set_permissions(folder.path(), Permissions::from_mode(0o720)).unwrap();
        assert!(check_own_folder(folder.path()).is_err());
        let new = folder.path().join("a/b");
        create_new_private_folder(&new).unwrap();
        assert_eq!(create_new_private_folder(&new).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::metadata(&new).unwrap().mode() & 0o777, FOLDER_MODE);
    }
}
