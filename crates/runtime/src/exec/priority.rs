//! How urgent workers are to the system.

#![allow(unsafe_code, reason = "a call of the system")]

use std::io;

use crate::plan::options::Priority;

/// Makes the calling thread so urgent.
pub(super) fn apply(priority: Priority) -> io::Result<()> {
    match priority {
        Priority::Normal => Ok(()),
        Priority::RealTime(level) => real_time(level),
    }
}

/// What to tell the user when [`apply`] has failed.
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
        assert!(apply(Priority::Normal).is_ok());
        let error = apply(Priority::RealTime(0)).unwrap_err();
        assert!(cfg!(miri) || why_not(&error).contains("1 to 99"), "{error}");
        assert!(why_not(&io::ErrorKind::PermissionDenied.into()).contains("CAP_SYS_NICE"));
    }
}
