//! General blocks with any number of ports of one type, all of which advance in step.

use superhet_runtime::parameter::{Desk, no_parameter};
use superhet_runtime::port::{BlockId, InRef, OutRef, PortVisitor};
use superhet_runtime::tag::{Conversion, TagPolicy, map_index};
use superhet_runtime::{Block, BlockError, Context, In, Item, Out, Ratio, Readiness, Step, Tag, Value, Work};

use crate::error::{Error, check};

/// The most ports on one side of a block.
pub(crate) const MOST_PORTS: usize = 64;

/// That `got` is a number of ports.
pub(crate) fn check_ports(parameter: &'static str, got: usize) -> Result<(), Error> {
    check((1..=MOST_PORTS).contains(&got), parameter, "a whole number from 1 to 64", got as f64)
}

/// What a block with any number of ports computes.
///
/// All inputs carry items of one type, and so do all outputs. A turn takes [`Ratio::decimation`] items of each input and
/// gives [`Ratio::interpolation`] items on each output.
pub trait Lockstep: Send + 'static {
    /// The items of the inputs.
    type In: Item;
    /// The items of the outputs.
    type Out: Item;

    /// The names of what can be changed while the block runs.
    const PARAMETERS: &'static [&'static str] = &[];

    /// As [`Pure::FORMERLY`](superhet_runtime::Pure::FORMERLY).
    const FORMERLY: &'static [(&'static str, &'static str)] = &[];

    /// Whether [`Lockstep::parameter`] changes by itself, as the level of a probe does: it is asked after each call then.
    const MEASURES: bool = false;

    /// Items out for items in, of each port.
    fn ratio(&self) -> Ratio {
        Ratio::ONE
    }

    /// How tags pass; [`TagPolicy::Custom`] is not for these blocks.
    fn tags(&self) -> TagPolicy {
        TagPolicy::AllToAll
    }

    /// Whether a tag of this input goes to this output, where [`Lockstep::tags`] lets it.
    fn tag_passes(&self, input: usize, output: usize) -> bool {
        let _ = (input, output);
        true
    }

    /// Changes one parameter. The shape of the block must stay as it is.
    ///
    /// # Errors
    /// Where the value is not one that the parameter can have.
    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        let _ = value;
        Err(no_parameter(name, Self::PARAMETERS))
    }

    /// The value that a parameter has.
    fn parameter(&self, name: &str) -> Option<Value> {
        let _ = name;
        None
    }

    /// Computes `turns` turns: at least so many items lie in what each input peeks, and there is room for them in what
    /// each output reserves. Consumes and produces nothing. An output that is not connected has no room.
    fn turn(&mut self, inputs: &[In<Self::In>], outputs: &mut [Out<Self::Out>], turns: usize);
}

/// How the ports of one side are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Names {
    /// There is one port by the nature of the block: `in`, `out`.
    Single,
    /// `in0`, `in1`, …; `out0`, `out1`, …
    Numbered,
}

/// A block with any number of ports of one type: what it computes is a [`Lockstep`].
///
/// The ports are `input` and `output` of the handle, a list each.
pub struct Many<F: Lockstep> {
    function: F,
    sides: Sides<F::In, F::Out>,
    desk: Option<Desk>,
}

impl<F: Lockstep> std::fmt::Debug for Many<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Many")
            .field("inputs", &self.sides.inputs.len())
            .field("outputs", &self.sides.outputs.len())
            .finish_non_exhaustive()
    }
}

/// The ports of a [`Many`] in a graph, for connecting.
#[derive(Clone, Debug)]
pub struct ManyPorts<A: Item, B: Item> {
    /// The inputs.
    pub input: Vec<InRef<A>>,
    /// The outputs.
    pub output: Vec<OutRef<B>>,
}

/// The ports, and what is done with all of them: compiled once for all blocks with such ports.
struct Sides<A: Item, B: Item> {
    inputs: Vec<In<A>>,
    outputs: Vec<Out<B>>,
    names: (Names, Names),
    ratio: Ratio,
}

impl<A: Item, B: Item> Sides<A, B> {
    fn new(ratio: Ratio, (inputs, input): (usize, Names), (outputs, output): (usize, Names)) -> Self {
        // Of several outputs, those that nobody needs may stay unconnected.
        let out = || Out::new().multiple(ratio.interpolation).converted(Conversion::new(ratio));
        Sides {
            inputs: (0..inputs).map(|_| In::new().multiple(ratio.decimation)).collect(),
            outputs: (0..outputs).map(|_| if outputs > 1 { out().optional() } else { out() }).collect(),
            names: (input, output),
            ratio,
        }
    }

    fn visit(&mut self, visitor: &mut dyn PortVisitor) {
        for (place, port) in self.inputs.iter_mut().enumerate() {
            match self.names.0 {
                Names::Single => visitor.input("in", port),
                Names::Numbered => visitor.input(&format!("in{place}"), port),
            }
        }
        for (place, port) in self.outputs.iter_mut().enumerate() {
            match self.names.1 {
                Names::Single => visitor.output("out", port),
                Names::Numbered => visitor.output(&format!("out{place}"), port),
            }
        }
    }

    fn poll(&self, readiness: &mut Readiness) {
        self.inputs.iter().for_each(|port| port.poll(readiness));
        self.outputs.iter().for_each(|port| port.poll(readiness));
    }

    fn refs(&self, id: BlockId) -> ManyPorts<A, B> {
        ManyPorts {
            input: (0..self.inputs.len()).map(|place| InRef::new(id, place)).collect(),
            output: (0..self.outputs.len()).map(|place| OutRef::new(id, place)).collect(),
        }
    }

