//! Streams that are joined, or parted, by a list of who comes next with how many items.

use superhet_runtime::{
    Block, BlockError, Context, In, Item, Out, Ratio, Step, Tag, Work, clock::StreamClock, tag::Conversion,
};

use crate::error::{Error, check};
use crate::lockstep::{MOST_PORTS, check_ports};

/// Who comes next with how many items, over and over.
#[derive(Clone, Debug)]
struct Schedule {
    runs: Vec<(usize, usize)>,
    /// The run that is going on.
    now: usize,
    /// How many items of it are left.
    left: usize,
}

impl Schedule {
    /// Runs of so many items of the port of that number each, at least one of them with any.
    fn new(runs: &mut dyn Iterator<Item = (usize, usize)>) -> Option<Self> {
        let mut merged: Vec<(usize, usize)> = Vec::new();
        for (port, items) in runs.filter(|(_, items)| *items > 0) {
            match merged.last_mut() {
                Some((last, sum)) if *last == port => *sum += items,
                _ => merged.push((port, items)),
            }
        }
        let left = merged.first()?.1;
        Some(Schedule { runs: merged, now: 0, left })
    }

    /// `lengths[i]` vectors of so many items of port `i` in each turn.
    fn of_lengths(lengths: &[usize], vector: usize) -> Result<Self, Error> {
        check_lengths(lengths, vector)?;
        Ok(Schedule::checked(&mut lengths.iter().map(|length| length * vector).enumerate()))
    }

    /// A vector of so many items of port `pattern[0]`, one of `pattern[1]` and so on; the greatest of them.
    fn of_pattern(pattern: &[usize], vector: usize) -> Result<(Self, usize), Error> {
        check_vector(vector)?;
        let Some(&most) = pattern.iter().max() else {
            return Err(Error::Empty { parameter: "pattern", wanted: "at least one input" });
        };
        if let Some(place) = pattern.iter().position(|&port| port >= MOST_PORTS) {
            let (parameter, wanted) = ("pattern", "the number of an input, from 0 to 63");
            return Err(Error::Element { parameter, place, wanted, got: pattern[place].to_string() });
        }
        Ok((Schedule::checked(&mut pattern.iter().map(|&port| (port, vector))), most))
    }

    /// Runs of which it was checked that there is one.
    fn checked(runs: &mut dyn Iterator<Item = (usize, usize)>) -> Self {
        Schedule::new(runs).unwrap_or(Schedule { runs: vec![(0, 1)], now: 0, left: 1 })
    }

    /// What becomes of the tags of each of so many ports when they are parted.
    fn parting(&self, ports: usize) -> Vec<Conversion> {
        (0..ports).map(|port| Conversion::new(self.ratio_to(port))).collect()
    }

    /// As `parting`, when they are joined.
    fn joining(&self, ports: usize) -> Vec<Conversion> {
        let turned = |Ratio { interpolation, decimation }| Ratio {
            interpolation: decimation,
            decimation: interpolation,
        };
        (0..ports).map(|port| Conversion::new(turned(self.ratio_to(port)))).collect()
    }

    /// How many of the items of a turn are those of a port.
    fn ratio_to(&self, port: usize) -> Ratio {
        let count = |wanted: Option<usize>| {
            let runs = self.runs.iter().filter(|(port, _)| wanted.is_none_or(|wanted| wanted == *port));
            runs.map(|(_, items)| items).sum::<usize>().max(1)
        };
        Ratio { interpolation: count(Some(port)), decimation: count(None) }
    }

    fn port(&self) -> usize {
        self.runs[self.now].0
    }

    /// Notes that `n` items of the run have been moved.
    fn advance(&mut self, n: usize) {
        self.left -= n;
        if self.left == 0 {
            self.now = (self.now + 1) % self.runs.len();
            self.left = self.runs[self.now].1;
        }
    }
}

/// The longest run and the most of them.
const MOST: usize = 1 << 24;

/// That the numbers of items in a turn can be used.
fn check_lengths(lengths: &[usize], vector: usize) -> Result<(), Error> {
    check_ports("lengths", lengths.len())?;
    check_vector(vector)?;
    for (place, &length) in lengths.iter().enumerate() {
        if length > MOST {
            let (parameter, wanted) = ("lengths", "at most 16777216");
            return Err(Error::Element { parameter, place, wanted, got: length.to_string() });
        }
    }
    check(lengths.iter().any(|&length| length > 0), "lengths", "one that is greater than 0", 0.0)
}

/// That `vector` can be the length of one.
fn check_vector(vector: usize) -> Result<(), Error> {
    check((1..=MOST).contains(&vector), "length", "a whole number from 1 to 16777216", vector as f64)
}

