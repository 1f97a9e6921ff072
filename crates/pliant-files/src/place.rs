//! Reasons why a path cannot be written, with remedies.

use std::io::{Error, ErrorKind};
use std::path::Path;

/// Reason and remedy for a path at which no file can be created; none for errors of other kinds.
pub fn place_remedy(path: &Path, error: &Error) -> Option<String> {
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let shown = folder.display();
    match error.kind() {
        // Some file systems, such as procfs, report this for every new file.
        ErrorKind::NotFound if folder.is_dir() => Some(format!("{shown} takes no new files; choose another place")),
        ErrorKind::NotFound => Some(format!("there is no folder {shown}; make it first")),
        ErrorKind::NotADirectory => Some(format!("{shown} is not a folder; check the path")),
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            Some(format!("no permission to write in {shown}; choose another place"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_there_is_not_called_missing() {
        let said = |path: &Path| place_remedy(path, &ErrorKind::NotFound.into()).unwrap();
        let folder = std::env::temp_dir();
        assert_eq!(said(&folder.join("x")), format!("{} takes no new files; choose another place", folder.display()));
        assert_eq!(said(Path::new("no-such/x")), "there is no folder no-such; make it first");
    }
}
