//! What squelches share: opening and closing with a ramp, as a gate or with zeros, and tags.

use std::f32::consts::PI;

use superhet_runtime::graph::{OneInput, OneOutput};
use superhet_runtime::port::{BlockId, InRef, OutRef, PortVisitor};
use superhet_runtime::{
    Block, BlockError, Context, In, Out, Ratio, Readiness, Step, Tag, Value, Work, parameter::Desk,
};

use super::gain::Level;
use crate::error::{Error, check};
use crate::item::float_of;
use crate::math::probe_signal::read_only;

/// Says for each item whether a [`Squelch`] shall be open.
pub trait Detector: Send + Sized + 'static {
    /// The items.
    type Item: Level;
    /// What can be changed while it runs, or asked for: what `set` takes, then `ramp`, `gate` and `unmuted`.
    const PARAMETERS: &'static [&'static str];

    /// As [`Pure::FORMERLY`](superhet_runtime::Pure::FORMERLY).
    const FORMERLY: &'static [(&'static str, &'static str)] = &[];
    /// Says of each item whether it shall be open there.
    fn open(&mut self, x: &[Self::Item], open: &mut [bool]);
    /// Changes one of its parameters.
    ///
    /// # Errors
    /// Where the value is not one that the parameter can have.
    fn set(&mut self, name: &str, value: &Value) -> Result<(), BlockError>;
    /// The value of one of its parameters.
    fn get(&self, name: &str) -> Option<Value>;
}

/// Passes items while a [`Detector`] says so.
///
/// | port | item |
/// |---|---|
/// | in `in` | that of the detector |
/// | in `set` | messages: new values of parameters |
/// | out `out` | the same |
///
/// | parameter | unit | range |
/// |---|---|---|
/// | `ramp` | items | 0 to 2²⁴: over so many the gain rises when it opens, and falls when it closes, as `(1 − cos) / 2` |
/// | `gate` | | closed, it gives nothing; without, zeros |
///
/// | `unmuted` | | whether the detector said so of the last item; can be read |
///
/// The other parameters can be changed while the block runs. The item at which it opens has the tag `squelch_sob`, the first one
/// that does not pass any more, or the next that does, has `squelch_eob`. Tags of items that do not come out are gone.
pub struct Squelch<D: Detector> {
    input: In<D::Item>,
    output: Out<D::Item>,
    desk: Option<Desk>,
    detector: D,
    ramp: usize,
    gate: bool,
    /// How far the ramp has come: 0 is closed, `ramp` is open.
    risen: usize,
    /// Whether the item before passed.
    passed: bool,
    /// Whether it is to be closed.
    closing: bool,
}

/// The ports of a [`Squelch`].
#[derive(Clone, Debug)]
pub struct SquelchPorts<T: Level> {
    /// The port `in`.
    pub input: InRef<T>,
    /// The port `out`.
    pub output: OutRef<T>,
}

impl<T: Level> OneInput for SquelchPorts<T> {
    type In = T;
    fn only_input(&self) -> InRef<T> {
        self.input
    }
}

impl<T: Level> OneOutput for SquelchPorts<T> {
    type Out = T;
    fn only_output(&self) -> OutRef<T> {
        self.output
    }
}

/// The longest ramp.
pub(super) const LONGEST: usize = 1 << 24;

impl<D: Detector> Squelch<D> {
    /// A squelch with a ramp of so many items, as a gate or not.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a ramp of more than 2²⁴ items.
    pub fn new(detector: D, ramp: usize, gate: bool) -> Result<Self, Error> {
        check(ramp <= LONGEST, "ramp", "a whole number up to 16777216", ramp as f64)?;
        let squelch = Squelch {
            input: In::new(),
            output: Out::new(),
            desk: Desk::new(D::PARAMETERS, D::FORMERLY, Ratio::ONE, false),
            detector,
            ramp,
            gate,
            risen: 0,
            passed: false,
            closing: true,
        };
        if let Some(desk) = &squelch.desk {
            desk.tell(squelch.current_values());
        }
        Ok(squelch)
    }

    fn current_values(&self) -> Vec<(&'static str, Value)> {
        let value = |name: &str| match name {
            "ramp" => Some(self.ramp.into()),
            "gate" => Some(self.gate.into()),
            "unmuted" => Some((!self.closing).into()),
            _ => self.detector.get(name),
        };
        D::PARAMETERS.iter().filter_map(|name| Some((*name, value(name)?))).collect()
    }

