//! Every error of the crate on one page, but for those of `adsb`, which has its own.

/// What is wrong with a block's parameters, or with the file that it writes to.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A number that is out of its range.
    #[error("{parameter} = {got}: expected {wanted}")]
    OutOfRange {
        /// The parameter.
        parameter: &'static str,
        /// What it may be.
        wanted: &'static str,
        /// What it is.
        got: f64,
    },
    /// A list with nothing in it.
    #[error("{parameter} is empty: expected {wanted}")]
    Empty {
        /// The parameter.
        parameter: &'static str,
        /// What it needs.
        wanted: &'static str,
    },
    /// A number of the wrong kind, such as a complex one for real items.
    #[error("{parameter} = {got}: expected {wanted}")]
    WrongKind {
        /// The parameter.
        parameter: &'static str,
        /// What would fit.
        wanted: &'static str,
        /// What is there.
        got: String,
    },
    /// A number of a list that does not fit.
    #[error("{parameter}[{place}] = {got}: expected {wanted}")]
    Element {
        /// The parameter.
        parameter: &'static str,
        /// Where in the list, counted from 0.
        place: usize,
        /// What would fit.
        wanted: &'static str,
        /// What is there.
        got: String,
    },
    /// A filter so sharp that it would have too many taps.
    #[error(
        "transition_hz = {transition_hz} at rate_hz = {rate_hz} takes {taps:.0} taps, more than {most}: \
         widen the transition or lower the rate first"
    )]
    TooManyTaps {
        /// The transition's width in hertz.
        transition_hz: f64,
        /// The sample rate in hertz.
        rate_hz: f64,
        /// How many taps it would take.
        taps: f64,
        /// How many are allowed.
        most: usize,
    },
    /// A file that cannot be read.
    #[error("cannot read {path}: {error}")]
    Read {
        /// The file's path.
        path: String,
        /// What the system said.
        #[source]
        error: std::io::Error,
    },
    /// A file of a matrix that is not as it should be.
    #[error("{place}: {got}: expected {wanted}")]
    NoMatrix {
        /// The file, and its line.
        place: String,
        /// What should be there.
        wanted: String,
        /// What is there.
        got: String,
    },
    /// A packet that is no whole number of a code's blocks.
    #[error("a packet of {items} {of}: expected a whole number of blocks of {block}")]
    NotWhole {
        /// How long the packet is.
        items: usize,
        /// Of what.
        of: &'static str,
        /// How long a block is.
        block: usize,
    },
    /// Text that does not say a tag.
    #[error("{place}: {problem}: expected {{\"index\": …, \"key\": …, \"value\": …}}")]
    NoTag {
        /// Where it stands: `tags[2]`, or a file and its line.
        place: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A protocol that is not described as it should be, or a frame that it cannot have.
    #[error("protocol {place}: {problem}")]
    Protocol {
        /// Its name, or where its text is from.
        place: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A packet whose checksum is not that of its bytes.
    #[error("the CRC of a packet of {bytes} bytes is {got:#x}, expected {wanted:#x}")]
    BadCrc {
        /// How long the packet is, with its checksum.
        bytes: usize,
        /// The checksum of its bytes.
        wanted: u32,
        /// The checksum that it has.
        got: u32,
    },
    /// A packet that is shorter than a checksum.
    #[error("a packet of {bytes} bytes has no CRC: expected at least {needed}")]
    NoCrc {
        /// How long the packet is.
        bytes: usize,
        /// How long the checksum is.
        needed: usize,
    },
    /// A file that cannot be written.
    #[error("cannot write to {target}: {error}")]
    Write {
        /// The file's path, or `stdout`.
        target: String,
        /// What the system said.
        #[source]
        error: std::io::Error,
    },
}

/// `Ok` where `fits`, else that `parameter` is out of its range.
pub(crate) fn check(
    fits: bool,
    parameter: &'static str,
    wanted: &'static str,
    got: impl Into<f64>,
) -> Result<(), Error> {
    if fits { Ok(()) } else { Err(Error::OutOfRange { parameter, wanted, got: got.into() }) }
}

/// That `parameter` is a finite number greater than 0.
pub(crate) fn check_positive(parameter: &'static str, got: f64) -> Result<(), Error> {
    check(got > 0.0 && got.is_finite(), parameter, "a number > 0", got)
}

/// The most items that become one: a block gets them all at once, and they lie in memory.
pub(crate) const MOST_TO_ONE: usize = 1 << 24;

/// That `parameter` says how many items become one.
pub(crate) fn check_to_one(parameter: &'static str, got: usize) -> Result<(), Error> {
    check((1..=MOST_TO_ONE).contains(&got), parameter, "a whole number from 1 to 16777216", got as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_says_what_was_expected_and_what_came() {
        let error = check_positive("rate_hz", -1.0).unwrap_err();
        assert_eq!(error.to_string(), "rate_hz = -1: expected a number > 0");
        assert!(check_positive("rate_hz", f64::NAN).is_err());
        assert!(check_positive("rate_hz", f64::INFINITY).is_err());
        assert!(check_positive("rate_hz", 1.0).is_ok());
        assert_eq!(
            check_to_one("decimation", 0).unwrap_err().to_string(),
            "decimation = 0: expected a whole number from 1 to 16777216"
        );
        assert!(check_to_one("decimation", MOST_TO_ONE).is_ok());
        assert!(check_to_one("decimation", MOST_TO_ONE + 1).is_err());
    }
}
