//! The figure: four panels over one axis of time, their legends beside them.

use super::axis::{Axis, area_unit, unit};
use super::font::{fitted, width};
use super::history::{Curve, Curves, History};
use super::sheet::{Anchor, Color, Mark, Point, Sheet, Stroke, Words};
use super::style::{self, FAINT, GRID, INK, others, rule};

/// Seven inches and a half: the width of a printed page's text.
const WIDTH: f64 = 720.0;
const LEFT: f64 = 66.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 42.0;
const RIGHT: f64 = 4.0;
/// Of a panel: enough for a legend of all the curves that are told apart, and the others.
const HEIGHT: f64 = 150.0;
const BETWEEN: f64 = 20.0;
/// Of a legend, names included. Less: every name is cut. More: curves get too little.
const LEAST_LEGEND: f64 = 90.0;
const MOST_LEGEND: f64 = 230.0;
/// Times the width of ours that text may take: readers of an SVG may have only DejaVu Sans. Less: they see names cut.
const WIDER: f64 = 1.17;
const LEGEND_GAP: f64 = 12.0;
const LEGEND_LINE: f64 = 26.0;
const LEGEND_STEP: f64 = 15.0;

const TITLE_SIZE: f64 = 14.0;
const LABEL_SIZE: f64 = 11.5;
const TICK_SIZE: f64 = 10.5;
const LEGEND_SIZE: f64 = 10.5;

/// Marks on an axis, at least.
const TIME_MARKS: usize = 5;
const MARKS: usize = 3;
/// Per cent that a panel of volumes spans at least: they are known to a tenth.
const LEAST_SPAN: f64 = 1.0;

/// One line of a legend and what it stands for.
struct Entry {
    names: Vec<String>,
    stroke: Stroke,
    /// Several where they are not told apart.
    curves: Vec<Curve>,
}

struct Panel {
    id: &'static str,
    label: String,
    entries: Vec<Entry>,
    /// None where there is nothing to show.
    axis: Option<Axis>,
    /// Says why.
    note: &'static str,
}

/// Where the curves of all panels lie across, and the time they share.
struct Across {
    time: Axis,
    second: f64,
    right: f64,
}

/// Lays out a history.
pub fn draw(history: &History) -> Sheet {
    let (time, second, time_unit) = time_axis(history);
    let panels = [energy(history), volume(history), force(history), area(history)];
    let names = panels.iter().flat_map(|p| &p.entries).map(|e| width(&together(&e.names), LEGEND_SIZE));
    let legend = (LEGEND_LINE + 6.0 + WIDER * names.fold(0.0, f64::max)).clamp(LEAST_LEGEND, MOST_LEGEND);
    let across = Across { time, second, right: WIDTH - RIGHT - legend - LEGEND_GAP };
    let size = [WIDTH, TOP + 4.0 * HEIGHT + 3.0 * BETWEEN + BOTTOM];
    let mut marks = Vec::new();
    let title = fitted(&history.title, TITLE_SIZE, (WIDTH - LEFT - RIGHT) / WIDER);
    marks.push(words(title, [LEFT, TOP - 15.0], TITLE_SIZE, Anchor::Start));
    for (nth, panel) in panels.iter().enumerate() {
        let top = TOP + nth as f64 * (HEIGHT + BETWEEN);
        marks.push(Mark::Begin(panel.id));
        let letter = format!("({})", ["a", "b", "c", "d"][nth]);
        marks.push(words(letter, [4.0, top + 0.75 * LABEL_SIZE], LABEL_SIZE, Anchor::Start));
        frame(&mut marks, panel, &across, top);
        curves(&mut marks, panel, &across, top);
        legends(&mut marks, &panel.entries, [across.right + LEGEND_GAP, top], legend);
        marks.push(Mark::End);
    }
    let base = size[1] - BOTTOM;
    for tick in &across.time.ticks {
        let x = across.x(*tick * across.second);
        marks.push(Mark::Line(vec![[x, base], [x, base + 4.0]], rule(INK)));
        marks.push(words(across.time.label(*tick), [x, base + 16.0], TICK_SIZE, Anchor::Middle));
    }
    let middle = 0.5 * (LEFT + across.right);
    marks.push(words(format!("time ({time_unit})"), [middle, size[1] - 8.0], LABEL_SIZE, Anchor::Middle));
    Sheet { size, about: history.about.clone(), marks }
}

