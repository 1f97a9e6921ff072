//! Messages about paths that users give. A path that does not exist or is not permitted is a wrong request; a disk that is full or
//! fails is failed work.

use crate::failure::Failure;
use pliant_files::place_remedy;
use std::io::{Error, ErrorKind};
use std::path::Path;

/// Whether an error is about the path given, so that another path would work.
pub fn is_wrong_place(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::NotFound
            | ErrorKind::PermissionDenied
            | ErrorKind::ReadOnlyFilesystem
            | ErrorKind::NotADirectory
            | ErrorKind::IsADirectory
            | ErrorKind::AlreadyExists
            | ErrorKind::InvalidFilename
            | ErrorKind::InvalidInput
    )
}

/// The failure when `path` cannot be written.
pub fn cannot_write(path: &Path, error: &Error) -> Failure {
    let why = place_remedy(path, error).unwrap_or_else(|| error.to_string());
    told(format!("cannot write {}: {why}", path.display()), error)
}

/// The failure when the folder `path` cannot be made.
pub fn cannot_make_folder(path: &Path, error: &Error) -> Failure {
    let why = match error.kind() {
        ErrorKind::AlreadyExists => "there is a file of this name; choose another".to_owned(),
        ErrorKind::NotADirectory => "a part of the path is a file; check it".to_owned(),
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => "no permission; choose another place".to_owned(),
        _ => error.to_string(),
    };
    told(format!("cannot make the folder {}: {why}", path.display()), error)
}

fn told(message: String, error: &Error) -> Failure {
    if is_wrong_place(error.kind()) { Failure::Request(message) } else { Failure::Work(anyhow::anyhow!(message)) }
}

/// Whether two paths lead to the same file, by whatever links and spelling.
pub fn are_same_file(a: &Path, b: &Path) -> bool {
    #[cfg(unix)]
    if let (Ok(a), Ok(b)) = (std::fs::metadata(a), std::fs::metadata(b)) {
        use std::os::unix::fs::MetadataExt;
        return (a.dev(), a.ino()) == (b.dev(), b.ino());
    }
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As root nothing is forbidden, so that only this test sees the message.
    #[test]
    fn a_forbidden_place_is_a_wrong_request_told_once() {
        let denied = Error::from(ErrorKind::PermissionDenied);
        let Failure::Request(words) = cannot_write(Path::new("a/b.toml"), &denied) else { panic!("a wrong request") };
        assert_eq!(words, "cannot write a/b.toml: no permission to write in a; choose another place");
        let Failure::Request(words) = cannot_make_folder(Path::new("a"), &denied) else { panic!("a wrong request") };
        assert_eq!(words, "cannot make the folder a: no permission; choose another place");
        assert!(matches!(cannot_write(Path::new("a"), &ErrorKind::StorageFull.into()), Failure::Work(_)));
    }
}
