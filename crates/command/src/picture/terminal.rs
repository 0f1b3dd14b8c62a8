//! Spectra with block characters, as wide as the terminal.

use std::fmt::Write as _;
use std::io::IsTerminal;

use super::colours::colour;
use super::draw::{columns, span};
use super::{Spectra, decibels};

/// What there is to draw on.
pub struct Screen {
    pub columns: usize,
    pub lines: usize,
    pub has_colours: bool,
}

impl Screen {
    /// The terminal at stdout; where there is none, as large as COLUMNS and LINES say, or 80 by 24.
    pub fn detect() -> Self {
        let stdout = std::io::stdout();
        let size =
            rustix::termios::tcgetwinsize(&stdout).ok().filter(|size| size.ws_col > 0 && size.ws_row > 0);
        let variable = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
        let has_colours =
            stdout.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        let (columns, lines) = match size {
            Some(size) => (size.ws_col.into(), size.ws_row.into()),
            None => (variable("COLUMNS").unwrap_or(80), variable("LINES").unwrap_or(24)),
        };
        Screen { columns: columns.clamp(30, 1000), lines: lines.clamp(8, 300), has_colours }
    }
}

/// Columns before the drawing.
const LEFT: usize = 8;
/// A character is filled by so many eighths.
const BARS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// For levels where there are no colours.
const SHADES: [char; 5] = [' ', '░', '▒', '▓', '█'];

/// Draws the mean spectrum.
pub fn spectrum(spectra: &Spectra, screen: &Screen) -> String {
    let width = screen.columns - LEFT - 1;
    let height = (screen.lines - 4).min(20);
    let levels: Vec<f64> = spectra.rows.mean().into_iter().take(spectra.axis.bins).map(decibels).collect();
    let (low, high) = span(&levels);
    let heights: Vec<usize> = columns(&levels, width)
        .into_iter()
        .map(|level| {
            ((level - low) / (high - low) * (8 * height) as f64).round().clamp(0.0, (8 * height) as f64)
                as usize
        })
        .collect();
    let mut text = format!("{}, {} frames, dBFS\n", spectra.title, spectra.rows.frames());
    for line in (0..height).rev() {
        let level = low + (high - low) * (line + 1) as f64 / height as f64;
        let label =
            if (height - 1 - line).is_multiple_of(4) { format!("{level:>6.0} ") } else { " ".repeat(7) };
        let bars = heights.iter().map(|n| BARS[n.saturating_sub(8 * line).min(8)]);
        let _ = writeln!(text, "{label}│{}", bars.collect::<String>().trim_end());
    }
    text + &frequencies(spectra, width)
}

/// Draws spectra over time, which goes down; a character has two of them where there are colours.
pub fn waterfall(spectra: &Spectra, screen: &Screen) -> String {
    let width = screen.columns - LEFT - 1;
    let in_line = if screen.has_colours { 2 } else { 1 };
    let means = spectra.rows.means();
    let lines = (screen.lines - 4).min(means.len().div_ceil(in_line));
    let rows: Vec<Vec<f64>> = (0..lines * in_line)
        .map(|row| {
            // Without a row of its own, the nearest one.
            let from = row * means.len() / (lines * in_line);
            let to = ((row + 1) * means.len() / (lines * in_line)).max(from + 1).min(means.len());
            let part = &means[from.min(means.len() - 1)..to];
            let mean = |bin: usize| {
                part.iter().map(|row| f64::from(row[bin])).sum::<f64>() / part.len().max(1) as f64
            };
            columns(&(0..spectra.axis.bins).map(|bin| decibels(mean(bin))).collect::<Vec<_>>(), width)
        })
        .collect();
    let (low, high) = span(&rows.concat());
    let share = |level: f64| (level - low) / (high - low);
    let mut text = format!("{}, {low:.0} to {high:.0} dBFS\n", spectra.title);
    for line in 0..lines {
        let time = spectra.start + spectra.row_length * (means.len() * line) as f64 / lines as f64;
        let label = if line.is_multiple_of(4) { time_label(time, spectra.is_timed) } else { " ".repeat(7) };
        let _ = write!(text, "{label}│");
        if screen.has_colours {
            for (above, below) in rows[2 * line].iter().zip(&rows[2 * line + 1]) {
                let ([r, g, b], [x, y, z]) = (colour(share(*above)), colour(share(*below)));
                let _ = write!(text, "\x1b[38;2;{r};{g};{b}m\x1b[48;2;{x};{y};{z}m▀");
            }
            text += "\x1b[0m\n";
        } else {
            let shade = |level: &f64| SHADES[((share(*level).clamp(0.0, 1.0)) * 4.0).round() as usize];
            let shades: String = rows[line].iter().map(shade).collect();
            let _ = writeln!(text, "{}", shades.trim_end());
        }
    }
    text + &frequencies(spectra, width)
}

fn time_label(time: f64, is_timed: bool) -> String {
    match (is_timed, time) {
        (false, samples) => format!("{samples:>6.0} "),
        (true, seconds) if seconds < 100.0 => format!("{seconds:>5.3}s "),
        (true, seconds) => format!("{seconds:>5.0}s "),
    }
}

/// The line below a drawing: the lowest, the middle and the highest frequency.
fn frequencies(spectra: &Spectra, width: usize) -> String {
    let (axis, (low, high)) = (&spectra.axis, spectra.axis.ends());
    let (left, middle) = (axis.text(low), axis.text((low + high) / 2.0));
    let right = format!("{} {}", axis.text(high), axis.unit().1);
    let gap = |used: usize| " ".repeat(used.max(1));
    let before = gap((width / 2).saturating_sub(left.len() + middle.len() / 2));
    let after = gap(width.saturating_sub(left.len() + before.len() + middle.len() + right.len()));
    format!(
        "{}└{}\n{}{left}{before}{middle}{after}{right}\n",
        " ".repeat(LEFT - 1),
        "─".repeat(width),
        " ".repeat(LEFT)
    )
}
