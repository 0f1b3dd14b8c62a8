//! Every error of the crate on one page.

use std::io;
use std::path::{Path, PathBuf};

use crate::format::{SampleFormat, Shape};
use crate::sigmf::Problem;

/// What can go wrong with a file, with the data to say it in one sentence.
///
/// Offsets are in bytes from the start of the file unless they say samples.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused.
    #[error("{}: cannot {action}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried, as a verb: "open", "read".
        action: &'static str,
        /// Why not.
        source: io::Error,
    },

    /// A file that would have to be replaced.
    #[error("{}: the file is there already; with overwrite it is replaced", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },

    /// A sample format with this name is not known.
    #[error("unknown sample format {name:?}{}", did_you_mean(suggestion))]
    UnknownFormat {
        /// The name as given.
        name: String,
        /// The nearest known name, if one is near.
        suggestion: Option<String>,
    },

    /// The name of a file does not tell its sample format.
    #[error(
        "{}: the name does not tell the sample format{}; set the format, for example to cu8",
        path.display(), extension_in_words(extension, suggestion)
    )]
    NoFormatInName {
        /// The file.
        path: PathBuf,
        /// Its extension, empty if there is none.
        extension: String,
        /// The nearest known extension, if one is near.
        suggestion: Option<String>,
    },

    /// A file without a single byte.
    #[error("{}: the file is empty", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },

    /// A recording that ends in the middle of a sample.
    #[error(
        "{}: the recording is cut in mid-sample: at byte {byte_offset} (sample {sample_offset}) there \
         {} of a {sample_bytes}-byte {format} sample",
        path.display(), if *got_bytes == 1 { "is 1 byte".to_owned() } else { format!("are {got_bytes} bytes") }
    )]
    CutSample {
        /// The file.
        path: PathBuf,
        /// Where the cut sample begins.
        byte_offset: u64,
        /// Its index, which is also the number of whole samples before it.
        sample_offset: u64,
        /// How many of its bytes are there.
        got_bytes: usize,
        /// How many it should have.
        sample_bytes: usize,
        /// The sample format.
        format: SampleFormat,
    },

    /// A file that became shorter while it was read.
    #[error("{}: the file became shorter while it was read: {got} of {expected} {unit} came", path.display())]
    Shrank {
        /// The file.
        path: PathBuf,
        /// How much came.
        got: u64,
        /// How much there was when the file was opened.
        expected: u64,
        /// Of what: "samples", "frames", "bytes".
        unit: &'static str,
    },

    /// A file that one block would write while another reads or writes it.
    #[error("{}: would be {how}, and its samples lost: choose another file to write", path.display())]
    InUse {
        /// The file.
        path: PathBuf,
        /// How: "read and written at once" or "written by two blocks".
        how: &'static str,
    },

    /// A pipe or a device where only a file will do, because its length is needed or it is read more than once.
    #[error("{}: a pipe or device, but a regular file is needed", path.display())]
    NotAFile {
        /// The path as given.
        path: PathBuf,
    },

    /// A setting that does not fit the file.
    #[error("{}: {parameter} is {got}, expected {expected}", path.display())]
    Setting {
        /// The file.
        path: PathBuf,
        /// The setting.
        parameter: &'static str,
        /// What it is.
        got: String,
        /// What would fit.
        expected: String,
    },

    /// Samples that an item type of a stream cannot hold.
    #[error("{}: {format} samples are not {item} items{hint}", path.display())]
    WrongItem {
        /// The file.
        path: PathBuf,
        /// How the samples are stored.
        format: SampleFormat,
        /// The item type that was asked for.
        item: &'static str,
        /// What would work, empty or starting with a separator.
        hint: &'static str,
    },

    /// Real samples were asked of a complex file, or the other way round.
    #[error("{}: the samples are {got}, asked for were {wanted} ones", path.display())]
    WrongShape {
        /// The file.
        path: PathBuf,
        /// What the caller asked for.
        wanted: Shape,
        /// What the file holds.
        got: Shape,
    },

    /// A WAV header that is wrong, cut short, or contradicts the file.
    #[error("{}: WAV header, byte {byte_offset}: {field} is {got}, expected {expected}", path.display())]
    WavHeader {
        /// The file.
        path: PathBuf,
        /// Where the field stands.
        byte_offset: u64,
        /// Which field it is.
        field: &'static str,
        /// What it should have been.
        expected: String,
        /// What it is.
        got: String,
    },

    /// A sound WAV file of a kind that is not read here, or a setting that cannot be written.
    #[error("{}: unsupported WAV: {field} is {got}, supported are {supported}", path.display())]
    WavUnsupported {
        /// The file.
        path: PathBuf,
        /// Which property.
        field: &'static str,
        /// What it is.
        got: String,
        /// What would be accepted.
        supported: &'static str,
    },

    /// Writing would make the WAV file longer than its 32-bit lengths can say.
    #[error("{}: a WAV file holds at most {limit_bytes} bytes of samples; after {frames} frames it is full", path.display())]
    WavFull {
        /// The file.
        path: PathBuf,
        /// How many frames were written.
        frames: u64,
        /// The most bytes of samples that fit.
        limit_bytes: u64,
    },

    /// A metadata file that is not JSON.
    #[error("{}: not JSON: {message}", path.display())]
    Json {
        /// The file, or the archive and the member.
        path: PathBuf,
        /// What the parser says, with line and column.
        message: String,
    },

    /// Metadata that breaks the SigMF specification or does not fit the data; all mistakes at once.
    #[error("{}: {}", path.display(), list(problems))]
    Sigmf {
        /// The metadata file.
        path: PathBuf,
        /// Every mistake found.
        problems: Vec<Problem>,
    },

    /// No SigMF recording where one was looked for.
    #[error("{}: no SigMF recording: {message}", path.display())]
    NotARecording {
        /// The path as given.
        path: PathBuf,
        /// What was tried or found.
        message: String,
    },

    /// A metadata-only distribution was asked for its samples.
    #[error("{}: the recording is metadata only, it has no samples", path.display())]
    NoData {
        /// The metadata file.
        path: PathBuf,
    },

    /// The data are not those the metadata were written for.
    #[error("{}: SHA-512 is {got}, the metadata say {expected}", path.display())]
    HashMismatch {
        /// The data file.
        path: PathBuf,
        /// The hash in the metadata, in hex.
        expected: String,
        /// The hash of the data, in hex.
        got: String,
    },

    /// A PCAP file that is damaged, or none at all.
    #[error("{}: PCAP, byte {byte_offset}: {message}", path.display())]
    Pcap {
        /// The file.
        path: PathBuf,
        /// Where the header or packet stands.
        byte_offset: u64,
        /// What is wrong with it.
        message: String,
    },

    /// A socket that does not do what it should.
    #[error("cannot {action} {address}: {source}")]
    Socket {
        /// The address and port, its own or that of the other side.
        address: String,
        /// What was tried: "listen at", "connect to".
        action: &'static str,
        /// Why not.
        source: io::Error,
    },

    /// A radio behind a network that cannot be used.
    #[error("{address}: {problem}")]
    Radio {
        /// Where it is.
        address: String,
        /// What is wrong, and what was expected.
        problem: String,
    },

    /// Sound that cannot be played or heard.
    #[error("{}: {problem}", if device.is_empty() { "sound" } else { device })]
    Sound {
        /// The card, as it was named.
        device: String,
        /// What is wrong, and what was expected.
        problem: String,
    },

    /// A tar archive that is damaged.
    #[error("{}: archive, byte {byte_offset}: {message}", path.display())]
    Archive {
        /// The archive.
        path: PathBuf,
        /// Where the damaged header stands.
        byte_offset: u64,
        /// What is wrong with it.
        message: String,
    },
}

impl Error {
    /// Makes an [`Error::Io`].
    pub(crate) fn io(path: &Path, action: &'static str, source: io::Error) -> Self {
        Error::Io { path: path.to_owned(), action, source }
    }
}

/// The extension that names no format, if there is one.
fn extension_in_words(extension: &str, suggestion: &Option<String>) -> String {
    match extension {
        "" => String::new(),
        _ => format!(" (extension {extension:?}{})", did_you_mean(suggestion)),
    }
}

fn did_you_mean(suggestion: &Option<String>) -> String {
    suggestion.as_ref().map(|s| format!(", did you mean {s:?}?")).unwrap_or_default()
}

/// Lists problems on a line each; of many, the first ones and how many more there are.
fn list(problems: &[Problem]) -> String {
    const SHOWN: usize = 20;
    let mut text = match problems {
        [one] => return format!("SigMF: {one}"),
        _ => format!("SigMF: {} mistakes:", problems.len()),
    };
    for problem in problems.iter().take(SHOWN) {
        text.push_str(&format!("\n  {problem}"));
    }
    if problems.len() > SHOWN {
        text.push_str(&format!("\n  and {} more", problems.len() - SHOWN));
    }
    text
}
