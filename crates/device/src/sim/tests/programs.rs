//! Random programs: ordered ones do what they would do one after the other, and none of their waits can be left out.
//!
//! A program is made with only those waits that it needs, by a model that knows for each operation the set of all that
//! come before it. The model shares nothing with the device's clocks.

use std::ops::Range;

use proptest::prelude::*;

use super::*;

const WORDS: usize = 8;
const STREAMS: usize = 3;

/// Where words lie: two device memories, two frames of upload staging, two of download staging.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Store {
    Memory(usize),
    Up(usize),
    Down(usize),
}

#[derive(Clone, Debug)]
struct Words {
    store: Store,
    range: Range<usize>,
}

impl Words {
    fn overlap(&self, other: &Words) -> bool {
        self.store == other.store && self.range.start < other.range.end && other.range.start < self.range.end
    }
}

#[derive(Clone, Debug)]
enum Step {
    /// `to` becomes a function of `from`, which depends on the kind: a copy of one, zero of none, a sum of two.
    Do { stream: usize, waits: Vec<usize>, from: Vec<Words>, to: Words },
    /// The host waits for an operation.
    Synchronize(usize),
    /// The host fills an upload frame with this word.
    Write(usize, u32),
    /// The host reads a download frame.
    Read(usize, Range<usize>),
}

/// The model while a program is made.
#[derive(Default)]
struct Model {
    steps: Vec<Step>,
    /// For each operation, those that come before it as a set of bits, and what it touches.
    operations: Vec<(u128, Vec<Words>, Words)>,
    streams: [u128; STREAMS],
    host: u128,
}

impl Model {
    /// The operations that an access must come after and does not yet, the latest of each line of them.
    fn missing(&self, mut before: u128, from: &[Words], to: Option<&Words>) -> Vec<usize> {
        let mut missing = Vec::new();
        for (index, (earlier, reads, write)) in self.operations.iter().enumerate().rev() {
            let after_write = from.iter().chain(to).any(|words| words.overlap(write));
            let after_read = to.is_some_and(|to| reads.iter().any(|read| read.overlap(to)));
            if (after_write || after_read) && before >> index & 1 == 0 {
                before |= earlier | 1 << index;
                missing.push(index);
            }
        }
        missing
    }

    fn synchronize(&mut self, from: &[Words], to: Option<&Words>) {
        for index in self.missing(self.host, from, to) {
            self.host |= self.operations[index].0 | 1 << index;
            self.steps.push(Step::Synchronize(index));
        }
    }

    fn operate(&mut self, stream: usize, from: Vec<Words>, to: Words) {
        for words in &from {
            if let Store::Up(frame) = words.store {
                let whole = Words { range: 0..WORDS, ..words.clone() };
                self.synchronize(&[], Some(&whole));
                self.steps.push(Step::Write(frame, self.steps.len() as u32 * 0x0101_0101));
            }
        }
        let mut before = self.streams[stream] | self.host;
        let waits = self.missing(before, &from, Some(&to));
        for &index in &waits {
            before |= self.operations[index].0 | 1 << index;
        }
        self.streams[stream] = before | 1 << self.operations.len();
        self.operations.push((before, from.clone(), to.clone()));
        self.steps.push(Step::Do { stream, waits, from, to });
    }

    fn read(&mut self, frame: usize, range: Range<usize>) {
        let words = Words { store: Store::Down(frame), range: range.clone() };
        self.synchronize(&[words], None);
        self.steps.push(Step::Read(frame, range));
    }
}

/// One choice: kind, stream, three places, length.
type Choice = (usize, usize, [(usize, usize); 3], usize);

fn program(choices: &[Choice]) -> Vec<Step> {
    let mut model = Model::default();
    for memory in 0..2 {
        model.operate(memory, vec![], Words { store: Store::Memory(memory), range: 0..WORDS });
    }
    for &(kind, stream, places, len) in choices {
        let in_memory = |place: usize| {
            let (memory, at) = places[place];
            Words { store: Store::Memory(memory), range: at..at + len }
        };
        let frame = places[1].0;
        let (from, to) = match kind {
            0 => (vec![Words { store: Store::Up(frame), range: 0..len }], in_memory(0)),
            1 | 2 => (vec![in_memory(0)], Words { store: Store::Down(frame), range: 0..len }),
            3 => (vec![], in_memory(0)),
            4 => (vec![in_memory(1)], in_memory(0)),
            _ => (vec![in_memory(1), in_memory(2)], in_memory(0)),
        };
        if from.iter().all(|words| !words.overlap(&to)) {
            model.operate(stream, from, to);
            if kind == 2 {
                model.read(frame, 0..len);
            }
        }
    }
    for memory in 0..2 {
        let whole = Words { store: Store::Memory(memory), range: 0..WORDS };
        model.operate(0, vec![whole], Words { store: Store::Down(memory), range: 0..WORDS });
        model.read(memory, 0..WORDS);
    }
    model.steps
}

fn programs() -> impl Strategy<Value = Vec<Step>> {
    let place = || (0..2usize, 0..5usize);
    let choice = (0..7usize, 0..STREAMS, [place(), place(), place()], 1..4usize);
    prop::collection::vec(choice, 0..30).prop_map(|choices| program(&choices))
}

fn sum(a: u32, b: u32) -> u32 {
    a.wrapping_mul(3).wrapping_add(b).wrapping_add(1)
}