    fn set(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        match name {
            "ramp" => {
                let ramp = float_of("ramp", value)?;
                let fits = (0.0..=LONGEST as f64).contains(&ramp) && ramp.fract() == 0.0;
                check(fits, "ramp", "a whole number up to 16777216", ramp)?;
                self.risen =
                    if self.risen > 0 && self.risen >= self.ramp { ramp as usize } else { self.risen };
                self.ramp = ramp as usize;
            }
            "unmuted" => return Err(read_only(name)),
            "gate" => match value {
                Value::Bool(gate) => self.gate = *gate,
                _ => return Err(format!("gate: expected true or false, got {value}").into()),
            },
            _ => self.detector.set(name, value)?,
        }
        Ok(())
    }

    /// The gain of the next item, and whether it passes.
    #[inline]
    fn next(&mut self, open: bool) -> (f32, bool) {
        let was_closed = self.closing && !self.passed;
        self.closing = !open;
        if self.ramp == 0 {
            return (f32::from(u8::from(open)), open);
        }
        // Opening begins with the gain 0; closing ends before it.
        let risen = match open {
            true if was_closed => 0,
            true => (self.risen + 1).min(self.ramp),
            false if self.passed => self.risen.min(self.ramp),
            false => 0,
        };
        let gain =
            if risen >= self.ramp { 1.0 } else { 0.5 - 0.5 * (PI * risen as f32 / self.ramp as f32).cos() };
        self.risen = if open { risen } else { risen.saturating_sub(1) };
        (gain, open || risen > 0)
    }
}

impl<D: Detector> Block for Squelch<D> {
    type Ports = SquelchPorts<D::Item>;

    fn visit(&mut self, visitor: &mut dyn PortVisitor) {
        visitor.input("in", &mut self.input);
        if let Some(desk) = &mut self.desk {
            desk.visit(Desk::PORT, visitor);
        }
        visitor.output("out", &mut self.output);
    }

    fn poll(&self, readiness: &mut Readiness) {
        self.input.poll(readiness);
        self.output.poll(readiness);
    }

    fn ports(&self, id: BlockId) -> Self::Ports {
        SquelchPorts { input: InRef::new(id, 0), output: OutRef::new(id, 0) }
    }
}

/// Items of a call, at most.
const AT_ONCE: usize = 4096;

impl<D: Detector> Work for Squelch<D> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let position = self.input.index();
        let mut most = self.input.available();
        if let Some(desk) = self.desk.take() {
            if desk.next() <= position {
                desk.apply(position, self, Squelch::set, Squelch::current_values);
            }
            most =
                most.min(usize::try_from(desk.next().saturating_sub(position)).unwrap_or(usize::MAX).max(1));
            self.desk = Some(desk);
        }
        let most = most.min(self.output.room());
        if most == 0 {
            return Ok(if self.output.room() == 0 { Step::NeedOutput } else { Step::NeedInput });
        }
        let (most, was_closing) = (most.min(AT_ONCE), self.closing);
        let mut tags = Vec::new();
        self.input.for_each_tag(most, |tag| tags.push(tag.clone()));
        let mut tags = tags.into_iter().peekable();
        let mut open = [false; AT_ONCE];
        let open = &mut open[..most];
        self.detector.open(&self.input.peek()[..most], open);
        let (mut given, mut n) = (0, 0);
        while n < most {
            // Items that are all passed, or all not, without a ramp and without tags.
            let until_tag =
                tags.peek().map_or(most, |tag| (tag.index.saturating_sub(position) as usize).min(most));
            let run = open[n..until_tag.max(n)].iter().take_while(|open| **open == self.passed).count();
            if self.ramp == 0 && run > 0 {
                if self.passed || !self.gate {
                    let (x, y) = (&self.input.peek()[n..n + run], &mut self.output.reserve()[given..][..run]);
                    if self.passed {
                        y.copy_from_slice(x);
                    } else {
                        y.fill(bytemuck::Zeroable::zeroed());
                    }
                    given += run;
                }
                self.closing = !self.passed;
                n += run;
                continue;
            }
            let x = self.input.peek()[n];
            let (gain, passes) = self.next(open[n]);
            if passes != self.passed {
                let key = if passes { "squelch_sob" } else { "squelch_eob" };
                self.output.tag(given, key, ());
                self.passed = passes;
            }
            let kept = passes || !self.gate;
            while let Some(tag) = tags.next_if(|tag| tag.index <= position + n as u64) {
                if kept {
                    let index = self.output.index() + given as u64;
                    self.output.put_tag(Tag { index, ..tag });
                }
            }
            if kept {
                self.output.reserve()[given] = if gain == 1.0 { x } else { x.times(gain) };
                if !passes {
                    self.output.reserve()[given] = bytemuck::Zeroable::zeroed();
                }
                given += 1;
            }
            n += 1;
        }
        self.input.consume(most);
        self.output.produce(given);
        if let (Some(desk), true) = (&self.desk, self.closing != was_closing) {
            desk.tell(self.current_values());
        }
        Ok(Step::Ran)
    }
}
