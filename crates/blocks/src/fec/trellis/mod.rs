//! Codes that are finite state machines: what encodes by one, how far samples are from its symbols, and the way back.

pub mod trellis_encoder;
pub mod trellis_metrics;
pub mod trellis_viterbi;

pub use trellis_encoder::TrellisEncoder;
pub use trellis_metrics::{Metric, TrellisMetrics};
pub use trellis_viterbi::{Ends, TrellisViterbi};

use superhet_runtime::catalog::Parameters;

use crate::error::{Error, check};

/// A finite state machine, as blocks have it among their parameters.
#[derive(Clone, Debug, Parameters)]
pub struct Transitions {
    /// How many input symbols there are.
    #[param(range = 1..=65536)]
    pub inputs: usize,
    /// The state behind each state with each input, the inputs of state 0 first.
    pub next_states: Vec<f64>,
    /// What comes out on that way.
    pub outputs: Vec<f64>,
    /// How many output symbols there are; 0: one more than the greatest.
    #[param(range = 0..=65536, default = 0)]
    pub output_symbols: usize,
}

/// A finite state machine: in state `s` with the input `i` it gives an output and goes to another state.
///
/// ```
/// use superhet_blocks::fec::trellis::Machine;
///
/// // The code of rate 1/2 with the generators 5 and 7.
/// let machine = Machine::new(2, &[0, 2, 0, 2, 1, 3, 1, 3], &[0, 3, 3, 0, 1, 2, 2, 1])?;
/// assert_eq!((machine.states(), machine.outputs()), (4, 4));
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    inputs: usize,
    outputs: usize,
    /// By edge, `state · inputs + input`.
    next: Vec<u32>,
    output: Vec<u32>,
    /// The ways into all states, state by state and each in the order of its edges, and where those of each state begin.
    ways: Vec<Way>,
    begins: Vec<usize>,
}

/// A way into a state.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Way {
    from: u32,
    input: u32,
    output: u32,
}

/// The most edges.
const MOST: usize = 1 << 20;

impl Machine {
    /// A machine with `inputs` input symbols; both lists have an entry for each state with each input.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where there is no input, the lists are not equally long, not whole states, or longer than 2²⁰, or a
    /// state is not there or an output beyond 65,535.
    pub fn new(inputs: usize, next_states: &[u32], outputs: &[u32]) -> Result<Self, Error> {
        let edges = next_states.len();
        let whole = inputs > 0 && edges > 0 && edges.is_multiple_of(inputs) && edges <= MOST;
        check(whole, "next_states", "one for each state with each input, at most 2^20", edges as f64)?;
        check(outputs.len() == edges, "outputs", "as many as next_states", outputs.len() as f64)?;
        let states = edges / inputs;
        let wrong = next_states.iter().find(|state| **state as usize >= states);
        check(wrong.is_none(), "next_states", "states that there are", wrong.copied().unwrap_or(0))?;
        let largest = outputs.iter().copied().max().unwrap_or(0);
        check(largest < 1 << 16, "outputs", "numbers from 0 to 65535", largest)?;
        let mut into: Vec<u32> = (0..edges as u32).collect();
        into.sort_by_key(|edge| next_states[*edge as usize]);
        let first =
            |state: usize| into.partition_point(|edge| (next_states[*edge as usize] as usize) < state);
        let begins = (0..=states).map(first).collect();
        let way = |edge: &u32| {
            let (from, input) = (edge / inputs as u32, edge % inputs as u32);
            Way { from, input, output: outputs[*edge as usize] }
        };
        let ways = into.iter().map(way).collect();
        let (next, output) = (next_states.to_vec(), outputs.to_vec());
        Ok(Machine { inputs, outputs: largest as usize + 1, next, output, ways, begins })
    }

    /// The machine of parameters.
    ///
    /// # Errors
    /// As [`new`](Self::new); and [`Error::OutOfRange`] for numbers that are not whole.
    pub fn of(transitions: &Transitions) -> Result<Self, Error> {
        let whole = |name, numbers: &[f64]| -> Result<Vec<u32>, Error> {
            let fits = |x: &f64| x.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(x);
            let wrong = numbers.iter().find(|x| !fits(x));
            check(wrong.is_none(), name, "whole numbers from 0 on", wrong.copied().unwrap_or(0.0))?;
            Ok(numbers.iter().map(|x| *x as u32).collect())
        };
        let next = whole("next_states", &transitions.next_states)?;
        let machine = Machine::new(transitions.inputs, &next, &whole("outputs", &transitions.outputs)?)?;
        match transitions.output_symbols {
            0 => Ok(machine),
            symbols => machine.with_outputs(symbols),
        }
    }

    /// The same with so many output symbols, some of which it never gives.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the number is from [`outputs`](Self::outputs) to 65,536.
    pub fn with_outputs(mut self, outputs: usize) -> Result<Self, Error> {
        let fits = (self.outputs..=1 << 16).contains(&outputs);
        check(fits, "output_symbols", "more than the greatest of outputs, at most 65536", outputs as f64)?;
        self.outputs = outputs;
        Ok(self)
    }

    /// How many states there are.
    pub fn states(&self) -> usize {
        self.begins.len() - 1
    }

    /// How many input symbols there are.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// How many output symbols there are.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// How many ways lead into each state, where they are as many for all.
    fn ways_into_each(&self) -> Option<usize> {
        let ways = self.ways.len() / self.states();
        self.begins.iter().enumerate().all(|(state, begin)| *begin == state * ways).then_some(ways)
    }

    /// The output and the next state, of a state with an input.
    pub fn step(&self, state: usize, input: usize) -> (u32, usize) {
        let edge = state * self.inputs + input;
        (self.output[edge], self.next[edge] as usize)
    }
}
