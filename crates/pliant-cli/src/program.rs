//! Commands that users can copy: this program as they called it, and paths as a shell wants them.

use std::path::{MAIN_SEPARATOR, Path};

/// The command that runs this program: its name if it is on the path, cargo if that ran it, else its path.
pub fn name() -> String {
    let called = std::env::args().next().unwrap_or_default();
    if !called.contains(MAIN_SEPARATOR) {
        return "pliant".to_owned();
    }
    // Cargo tells programs it runs about their package.
    match std::env::var_os("CARGO_MANIFEST_DIR") {
        Some(_) if cfg!(debug_assertions) => "cargo run --".to_owned(),
        Some(_) => "cargo run --release --".to_owned(),
        None => quoted(Path::new(&called)),
    }
}

/// A path for a command line, in quotes if it needs them.
pub fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "-_./\\:+,@%=".contains(c);
    if !text.is_empty() && text.chars().all(plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_quoted_where_a_shell_would_split_them() {
        let of = |path: &str| quoted(Path::new(path));
        assert_eq!(
            [of("a/b-1.toml"), of("my scene.toml"), of("it's")],
            ["a/b-1.toml", "'my scene.toml'", r"'it'\''s'"]
        );
    }
}
