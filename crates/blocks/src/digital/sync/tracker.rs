//! What loops that follow a signal share: ports, parameters, tags, and the filter of the loop.

use std::hint::cold_path;

use superhet_kernels::Machine;
use superhet_runtime::graph::{OneInput, OneOutput};
use superhet_runtime::port::{BlockId, InRef, OutRef, PortVisitor};
use superhet_runtime::tag::{Conversion, forward_tags};
use superhet_runtime::{
    Block, BlockError, C32, Context, In, Item, Out, Ratio, Readiness, Step, Tag, Value, Work, parameter::Desk,
};

use crate::error::{Error, check};

/// The input and output of one call of a [`Tracker`].
#[derive(Debug)]
pub struct Spans<'a, A, B> {
    /// The input.
    pub x: &'a [A],
    /// No more is to be taken once so many items of it were.
    pub stop: usize,
    /// Room for output.
    pub y: &'a mut [B],
    /// Room for the numbers about the loop: as much as in `y`, or none where nobody reads them.
    pub monitors: [&'a mut [f32]; MONITORS],
    /// Room for the samples that the items were made of: likewise.
    pub samples: &'a mut [C32],
}

impl<A, B> Spans<'_, A, B> {
    /// Writes the numbers that go with item `place` of the output, as many as there are.
    #[inline(always)]
    pub fn write<const N: usize>(&mut self, place: usize, numbers: [f32; N]) {
        for (monitor, number) in self.monitors.iter_mut().zip(numbers) {
            if let Some(y) = monitor.get_mut(place) {
                *y = number;
            }
        }
    }

    /// Writes the sample that item `place` of the output was made of.
    #[inline(always)]
    pub fn show(&mut self, place: usize, sample: C32) {
        if let Some(y) = self.samples.get_mut(place) {
            *y = sample;
        }
    }
}

/// The most numbers about a loop.
pub const MONITORS: usize = 3;

/// The least that a clock goes on by from one symbol to the next, in samples: else a strong signal could hold it at one
/// place, where it gives for ever and takes nothing.
pub(super) const LEAST_PERIOD: f32 = 1.0 / 16.0;

/// A number that a loop seldom takes. Behind a branch to it nothing waits for the comparison, since the processor goes on as if it
/// were not taken; a selection, which the compiler would make of both numbers, would have to wait.
#[cold]
#[inline(never)]
pub(super) fn seldom(number: f32) -> f32 {
    number
}

/// As `seldom`, a number within `±most`, and 0 instead of one that is not finite: of such a loop learns nothing.
#[cold]
#[inline(never)]
pub(super) fn limited(number: f32, most: f32) -> f32 {
    if number.is_finite() { number.clamp(-most, most) } else { 0.0 }
}

/// A loop that follows a signal: items in, items out at its own rate, a few numbers about the loop beside each item, and
/// parameters. [`Tracked`] makes a block of it.
pub trait Tracker: Send + Sized + 'static {
    /// The items of the input.
    type In: Item;
    /// The items of the output.
    type Out: Item;
    /// The names of the outputs beside the first, at most [`MONITORS`]; they may stay unconnected.
    const MONITORS: &'static [&'static str];
    /// The name of an output for the samples that the items were made of, where there is one; it may stay unconnected.
    const SAMPLES: Option<&'static str> = None;
    /// As [`SyncBlock::PARAMETERS`](superhet_runtime::SyncBlock::PARAMETERS).
    const PARAMETERS: &'static [&'static str];

    /// As [`Pure::FORMERLY`](superhet_runtime::Pure::FORMERLY).
    const FORMERLY: &'static [(&'static str, &'static str)] = &[];

    /// How many items it must see to go on.
    fn window(&self) -> usize {
        1
    }

    /// How many items it gives for one that it takes, by its settings: for the tags that say the rate.
    fn rate(&self) -> f64 {
        1.0
    }

    /// Takes items while it sees [`window`](Self::window) of them, `stop` is not reached and there is room; returns how
    /// many were taken and how many given.
    fn follow(&mut self, spans: Spans<'_, Self::In, Self::Out>) -> (usize, usize);

    /// A tag lies on the next item that is taken, or on one that was passed by.
    fn tag(&mut self, tag: &Tag) {
        let _ = tag;
    }

    /// As [`SyncBlock::set_parameter`](superhet_runtime::SyncBlock::set_parameter).
    ///
    /// # Errors
    /// Where the value is not one that the parameter can have.
    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError>;

    /// As [`SyncBlock::parameter`](superhet_runtime::SyncBlock::parameter).
    fn parameter(&self, name: &str) -> Option<Value>;

    /// The block.
    fn block(self) -> Tracked<Self> {
        Tracked::new(self)
    }
}