impl Across {
    fn x(&self, seconds: f64) -> f64 {
        LEFT + self.time.part(seconds / self.second) * (self.right - LEFT)
    }
}

/// From the first frame to the last; half a frame either way around a single one.
fn time_axis(history: &History) -> (Axis, f64, String) {
    let times = history.energies[0].points.iter().map(|p| p[0]);
    let (first, last) = (times.clone().fold(f64::INFINITY, f64::min), times.fold(0.0, f64::max));
    let half = if first < last { 0.0 } else { 0.5 * history.frame_time };
    let (second, name) = unit(last + half, "s");
    (Axis::new((first - half) / second, (last + half) / second, TIME_MARKS), second, name)
}

fn energy(history: &History) -> Panel {
    const NAMES: [&str; 5] = ["kinetic", "potential above its least", "elastic", "dissipated", "total"];
    let (joule, name) = unit(most(&history.energies), "J");
    let curves = history.energies.iter().map(|c| scaled(c, 1.0 / joule));
    let entry = |(nth, curve): (usize, Curve)| Entry {
        names: vec![NAMES[nth].to_owned()],
        stroke: if nth == 4 { style::total() } else { style::curve(nth) },
        curves: vec![curve],
    };
    let entries: Vec<_> = curves.enumerate().map(entry).collect();
    let axis = range(&entries).map(|(low, high)| Axis::with_margins(low.min(0.0), high.max(0.0), MARKS));
    Panel { id: "energy", label: format!("energy ({name})"), entries, axis, note: "energy unknown" }
}

fn volume(history: &History) -> Panel {
    let mut entries = told_apart(&history.volumes, 100.0);
    for entry in &mut entries {
        if range(std::slice::from_ref(entry)).is_none() {
            entry.names = vec![format!("{} (unknown)", together(&entry.names))];
        }
    }
    let axis = range(&entries).map(|(low, high)| {
        let (low, high) = (low.min(100.0), high.max(100.0));
        let more = 0.5 * (LEAST_SPAN - (high - low)).max(0.0);
        Axis::with_margins(low - more, high + more, MARKS)
    });
    let note = if entries.is_empty() { "no bounded bodies" } else { "volumes unknown" };
    Panel { id: "volume", label: "volume (% of rest)".to_owned(), entries, axis, note }
}

fn force(history: &History) -> Panel {
    let (newton, name) = unit(most_of(&history.forces), "N");
    from_zero("force", format!("contact force ({name})"), told_apart(&history.forces, 1.0 / newton))
}

fn area(history: &History) -> Panel {
    let (size, name) = area_unit(most_of(&history.areas));
    from_zero("area", format!("contact area ({name})"), told_apart(&history.areas, 1.0 / size))
}

fn from_zero(id: &'static str, label: String, entries: Vec<Entry>) -> Panel {
    let axis = range(&entries).map(|(_, high)| Axis::with_margins(0.0, if high > 0.0 { high } else { 1.0 }, MARKS));
    Panel { id, label, entries, axis, note: "no contacts" }
}

fn told_apart(curves: &Curves, scale: f64) -> Vec<Entry> {
    let told = curves.told.iter().enumerate().map(|(nth, c)| Entry {
        names: c.names.clone(),
        stroke: style::curve(nth),
        curves: vec![scaled(c, scale)],
    });
    let names = match &curves.others[..] {
        [] => return told.collect(),
        [one] => one.names.clone(),
        many => vec![format!("{} others", many.len())],
    };
    let rest = curves.others.iter().map(|c| scaled(c, scale)).collect();
    told.chain([Entry { names, stroke: others(), curves: rest }]).collect()
}

fn scaled(curve: &Curve, scale: f64) -> Curve {
    Curve { names: curve.names.clone(), points: curve.points.iter().map(|p| [p[0], p[1] * scale]).collect() }
}

fn most(curves: &[Curve]) -> f64 {
    let sizes = curves.iter().flat_map(|c| &c.points).map(|p| p[1].abs());
    sizes.filter(|x| x.is_finite()).fold(0.0, f64::max)
}

fn most_of(curves: &Curves) -> f64 {
    most(&curves.told).max(most(&curves.others))
}

