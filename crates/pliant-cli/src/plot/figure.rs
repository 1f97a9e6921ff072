//! Layout of the figure: four panels over one time axis, with legends at the right.

use super::axis::{Axis, area_unit, unit};
use super::drawing::{Anchor, CanvasPoint, Drawing, Label, Mark, Stroke};
use super::font::{fitted, width};
use super::history::{History, Series, SeriesSet};
use super::style::{self, FAINT, GRID, INK, others, rule};

/// Seven and a half inches, the width of a page's text.
const WIDTH: f64 = 720.0;
const LEFT: f64 = 66.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 42.0;
const RIGHT: f64 = 4.0;
/// Height of a panel, enough for a legend of all named series and the others.
const HEIGHT: f64 = 150.0;
const BETWEEN: f64 = 20.0;
/// Limits of a legend's width. Smaller: names are cut. Larger: curves get too little room.
const MIN_LEGEND: f64 = 90.0;
const MAX_LEGEND: f64 = 230.0;
/// Width of text relative to ours in the widest font a reader of the SVG may have, DejaVu Sans. Smaller: names are cut
/// there.
const WIDER: f64 = 1.17;
const LEGEND_GAP: f64 = 12.0;
const LEGEND_LINE: f64 = 26.0;
const LEGEND_STEP: f64 = 15.0;

const TITLE_SIZE: f64 = 14.0;
const LABEL_SIZE: f64 = 11.5;
const TICK_SIZE: f64 = 10.5;
const LEGEND_SIZE: f64 = 10.5;

/// Smallest number of ticks on the time axis and on the others.
const TIME_TICKS: usize = 5;
const TICKS: usize = 3;
/// Smallest range of the volume panel, per cent; volumes are accurate to a tenth. Smaller: errors look like changes.
const MIN_VOLUME_RANGE: f64 = 1.0;

/// One line of a legend and its series.
struct Entry {
    names: Vec<String>,
    stroke: Stroke,
    /// More than one for series that share a style.
    curves: Vec<Series>,
}

struct Panel {
    id: &'static str,
    label: String,
    entries: Vec<Entry>,
    /// None if there is no data.
    axis: Option<Axis>,
    /// Shown instead of the data.
    note: &'static str,
}

/// The time axis that all panels share.
struct TimeAxis {
    /// In units of `unit_size` seconds.
    axis: Axis,
    unit_size: f64,
    unit: String,
    /// Position of the axis' right end.
    right: f64,
}

/// Lays out the figure of a history.
pub fn draw(history: &History) -> Drawing {
    let panels = [energy(history), volume(history), force(history), area(history)];
    let names = panels.iter().flat_map(|p| &p.entries).map(|e| width(&together(&e.names), LEGEND_SIZE));
    let legend = (LEGEND_LINE + 6.0 + WIDER * names.fold(0.0, f64::max)).clamp(MIN_LEGEND, MAX_LEGEND);
    let time = TimeAxis::new(history, WIDTH - RIGHT - legend - LEGEND_GAP);
    let size = [WIDTH, TOP + 4.0 * HEIGHT + 3.0 * BETWEEN + BOTTOM];
    let mut marks = Vec::new();
    let title = fitted(&history.title, TITLE_SIZE, (WIDTH - LEFT - RIGHT) / WIDER);
    marks.push(Mark::Text(label(title, [LEFT, TOP - 15.0], TITLE_SIZE, Anchor::Start)));
    for (nth, panel) in panels.iter().enumerate() {
        let top = TOP + nth as f64 * (HEIGHT + BETWEEN);
        marks.push(Mark::BeginGroup(panel.id));
        let letter = format!("({})", ["a", "b", "c", "d"][nth]);
        marks.push(Mark::Text(label(letter, [4.0, top + 0.75 * LABEL_SIZE], LABEL_SIZE, Anchor::Start)));
        frame(&mut marks, panel, &time, top);
        curves(&mut marks, panel, &time, top);
        legends(&mut marks, &panel.entries, [time.right + LEGEND_GAP, top], legend);
        marks.push(Mark::EndGroup);
    }
    let base = size[1] - BOTTOM;
    for tick in &time.axis.ticks {
        let x = time.x_of_tick(*tick);
        marks.push(Mark::Line(vec![[x, base], [x, base + 4.0]], rule(INK)));
        marks.push(Mark::Text(label(time.axis.label(*tick), [x, base + 16.0], TICK_SIZE, Anchor::Middle)));
    }
    let middle = 0.5 * (LEFT + time.right);
    marks.push(Mark::Text(label(format!("time ({})", time.unit), [middle, size[1] - 8.0], LABEL_SIZE, Anchor::Middle)));
    Drawing { size, description: history.description.clone(), marks }
}

