//! The command line as scripts see it: output, messages and exit codes.

mod check;
mod demo;
mod inspect;
mod new;
mod overview;
mod plot;
mod render;
mod run;
mod scenes;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A fresh folder for one test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pliant-cli-{test}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        std::fs::write(self.0.join(name), text).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pliant"));
    // As if from a shell: cargo, which runs the tests, would show in the commands the program offers.
    command.current_dir(folder).args(args).env_remove("CARGO_MANIFEST_DIR");
    command
}

/// What a command said and how it ended.
struct Said {
    code: i32,
    out: String,
    err: String,
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output is UTF-8");
        Self { code: output.status.code().expect("no signal"), out: text(output.stdout), err: text(output.stderr) }
    }
}

fn pliant(folder: &Folder, args: &[&str]) -> Said {
    command(&folder.0, args).output().unwrap().into()
}

fn json_lines(text: &str) -> Vec<serde_json::Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}"))).collect()
}