/// A [`Tracker`] as a block.
///
/// | port | item |
/// |---|---|
/// | in `in` | that of the loop |
/// | in `set` | messages: new values of parameters |
/// | out `out` | that of the loop |
/// | more outputs | `f32`: numbers about the loop, one for each item of `out`; may stay unconnected |
/// | and one more | `C32`: the sample that each item of `out` was made of, of some; likewise |
///
/// A tag moves to the first item that is given after the one that it lay on was taken. A tag `rx_rate` says the rate behind
/// the block, as it follows from the settings of the loop.
pub struct Tracked<T: Tracker> {
    input: In<T::In>,
    output: Out<T::Out>,
    monitors: Vec<Out<f32>>,
    samples: Option<Out<C32>>,
    desk: Option<Desk>,
    pub(super) tracker: T,
    /// Tags on items before this one were handed on.
    untagged: u64,
    /// Items taken since the parameters were last published.
    unpublished: usize,
}

/// The parameters are published anew after so many items.
const PUBLISH_EVERY: usize = 4096;

/// The ports of a [`Tracked`] block.
#[derive(Clone, Debug)]
pub struct TrackedPorts<A: Item, B: Item> {
    /// The port `in`.
    pub input: InRef<A>,
    /// The port `out`.
    pub output: OutRef<B>,
    /// The other outputs.
    pub monitors: Vec<OutRef<f32>>,
    /// The output of samples, where there is one.
    pub samples: Option<OutRef<C32>>,
}

impl<A: Item, B: Item> OneInput for TrackedPorts<A, B> {
    type In = A;
    fn only_input(&self) -> InRef<A> {
        self.input
    }
}

impl<A: Item, B: Item> OneOutput for TrackedPorts<A, B> {
    type Out = B;
    fn only_output(&self) -> OutRef<B> {
        self.output
    }
}

impl<T: Tracker> Tracked<T> {
    fn new(tracker: T) -> Self {
        Tracked {
            input: In::new().min(tracker.window()),
            output: Out::new().converted(Conversion::of_rate(tracker.rate())),
            monitors: T::MONITORS.iter().map(|_| Out::new().optional()).collect(),
            samples: T::SAMPLES.map(|_| Out::new().optional()),
            desk: Desk::new(T::PARAMETERS, T::FORMERLY, Ratio::ONE, false),
            tracker,
            untagged: 0,
            unpublished: PUBLISH_EVERY,
        }
    }

    fn current_values(tracker: &T) -> Vec<(&'static str, Value)> {
        T::PARAMETERS.iter().filter_map(|name| Some((*name, tracker.parameter(name)?))).collect()
    }
}

impl<T: Tracker> Block for Tracked<T> {
    type Ports = TrackedPorts<T::In, T::Out>;

    fn visit(&mut self, visitor: &mut dyn PortVisitor) {
        visitor.input("in", &mut self.input);
        if let Some(desk) = &mut self.desk {
            desk.visit(Desk::PORT, visitor);
        }
        visitor.output("out", &mut self.output);
        for (name, port) in T::MONITORS.iter().zip(&mut self.monitors) {
            visitor.output(name, port);
        }
        if let (Some(name), Some(port)) = (T::SAMPLES, &mut self.samples) {
            visitor.output(name, port);
        }
    }

