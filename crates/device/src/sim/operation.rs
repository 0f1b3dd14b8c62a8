//! The calls of a driver by name, and the faults that can be put into them.

use std::fmt;
use std::time::Duration;

/// The calls that are counted, may take time, and may be made to go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Device memory is allocated.
    Allocate,
    /// Staging memory is allocated.
    Stage,
    /// A kernel is compiled.
    Compile,
    /// The host writes staging memory.
    Write,
    /// The host reads staging memory.
    Read,
    /// Staging memory is copied to device memory.
    Upload,
    /// Device memory is copied to staging memory.
    Download,
    /// Device memory is copied to device memory.
    Copy,
    /// Zeros are written.
    Zero,
    /// A kernel runs.
    Launch,
    /// An event is recorded.
    Record,
    /// A stream waits for an event.
    Wait,
    /// The host asks whether an event is done.
    Poll,
    /// The host waits for an event.
    Synchronize,
    /// The host waits for a stream.
    Drain,
    /// A stream begins to capture.
    Capture,
    /// What was captured is enqueued; each of its operations is one of its own kind besides.
    Replay,
}

impl Operation {
    /// How many there are.
    pub(super) const COUNT: usize = Operation::Replay as usize + 1;

    /// Whether the device carries it out on data.
    pub(super) fn is_work(self) -> bool {
        use Operation::{Copy, Download, Launch, Upload, Zero};
        matches!(self, Upload | Download | Copy | Zero | Launch)
    }

    /// Whether it is enqueued in a stream.
    pub(super) fn is_enqueued(self) -> bool {
        self.is_work() || matches!(self, Operation::Record | Operation::Wait)
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Operation::Allocate => "allocate",
            Operation::Stage => "stage",
            Operation::Compile => "compile",
            Operation::Write => "write",
            Operation::Read => "read",
            Operation::Upload => "upload",
            Operation::Download => "download",
            Operation::Copy => "copy",
            Operation::Zero => "zero",
            Operation::Launch => "launch",
            Operation::Record => "record",
            Operation::Wait => "wait",
            Operation::Poll => "poll",
            Operation::Synchronize => "synchronize",
            Operation::Drain => "drain",
            Operation::Capture => "capture",
            Operation::Replay => "replay",
        })
    }
}

/// Which of the calls of one kind, counted from the making of the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// This one alone; the first is 1.
    Nth(u64),
    /// All of them.
    Every,
}

impl Which {
    fn is(self, count: u64) -> bool {
        match self {
            Which::Nth(n) => n == count,
            Which::Every => true,
        }
    }
}

/// Something to go wrong.
///
/// The first four are what devices do. The others are mistakes in the driver or in its user. The device itself reports
/// nothing: either its checker finds the mistake, or the samples are wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// The call returns an error and does nothing; for memory it says that there is none left.
    Refuse(Operation, Which),
    /// The call succeeds, but the device fails when it gets there: whoever waits hears of it, and every call after that.
    /// Like `Refuse` for what the device does not carry out.
    Fail(Operation, Which),
    /// The device is lost once so many operations are enqueued: every call fails.
    Lose {
        /// How many are still enqueued.
        after: u64,
    },
    /// The operation takes so much longer. Waits and records still take no time.
    Delay(Operation, Which, Duration),
    /// The call succeeds and does nothing: a wait that was forgotten, a `synchronize` that returns at once, a poll that says
    /// yes, a copy not made. Allocation and compilation cannot be skipped.
    Skip(Operation, Which),
    /// All waits that stand directly before operations of this kind in a stream are forgotten.
    SkipWaitsBefore(Operation),
    /// The operation is put into another stream, which nobody waits for.
    Misplace(Operation, Which),
}

/// What the faults make of one call.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Verdict {
    pub(super) refuse: bool,
    pub(super) fail: bool,
    /// After how many operations the device is lost, if it is.
    pub(super) lose: Option<u64>,
    pub(super) skip: bool,
    pub(super) misplace: bool,
    pub(super) delay: Duration,
}

impl Verdict {
    /// The fault among `faults` that applies to call number `count` of `operation`, when `enqueued` operations of all kinds
    /// have been enqueued, this one included.
    pub(super) fn of(faults: &[Fault], operation: Operation, count: u64, enqueued: u64) -> Self {
        let mut verdict = Verdict::default();
        let hit = |kind: Operation, which: Which| kind == operation && which.is(count);
        for fault in faults {
            match *fault {
                Fault::Refuse(kind, which) => verdict.refuse |= hit(kind, which),
                Fault::Fail(kind, which) if operation.is_work() => verdict.fail |= hit(kind, which),
                Fault::Fail(kind, which) => verdict.refuse |= hit(kind, which),
                Fault::Lose { after } if enqueued > after => verdict.lose = Some(after),
                Fault::Delay(kind, which, by) if hit(kind, which) => verdict.delay += by,
                Fault::Skip(kind, which) => verdict.skip |= hit(kind, which),
                Fault::Misplace(kind, which) => verdict.misplace |= hit(kind, which),
                Fault::Lose { .. } | Fault::Delay(..) | Fault::SkipWaitsBefore(_) => {}
            }
        }
        verdict
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_hits_the_call_that_it_names() {
        let faults = [
            Fault::Skip(Operation::Wait, Which::Nth(2)),
            Fault::Refuse(Operation::Upload, Which::Every),
            Fault::Fail(Operation::Record, Which::Nth(1)),
            Fault::Lose { after: 9 },
        ];
        let verdict = |operation, count| Verdict::of(&faults, operation, count, 5);
        assert_eq!(verdict(Operation::Wait, 1), Verdict::default());
        assert_eq!(verdict(Operation::Wait, 2), Verdict { skip: true, ..Verdict::default() });
        assert_eq!(verdict(Operation::Upload, 7), Verdict { refuse: true, ..Verdict::default() });
        assert_eq!(verdict(Operation::Record, 1), Verdict { refuse: true, ..Verdict::default() });
        assert_eq!(Verdict::of(&faults, Operation::Zero, 1, 9).lose, None);
        assert_eq!(Verdict::of(&faults, Operation::Zero, 1, 10).lose, Some(9));
    }
}
