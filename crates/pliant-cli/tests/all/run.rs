//! `pliant run`: killed, stopped, starved, resumed.

use super::{Folder, Said, command, json_lines, pliant};
use std::fs;
use std::io::BufRead;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A ball on a ground: a contact to remember, and frames that take a few milliseconds each.
fn scene(frames: usize) -> String {
    format!(
        "duration = {}\nframe_rate = 60\n{}",
        (frames - 1) as f64 / 60.0,
        "[[body]]\nname = \"ball\"\nposition = [0, 0, 0.098]\nvelocity = [0.5, 0, -1]\n\
         skeleton = [{ thickness = 0.1, point = {} }]\n\
         [[body]]\nname = \"ground\"\nmotion = \"fixed\"\n\
         skeleton = [{ thickness = 0.1, half_space = { point = [0, 0, 0], normal = [0, 0, 1] } }]\n"
    )
}

/// A folder with a scene, and the bytes an uninterrupted run of it leaves.
fn prepared(test: &str, frames: usize) -> (Folder, Vec<u8>) {
    let folder = Folder::new(test);
    folder.write("scene.toml", scene(frames));
    let said = pliant(&folder, &["run", "scene.toml", "-o", "whole.pliant"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let bytes = fs::read(folder.0.join("whole.pliant")).unwrap();
    (folder, bytes)
}

/// A run that has written more than its header and is not finished.
fn running(folder: &Folder, whole: usize) -> Child {
    let path = folder.0.join("run.pliant");
    let mut child = command(&folder.0, &["run", "scene.toml", "-o", "run.pliant"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while fs::metadata(&path).map_or(0, |m| m.len()) < whole as u64 / 8 {
        assert!(child.try_wait().unwrap().is_none(), "the run ended before it was to be stopped");
        std::thread::sleep(Duration::from_millis(2));
    }
    child
}

fn resume(folder: &Folder) -> Said {
    pliant(folder, &["run", "scene.toml", "-o", "run.pliant", "--resume"])
}

#[test]
fn a_killed_run_resumes_to_the_same_bytes() {
    let (folder, whole) = prepared("kill", 1200);
    let mut child = running(&folder, whole.len());
    child.kill().unwrap();
    child.wait().unwrap();
    let kept = fs::read(folder.0.join("run.pliant")).unwrap();
    assert!(kept.len() < whole.len() && whole.starts_with(&kept), "killed in the middle");
    let said = pliant(&folder, &["inspect", "run.pliant", "--json"]);
    assert_eq!(said.code, 0);
    assert!(said.err.contains("whole frames of 1200") && said.err.contains("--resume"), "{}", said.err);
    let frames = said.out.lines().count();
    assert!((1..1200).contains(&frames));
    let said = resume(&folder);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.err.contains(&format!("resuming: {frames} of 1200 frames are whole")), "{}", said.err);
    assert!(fs::read(folder.0.join("run.pliant")).unwrap() == whole);
    // Resuming what is finished changes nothing.
    assert_eq!(resume(&folder).code, 0);
    assert!(fs::read(folder.0.join("run.pliant")).unwrap() == whole);
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_run_after_a_whole_frame_and_says_how_to_go_on() {
    let (folder, whole) = prepared("interrupt", 1200);
    let child = running(&folder, whole.len());
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let said: Said = child.wait_with_output().unwrap().into();
    assert_eq!((said.code, said.out.as_str()), (1, ""), "the work is not done");
    assert!(said.err.contains("go on with: "), "{}", said.err);
    assert!(said.err.ends_with("pliant run scene.toml -o run.pliant --resume\n"), "{}", said.err);
    let note = pliant(&folder, &["inspect", "run.pliant"]).err;
    assert!(note.contains("of 1200;"), "nothing torn: {note}");
    assert_eq!(resume(&folder).code, 0);
    assert!(fs::read(folder.0.join("run.pliant")).unwrap() == whole);
}

/// A shell with a limit on the size of files stands for a full disk: the write fails half-way through.
#[cfg(unix)]
#[test]
fn a_full_disk_keeps_finished_frames() {
    let (folder, whole) = prepared("full", 60);
    // `ulimit -f` counts blocks of 1 kB in bash; the signal that comes with it must not end the process.
    let script = "trap '' XFSZ; ulimit -f 4; exec \"$0\" run scene.toml -o run.pliant";
    let output = Command::new("bash")
        .args(["-c", script, env!("CARGO_BIN_EXE_pliant")])
        .current_dir(&folder.0)
        .output()
        .unwrap();
    let said: Said = output.into();
    assert_eq!((said.code, said.out.as_str()), (1, ""), "{}", said.err);
    assert!(
        said.err.contains("cannot write run.pliant") && said.err.contains("finished frames are kept"),
        "{}",
        said.err
    );
    let kept = fs::read(folder.0.join("run.pliant")).unwrap();
    assert!(kept.len() <= 4096 && whole.starts_with(&kept));
    let note = pliant(&folder, &["inspect", "run.pliant"]).err;
    assert!(note.contains("of 60;"), "nothing torn: {note}");
    assert_eq!(resume(&folder).code, 0);
    assert!(fs::read(folder.0.join("run.pliant")).unwrap() == whole);
}

#[test]
fn places_that_cannot_be_written_are_wrong_requests_told_once() {
    let folder = Folder::new("unwritable");
    folder.write("scene.toml", scene(2));
    for (path, words) in [
        ("none/run.pliant", "cannot write none/run.pliant: there is no folder none; make it first"),
        ("scene.toml/run.pliant", "cannot write scene.toml/run.pliant: scene.toml is not a folder; check the path"),
        (".", ". is not a regular file; give the name of a file"),
    ] {
        let said = pliant(&folder, &["run", "scene.toml", "-o", path]);
        assert_eq!((said.code, said.out, said.err), (2, String::new(), format!("error: {words}\n")), "{path}");
    }
    // Devices are left alone even by those who may replace them.
    if Path::new("/dev/full").exists() {
        let said = pliant(&folder, &["run", "scene.toml", "-o", "/dev/full", "--force"]);
        assert_eq!(said.code, 2, "{}", said.err);
        assert!(!fs::metadata("/dev/full").unwrap().is_file());
    }
}

#[test]
fn an_existing_cache_is_not_overwritten_unless_asked() {
    let (folder, whole) = prepared("exists", 3);
    folder.write("whole.pliant", &whole[..whole.len() - 5]);
    let said = pliant(&folder, &["run", "scene.toml", "-o", "whole.pliant"]);
    assert_eq!((said.code, said.out.as_str()), (2, ""));
    assert!(said.err.contains("--resume") && said.err.contains("--force"), "{}", said.err);
    assert_eq!(fs::read(folder.0.join("whole.pliant")).unwrap().len(), whole.len() - 5);
    assert_eq!(pliant(&folder, &["run", "scene.toml", "-o", "whole.pliant", "--force"]).code, 0);
    assert!(fs::read(folder.0.join("whole.pliant")).unwrap() == whole);
    assert_eq!(pliant(&folder, &["run", "scene.toml", "-o", "whole.pliant", "--force", "--resume"]).code, 2);
    let said = pliant(&folder, &["run", "whole.pliant", "-o", "x.pliant"]);
    assert_eq!(said.code, 2, "a cache is no scene");
    // A changed scene does not go on with the old one's frames.
    folder.write("scene.toml", scene(3).replace("0.5", "0.6"));
    let said = pliant(&folder, &["run", "scene.toml", "-o", "whole.pliant", "--resume"]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("line 6 differs"), "{}", said.err);
}

#[test]
fn a_damaged_cache_is_named_and_repaired() {
    let (folder, whole) = prepared("damaged", 5);
    let mut changed = whole.clone();
    changed[whole.len() - 20] ^= 8;
    folder.write("run.pliant", &changed);
    let said = pliant(&folder, &["inspect", "run.pliant"]);
    assert_eq!((said.code, said.out.as_str()), (2, ""));
    assert!(said.err.contains("is damaged: frame 4, at byte"), "{}", said.err);
    let said = resume(&folder);
    assert!(said.code == 0 && said.err.contains("the next was damaged"), "{}", said.err);
    assert!(fs::read(folder.0.join("run.pliant")).unwrap() == whole);
    let mut version = whole.clone();
    version[8] = 99;
    folder.write("new.pliant", version);
    let said = pliant(&folder, &["inspect", "new.pliant"]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("cache format 99") && said.err.contains("newer Pliant"), "{}", said.err);
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let folder = Folder::new("threads");
    // Enough pairs to be handed out to threads.
    let balls = "[[body]]\nname = \"ball\"\nposition = [0, 0, 0.095]\nrepeat = { count = [5, 4, 1], spacing = 0.19 }\n\
                 skeleton = [{ thickness = 0.1, point = {} }]\n";
    let text = scene(3).replace("[[body]]\nname = \"ball\"", &format!("{balls}[[body]]\nname = \"shooter\""));
    folder.write("scene.toml", text.replace("[0, 0, 0.098]", "[0.1, 0.1, 0.26]"));
    let run = |threads: &str| {
        let said = pliant(&folder, &["run", "scene.toml", "-o", "run.pliant", "--force", "--threads", threads]);
        assert_eq!(said.code, 0, "{}", said.err);
        fs::read(folder.0.join("run.pliant")).unwrap()
    };
    let one = run("1");
    assert!(run("2") == one && run("7") == one);
    for (threads, words) in [("0", "at least 1 thread"), ("1000", "at most 256 threads"), ("-1", "from 1 to 256")] {
        let said = pliant(&folder, &["run", "scene.toml", "-o", "run.pliant", "--force", "--threads", threads]);
        assert!(said.code == 2 && said.err.contains(words), "{}", said.err);
    }
}

#[test]
fn the_summary_is_one_json_object() {
    let folder = Folder::new("summary");
    folder.write("scene.toml", scene(3));
    let said = pliant(&folder, &["run", "scene.toml", "-o", "run.pliant", "--json"]);
    let lines = json_lines(&said.out);
    assert_eq!((said.code, lines.len()), (0, 1));
    assert_eq!((&lines[0]["kind"], &lines[0]["frames"]), (&"summary".into(), &3.into()));
    assert!(lines[0]["energy"]["elastic"].as_f64().unwrap() > 0.0);
    assert!(lines[0]["bytes"].as_u64().unwrap() < 3000);
    let energy = |key: &str| lines[0]["energy"][key].as_f64().unwrap();
    let entries =
        |key: &str| -> f64 { lines[0]["energy"][key].as_object().unwrap().values().map(|x| x.as_f64().unwrap()).sum() };
    let sum: f64 = ["kinetic", "potential", "elastic", "dissipated"].map(energy).iter().sum();
    let (external, integrator) = (entries("external"), entries("integrator"));
    assert!((energy("total") - (sum - external - integrator)).abs() <= 1e-12 * sum.abs());
    assert_eq!((entries("dissipation"), external), (energy("dissipated"), 0.0));
    // The ball falls in at 1 m/s: of the 4.7 J it brings, steps lose or make less than a hundredth, and every entry is booked.
    assert!(integrator.abs() < 0.05, "{integrator}");
    assert!(energy("balance").abs() < 1e-9, "{}", energy("balance"));
    let steps = &lines[0]["steps"];
    assert!(steps["steps"].as_u64().unwrap() > 3 && steps["contact_seconds"].as_f64().unwrap() >= 0.0, "{steps}");
}

#[test]
fn the_scene_itself_is_never_the_cache() {
    let folder = Folder::new("itself");
    folder.write("scene.toml", scene(2));
    std::fs::create_dir(folder.0.join("sub")).unwrap();
    std::fs::hard_link(folder.0.join("scene.toml"), folder.0.join("hard")).unwrap();
    let mut spellings = vec!["scene.toml", "./scene.toml", "sub/../scene.toml", "hard"];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("scene.toml", folder.0.join("soft")).unwrap();
        spellings.push("soft");
    }
    for output in spellings {
        for force in [&["--force"][..], &["--resume"], &[]] {
            let said = pliant(&folder, &[&["run", "scene.toml", "-o", output], force].concat());
            assert_eq!((said.code, said.out.as_str()), (2, ""), "{output}");
            assert!(said.err.contains("is the scene itself") && !said.err.contains("--force"), "{}", said.err);
        }
    }
    // Nor is a cache written under the name of a picture.
    let said = pliant(&folder, &["run", "scene.toml", "-o", "film.MP4"]);
    assert!(said.code == 2 && said.err.contains("film.pliant") && said.err.contains("render"), "{}", said.err);
    assert!(!folder.0.join("film.MP4").exists());
    // Nor is any other file that is no cache.
    folder.write("notes.txt", "precious");
    let said = pliant(&folder, &["run", "scene.toml", "-o", "notes.txt", "--force"]);
    assert!(said.code == 2 && said.err.contains("is no cache"), "{}", said.err);
    assert_eq!(fs::read_to_string(folder.0.join("scene.toml")).unwrap(), scene(2));
    assert_eq!(fs::read_to_string(folder.0.join("notes.txt")).unwrap(), "precious");
}

#[test]
fn run_and_inspect_count_the_same_bytes() {
    let (folder, _) = prepared("bytes", 12);
    let summary = pliant(&folder, &["run", "scene.toml", "-o", "run.pliant"]).out;
    let shown = pliant(&folder, &["inspect", "run.pliant"]).out;
    let bytes = |text: &str| {
        let words: Vec<&str> = text.split_whitespace().collect();
        let at = words.windows(3).position(|w| w[0] == "bytes" && w[1] == "a" && w[2].starts_with("frame")).unwrap();
        words[at - 1].parse::<u64>().unwrap()
    };
    assert_eq!(bytes(&summary), bytes(&shown), "{summary}{shown}");
    assert!(summary.contains("at once"), "{summary}");
    assert!(summary.contains("at the start") && shown.contains("at the start"), "{summary}{shown}");
    assert!(summary.contains("by the time stepping") && summary.contains("contact search"), "{summary}");
}

#[test]
fn whole_frames_of_a_damaged_cache_are_shown() {
    let (folder, whole) = prepared("whole-frames", 8);
    let mut changed = whole.clone();
    changed[whole.len() - 20] ^= 8;
    folder.write("run.pliant", &changed);
    let said = pliant(&folder, &["inspect", "run.pliant", "--json", "--frames", "0..3"]);
    assert_eq!((said.code, json_lines(&said.out).len()), (0, 3), "{}", said.err);
    assert!(said.err.contains("note: run.pliant is damaged: frame 7"), "{}", said.err);
    let said = pliant(&folder, &["inspect", "run.pliant", "--json", "--frames", "5..8"]);
    assert_eq!((said.code, said.out.as_str()), (2, ""));
    assert!(said.err.contains("is damaged: frame 7") && said.err.contains("--frames ..7"), "{}", said.err);
    // Cut off in its header, or empty: there is nothing to resume, and it says what will do.
    for kept in [0, 30] {
        folder.write("run.pliant", &whole[..kept]);
        let said = resume(&folder);
        assert!(said.code == 2 && said.err.contains("run the scene again with --force"), "{}", said.err);
        let said = pliant(&folder, &["run", "scene.toml", "-o", "run.pliant", "--force"]);
        assert_eq!(said.code, 0, "{}", said.err);
    }
}

/// A millimetre ball, as stiff as can be, between a floor and a ceiling: explicit steps are the shortest for ever.
#[test]
fn a_frame_that_takes_long_is_spoken_of() {
    let folder = Folder::new("slow");
    let plane = |name: &str, z: &str, up: &str| {
        format!(
            "[[body]]\nname = \"{name}\"\nmaterial = \"steel\"\nmotion = \"fixed\"\n\
             skeleton = [{{ thickness = 1e-3, half_space = {{ point = [0, 0, {z}], normal = [0, 0, {up}] }} }}]\n"
        )
    };
    let head = "duration = 2\nframe_rate = 1\nmotion.scheme = \"explicit\"\n[materials.steel]\nstiffness = 1e12\n\
                [[body]]\nname = \"ball\"\nmaterial = \"steel\"\nposition = [0, 0, 0.98e-3]\n\
                skeleton = [{ thickness = 1e-3, point = {} }]\n";
    folder.write("scene.toml", head.to_owned() + &plane("floor", "0", "1") + &plane("ceiling", "1.9e-3", "-1"));
    let mut child = command(&folder.0, &["run", "scene.toml", "-o", "run.pliant"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = std::io::BufReader::new(child.stderr.take().unwrap()).lines();
    let told = lines.find(|line| line.as_ref().is_ok_and(|l| l.contains("has taken")));
    child.kill().unwrap();
    child.wait().unwrap();
    let line = told.expect("the run is slow").unwrap();
    assert!(line.contains("motion.smallest_step, 1e-7 s,"), "{line}");
}

/// A ball in a ring a nanometre larger: too many places to prove empty.
#[test]
fn a_warning_names_the_pair_the_time_the_size_and_the_remedy() {
    let folder = Folder::new("undecided");
    let text = "duration = 0.001\nframe_rate = 1000\ngravity = [0, 0, 0]\n\
                [[body]]\nname = \"ball\"\nskeleton = [{ thickness = 0.1, point = {} }]\n\
                [[body]]\nname = \"ring\"\nskeleton = [{ thickness = 0.01, circle = { radius = 0.110000001 } }]\n";
    folder.write("scene.toml", text);
    let said = pliant(&folder, &["run", "scene.toml", "-o", "run.pliant", "--json"]);
    let summary = &json_lines(&said.out)[0];
    let warning = &summary["warnings"][0];
    assert_eq!(summary["warnings"].as_array().map(Vec::len), Some(1), "{summary}");
    assert_eq!([&warning["kind"], &warning["a"], &warning["b"]], ["undecided", "ball", "ring"]);
    let size = format!("{:.3} mm", 1e3 * warning["size"].as_f64().unwrap());
    let said = pliant(&folder, &["inspect", "run.pliant"]);
    let line = said.out.lines().find(|l| l.contains("warning:")).unwrap_or_else(|| panic!("{}", said.out));
    for part in ["at 0.0000 s", "ball and ring", &size, "leave more room"] {
        assert!(line.contains(part), "{part} is not in {line}");
    }
}