impl TimeAxis {
    /// From the first frame to the last; half a frame on either side of a single one.
    fn new(history: &History, right: f64) -> Self {
        let times = history.energies[0].points.iter().map(|p| p[0]);
        let (first, last) = (times.clone().fold(f64::INFINITY, f64::min), times.fold(0.0, f64::max));
        let half = if first < last { 0.0 } else { 0.5 * history.frame_time };
        let (unit_size, unit) = unit(last + half, "s");
        let axis = Axis::new((first - half) / unit_size, (last + half) / unit_size, TIME_TICKS);
        Self { axis, unit_size, unit, right }
    }

    fn x(&self, seconds: f64) -> f64 {
        self.x_of_tick(seconds / self.unit_size)
    }

    fn x_of_tick(&self, tick: f64) -> f64 {
        LEFT + self.axis.fraction(tick) * (self.right - LEFT)
    }
}

fn energy(history: &History) -> Panel {
    const NAMES: [&str; 5] = ["kinetic", "potential above its least", "elastic", "dissipated", "total"];
    let (joule, name) = unit(largest(&history.energies), "J");
    let curves = history.energies.iter().map(|c| scaled(c, 1.0 / joule));
    let entry = |(nth, curve): (usize, Series)| Entry {
        names: vec![NAMES[nth].to_owned()],
        stroke: if nth == 4 { style::total() } else { style::curve(nth) },
        curves: vec![curve],
    };
    let entries: Vec<_> = curves.enumerate().map(entry).collect();
    let axis = range(&entries).map(|(low, high)| Axis::with_margins(low.min(0.0), high.max(0.0), TICKS));
    Panel { id: "energy", label: format!("energy ({name})"), entries, axis, note: "energy unknown" }
}

fn volume(history: &History) -> Panel {
    let mut entries = entries_of(&history.volumes, 100.0);
    for entry in &mut entries {
        if range(std::slice::from_ref(entry)).is_none() {
            entry.names = vec![format!("{} (unknown)", together(&entry.names))];
        }
    }
    let axis = range(&entries).map(|(low, high)| {
        let (low, high) = (low.min(100.0), high.max(100.0));
        let more = 0.5 * (MIN_VOLUME_RANGE - (high - low)).max(0.0);
        Axis::with_margins(low - more, high + more, TICKS)
    });
    let note = if entries.is_empty() { "no bounded bodies" } else { "volumes unknown" };
    Panel { id: "volume", label: "volume (% of rest)".to_owned(), entries, axis, note }
}

fn force(history: &History) -> Panel {
    let (newton, name) = unit(largest_of(&history.forces), "N");
    from_zero("force", format!("contact force ({name})"), entries_of(&history.forces, 1.0 / newton))
}

fn area(history: &History) -> Panel {
    let (size, name) = area_unit(largest_of(&history.areas));
    from_zero("area", format!("contact area ({name})"), entries_of(&history.areas, 1.0 / size))
}

fn from_zero(id: &'static str, label: String, entries: Vec<Entry>) -> Panel {
    let axis = range(&entries).map(|(_, high)| Axis::with_margins(0.0, if high > 0.0 { high } else { 1.0 }, TICKS));
    Panel { id, label, entries, axis, note: "no contacts" }
}

fn entries_of(curves: &SeriesSet, scale: f64) -> Vec<Entry> {
    let named = curves.named.iter().enumerate().map(|(nth, c)| Entry {
        names: c.names.clone(),
        stroke: style::curve(nth),
        curves: vec![scaled(c, scale)],
    });
    let names = match &curves.others[..] {
        [] => return named.collect(),
        [one] => one.names.clone(),
        many => vec![format!("{} others", many.len())],
    };
    let rest = curves.others.iter().map(|c| scaled(c, scale)).collect();
    named.chain([Entry { names, stroke: others(), curves: rest }]).collect()
}

