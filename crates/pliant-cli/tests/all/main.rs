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

/// Output and exit code of a command.
struct Said {
    code: i32,
    out: String,
    /// Standard error without lines of progress: whether one is printed depends on the speed of the machine.
    err: String,
}

/// Whether a line only reports progress: "frame 3 of 20", and the time or state.
fn is_progress(line: &str) -> bool {
    let Some((done, rest)) = line.strip_prefix("frame ").and_then(|rest| rest.split_once(" of ")) else { return false };
    let after_count = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let told = [": ", ", about ", " has taken "].iter().any(|words| after_count.starts_with(words));
    done.parse::<usize>().is_ok() && after_count.len() < rest.len() && told
}

#[test]
fn lines_of_progress_are_left_out_of_what_a_command_said() {
    let err = "frame 2 of 3 has taken 4 s so far: many contacts take long\nframe 1 of 3: 0.017 s, 2 contacts\n\
               frame 5 of 9, about 12 s left\nnote: frame 3 of 4 is damaged\nframe 7, at byte 12\nframe 1 of 3 is damaged\n";
    let output = Output { status: Default::default(), stdout: Vec::new(), stderr: err.into() };
    let expected = "note: frame 3 of 4 is damaged\nframe 7, at byte 12\nframe 1 of 3 is damaged\n";
    assert_eq!(Said::from(output).err, expected);
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output is UTF-8");
        let err = text(output.stderr).split_inclusive('\n').filter(|line| !is_progress(line)).collect();
        Self { code: output.status.code().expect("no signal"), out: text(output.stdout), err }
    }
}

fn pliant(folder: &Folder, args: &[&str]) -> Said {
    command(&folder.0, args).output().unwrap().into()
}

fn json_lines(text: &str) -> Vec<serde_json::Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}"))).collect()
}