fn range(entries: &[Entry]) -> Option<(f64, f64)> {
    let values = entries.iter().flat_map(|e| &e.curves).flat_map(|c| &c.points).map(|p| p[1]);
    values.filter(|x| x.is_finite()).map(|x| (x, x)).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
}

/// Grid, axes and their numbers; or why there are none.
fn frame(marks: &mut Vec<Mark>, panel: &Panel, across: &Across, top: f64) {
    let (right, base) = (across.right, top + HEIGHT);
    match &panel.axis {
        Some(axis) => {
            for tick in &across.time.ticks {
                let x = across.x(*tick * across.second);
                marks.push(Mark::Line(vec![[x, top], [x, base]], rule(GRID)));
            }
            for tick in &axis.ticks {
                let y = base - axis.part(*tick) * HEIGHT;
                marks.push(Mark::Line(vec![[LEFT, y], [right, y]], rule(GRID)));
                marks.push(Mark::Line(vec![[LEFT - 4.0, y], [LEFT, y]], rule(INK)));
                let at = [LEFT - 7.0, y + 0.36 * TICK_SIZE];
                marks.push(words(axis.label(*tick), at, TICK_SIZE, Anchor::End));
            }
        }
        None => {
            let at = [0.5 * (LEFT + right), top + 0.5 * HEIGHT];
            marks.push(tinted(panel.note.to_owned(), at, LABEL_SIZE, Anchor::Middle, FAINT));
        }
    }
    marks.push(Mark::Line(vec![[LEFT, top], [LEFT, base], [right, base]], rule(INK)));
    marks.push(Mark::Words(Words {
        text: panel.label.clone(),
        at: [16.0, top + 0.5 * HEIGHT],
        size: LABEL_SIZE,
        anchor: Anchor::Middle,
        upright: true,
        color: INK,
    }));
}

/// Lines that end where a value is not known; a value alone is a dot.
fn curves(marks: &mut Vec<Mark>, panel: &Panel, across: &Across, top: f64) {
    let Some(axis) = &panel.axis else { return };
    let place = |p: &Point| [across.x(p[0]), top + (1.0 - axis.part(p[1])) * HEIGHT];
    // The last in a legend, the others and a total, are best seen below.
    for (nth, Entry { stroke, curves, .. }) in panel.entries.iter().enumerate().rev() {
        // Of dots in one place, the lower look out.
        let radius = 2.0 + 0.8 * nth as f64;
        for run in curves.iter().flat_map(|c| c.points.split(|p| !p[1].is_finite())) {
            match run {
                [] => {}
                [one] => marks.push(Mark::Dot { at: place(one), radius, color: stroke.color }),
                run => marks.push(Mark::Line(run.iter().map(place).collect(), *stroke)),
            }
        }
    }
}

fn legends(marks: &mut Vec<Mark>, entries: &[Entry], [x, top]: Point, across: f64) {
    let room = (across - LEGEND_LINE - 6.0) / WIDER;
    for (nth, entry) in entries.iter().enumerate() {
        let y = top + 6.0 + nth as f64 * LEGEND_STEP;
        marks.push(Mark::Line(vec![[x, y], [x + LEGEND_LINE, y]], entry.stroke));
        let at = [x + LEGEND_LINE + 6.0, y + 0.36 * LEGEND_SIZE];
        marks.push(words(shortened(&entry.names, room), at, LEGEND_SIZE, Anchor::Start));
    }
}

fn together(names: &[String]) -> String {
    names.join(" – ")
}

/// Names with a dash between, each cut to its share of the room; a short one leaves more to the other.
fn shortened(names: &[String], room: f64) -> String {
    match names {
        [a, b] => {
            let room = room - width(" – ", LEGEND_SIZE);
            let [long_a, long_b] = [a, b].map(|name| width(name, LEGEND_SIZE));
            let a = fitted(a, LEGEND_SIZE, (room - long_b).max(0.5 * room));
            let b = fitted(b, LEGEND_SIZE, (room - long_a).max(0.5 * room));
            together(&[a, b])
        }
        names => fitted(&together(names), LEGEND_SIZE, room),
    }
}

fn words(text: String, at: Point, size: f64, anchor: Anchor) -> Mark {
    tinted(text, at, size, anchor, INK)
}

fn tinted(text: String, at: Point, size: f64, anchor: Anchor, color: Color) -> Mark {
    Mark::Words(Words { text, at, size, anchor, upright: false, color })
}