/// Joins streams: some items of one, then some of the next, by a list that is repeated.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in0`, `in1`, … | any | any |
/// | out `out` | the same | that of the inputs |
///
/// Tags stay on their items. Ends with the first input that is needed and has nothing left.
///
/// ```
/// use superhet_blocks::{sinks::VectorSink, sources::VectorSource, vectors::StreamMux};
/// use superhet_runtime::Graph;
///
/// let mut graph = Graph::new();
/// let a = graph.add("a", VectorSource::new(vec![1u8, 2], false)?);
/// let b = graph.add("b", VectorSource::new(vec![11u8, 12, 13, 14], false)?);
/// let mux = graph.add("mux", StreamMux::<u8>::new(&[1, 2])?);
/// let sink = VectorSink::<u8>::new();
/// let items = sink.items();
/// let sink = graph.add("sink", sink);
/// graph.connect(a.output, mux.input[0]);
/// graph.connect(b.output, mux.input[1]);
/// graph.connect(mux.output, sink.input);
/// graph.run()?;
/// assert_eq!(items.take(), [1, 11, 12, 2, 13, 14]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct StreamMux<T: Item> {
    #[port("in")]
    input: Vec<In<T>>,
    #[port("out")]
    output: Out<T>,
    schedule: Schedule,
    /// What becomes of the tags of each input.
    conversions: Vec<Conversion>,
}

impl<T: Item> StreamMux<T> {
    /// `lengths[i]` items of input `i` in each turn.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless there are 1 to 64 lengths, one of which is not 0; [`Error::Element`] where one is too
    /// great.
    pub fn new(lengths: &[usize]) -> Result<Self, Error> {
        StreamMux::of_vectors(lengths, 1)
    }

    /// `lengths[i]` vectors of so many items of input `i` in each turn.
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    pub fn of_vectors(lengths: &[usize], vector: usize) -> Result<Self, Error> {
        Ok(StreamMux::by(Schedule::of_lengths(lengths, vector)?, lengths.len()))
    }

    /// A vector of so many items of input `pattern[0]`, one of `pattern[1]` and so on.
    ///
    /// # Errors
    /// [`Error::Empty`] without a pattern, [`Error::Element`] where it names an input beyond 63, [`Error::OutOfRange`]
    /// unless a vector has 1 to 2²⁴ items.
    pub fn patterned(pattern: &[usize], vector: usize) -> Result<Self, Error> {
        let (schedule, most) = Schedule::of_pattern(pattern, vector)?;
        Ok(StreamMux::by(schedule, most + 1))
    }

    fn by(schedule: Schedule, inputs: usize) -> Self {
        // What is not its turn may have nothing to give.
        let input = (0..inputs).map(|_| In::new().min(0)).collect();
        StreamMux { input, output: Out::new(), conversions: schedule.joining(inputs), schedule }
    }
}

impl<T: Item> Work for StreamMux<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let mut moved = 0;
        loop {
            let input = &mut self.input[self.schedule.port()];
            let n = self.schedule.left.min(input.available()).min(self.output.room());
            if n == 0 {
                return Ok(match moved {
                    _ if input.is_finished() => Step::Done,
                    0 if input.available() == 0 => Step::NeedInput,
                    0 => Step::NeedOutput,
                    _ => Step::Ran,
                });
            }
            self.output.reserve()[..n].copy_from_slice(&input.peek()[..n]);
            let conversion = &mut self.conversions[self.schedule.port()];
            let (from, to, output) = (input.index(), self.output.index(), &mut self.output);
            input.for_each_tag(n, |tag| {
                let tag = Tag { index: tag.index - from + to, ..tag.clone() };
                conversion.carry(tag, |tag| output.put_tag(tag));
            });
            input.consume(n);
            self.output.produce(n);
            self.schedule.advance(n);
            moved += n;
        }
    }
}

/// Parts a stream: some items for one output, then some for the next, by a list that is repeated.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | any | any |
/// | out `out0`, `out1`, … | the same | that of `in` |
///
/// Tags stay on their items. What they say of the rate, the centre frequency and the time, tags of every output say. Of several
/// outputs some may stay unconnected: their items are dropped.
///
/// ```
/// use superhet_blocks::{sinks::VectorSink, sources::VectorSource, vectors::StreamDemux};
/// use superhet_runtime::Graph;
///
/// let mut graph = Graph::new();
/// let source = graph.add("source", VectorSource::new(vec![1u8, 2, 3, 4, 5, 6, 7], false)?);
/// let demux = graph.add("demux", StreamDemux::<u8>::new(&[1, 2])?);
/// let sink = VectorSink::<u8>::new();
/// let items = sink.items();
/// let sink = graph.add("sink", sink);
/// graph.connect(source.output, demux.input);
/// graph.connect(demux.output[1], sink.input);
/// graph.run()?;
/// assert_eq!(items.take(), [2, 3, 5, 6]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct StreamDemux<T: Item> {
    #[port("in")]
    input: In<T>,
    #[port("out")]
    output: Vec<Out<T>>,
    schedule: Schedule,
    clock: StreamClock,
}

impl<T: Item> StreamDemux<T> {
    /// `lengths[i]` items for output `i` in each turn.
    ///
    /// # Errors
    /// As for [`StreamMux::new`].
    pub fn new(lengths: &[usize]) -> Result<Self, Error> {
        StreamDemux::of_vectors(lengths, 1)
    }

