//! Standard output that may be closed early, and simple tables.

use std::io::Write;

/// Prints to standard output; a closed pipe is an error to pass on, not a panic.
pub fn print(text: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Buffered standard output, for many lines.
pub fn buffered() -> std::io::BufWriter<std::io::StdoutLock<'static>> {
    std::io::BufWriter::new(std::io::stdout().lock())
}

/// One row of a table that is too long to be kept: cells padded to `widths`, or as long as they are.
pub fn row<S: AsRef<str>>(cells: &[S], widths: &[usize]) -> String {
    let cells: Vec<_> = cells.iter().zip(widths).map(|(cell, &width)| format!("{:<width$}", cell.as_ref())).collect();
    format!("  {}\n", cells.join("  ").trim_end())
}

/// Columns padded to their widest cell; the first row is the head.
pub fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |c: usize| rows.iter().filter_map(|r| r.get(c)).map(|cell| cell.chars().count()).max().unwrap_or(0);
    let widths: Vec<_> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells: Vec<_> = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:<width$}")).collect();
        text.push_str(format!("  {}", cells.join("  ")).trim_end());
        text.push('\n');
    }
    text
}
