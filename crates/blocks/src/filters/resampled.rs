//! What resamplers share, whose rate is no fixed ratio or that begin late: ports, parameters and tags.

use superhet_runtime::graph::{OneInput, OneOutput};
use superhet_runtime::parameter::{Desk, no_parameter};
use superhet_runtime::port::{BlockId, InRef, OutRef, PortVisitor};
use superhet_runtime::tag::{Conversion, map_index};
use superhet_runtime::{Block, BlockError, Context, In, Item, Out, Ratio, Readiness, Step, Tag, Value, Work};

/// Items in, items out at a rate of its own. [`Resampled`] makes a block of it.
pub trait Resampler: Send + Sized + 'static {
    /// The items of the input.
    type In: Item;
    /// The items of the output.
    type Out: Item;
    /// As [`Pure::PARAMETERS`](superhet_runtime::Pure::PARAMETERS).
    const PARAMETERS: &'static [&'static str] = &[];

    /// As [`Pure::FORMERLY`](superhet_runtime::Pure::FORMERLY).
    const FORMERLY: &'static [(&'static str, &'static str)] = &[];

    /// How many items before the next one it sees, zeros before the first item.
    fn history(&self) -> usize {
        0
    }

    /// How many items it must see, the history apart, to give one.
    fn window(&self) -> usize {
        1
    }

    /// How many items it would like to see at once; 0: any number.
    fn batch(&self) -> usize {
        0
    }

    /// Items out for items in, for tags.
    fn rate(&self) -> f64;

    /// What the tags say behind it.
    fn conversion(&self) -> Conversion {
        Conversion::of_rate(self.rate())
    }

    /// Whether tags pass.
    fn passes_tags(&self) -> bool {
        true
    }

    /// Gives items while there is room in `y` and it sees enough of `x`, which begins with the history; returns how many
    /// were taken and how many given. What it gives must not depend on how much it sees. It may leave some for the next call, if it
    /// gives any.
    fn resample(&mut self, x: &[Self::In], y: &mut [Self::Out]) -> (usize, usize);

    /// As [`SyncBlock::set_parameter`](superhet_runtime::SyncBlock::set_parameter).
    ///
    /// # Errors
    /// Where the value is not one that the parameter can have.
    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        let _ = value;
        Err(no_parameter(name, Self::PARAMETERS))
    }

    /// As [`SyncBlock::parameter`](superhet_runtime::SyncBlock::parameter).
    fn parameter(&self, name: &str) -> Option<Value> {
        let _ = name;
        None
    }
}

/// A [`Resampler`] as a block.
///
/// | port | item |
/// |---|---|
/// | in `in` | that of the resampler |
/// | out `out` | that of the resampler |
/// | in `set` | messages: new values of parameters |
///
/// When the stream ends, zeros follow it until its last item has gone through the window: `n` items make about `n · rate`.
///
/// A tag on item `n` of the input moves to item `floor((n − first) · rate)` of the output, `first` being the item at which the
/// first output lies; where the rate changes, both are counted from there on. A tag `rx_rate` says the rate behind the block.
pub struct Resampled<R: Resampler> {
    input: In<R::In>,
    output: Out<R::Out>,
    desk: Option<Desk>,
    resampler: R,
    /// Items of the input and of the output before the rate that holds now.
    since: (u64, u64),
    /// When the stream has ended: the history, what is left of the stream, and the zeros behind it.
    tail: Option<Vec<R::In>>,
}

/// The ports of a [`Resampled`] block.
#[derive(Clone, Debug)]
pub struct ResampledPorts<A: Item, B: Item> {
    /// The port `in`.
    pub input: InRef<A>,
    /// The port `out`.
    pub output: OutRef<B>,
}

impl<A: Item, B: Item> OneInput for ResampledPorts<A, B> {
    type In = A;
    fn only_input(&self) -> InRef<A> {
        self.input
    }
}

impl<A: Item, B: Item> OneOutput for ResampledPorts<A, B> {
    type Out = B;
    fn only_output(&self) -> OutRef<B> {
        self.output
    }
}

fn current_values<R: Resampler>(resampler: &R) -> Vec<(&'static str, Value)> {
    R::PARAMETERS.iter().filter_map(|name| Some((*name, resampler.parameter(name)?))).collect()
}