    /// How many turns can be taken, and how many be given.
    fn turns(&self) -> (usize, usize) {
        let Ratio { interpolation, decimation } = self.ratio;
        let available = self.inputs.iter().map(|port| port.available() / decimation).min();
        let connected = self.outputs.iter().filter(|port| port.is_connected());
        let room = connected.map(|port| port.room() / interpolation).min();
        (available.unwrap_or(usize::MAX), room.unwrap_or(usize::MAX))
    }

    /// Takes and gives the items of so many turns.
    fn advance(&mut self, turns: usize) {
        self.inputs.iter_mut().for_each(|port| port.consume(turns * self.ratio.decimation));
        for port in self.outputs.iter_mut().filter(|port| port.is_connected()) {
            port.produce(turns * self.ratio.interpolation);
        }
    }

    /// Forwards the tags of the next `items` items of an input; with 0, those beyond the last.
    fn pass_tags(&mut self, place: usize, items: usize, policy: TagPolicy, goes: Goes<'_>) {
        let Ratio { interpolation, decimation } = self.ratio;
        let input = &self.inputs[place];
        let from = input.index();
        let outputs = &mut self.outputs;
        input.for_each_tag(items, |tag| {
            for (port, output) in outputs.iter_mut().enumerate().filter(|(_, output)| output.is_connected()) {
                let passes = match policy {
                    TagPolicy::None => false,
                    TagPolicy::OneToOne => port == place,
                    _ => true,
                };
                if passes && goes(place, port) {
                    // Both positions are whole turns.
                    let index = output.index() + map_index(tag.index - from, interpolation, decimation, 0);
                    output.put_tag(Tag { index, ..tag.clone() });
                }
            }
        });
    }

    /// Forwards the tags of inputs that have ended; of one with less than a turn left, those of what is left.
    fn pass_last_tags(&mut self, policy: TagPolicy, goes: Goes<'_>) {
        for place in 0..self.inputs.len() {
            if self.inputs[place].available() == 0 {
                let rest = self.inputs[place].rest().len();
                self.pass_tags(place, rest, policy, goes);
                self.inputs[place].consume(rest);
                self.pass_tags(place, 0, policy, goes);
            }
        }
    }
}

/// Whether a tag of that input goes to that output.
type Goes<'a> = &'a dyn Fn(usize, usize) -> bool;

impl<F: Lockstep> Many<F> {
    /// A block with so many inputs and outputs.
    pub(crate) fn new(function: F, inputs: (usize, Names), outputs: (usize, Names)) -> Self {
        let ratio = function.ratio();
        let desk = Desk::new(F::PARAMETERS, F::FORMERLY, ratio, false);
        if let Some(desk) = &desk {
            desk.tell(current_values(&function));
        }
        Many { sides: Sides::new(ratio, inputs, outputs), desk, function }
    }

    /// Many inputs, one output.
    pub(crate) fn to_one(function: F, inputs: usize) -> Self {
        Many::new(function, (inputs, Names::Numbered), (1, Names::Single))
    }

    /// One input, many outputs.
    pub(crate) fn of_one(function: F, outputs: usize) -> Self {
        Many::new(function, (1, Names::Single), (outputs, Names::Numbered))
    }

    /// Applies the changes of parameters that are due; how many turns there are until the next.
    fn change(&mut self) -> usize {
        let Some(desk) = &self.desk else { return usize::MAX };
        let position = self.sides.inputs.first().map_or(0, In::index);
        if desk.next() <= position {
            desk.apply(position, &mut self.function, F::set_parameter, current_values);
        }
        let turns = desk.next().saturating_sub(position) / self.sides.ratio.decimation as u64;
        usize::try_from(turns).unwrap_or(usize::MAX).max(1)
    }
}

impl<F: Lockstep> Block for Many<F> {
    type Ports = ManyPorts<F::In, F::Out>;

    fn visit(&mut self, visitor: &mut dyn PortVisitor) {
        self.sides.visit(visitor);
        if let Some(desk) = &mut self.desk {
            desk.visit(Desk::PORT, visitor);
        }
    }

    #[inline]
    fn poll(&self, readiness: &mut Readiness) {
        self.sides.poll(readiness);
    }

    fn ports(&self, id: BlockId) -> Self::Ports {
        self.sides.refs(id)
    }
}

impl<F: Lockstep> Work for Many<F> {
    fn ratio(&self) -> Option<Ratio> {
        Some(self.sides.ratio)
    }

    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let most = self.change();
        let (available, room) = self.sides.turns();
        let turns = available.min(room).min(most);
        if turns == 0 {
            return Ok(if available == 0 { Step::NeedInput } else { Step::NeedOutput });
        }
        let policy = self.function.tags();
        let function = &mut self.function;
        for place in 0..self.sides.inputs.len() {
            let items = turns * self.sides.ratio.decimation;
            self.sides.pass_tags(place, items, policy, &|input, output| function.tag_passes(input, output));
        }
        function.turn(&self.sides.inputs, &mut self.sides.outputs, turns);
        if let Some(desk) = self.desk.as_ref().filter(|_| F::MEASURES) {
            desk.tell(current_values(function));
        }
        self.sides.advance(turns);
        Ok(Step::Ran)
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let (function, policy) = (&self.function, self.function.tags());
        self.sides.pass_last_tags(policy, &|input, output| function.tag_passes(input, output));
        Ok(Step::Done)
    }
}

/// What the parameters are.
fn current_values<F: Lockstep>(function: &F) -> Vec<(&'static str, Value)> {
    F::PARAMETERS.iter().filter_map(|name| Some((*name, function.parameter(name)?))).collect()
}

/// The items that a [`Lockstep`] is to write to an output; `None` where it is not connected.
pub(crate) fn room<T: Item>(output: &mut Out<T>, items: usize) -> Option<&mut [T]> {
    output.reserve().get_mut(..items)
}
