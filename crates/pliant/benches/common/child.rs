//! Work in a process of its own, which may take so much CPU time and no more.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// End of a child process.
pub struct ChildEnd {
    /// All it printed.
    pub output: String,
    /// CPU seconds it took.
    pub cpu: f64,
    pub end: End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Finished,
    /// Ended with another code than 0: it panicked.
    Failed,
    /// It took more than its time and was ended.
    OverTime,
}

/// CPU seconds of all living threads of a process.
fn cpu_of(child: &Child) -> Option<f64> {
    let tasks = std::fs::read_dir(format!("/proc/{}/task", child.id())).ok()?;
    let of_task = |task: std::fs::DirEntry| -> Option<f64> {
        let text = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        Some(text.split_whitespace().next()?.parse::<f64>().ok()? * 1e-9)
    };
    Some(tasks.filter_map(|task| task.ok().and_then(of_task)).sum())
}

/// This very program with other arguments, on one thread.
pub fn run(arguments: &[String], max_cpu: f64) -> std::io::Result<ChildEnd> {
    let program = std::env::current_exe()?;
    let mut command = Command::new(program);
    command.args(arguments).env("RAYON_NUM_THREADS", "1").stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let (mut out, mut err) = (child.stdout.take(), child.stderr.take());
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        let _ = out.as_mut().map(|out| out.read_to_string(&mut text));
        text
    });
    let errors = std::thread::spawn(move || {
        let mut text = String::new();
        let _ = err.as_mut().map(|err| err.read_to_string(&mut text));
        text
    });
    let (mut cpu, mut end) = (0.0f64, None);
    while end.is_none() {
        std::thread::sleep(Duration::from_millis(if cpu < 0.1 { 2 } else { 10 }));
        cpu = cpu_of(&child).unwrap_or(cpu).max(cpu);
        if let Some(status) = child.try_wait()? {
            end = Some(if status.success() { End::Finished } else { End::Failed });
        } else if cpu > max_cpu {
            child.kill()?;
            child.wait()?;
            end = Some(End::OverTime);
        }
    }
    let output = reader.join().unwrap_or_default() + &errors.join().unwrap_or_default();
    Ok(ChildEnd { output, cpu, end: end.unwrap_or(End::Failed) })
}
