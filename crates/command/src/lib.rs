//! The `superhet` command: a file per subcommand. A library, so that the Python package has it without a second program,
//! and so that it is compiled for size, as the program cannot be.
#![forbid(unsafe_code)]

mod adsb;
mod batch;
mod blocks;
mod chain;
mod check;
mod cluster;
mod completions;
mod convert;
#[cfg(feature = "dashboard")]
mod dashboard;
#[cfg(not(feature = "dashboard"))]
#[path = "no_dashboard.rs"]
mod dashboard;
mod decode;
mod devices;
mod drive;
mod gnuradio;
mod info;
mod interrupt;
mod levels;
mod load;
mod man;
mod picture;
mod plan;
mod profile;
mod quantity;
mod record;
mod recording;
mod reference;
mod replay;
mod resample;
mod run;
mod serve;
mod shift;
mod slice;
mod soapy_probe;
mod spectrum;
mod stdout;
mod target;
mod waterfall;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use superhet_flow::FlowError;
use superhet_runtime::RunError;
use superhet_runtime::error::{CheckError, MessageError};

use superhet_terminal::say;
use superhet_terminal::usage::Usage;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::prelude::*;

use interrupt::Interrupted;

/// A software-radio runtime: runs graphs of signal-processing blocks.
///
/// Results go to stdout, everything else to stderr. Exit codes: 0 success, 1 failure, 2 a mistake in what was asked; 130, 143 or
/// 129 where SIGINT, SIGTERM or SIGHUP has ended a run, whose output then ends early.
#[derive(Debug, Parser)]
#[command(name = "superhet", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a graph: a graph file, a graph in a line, or a flowgraph of GNU Radio Companion
    Run(run::Run),
    /// Decode aircraft (ADS-B, Mode S) from a recording at 1090 MHz
    Adsb(adsb::Adsb),
    /// Decode messages of all kinds from recordings: `superhet decode --list`
    Decode(Box<decode::Decode>),
    /// Decode many recordings into Parquet files: a part of the Python package, `python -m superhet batch`
    Batch(batch::Batch),
    /// Say what a recording is and how strong its samples are
    Info(info::Info),
    /// Write a recording in another format, or a flowgraph of GNU Radio Companion as a graph file
    Convert(convert::Convert),
    /// Write a recording at another sample rate
    Resample(resample::Resample),
    /// Write a recording shifted in frequency
    Shift(shift::Shift),
    /// Write a part of a recording
    Slice(slice::Slice),
    /// Record what a block gives
    Record(record::Record),
    /// Say which radios there can be, and which answer
    Devices(devices::Devices),
    /// Ask one module of SoapySDR for its devices
    #[command(hide = true)]
    SoapyProbe(soapy_probe::SoapyProbe),
    /// Give out a recording as fast as it was taken
    Replay(replay::Replay),
    /// Serve a recording to other programs, as if it came from a radio
    Serve(serve::Serve),
    /// Run a graph on several hosts, on each of which `superhet node` runs
    Deploy(cluster::Deploy),
    /// Run parts of graphs that `superhet deploy` sends
    Node(cluster::Node),
    /// Draw the mean spectrum of a recording
    Spectrum(spectrum::Spectrum),
    /// Draw the spectra of a recording over time
    Waterfall(waterfall::Waterfall),
    /// Find every mistake of a graph without running it
    Check(check::Check),
    /// Show what would run where
    Plan(plan::PlanFile),
    /// Say which of GNU Radio's blocks are here
    Gnuradio(gnuradio::GnuRadio),
    /// List the blocks, find some, or explain one
    Blocks(blocks::Blocks),
    /// Find the fastest variant of each SIMD kernel on this machine, once for all programs
    Profile(profile::Profile),
    /// Measure the runtime
    #[command(subcommand)]
    Bench(superhet_bench::Bench),
    /// Print what makes a shell complete the command's words
    Completions(completions::Completions),
    /// Write the manual pages
    Man(man::Man),
}

/// Ends the process as an exit code of [`main`] says. Where a signal has ended a run, the process dies of it: shells have the same code
/// then, and bash ends its loop, too.
pub fn end(code: u8) -> ExitCode {
    match Interrupted::of_exit_code(code) {
        Some(interrupted) => interrupted.end(),
        None => ExitCode::from(code),
    }
}