    fn poll(&self, readiness: &mut Readiness) {
        self.input.poll(readiness);
        self.output.poll(readiness);
        self.monitors.iter().for_each(|port| port.poll(readiness));
        self.samples.iter().for_each(|port| port.poll(readiness));
    }

    fn ports(&self, id: BlockId) -> Self::Ports {
        let monitors = (1..=self.monitors.len()).map(|place| OutRef::new(id, place)).collect();
        let samples = self.samples.as_ref().map(|_| OutRef::new(id, self.monitors.len() + 1));
        TrackedPorts { input: InRef::new(id, 0), output: OutRef::new(id, 0), monitors, samples }
    }
}

impl<T: Tracker> Work for Tracked<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let Tracked { input, output, monitors, samples, desk, tracker, .. } = self;
        let (from, to) = (input.index(), output.index());
        let x = input.peek();
        let mut tags = Vec::new();
        input.for_each_tag(x.len(), |tag| tags.push(tag.clone()));
        let untagged = self.untagged;
        let mut tags = tags.into_iter().skip_while(|tag| tag.index < untagged).peekable();

        let (mut placed, mut changed, rate) = (Vec::new(), false, tracker.rate());
        let mut rooms = monitors.iter_mut().filter(|port| port.is_connected()).map(|port| port.room());
        let room = output.room().min(rooms.by_ref().min().unwrap_or(usize::MAX));
        drop(rooms);
        let mut samples = samples.as_mut().filter(|port| port.is_connected());
        let room = samples.as_ref().map_or(room, |port| room.min(port.room()));
        let mut spans = monitors.iter_mut().map(|port| {
            let y = port.reserve();
            let n = y.len().min(room);
            &mut y[..n]
        });
        let mut monitor_spans: [&mut [f32]; MONITORS] =
            std::array::from_fn(|_| spans.next().unwrap_or_default());
        drop(spans);
        let y = &mut output.reserve()[..room];
        let sample_span = samples.as_mut().map(|port| &mut port.reserve()[..room]).unwrap_or_default();

        let (mut taken, mut given) = (0, 0);
        loop {
            let position = from + taken as u64;
            while let Some(mut tag) = tags.next_if(|tag| tag.index <= position) {
                tracker.tag(&tag);
                self.untagged = position + 1;
                tag.index = to + given as u64;
                placed.push(tag);
            }
            let mut stop = tags.peek().map_or(x.len(), |tag| (tag.index - from) as usize);
            if let Some(desk) = desk {
                if desk.next() <= position {
                    desk.apply(position, tracker, T::set_parameter, Self::current_values);
                    changed = true;
                }
                stop = usize::try_from(desk.next() - from).map_or(stop, |next| stop.min(next));
            }
            let spans = Spans {
                x: &x[taken..],
                stop: stop - taken,
                y: &mut y[given..],
                monitors: monitor_spans.each_mut().map(|span| span.get_mut(given..).unwrap_or_default()),
                samples: sample_span.get_mut(given..).unwrap_or_default(),
            };
            let (more_taken, more_given) = tracker.follow(spans);
            taken += more_taken;
            given += more_given;
            if taken < stop || taken >= x.len() {
                break;
            }
        }

        placed.into_iter().for_each(|tag| output.put_tag(tag));
        if changed && tracker.rate() != rate {
            output.convert(Conversion::of_rate(tracker.rate()));
        }
        input.consume(taken);
        output.produce(given);
        monitors.iter_mut().filter(|port| port.is_connected()).for_each(|port| port.produce(given));
        samples.into_iter().for_each(|port| port.produce(given));
        self.unpublished += taken;
        if let (Some(desk), PUBLISH_EVERY..) = (desk, self.unpublished) {
            self.unpublished = 0;
            desk.tell(Self::current_values(tracker));
        }
        Ok(match taken + given {
            0 if room == 0 => Step::NeedOutput,
            0 => Step::NeedInput,
            _ => Step::Ran,
        })
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let (input, output) = (&mut self.input, &mut self.output);
        let (rest, to) = (input.rest().len(), output.index());
        if rest > 0 {
            input.for_each_tag(rest, |tag| {
                if tag.index >= self.untagged {
                    output.put_tag(Tag { index: to, ..tag.clone() });
                }
            });
            input.consume(rest);
        }
        forward_tags(input, output, 0);
        if let Some(desk) = &self.desk {
            desk.tell(Self::current_values(&self.tracker));
        }
        Ok(Step::Done)
    }
}