fn scaled(curve: &Series, scale: f64) -> Series {
    Series { names: curve.names.clone(), points: curve.points.iter().map(|p| [p[0], p[1] * scale]).collect() }
}

fn largest(curves: &[Series]) -> f64 {
    let sizes = curves.iter().flat_map(|c| &c.points).map(|p| p[1].abs());
    sizes.filter(|x| x.is_finite()).fold(0.0, f64::max)
}

fn largest_of(curves: &SeriesSet) -> f64 {
    largest(&curves.named).max(largest(&curves.others))
}

fn range(entries: &[Entry]) -> Option<(f64, f64)> {
    let values = entries.iter().flat_map(|e| &e.curves).flat_map(|c| &c.points).map(|p| p[1]);
    values.filter(|x| x.is_finite()).map(|x| (x, x)).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
}

/// Grid, axes and tick labels; or a note without data.
fn frame(marks: &mut Vec<Mark>, panel: &Panel, time: &TimeAxis, top: f64) {
    let (right, base) = (time.right, top + HEIGHT);
    match &panel.axis {
        Some(axis) => {
            for tick in &time.axis.ticks {
                let x = time.x_of_tick(*tick);
                marks.push(Mark::Line(vec![[x, top], [x, base]], rule(GRID)));
            }
            for tick in &axis.ticks {
                let y = base - axis.fraction(*tick) * HEIGHT;
                marks.push(Mark::Line(vec![[LEFT, y], [right, y]], rule(GRID)));
                marks.push(Mark::Line(vec![[LEFT - 4.0, y], [LEFT, y]], rule(INK)));
                let at = [LEFT - 7.0, y + 0.36 * TICK_SIZE];
                marks.push(Mark::Text(label(axis.label(*tick), at, TICK_SIZE, Anchor::End)));
            }
        }
        None => {
            let at = [0.5 * (LEFT + right), top + 0.5 * HEIGHT];
            let note = label(panel.note.to_owned(), at, LABEL_SIZE, Anchor::Middle);
            marks.push(Mark::Text(Label { color: FAINT, ..note }));
        }
    }
    marks.push(Mark::Line(vec![[LEFT, top], [LEFT, base], [right, base]], rule(INK)));
    let name = label(panel.label.clone(), [16.0, top + 0.5 * HEIGHT], LABEL_SIZE, Anchor::Middle);
    marks.push(Mark::Text(Label { vertical: true, ..name }));
}

/// Polylines, interrupted where a value is unknown; a single value is a dot.
fn curves(marks: &mut Vec<Mark>, panel: &Panel, time: &TimeAxis, top: f64) {
    let Some(axis) = &panel.axis else { return };
    let place = |p: &CanvasPoint| [time.x(p[0]), top + (1.0 - axis.fraction(p[1])) * HEIGHT];
    // The last entries of a legend (the others, or a total) are painted first.
    for (nth, Entry { stroke, curves, .. }) in panel.entries.iter().enumerate().rev() {
        // Dots at one position stay visible: lower ones are larger.
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

fn legends(marks: &mut Vec<Mark>, entries: &[Entry], [x, top]: CanvasPoint, width: f64) {
    let room = (width - LEGEND_LINE - 6.0) / WIDER;
    for (nth, entry) in entries.iter().enumerate() {
        let y = top + 6.0 + nth as f64 * LEGEND_STEP;
        marks.push(Mark::Line(vec![[x, y], [x + LEGEND_LINE, y]], entry.stroke));
        let at = [x + LEGEND_LINE + 6.0, y + 0.36 * LEGEND_SIZE];
        marks.push(Mark::Text(label(shortened(&entry.names, room), at, LEGEND_SIZE, Anchor::Start)));
    }
}

fn together(names: &[String]) -> String {
    names.join(" – ")
}

/// Names joined by a dash, each cut to its share of the room; a short one leaves more to the other.
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

fn label(text: String, at: CanvasPoint, size: f64, anchor: Anchor) -> Label {
    Label { text, at, size, anchor, vertical: false, color: INK }
}
