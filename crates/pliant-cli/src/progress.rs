//! Progress: a bar on a terminal, a line every few seconds elsewhere, and a message when a frame takes long.

use crate::numbers::short;
use crate::simulate::counted;
use indicatif::{ProgressBar, ProgressStyle};
use pliant::World;
use std::io::{IsTerminal, Write};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

/// Time between plain lines of progress, for logs.
const BETWEEN_LINES: Duration = Duration::from_secs(5);
/// Time after which a slow frame is reported. Shorter: every large scene is. Longer: users think it hangs.
const SLOW: Duration = Duration::from_secs(4);
/// The same for a frame whose slowness is explained.
const VERY_SLOW: Duration = Duration::from_secs(30);

/// Progress of a run.
pub struct Progress {
    bar: Option<ProgressBar>,
    count: usize,
    last: Instant,
    /// Sends the index of each frame to the watcher thread, which ends when this is dropped.
    begins: Sender<usize>,
}

impl Progress {
    /// Progress over `count` frames, of which `done` exist already.
    pub fn new(count: usize, done: usize, world: &World, frame_rate: f64) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(count as u64).with_position(done as u64);
            let template = "{wide_bar} frame {pos}/{len}  {msg}  {eta} left";
            bar.with_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()))
        });
        let (begins, heard) = mpsc::channel();
        let smallest = world.settings().smallest_step;
        let hint = format!(
            "many contacts take long, and so do short steps: where bodies are very stiff, thin, light or fast, steps \
             are as short as motion.smallest_step, {} s, {} to a frame",
            short(smallest),
            short((1.0 / frame_rate / smallest).ceil())
        );
        let listed = bar.clone();
        let watch = move || {
            let (mut frame, mut since, mut told) = (done, Instant::now(), false);
            loop {
                match heard.recv_timeout(if told { VERY_SLOW } else { SLOW }) {
                    Ok(next) => (frame, since) = (next, Instant::now()),
                    Err(RecvTimeoutError::Disconnected) => return,
                    Err(RecvTimeoutError::Timeout) => {
                        let hint = if std::mem::replace(&mut told, true) { "" } else { &format!(": {hint}") };
                        let seconds = since.elapsed().as_secs();
                        let line = format!("frame {frame} of {count} has taken {seconds} s so far{hint}");
                        say(listed.as_ref(), &line);
                    }
                }
            }
        };
        // Without a watcher the run is the same.
        let _ = std::thread::Builder::new().name("progress".to_owned()).spawn(watch);
        Self { bar, count, last: Instant::now(), begins }
    }

    /// Frame `index` is being computed.
    pub fn begin(&self, index: usize) {
        // The watcher may not have been started.
        let _ = self.begins.send(index);
    }

    /// Shows that `done` frames are finished.
    pub fn show(&mut self, done: usize, world: &World) {
        let now = format!("{:.3} s, {}", world.time(), counted(world.contacts().len(), "contact"));
        match &self.bar {
            Some(bar) => {
                bar.set_message(now);
                bar.set_position(done as u64);
            }
            None if self.last.elapsed() >= BETWEEN_LINES => {
                self.last = Instant::now();
                say(None, &format!("frame {done} of {}: {now}", self.count));
            }
            None => {}
        }
    }

    /// Leaves the terminal as it was.
    pub fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Progress over equal pieces of work: a bar on a terminal, a line every few seconds elsewhere.
pub struct Work {
    bar: Option<ProgressBar>,
    count: usize,
    done: usize,
    start: Instant,
    last: Instant,
}

impl Work {
    /// Progress over `count` pieces, none of them done.
    pub fn new(count: usize) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template("{wide_bar} frame {pos}/{len}  {eta} left");
            ProgressBar::new(count as u64).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        });
        Self { bar, count, done: 0, start: Instant::now(), last: Instant::now() }
    }

    /// Shows that one more is done.
    pub fn step(&mut self) {
        self.done += 1;
        if let Some(bar) = &self.bar {
            bar.inc(1);
        } else if self.last.elapsed() >= BETWEEN_LINES && self.done < self.count {
            self.last = Instant::now();
            let left = self.start.elapsed().as_secs_f64() / self.done as f64 * (self.count - self.done) as f64;
            say(None, &format!("frame {} of {}, about {left:.0} s left", self.done, self.count));
        }
    }

    /// Leaves the terminal as it was.
    pub fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn say(bar: Option<&ProgressBar>, line: &str) {
    match bar {
        Some(bar) => bar.println(line),
        // If standard error is closed, the run goes on.
        None => drop(writeln!(std::io::stderr(), "{line}")),
    }
}