/// The filter of a loop of second order: a phase and its change from item to item.
///
/// With the damping `ζ` and the bandwidth `b` in radians per item the gains are `α = 4 ζ b / (1 + 2 ζ b + b²)` and
/// `β = 4 b² / (1 + 2 ζ b + b²)`.
///
/// # Source
/// F. Gardner, Phaselock Techniques, 3rd edition, 2005; M. Rice, Digital Communications: A Discrete-Time Approach, 2009,
/// appendix C.
#[derive(Clone, Copy, Debug)]
pub struct Loop {
    bandwidth: f32,
    damping: f32,
    alpha: f32,
    beta: f32,
    /// Radians.
    pub phase: f32,
    /// Radians from item to item.
    pub frequency: f32,
    limits: [f32; 2],
}

impl Loop {
    /// A loop with this bandwidth in radians per item, critically damped enough (`ζ = 1/√2`), whose frequency stays
    /// within limits.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the bandwidth is 0 to 7, and the limits are in order and within ±10⁶.
    pub fn new(loop_bandwidth_rad: f64, limits: [f64; 2]) -> Result<Self, Error> {
        for (name, limit) in ["min_frequency_rad", "max_frequency_rad"].into_iter().zip(limits) {
            check(limit.abs() <= 1e6, name, "a number within ±10⁶", limit)?;
        }
        check(limits[0] <= limits[1], "min_frequency_rad", "at most max_frequency_rad", limits[0])?;
        let (damping, limits) = (std::f32::consts::FRAC_1_SQRT_2, limits.map(|limit| limit as f32));
        let zero =
            Loop { bandwidth: 0.0, damping, alpha: 0.0, beta: 0.0, phase: 0.0, frequency: 0.0, limits };
        zero.with_bandwidth(loop_bandwidth_rad)
    }

    /// The same loop with another bandwidth.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless it is 0 to 2π.
    pub fn with_bandwidth(self, loop_bandwidth_rad: f64) -> Result<Self, Error> {
        check(
            (0.0..=7.0).contains(&loop_bandwidth_rad),
            "loop_bandwidth_rad",
            "a number from 0 to 7",
            loop_bandwidth_rad,
        )?;
        let (b, damping) = (loop_bandwidth_rad as f32, self.damping);
        let denominator = 1.0 + 2.0 * damping * b + b * b;
        Ok(Loop {
            bandwidth: b,
            alpha: 4.0 * damping * b / denominator,
            beta: 4.0 * b * b / denominator,
            ..self
        })
    }

    /// The same loop with these gains of the phase and of the frequency, until its bandwidth or its damping is set.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless both are 0 to 1000.
    pub fn with_gains(self, alpha: f64, beta: f64) -> Result<Self, Error> {
        for (name, gain) in [("alpha", alpha), ("beta", beta)] {
            check((0.0..=1e3).contains(&gain), name, "from 0 to 1000", gain)?;
        }
        Ok(Loop { alpha: alpha as f32, beta: beta as f32, ..self })
    }

