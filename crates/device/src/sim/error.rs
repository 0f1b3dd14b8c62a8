//! Every error of the simulated device on one page.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::Operation;
use crate::backend::Transfer;

/// Errors of a simulated device: those that a real one would report, and those that it would not notice.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SimError {
    /// Two accesses to the same bytes, one of which writes, that nothing puts in order.
    #[error(
        "{second} {} bytes {}..{} of {storage}, which {first} {}: nothing makes the one happen after the other \
         (an event that the stream waits for, or the host's waiting)",
        verb(*second_writes), bytes.start, bytes.end, verb(*first_writes)
    )]
    Unordered {
        /// The access that was there first.
        first: Box<Origin>,
        /// Whether that one writes.
        first_writes: bool,
        /// The access that was refused.
        second: Origin,
        /// Whether that one writes.
        second_writes: bool,
        /// The memory that both touch.
        storage: Storage,
        /// The bytes that both touch.
        bytes: Range<usize>,
    },
    /// A read of bytes that nothing has written.
    #[error("{origin} reads bytes {}..{} of {storage}, which nothing has written", bytes.start, bytes.end)]
    Uninitialised {
        /// What reads.
        origin: Origin,
        /// The memory.
        storage: Storage,
        /// The first run of such bytes.
        bytes: Range<usize>,
    },
    /// One operation that writes bytes which it also reads or writes elsewhere.
    #[error("{origin} writes bytes {}..{} of {storage}, which are also another argument of it", bytes.start, bytes.end)]
    Overlap {
        /// The operation.
        origin: Origin,
        /// The memory.
        storage: Storage,
        /// The bytes that are there twice.
        bytes: Range<usize>,
    },
    /// An access beyond the end of its memory.
    #[error("{origin} takes {bytes} bytes from byte {at} on of {storage}, which has {size}")]
    OutOfBounds {
        /// What accesses.
        origin: Origin,
        /// The memory.
        storage: Storage,
        /// The offset in bytes.
        at: usize,
        /// How many bytes.
        bytes: usize,
        /// How many there are.
        size: usize,
    },
    /// An offset in device memory that is not a multiple of the alignment.
    #[error("{origin} begins at byte {at} of {storage}: the device asks for a multiple of {alignment}")]
    Misaligned {
        /// What accesses.
        origin: Origin,
        /// The memory.
        storage: Storage,
        /// The offset in bytes.
        at: usize,
        /// The alignment of the device in bytes.
        alignment: usize,
    },
    /// Staging memory used against its direction.
    #[error("{origin} uses {storage}, which is for the other direction")]
    Direction {
        /// What uses it.
        origin: Origin,
        /// The staging memory.
        storage: Storage,
    },
    /// Something that another device made.
    #[error("{operation} on {device}: its {what} belongs to another device")]
    Foreign {
        /// The call.
        operation: Operation,
        /// The name of the device that was asked.
        device: String,
        /// What came from elsewhere.
        what: &'static str,
    },
    /// Constants that are not 32-bit words.
    #[error("the kernel {kernel} is given {bytes} bytes of constants, which is not a multiple of 4")]
    Constants {
        /// The name of the kernel.
        kernel: Arc<str>,
        /// How many bytes.
        bytes: usize,
    },
    /// An operation that cannot be captured.
    #[error(
        "{operation} in stream {stream}, which captures: only copies on the device, zeros and kernels can be captured"
    )]
    NotCaptured {
        /// The call.
        operation: Operation,
        /// The number of the stream.
        stream: usize,
    },
    /// The end of a capture that was not begun.
    #[error("stream {stream} captures nothing: no capture was begun")]
    NothingCaptured {
        /// The number of the stream.
        stream: usize,
    },
    /// What a stream has lent is asked back while a copy of it is to come, as its event was left out.
    #[error("what a stream has lent is still in use")]
    StillLent,
    /// The time of an event that has none.
    #[error("an event has no time before it was recorded and done")]
    NoTime,
    /// No memory left.
    #[error("no room for {asked} bytes: {taken} bytes of {limit} are taken")]
    OutOfMemory {
        /// How many bytes were asked for.
        asked: usize,
        /// How many are taken.
        taken: usize,
        /// How many there are.
        limit: usize,
    },
    /// A kernel that the device cannot run.
    #[error("{0}")]
    NoKernel(String),
    /// A kernel that panicked.
    #[error("{origin} panicked: {message}")]
    Kernel {
        /// The launch.
        origin: Origin,
        /// What it said.
        message: String,
    },
    /// A call that was made to fail.
    #[error("{operation} {count} is refused, as was asked for")]
    Refused {
        /// The call.
        operation: Operation,
        /// Its number among those of its kind, from 1.
        count: u64,
    },
    /// An operation that was made to fail on the device.
    #[error("{0} failed on the device, as was asked for")]
    Failed(Origin),
    /// A device that was made to get lost.
    #[error("the device {device} is lost after {after} operations, as was asked for")]
    Lost {
        /// The name of the device.
        device: String,
        /// How many operations it took.
        after: u64,
    },
}

/// An operation by its place: `launch 7 of stream 2 (saxpy)`, `read 3 of the host`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Its kind.
    pub operation: Operation,
    /// The number of its stream in the order of their making, from 0; none for the host.
    pub stream: Option<usize>,
    /// Its number, from 1: among all operations of its stream, or among those of its kind on the host.
    pub sequence: u64,
    /// The name of the kernel, for launches.
    pub kernel: Option<Arc<str>>,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} of ", self.operation, self.sequence)?;
        match self.stream {
            Some(stream) => write!(f, "stream {stream}")?,
            None => f.write_str("the host")?,
        }
        match &self.kernel {
            Some(kernel) => write!(f, " ({kernel})"),
            None => Ok(()),
        }
    }
}

/// Memory by its number: `device memory 3`, `upload staging 0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Storage {
    /// The direction of staging memory; none for device memory.
    pub staging: Option<Transfer>,
    /// Its number in the order of allocation, from 0.
    pub number: u64,
}

impl fmt::Display for Storage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.staging {
            None => "device memory",
            Some(Transfer::Upload) => "upload staging",
            Some(Transfer::Download) => "download staging",
        };
        write!(f, "{kind} {}", self.number)
    }
}

fn verb(writes: bool) -> &'static str {
    if writes { "writes" } else { "reads" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_race_is_reported_with_both_operations_and_the_bytes() {
        let launch = Origin {
            operation: Operation::Launch,
            stream: Some(2),
            sequence: 7,
            kernel: Some("saxpy".into()),
        };
        let read = Origin { operation: Operation::Read, stream: None, sequence: 3, kernel: None };
        let error = SimError::Unordered {
            first: Box::new(launch),
            first_writes: true,
            second: read,
            second_writes: false,
            storage: Storage { staging: Some(Transfer::Download), number: 1 },
            bytes: 8..16,
        };
        assert_eq!(
            error.to_string(),
            "read 3 of the host reads bytes 8..16 of download staging 1, which launch 7 of stream 2 (saxpy) writes: \
             nothing makes the one happen after the other (an event that the stream waits for, or the host's waiting)"
        );
    }
}
