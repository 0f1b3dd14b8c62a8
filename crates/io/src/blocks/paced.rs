//! A recording that comes as fast as it was taken, in the place of a radio.

use std::time::{Duration, Instant};

use superhet_runtime::port::{BlockId, PortVisitor};
use superhet_runtime::{Block, BlockError, Context, Out, Readiness, Step, Tunable, Value, Work};

use super::rtl_tcp_settings::PARAMETERS;
use super::{FileSource, LinkSource, SigmfSource, WavSource};
use crate::C32;

/// A source whose output is in reach.
pub trait Plays: Work {
    /// Its output.
    fn output(&mut self) -> &mut Out<C32>;
    /// How many items it has given.
    fn given(&self) -> u64;
}

macro_rules! plays {
    ($($source:ident),*) => {$(
        impl Plays for $source<C32> {
            fn output(&mut self) -> &mut Out<C32> {
                &mut self.output
            }
            fn given(&self) -> u64 {
                self.output.index()
            }
        }
    )*};
}

plays!(FileSource, LinkSource, SigmfSource, WavSource);

/// The longest span, in seconds.
const SPAN_S: f64 = 0.01;
/// How late the stream may be and still catch up.
const MOST_LATE: Duration = Duration::from_millis(100);

/// A source that gives no more than `rate_hz` items a second, or as many as it can. It has the parameters of a radio, none of which
/// can be changed: what is recorded is recorded.
#[derive(Debug)]
pub struct Paced<B> {
    source: B,
    rate_hz: Option<f64>,
    /// When the pace began, and after how many items.
    since: Option<(Instant, u64)>,
}

impl<B: Plays> Paced<B> {
    /// `source` at this rate, in Hz; `None`: as fast as it is.
    pub fn new(mut source: B, rate_hz: Option<f64>) -> Self {
        if let Some(rate_hz) = rate_hz {
            let output = std::mem::replace(source.output(), Out::new());
            *source.output() = output.max(((rate_hz * SPAN_S) as usize).max(1));
        }
        Paced { source, rate_hz, since: None }
    }
}

impl<B: Plays> Block for Paced<B> {
    type Ports = B::Ports;

    fn visit(&mut self, visitor: &mut dyn PortVisitor) {
        self.source.visit(visitor);
    }

    fn poll(&self, readiness: &mut Readiness) {
        self.source.poll(readiness);
    }

    fn ports(&self, id: BlockId) -> B::Ports {
        self.source.ports(id)
    }
}

impl<B: Plays> Work for Paced<B> {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        if let Some(rate_hz) = self.rate_hz {
            let (now, given) = (Instant::now(), self.source.given());
            let (start, before) = *self.since.get_or_insert((now, given));
            let seconds = given.saturating_sub(before) as f64 / rate_hz;
            let due = Duration::try_from_secs_f64(seconds).ok().and_then(|after| start.checked_add(after));
            match due {
                Some(due) if now <= due + MOST_LATE => {
                    if !context.sleep_until(due) {
                        return Ok(Step::Done);
                    }
                }
                // What was late by so much is not made up for.
                _ => self.since = Some((now, given)),
            }
        }
        self.source.work(context)
    }

    fn blocking(&self) -> bool {
        self.rate_hz.is_some() || self.source.blocking()
    }
}

impl<B: Plays> Tunable for Paced<B> {
    const PARAMETERS: &'static [&'static str] = PARAMETERS;

    fn position(&self) -> u64 {
        self.source.given()
    }

    fn set_parameter(&mut self, name: &str, _: &Value) -> Result<(), BlockError> {
        Err(format!("{name}: a recording cannot be tuned, only a radio can").into())
    }

    fn parameter(&self, _: &str) -> Option<Value> {
        None
    }

    fn work_on(&mut self, _: usize, context: &mut Context<'_>) -> Result<Step, BlockError> {
        self.work(context)
    }
}
