//! `superhet profile`: finds the fastest variant of each kernel on this machine, for all programs of this user.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use serde_json::json;
use superhet_kernels::profile::{self, Choices};
use superhet_kernels::{Row, list, trial};

use superhet_bench::{kernels, seconds_of_call};
use superhet_terminal::progress::Bar;
use superhet_terminal::say;
use superhet_terminal::settings::parse_seconds;
use superhet_terminal::usage::Usage;

/// `superhet profile`
#[derive(Args, Debug)]
pub struct Profile {
    /// Only kernels whose name contains this; may be given several times. The choices for others are kept
    #[arg(long, value_name = "NAME")]
    kernel: Vec<String>,
    /// List the kernels with their variants and measure nothing; calls go to the one with a star
    #[arg(long)]
    list: bool,
    /// Where to write [default: the file that SUPERHET_KERNELS names, or superhet/kernels.toml in the user's
    /// configuration folder]
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Seconds for each variant at each length and alignment
    #[arg(long, default_value_t = 0.002, value_parser = parse_seconds)]
    seconds: f64,
    /// Print JSON: one object for each kernel, each on a line
    #[arg(long)]
    json: bool,
}

/// Items and shifts that are tried: from short calls to beyond the caches.
const CASES: [(usize, usize); 8] =
    [(64, 0), (64, 1), (1024, 0), (1024, 1), (8192, 0), (8192, 1), (200_000, 0), (200_000, 1)];

/// A variant must be so much faster than one that comes before it in the table.
const GAIN: f64 = 1.02;

impl Profile {
    pub fn run(self) -> anyhow::Result<()> {
        let rows = kernels::chosen(&self.kernel)?;
        if self.list {
            return self.print_list(&rows);
        }
        let path = self.output.clone().or_else(profile::path);
        let path =
            path.ok_or_else(|| Usage("there is no configuration folder: name a file with --output".into()))?;
        // What was measured before stays, if it was measured here.
        let before = profile::read_file(&path).ok().and_then(|text| profile::read(&text).ok());
        let mut choices = if self.kernel.is_empty() { Choices::new() } else { before.unwrap_or_default() };
        choices.retain(|op, _| list().iter().any(|row| row.name == op));

        let mut lines = String::new();
        let bar = Bar::new(rows.len());
        let mut other = 0;
        for row in &rows {
            bar.step(row.name);
            let gains = self.gains(row);
            let best = fastest(&gains);
            choices.insert(row.name.to_owned(), row.runnable[best].to_owned());
            other += u32::from(best > 0);
            lines += &if self.json { json_line(row, &gains, best) } else { line(row, &gains, best) };
        }
        bar.clear();
        if !self.json {
            lines += &format!(
                "{} kernels, {other} of them faster than with the variant that comes first here; written to {}\n",
                rows.len(),
                path.display()
            );
        }
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        }
        std::fs::write(&path, profile::text(&choices))
            .with_context(|| format!("cannot write {}", path.display()))?;
        say::result(&lines)
    }

    fn print_list(&self, rows: &[Row]) -> anyhow::Result<()> {
        let width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
        let mut text = String::new();
        for row in rows {
            if self.json {
                let group = kernels::group_name(row.group);
                let object = json!({
                    "name": row.name, "group": group, "variants": row.runnable, "chosen": row.chosen,
                });
                text += &format!("{object}\n");
            } else {
                let star =
                    |name: &&str| if *name == row.chosen { format!("{name}*") } else { (*name).to_owned() };
                let variants: Vec<String> = row.runnable.iter().map(star).collect();
                text += &format!("{:width$}  {}\n", row.name, variants.join(" "));
            }
        }
        say::result(&text)
    }

    /// How much faster each variant is than the first: the geometric mean over all cases.
    fn gains(&self, row: &Row) -> Vec<f64> {
        let time = Duration::from_secs_f64(self.seconds);
        let mut logs = vec![0.0; row.runnable.len()];
        if row.runnable.len() > 1 {
            for (length, shift) in CASES {
                let Some(mut trial) = trial(row.name, length, shift) else { continue };
                let mut best = vec![f64::MAX; logs.len()];
                // In turns, and the best of them: whatever else the machine does only adds to the time.
                for _ in 0..2 {
                    for (best, variant) in best.iter_mut().zip(&row.runnable) {
                        *best = best.min(seconds_of_call(time / 2, |calls| trial.run(variant, calls)));
                    }
                }
                for (log, seconds) in logs.iter_mut().zip(&best) {
                    *log += (best[0] / seconds).ln() / CASES.len() as f64;
                }
            }
        }
        logs.into_iter().map(f64::exp).collect()
    }
}

/// The place of the fastest variant; one that comes first stays where others gain next to nothing.
fn fastest(gains: &[f64]) -> usize {
    (1..gains.len()).fold(0, |best, next| if gains[next] > gains[best] * GAIN { next } else { best })
}

fn line(row: &Row, gains: &[f64], best: usize) -> String {
    let mut line = format!("{:32}", row.name);
    for (place, (variant, gain)) in row.runnable.iter().zip(gains).enumerate() {
        let star = if place == best { '*' } else { ' ' };
        line += &format!("  {variant:>7}{star} {:+4.0}%", (gain - 1.0) * 100.0);
    }
    line + "\n"
}

fn json_line(row: &Row, gains: &[f64], best: usize) -> String {
    let gains: serde_json::Map<_, _> =
        row.runnable.iter().zip(gains).map(|(variant, gain)| ((*variant).to_owned(), json!(gain))).collect();
    let object = json!({
        "name": row.name, "chosen": row.runnable[best], "first": row.runnable[0], "gain_over_first": gains,
    });
    format!("{object}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variant_is_chosen_for_a_gain_that_is_more_than_noise() {
        assert_eq!(fastest(&[1.0, 1.01, 0.5]), 0);
        assert_eq!(fastest(&[1.0, 1.05, 0.5]), 1);
        assert_eq!(fastest(&[1.0, 0.9, 1.3]), 2);
        assert_eq!(fastest(&[1.0]), 0);
    }
}