/// Runs the command with these arguments, and gives its exit code, for [`end`]. `program` is how it is called where that is not the program of
/// the process alone: `python -m superhet`.
pub fn main(arguments: Vec<OsString>, program: Option<Vec<OsString>>) -> u8 {
    if let Some(program) = program {
        superhet_terminal::again::is_called(program);
    }
    let cli = match Cli::try_parse_from(std::iter::once(OsString::from("superhet")).chain(arguments)) {
        Ok(cli) => cli,
        Err(error) => {
            // Best effort: a stdout or stderr that is closed wants to hear nothing.
            let _ = error.print();
            return error.exit_code() as u8;
        }
    };
    let (filter, problem) = log_filter(std::env::var_os("SUPERHET_LOG"));
    // In a process of others, there may be a log already.
    let log = tracing_subscriber::fmt::layer().with_writer(say::Log).without_time().with_filter(filter);
    let _ = tracing_subscriber::registry().with(log).try_init();
    if let Some(problem) = problem {
        tracing::warn!("{problem}");
    }
    let result = match cli.command {
        Command::Run(run) => run.run(),
        Command::Adsb(adsb) => adsb.run(),
        Command::Decode(decode) => decode.run(),
        Command::Batch(batch) => batch.run(),
        Command::Spectrum(spectrum) => spectrum.run(),
        Command::Waterfall(waterfall) => waterfall.run(),
        Command::Check(check) => check.run(),
        Command::Plan(plan) => plan.run(),
        Command::Info(info) => info.run(),
        Command::Convert(convert) => convert.run(),
        Command::Resample(resample) => resample.run(),
        Command::Shift(shift) => shift.run(),
        Command::Slice(slice) => slice.run(),
        Command::Record(record) => record.run(),
        Command::Replay(replay) => replay.run(),
        Command::Serve(serve) => serve.run(),
        Command::Deploy(deploy) => deploy.run(),
        Command::Node(node) => node.run(),
        Command::Devices(devices) => devices.run(),
        Command::SoapyProbe(probe) => probe.run(),
        Command::Gnuradio(gnuradio) => gnuradio.run(),
        Command::Blocks(blocks) => blocks.run(),
        Command::Profile(profile) => profile.run(),
        Command::Bench(bench) => bench.run(),
        Command::Completions(completions) => completions.run(),
        Command::Man(man) => man.run(),
    };
    match result {
        Ok(()) => 0,
        Err(error) => {
            say::line(format_args!("superhet: {}", say::Chain(&error)));
            if load::needs_python(&error) {
                say::line(
                    "superhet: `superhet run --trust` hands what needs Python to `python -m superhet.gnuradio`, which executes it",
                );
            }
            match error.downcast_ref::<Interrupted>() {
                Some(interrupted) => interrupted.exit_code(),
                None if error.chain().any(is_asked_wrongly) => 2,
                None => 1,
            }
        }
    }
}

/// What is logged, as `SUPERHET_LOG` says, or else warnings; and why what it says is ignored.
fn log_filter(wanted: Option<OsString>) -> (Targets, Option<String>) {
    let wanted = wanted.filter(|wanted| !wanted.is_empty());
    let warnings = || Targets::new().with_default(LevelFilter::WARN);
    let Some(wanted) = wanted else { return (warnings(), None) };
    let wanted = wanted.to_string_lossy();
    // A word that is no level would be the name of a target that nobody has, and switch all else off.
    let is_level = |word: &str| word.parse::<LevelFilter>().is_ok();
    let mut words = wanted.split(',').map(str::trim).filter(|word| !word.contains(['=', '[']));
    let stray = words.find(|word| !word.is_empty() && !is_level(word) && !word.starts_with("superhet"));
    let problem = match (wanted.parse(), stray) {
        (Ok(filter), None) => return (filter, None),
        (Ok(_), Some(word)) => format!("{word:?} is no level"),
        (Err(error), _) => error.to_string(),
    };
    let expected = "expected error, warn, info, debug or trace, or superhet_…=level";
    (warnings(), Some(format!("SUPERHET_LOG = {wanted:?} is ignored: {problem}: {expected}")))
}

/// Whether an error is a mistake in the request, not in its execution.
fn is_asked_wrongly(error: &(dyn std::error::Error + 'static)) -> bool {
    let never_ran = matches!(error.downcast_ref(), Some(RunError::Check(_)));
    let is_wrong = error.is::<FlowError>() || error.is::<CheckError>() || error.is::<MessageError>();
    never_ran || is_wrong || error.is::<Usage>()
}