    /// `lengths[i]` vectors of so many items for output `i` in each turn.
    ///
    /// # Errors
    /// As for [`StreamMux::new`].
    pub fn of_vectors(lengths: &[usize], vector: usize) -> Result<Self, Error> {
        let schedule = Schedule::of_lengths(lengths, vector)?;
        let conversions = schedule.parting(lengths.len()).into_iter();
        Ok(StreamDemux {
            input: In::new(),
            // Room on one output is of no use to another.
            output: conversions.map(|kept| Out::new().min(0).optional().converted(kept)).collect(),
            schedule,
            clock: StreamClock::new(),
        })
    }
}

impl<T: Item> StreamDemux<T> {
    /// Hands the tags of the next `n` items on: to the output that gets these, and what they say of the rate and the centre to
    /// those that have begun, too.
    fn pass_tags(&mut self, n: usize) {
        let (from, port) = (self.input.index(), self.schedule.port());
        let (outputs, clock) = (&mut self.output, &mut self.clock);
        self.input.for_each_tag(n, |tag| {
            clock.note(tag);
            let says_state = matches!(&*tag.key, "rx_rate" | "rx_freq");
            for (place, output) in outputs.iter_mut().enumerate().filter(|(_, output)| output.is_connected())
            {
                let to = output.index();
                if place == port {
                    output.put_tag(Tag { index: tag.index - from + to, ..tag.clone() });
                } else if says_state && to > 0 {
                    output.put_tag(Tag { index: to, ..tag.clone() });
                }
            }
        });
    }
}

impl<T: Item> Work for StreamDemux<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let mut moved = 0;
        loop {
            let output = &mut self.output[self.schedule.port()];
            let room = if output.is_connected() { output.room() } else { usize::MAX };
            let n = self.schedule.left.min(self.input.available()).min(room);
            if n == 0 {
                return Ok(match moved {
                    0 if self.input.available() == 0 => Step::NeedInput,
                    0 => Step::NeedOutput,
                    _ => Step::Ran,
                });
            }
            if output.is_connected() {
                if output.index() == 0 {
                    self.input.for_each_tag(1, |tag| self.clock.note(tag));
                    for (key, value) in self.clock.said_at(self.input.index()) {
                        output.tag(0, key, value);
                    }
                }
                output.reserve()[..n].copy_from_slice(&self.input.peek()[..n]);
            }
            self.pass_tags(n);
            let output = &mut self.output[self.schedule.port()];
            if output.is_connected() {
                output.produce(n);
            }
            self.input.consume(n);
            self.schedule.advance(n);
            moved += n;
        }
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        // Tags beyond the last item go where it would have gone, on the output that is next.
        let from = self.input.index();
        let output = &mut self.output[self.schedule.port()];
        if output.is_connected() {
            let to = output.index();
            self.input
                .for_each_tag(0, |tag| output.put_tag(Tag { index: tag.index - from + to, ..tag.clone() }));
        }
        Ok(Step::Done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_gives_many, assert_gives_of_many};

    #[test]
    fn streams_are_joined_wherever_they_are_cut() {
        let inputs: Vec<Vec<i32>> = (0..3).map(|k| (0..400).map(|n| 1000 * k + n).collect()).collect();
        let mut wanted = Vec::new();
        for turn in 0..200 {
            wanted.push(inputs[0][turn]);
            wanted.extend_from_slice(&inputs[2][2 * turn..2 * turn + 2]);
        }
        // Of the first there are more, but the last has none left.
        wanted.push(inputs[0][200]);
        assert_gives_of_many(|| StreamMux::<i32>::new(&[1, 0, 2]).unwrap(), &inputs, &wanted);
        assert_gives_of_many(|| StreamMux::<i32>::patterned(&[0, 2, 2], 1).unwrap(), &inputs, &wanted);
    }

    #[test]
    fn a_stream_is_parted_wherever_it_is_cut() {
        let x: Vec<i32> = (0..500).collect();
        let of = |places: &[i32]| x.iter().copied().filter(|n| places.contains(&(n % 3))).collect::<Vec<_>>();
        assert_gives_many(|| StreamDemux::<i32>::new(&[1, 2]).unwrap(), &x, &[of(&[0]), of(&[1, 2])]);
    }

    #[test]
    fn vectors_stay_whole() {
        let inputs = [vec![1u8, 2, 3, 4], vec![11, 12, 13, 14]];
        let wanted = [1u8, 2, 11, 12, 3, 4, 13, 14];
        assert_gives_of_many(|| StreamMux::<u8>::patterned(&[0, 1], 2).unwrap(), &inputs, &wanted);
        assert_gives_of_many(|| StreamMux::<u8>::of_vectors(&[1, 1], 2).unwrap(), &inputs, &wanted);
    }

    #[test]
    fn what_is_out_of_range_is_refused() {
        assert!(StreamMux::<u8>::new(&[]).is_err() && StreamMux::<u8>::new(&[0, 0]).is_err());
        let error = StreamMux::<u8>::patterned(&[0, 64], 1).unwrap_err().to_string();
        assert_eq!(error, "pattern[1] = 64: expected the number of an input, from 0 to 63");
        assert!(StreamDemux::<u8>::new(&[1, MOST + 1]).is_err());
    }
}
