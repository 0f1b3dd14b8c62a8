//! A connection to a radio that may be lost, and is then tried again.

use std::time::{Duration, Instant};

use superhet_runtime::Context;

/// How long a call waits for the other side.
pub(crate) const TIMEOUT: Duration = Duration::from_millis(50);
/// How long the first wait is before another attempt, and the longest.
const BACK_OFF: Duration = Duration::from_millis(100);
const MOST_BACK_OFF: Duration = Duration::from_secs(5);

/// A connection, or what has become of it.
#[derive(Debug)]
pub(crate) enum Link<C> {
    /// Nothing was tried yet.
    Fresh,
    /// Connecting, or connected. `attempts` have failed since samples have last come.
    Up { connection: C, attempts: u32 },
    /// To be tried again.
    Down { until: Instant, attempts: u32 },
}

impl<C> Link<C> {
    /// The connection, and how many attempts have failed before it. Where there is none, it waits a little, and begins to connect
    /// when it is time.
    pub fn up<E>(
        &mut self,
        context: &mut Context<'_>,
        connect: impl FnOnce() -> Result<C, E>,
    ) -> Result<Option<(&mut C, &mut u32)>, E> {
        let attempts = match self {
            Link::Up { connection, attempts } => return Ok(Some((connection, attempts))),
            Link::Fresh => 0,
            Link::Down { until, attempts } => {
                context.sleep_until((*until).min(Instant::now() + TIMEOUT));
                if Instant::now() < *until {
                    return Ok(None);
                }
                *attempts
            }
        };
        *self = Link::Up { connection: connect()?, attempts };
        Ok(None)
    }

    /// The connection, where there is one.
    pub fn connection(&mut self) -> Option<&mut C> {
        match self {
            Link::Up { connection, .. } => Some(connection),
            _ => None,
        }
    }

    /// Gives the connection up; how long it will be until the next attempt.
    pub fn lose(&mut self) -> Duration {
        let attempts = match self {
            Link::Fresh => 0,
            Link::Up { attempts, .. } | Link::Down { attempts, .. } => *attempts,
        };
        let wait = back_off(attempts);
        *self = Link::Down { until: Instant::now() + wait, attempts: attempts.saturating_add(1) };
        wait
    }
}

/// How long to wait before another attempt, where so many have failed.
fn back_off(attempts: u32) -> Duration {
    BACK_OFF.saturating_mul(1 << attempts.min(16)).min(MOST_BACK_OFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_five_seconds() {
        let mut link = Link::<()>::Fresh;
        let waits: Vec<u128> = (0..8).map(|_| link.lose().as_millis()).collect();
        assert_eq!(waits, [100, 200, 400, 800, 1600, 3200, 5000, 5000]);
        assert_eq!(back_off(u32::MAX), MOST_BACK_OFF);
    }
}