impl<R: Resampler> Resampled<R> {
    /// The block of a resampler.
    pub fn new(resampler: R) -> Self {
        let desk = Desk::new(R::PARAMETERS, R::FORMERLY, Ratio::ONE, false);
        if let Some(desk) = &desk {
            desk.tell(current_values(&resampler));
        }
        let input = In::new().history(resampler.history()).min(resampler.window()).batch(resampler.batch());
        let output = Out::new().converted(resampler.conversion());
        Resampled { input, output, desk, resampler, since: (0, 0), tail: None }
    }

    /// Forwards the tags of the next `n` items.
    fn pass_tags(&mut self, n: usize) {
        let (first, rate, given) =
            (self.resampler.window() as u64 - 1, self.resampler.rate(), self.output.index());
        let since = self.since;
        let mut tags = Vec::new();
        self.input.for_each_tag(n, |tag| tags.push(tag.clone()));
        for tag in tags {
            // Rates that are whole multiples are exact.
            let place = tag.index.saturating_sub(since.0).saturating_sub(first);
            let place_behind = if rate.fract() == 0.0 {
                map_index(place, rate as usize, 1, 0)
            } else {
                (place as f64 * rate).floor() as u64
            };
            let index = since.1.saturating_add(place_behind).max(given);
            self.output.put_tag(Tag { index, ..tag });
        }
    }
}

impl<R: Resampler> Block for Resampled<R> {
    type Ports = ResampledPorts<R::In, R::Out>;

    fn visit(&mut self, visitor: &mut dyn PortVisitor) {
        visitor.input("in", &mut self.input);
        visitor.output("out", &mut self.output);
        if let Some(desk) = &mut self.desk {
            desk.visit(Desk::PORT, visitor);
        }
    }

    fn poll(&self, readiness: &mut Readiness) {
        self.input.poll(readiness);
        self.output.poll(readiness);
    }

    fn ports(&self, id: BlockId) -> Self::Ports {
        ResampledPorts { input: InRef::new(id, 0), output: OutRef::new(id, 0) }
    }
}

impl<R: Resampler> Work for Resampled<R> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let position = self.input.index();
        let mut most = self.input.available();
        if let Some(desk) = &self.desk {
            if desk.next() <= position {
                let before = self.resampler.rate();
                desk.apply(position, &mut self.resampler, R::set_parameter, current_values);
                if self.resampler.rate() != before {
                    self.since = (position, self.output.index());
                    self.output.convert(self.resampler.conversion());
                }
            }
            // A change holds from its item on: what comes before it is taken first.
            let before = usize::try_from(desk.next().saturating_sub(position)).unwrap_or(usize::MAX);
            most = most
                .min(before.saturating_add(self.resampler.window() - 1))
                .max(self.resampler.window().min(most));
        }
        let (history, no_room) = (self.resampler.history(), self.output.room() == 0);
        let (taken, given) = {
            let (x, y) = (&self.input.window()[..history + most], self.output.reserve());
            self.resampler.resample(x, y)
        };
        if self.resampler.passes_tags() {
            self.pass_tags(taken);
        }
        self.input.consume(taken);
        self.output.produce(given);
        let leaves_some = most - taken >= self.resampler.window() && self.output.room() > 0;
        Ok(match taken + given {
            0 if no_room => Step::NeedOutput,
            0 => Step::NeedInput,
            // By then there may be more.
            _ if leaves_some => Step::Later,
            _ => Step::Ran,
        })
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let mut tail = match self.tail.take() {
            Some(tail) => tail,
            None => {
                let rest = self.input.rest().len();
                if self.resampler.passes_tags() {
                    self.pass_tags(rest);
                }
                let zeros = if rest > 0 { self.resampler.window() - 1 } else { 0 };
                let mut tail = self.input.rest_window().to_vec();
                tail.resize(tail.len() + zeros, bytemuck::Zeroable::zeroed());
                self.input.consume(rest);
                tail
            }
        };
        let no_room = self.output.room() == 0;
        let (taken, given) = self.resampler.resample(&tail, self.output.reserve());
        self.output.produce(given);
        if given == 0 && !no_room {
            return Ok(Step::Done);
        }
        tail.drain(..taken);
        self.tail = Some(tail);
        Ok(if given > 0 { Step::Ran } else { Step::NeedOutput })
    }
}
