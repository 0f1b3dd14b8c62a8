//! How urgent workers are to the system.

#![allow(unsafe_code, reason = "a call of the system")]

use std::io;

/// How urgent the threads of a graph are to the system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Priority {
    /// As all other programs.
    #[default]
    Normal,
    /// Before all programs of lower real-time priority, and those of none: 1 to 99, `SCHED_FIFO` on Linux.
    ///
    /// A worker that never waits then leaves its processor to nobody but the system's own reserve (5 % by default). Where
    /// the system does not permit it, a warning says what is missing, and the graph runs as [`Priority::Normal`].
    RealTime(u8),
}

impl Priority {
    /// Makes the calling thread so urgent.
    pub(super) fn apply(self) -> io::Result<()> {
        match self {
            Priority::Normal => Ok(()),
            Priority::RealTime(level) => real_time(level),
        }
    }
}

/// What to tell the user when [`Priority::apply`] has failed.
pub(super) fn why_not(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::PermissionDenied => {
            "it needs the capability CAP_SYS_NICE, or a limit on rtprio of at least that priority (ulimit -r, \
             /etc/security/limits.conf)"
        }
        io::ErrorKind::InvalidInput => "priorities go from 1 to 99",
        io::ErrorKind::Unsupported => "this system has none, or none known here",
        _ => "the system does not let it",
    }
}

#[cfg(all(target_os = "linux", not(miri)))]
fn real_time(level: u8) -> io::Result<()> {
    if !(1..=99).contains(&level) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let parameters = libc::sched_param { sched_priority: level.into() };
    // SAFETY: 0 means the calling thread, and `parameters` is read during the call only.
    match unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &parameters) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(not(all(target_os = "linux", not(miri))))]
fn real_time(_: u8) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named() {
        assert!(Priority::Normal.apply().is_ok());
        let error = Priority::RealTime(0).apply().unwrap_err();
        assert!(cfg!(miri) || why_not(&error).contains("1 to 99"), "{error}");
        assert!(why_not(&io::ErrorKind::PermissionDenied.into()).contains("CAP_SYS_NICE"));
    }
}