/// What the host reads if every step is over before the next.
fn one_after_the_other(steps: &[Step]) -> Vec<u32> {
    let mut stores = [[0u32; WORDS]; 6];
    let number = |store: Store| match store {
        Store::Memory(n) => n,
        Store::Up(n) => 2 + n,
        Store::Down(n) => 4 + n,
    };
    let mut results = Vec::new();
    for step in steps {
        match step {
            Step::Do { from, to, .. } => {
                let from: Vec<&[u32]> =
                    from.iter().map(|words| &stores[number(words.store)][words.range.clone()]).collect();
                let new: Vec<u32> = match from[..] {
                    [] => vec![0; to.range.len()],
                    [a] => a.to_vec(),
                    [a, b] => a.iter().zip(b).map(|(&a, &b)| sum(a, b)).collect(),
                    _ => unreachable!(),
                };
                stores[number(to.store)][to.range.clone()].copy_from_slice(&new);
            }
            Step::Synchronize(_) => {}
            Step::Write(frame, word) => stores[number(Store::Up(*frame))] = [*word; WORDS],
            Step::Read(frame, range) => {
                results.extend_from_slice(&stores[number(Store::Down(*frame))][range.clone()]);
            }
        }
    }
    results
}

/// What the host reads from the device; or the error and the step at which it came.
fn on_the_device(sim: &Sim, steps: &[Step]) -> Result<Vec<u32>, (usize, SimError)> {
    let new = |transfer| sim.stage(4 * WORDS, transfer).unwrap();
    let memories = [0, 1].map(|_| sim.allocate(4 * WORDS).unwrap());
    let (mut ups, mut downs) =
        ([0, 1].map(|_| new(Transfer::Upload)), [0, 1].map(|_| new(Transfer::Download)));
    let mut streams = [0; STREAMS].map(|_| sim.stream().unwrap());
    let mut events = Vec::new();
    let program = sim.compile(&Source::new("sum").host(|call| {
        let word = |bytes: &[u8], n: usize| bytemuck::cast_slice::<u8, u32>(bytes)[n];
        for (n, y) in bytemuck::cast_slice_mut(call.outputs[0]).iter_mut().enumerate() {
            *y = sum(word(call.inputs[0], n), word(call.inputs[1], n));
        }
    }));
    let program = program.unwrap();
    let memory = |words: &Words| match words.store {
        Store::Memory(n) => place(&memories[n], 4 * words.range.start),
        _ => unreachable!(),
    };
    let mut results = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        let done = match step {
            Step::Do { stream, waits, from, to } => {
                let stream = &mut streams[*stream];
                waits.iter().for_each(|&index| sim.wait(stream, &events[index]).unwrap());
                let bytes = 4 * to.range.len();
                let done = match (&from[..], to.store) {
                    ([], _) => sim.zero(stream, memory(to), bytes),
                    ([a], Store::Down(frame)) => {
                        let a = memory(a);
                        sim.download(stream, a.memory, a.at, &downs[frame], bytes)
                    }
                    ([Words { store: Store::Up(frame), .. }], _) => {
                        let to = memory(to);
                        sim.upload(stream, &ups[*frame], to.memory, to.at, bytes)
                    }
                    ([a], _) => sim.copy(stream, memory(a), memory(to), bytes),
                    (inputs, _) => {
                        let span = |words| Span { place: memory(words), items: bytes / 4, item_bytes: 4 };
                        let inputs: Vec<_> = inputs.iter().map(span).collect();
                        launch(sim, stream, &program, &inputs, &[span(to)])
                    }
                };
                events.push(record(sim, stream));
                done
            }
            Step::Synchronize(index) => sim.synchronize(&events[*index]),
            Step::Write(frame, word) => sim.write(&mut ups[*frame], 0, bytemuck::cast_slice(&[*word; WORDS])),
            Step::Read(frame, range) => {
                let mut words = vec![0u32; range.len()];
                let bytes = bytemuck::cast_slice_mut(&mut words);
                let done = sim.read(&mut downs[*frame], 4 * range.start, bytes);
                results.extend(words);
                done
            }
        };
        done.map_err(|error| (number, error))?;
    }
    Ok(results)
}

/// The step of each wait of a program: for each that of the stream's, and for each of the host's what comes next.
fn waits(steps: &[Step]) -> Vec<(Fault, usize)> {
    let (mut found, mut in_streams, mut on_host) = (Vec::new(), 0, 0);
    for (number, step) in steps.iter().enumerate() {
        match step {
            Step::Do { waits, .. } => {
                for _ in waits {
                    in_streams += 1;
                    found.push((Fault::Skip(Operation::Wait, Which::Nth(in_streams)), number));
                }
            }
            Step::Synchronize(_) => {
                on_host += 1;
                let others = steps[number..].iter().position(|step| !matches!(step, Step::Synchronize(_)));
                let next = number + others.unwrap();
                found.push((Fault::Skip(Operation::Synchronize, Which::Nth(on_host)), next));
            }
            _ => {}
        }
    }
    found
}

proptest! {
    #[test]
    fn an_ordered_program_does_what_it_would_do_step_by_step(steps in programs()) {
        let expected = one_after_the_other(&steps);
        for seed in 0..8 {
            prop_assert_eq!(on_the_device(&Sim::seeded(seed), &steps), Ok(expected.clone()));
        }
    }

    #[test]
    fn a_program_without_one_of_its_waits_is_caught_where_it_is_needed(steps in programs()) {
        for (fault, step) in waits(&steps) {
            let sim = Sim::new();
            sim.fail(fault);
            let caught = on_the_device(&sim, &steps);
            let is_race = matches!(&caught, Err((at, SimError::Unordered { .. })) if *at == step);
            prop_assert!(is_race, "{fault:?} belongs to step {step}: {caught:?}");
        }
    }
}