    /// The same loop with another damping.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless it is more than 0 and at most 1000.
    pub fn with_damping(self, damping: f64) -> Result<Self, Error> {
        check(damping > 0.0 && damping <= 1e3, "damping", "more than 0 and at most 1000", damping)?;
        Loop { damping: damping as f32, ..self }.with_bandwidth(self.bandwidth.into())
    }

    /// The same loop with another limit of its frequency: the least for `which` 0, the greatest for 1.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless it is within ±10⁶ and the limits are in order.
    pub fn with_limit(self, which: usize, limit: f64) -> Result<Self, Error> {
        let (name, order) = match which {
            0 => ("min_frequency_rad", "within ±10⁶ and at most max_frequency_rad"),
            _ => ("max_frequency_rad", "within ±10⁶ and at least min_frequency_rad"),
        };
        let mut limits = self.limits;
        limits[which] = limit as f32;
        check(limit.abs() <= 1e6 && limits[0] <= limits[1], name, order, limit)?;
        Ok(Loop { limits, ..self })
    }

    /// The least frequency and the greatest.
    pub fn limits(&self) -> [f32; 2] {
        self.limits
    }

    /// The bandwidth in radians per item.
    pub fn bandwidth(&self) -> f32 {
        self.bandwidth
    }

    /// The damping.
    pub fn damping(&self) -> f32 {
        self.damping
    }

    /// The gain of the phase and that of the frequency.
    pub fn gains(&self) -> [f32; 2] {
        [self.alpha, self.beta]
    }

    /// Goes on by one item, with this error of the phase, of which a turn is the most that counts.
    #[inline(always)]
    pub fn advance(&mut self, error: f32) {
        const TURN: f32 = std::f32::consts::TAU;
        // Of a sample that is not a number the loop learns nothing.
        let error = if error.is_nan() { 0.0 } else { error.clamp(-TURN, TURN) };
        self.frequency += self.beta * error;
        self.phase += self.frequency + self.alpha * error;
        self.wrap();
        self.frequency = self.frequency.clamp(self.limits[0], self.limits[1]);
    }

    /// As [`advance`](Self::advance), with an error that is cut to ±`limit`, a turn at most. The phase waits for less: for its limits, and
    /// for one product and sum, so that it is rounded once.
    #[inline(always)]
    pub fn advance_within<M: Machine>(&mut self, error: f32, limit: f32) {
        let error = if error.is_nan() {
            cold_path();
            0.0
        } else {
            error.clamp(-limit, limit)
        };
        self.phase = M::multiply_add(self.alpha + self.beta, error, self.phase + self.frequency);
        self.frequency = (self.frequency + self.beta * error).clamp(self.limits[0], self.limits[1]);
        self.wrap();
    }

    /// Takes whole turns off the phase.
    #[inline(always)]
    fn wrap(&mut self) {
        const TURN: f32 = std::f32::consts::TAU;
        // Not turn by turn: there may be many, and a turn less than what a large phase can tell apart.
        if self.phase.abs() > TURN {
            // Less a turn is the same bits, in less time.
            self.phase = if self.phase.abs() < 2.0 * TURN {
                self.phase - TURN.copysign(self.phase)
            } else {
                self.phase % TURN
            };
        }
    }

    /// Sets the frequency, within its limits.
    pub fn set_frequency(&mut self, frequency: f32) {
        self.frequency = frequency.clamp(self.limits[0], self.limits[1]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gains_are_those_of_the_formulas() {
        let [alpha, beta] = Loop::new(0.0628, [-1.0, 1.0]).unwrap().gains();
        assert!((alpha - 0.162_548).abs() < 1e-6 && (beta - 0.014_436).abs() < 1e-6, "{alpha} {beta}");
        assert!(Loop::new(-0.1, [-1.0, 1.0]).is_err() && Loop::new(0.1, [1.0, -1.0]).is_err());
    }
}
