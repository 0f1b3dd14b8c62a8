//! How long strips are: as long as lets all buffers of a lane that hold items at once stay in the level-1 cache, or those of each
//! block where that would be too short, or in the level-2 cache where most blocks get few items or keep many for the next call, or as
//! a reader asks for at once.

use super::Machine;
use super::layout::Layout;
use super::streams::{blocks_at, spec_of_input, spec_of_output};
use crate::graph::{CheckedGraph, Stream};

/// The part of the level-1 cache that strips fill at most; the rest is for the blocks' own data and the stack.
const L1_SHARE: f64 = 0.75;
/// Strips never fill more than this. Longer ones save hardly any calls, and other hardware threads of a core use its cache, too: on an
/// Intel Xeon with 48 KiB whose other threads others had, four saxpys out of place ran at 0.33 of the peak with 36 KiB and
/// at 0.52 with 24 KiB.
const MOST_L1_BYTES: f64 = 24.0 * 1024.0;
/// Strips shorter than this always cost more in calls than they gain in cache hits.
pub(super) const LEAST_STRIP_ITEMS: f64 = 512.0;
/// Calls of strips longer than this cost next to nothing.
const LONG_STRIP_ITEMS: f64 = 2048.0;
/// What a call takes, mean of the blocks of a lane. Many slow streams behind a fast one have strips of a few items each, and calls are
/// what such a graph costs: 64 receivers, each at 1/416 of the rate of the band (`bench/receivers/band.py`), ran at 0.4, 2.2, 4.4 and 4.9
/// times real time with strips of 400, 4096, 16,384 and 65,536 items of the band, 2.5, 25, 100 and 400 items a call.
const LEAST_MEAN_ITEMS: f64 = 128.0;
/// A strip is so many times as long as the history of a reader, and as what a reader waits for before it does anything: both are
/// copied from strip to strip. Times real time of the blocks of `decode adsb`, in a program of their own on one core of an Intel Xeon, in
/// noise: at 2 Msps, with a history of 257 values, about 69, 75, 79 and 82 with strips of 1440, 2160, 2880 and 4320 of them; at 20 Msps,
/// where 2440 samples make a block, 19 to 21 with up to 4880 samples and 22 with 7400 and 9760.
const HISTORIES: f64 = 8.0;
const WAITS: f64 = 3.0;
/// The longest strip that this asks for, in items of the fastest stream.
const MOST_STRIP_ITEMS: f64 = 8192.0;

/// What the buffers of a lane take, for each item at rate 1.
#[derive(Clone, Default)]
struct LaneLoad {
    /// Those that hold items at once, where that is most.
    bytes: f64,
    /// Those of the block that has most.
    widest: f64,
    /// The rate of the fastest stream.
    fastest: f64,
    /// How many blocks have a stream, and the sum of the rates of the fastest of each.
    blocks: f64,
    rates: f64,
    /// How many items at rate 1 a strip should have for what is kept of the one before.
    kept: f64,
}

impl LaneLoad {
    /// How many items at rate 1 give the mean block so many.
    fn mean(&self, items: f64) -> f64 {
        items * self.blocks / self.rates.max(f64::MIN_POSITIVE)
    }
}

/// How much of the level-1 cache strips fill.
pub(super) fn l1_bytes(machine: &Machine) -> f64 {
    (machine.l1_bytes as f64 * L1_SHARE).min(MOST_L1_BYTES)
}

impl Layout<'_> {
    /// Per lane, how many items at rate 1 it takes in one sweep.
    pub(super) fn sweeps(&self, machine: &Machine) -> Vec<f64> {
        let graph = self.graph;
        self.loads()
            .iter()
            .zip(self.lanes)
            .map(|(load, lane)| {
                if let Some(chain) = &lane.chain {
                    return chain.portions.strip as f64 / head_rate(graph, lane.blocks[0]);
                }
                let (l1, l2) = (l1_bytes(machine), machine.l2_bytes as f64 / 2.0);
                let fits = |cache: f64, bytes: f64| cache / bytes.max(1.0);
                let calls = |items: f64| items / load.fastest.max(f64::MIN_POSITIVE);
                // Where all buffers together do not fit, those of each block still should: one block writes what the
                // next reads.
                let of_a_block =
                    fits(l1, load.widest).clamp(calls(LEAST_STRIP_ITEMS), calls(LONG_STRIP_ITEMS));
                let of_kept = load.kept.min(calls(MOST_STRIP_ITEMS));
                let wanted = of_a_block.max(load.mean(LEAST_MEAN_ITEMS)).max(of_kept);
                fits(l1, load.bytes).max(fits(l2, load.bytes).min(wanted))
            })
            .collect()
    }

    /// The largest span of each stream, in items.
    pub(super) fn strips(&self, sweeps: &[f64]) -> Vec<usize> {
        let Layout { graph, lane_of, options, .. } = self;
        graph
            .streams
            .iter()
            .map(|stream| {
                let items = blocks_at(stream)
                    .map(|block| sweeps[lane_of[block]] * stream.rate)
                    .fold(f64::MAX, f64::min);
                let line = 64 / spec_of_output(graph, stream.from).item.size().clamp(1, 64);
                // A reader that asks for many at once gets them at once.
                let asked = stream.readers.iter().map(|reader| spec_of_input(graph, *reader).batch);
                let items = asked.fold(items as usize, usize::max);
                let whole_lines = items.clamp(1, 1 << 20) / line * line;
                let items = options.strip_items.unwrap_or(whole_lines).max(1);
                // A strip is what comes at once: one waits to be taken while the next is made.
                self.share_of_latency(stream).map_or(items, |most| items.min((most / 2).max(1)))
            })
            .collect()
    }

    /// What the buffers of each lane take.
    fn loads(&self) -> Vec<LaneLoad> {
        let graph = self.graph;
        let mut lanes = vec![LaneLoad::default(); self.lanes.len()];
        let mut of_block = vec![0.0; graph.nodes.len()];
        let mut place = vec![0; graph.nodes.len()];
        for lane in self.lanes {
            lane.blocks.iter().enumerate().for_each(|(at, &block)| place[block] = at);
        }
        // By how much more memory holds items while a block of a lane runs than while the one before it does.
        let mut more: Vec<Vec<f64>> =
            self.lanes.iter().map(|lane| vec![0.0; lane.blocks.len() + 1]).collect();
        for group in self.in_place_groups() {
            let first = &graph.streams[group[0]];
            let bytes = first.rate * spec_of_output(graph, first.from).item.size() as f64;
            let blocks = distinct(group.iter().flat_map(|&s| blocks_at(&graph.streams[s])));
            for lane in distinct(blocks_at(first).map(|block| self.lane_of[block])) {
                lanes[lane].fastest = lanes[lane].fastest.max(first.rate);
                let places = blocks.iter().map(|&block| place[block]);
                let (from, to) = match self.is_passing(&group) {
                    true => (places.clone().min().unwrap_or(0), places.max().unwrap_or(0)),
                    false => (0, self.lanes[lane].blocks.len() - 1),
                };
                more[lane][from] += bytes;
                more[lane][to + 1] -= bytes;
            }
            blocks.iter().for_each(|&block| of_block[block] += bytes);
        }
        for (load, more) in lanes.iter_mut().zip(&more) {
            let mut bytes = 0.0;
            for more in more {
                bytes += more;
                load.bytes = load.bytes.max(bytes);
            }
        }
        for stream in &graph.streams {
            for reader in &stream.readers {
                let spec = spec_of_input(graph, *reader);
                let items = (HISTORIES * spec.history as f64).max(WAITS * spec.min as f64);
                let kept = &mut lanes[self.lane_of[reader.block]].kept;
                *kept = kept.max(items / stream.rate.max(f64::MIN_POSITIVE));
            }
        }
        for (block, &lane) in self.lane_of.iter().enumerate() {
            let load = &mut lanes[lane];
            load.widest = load.widest.max(of_block[block]);
            let streams = graph.streams.read_by(block).chain(graph.streams.written_by(block));
            let fastest = streams.map(|stream| stream.rate).fold(0.0, f64::max);
            if fastest > 0.0 {
                load.blocks += 1.0;
                load.rates += fastest;
            }
        }
        lanes
    }

    /// How many items a stream may hold, where the latency is limited.
    pub(super) fn share_of_latency(&self, stream: &Stream) -> Option<usize> {
        let node = &self.graph.nodes[stream.from.block];
        let is_named = |name: &str| {
            name == node.name && node.ports.outputs.len() == 1 || name == node.output_name(stream.from.port)
        };
        let own = self.options.max_stream_latency.iter().find(|(name, _)| is_named(name));
        let shared = || {
            let items = self.options.max_latency?.items() as f64 * stream.rate;
            Some(((items / self.longest_path as f64) as usize).max(1))
        };
        own.map(|(_, latency)| latency.items()).or_else(shared)
    }
}

/// The rate of the stream that a block reads, or writes where it reads none.
pub(super) fn head_rate(graph: &CheckedGraph, block: usize) -> f64 {
    let mut streams = graph.streams.read_by(block).chain(graph.streams.written_by(block));
    streams.next().map_or(1.0, |stream| stream.rate)
}

/// Each place once.
fn distinct(places: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut places: Vec<usize> = places.collect();
    places.sort_unstable();
    places.dedup();
    places
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::l1_bytes;
    use crate::{
        BlockError, C32, Context, Graph, In, Options, Out, Pure, Ratio, Single, Step, Work, plan::Machine,
    };

    struct Source;
    struct Product;
    struct Gain;
    struct Sink;

    impl Pure for Source {
        type In = ();
        type Out = C32;
        fn map(&self, _: (), _: &mut [C32]) {}
    }
    impl Pure for Product {
        type In = (C32, C32);
        type Out = C32;
        fn map(&self, _: (&[C32], &[C32]), _: &mut [C32]) {}
    }
    impl Pure for Gain {
        type In = C32;
        type Out = C32;
        fn map(&self, _: &[C32], _: &mut [C32]) {}
    }
    impl Pure for Sink {
        type In = C32;
        type Out = ();
        fn map(&self, _: &[C32], _: ()) {}
    }

    #[test]
    fn strips_fill_three_quarters_of_a_small_cache_and_no_more_of_a_large_one_than_24_kib() {
        for (cache, filled) in [(16 << 10, 12 << 10), (32 << 10, 24 << 10), (48 << 10, 24 << 10)] {
            let machine = Machine { l1_bytes: cache, ..Machine::detect() };
            assert_eq!(l1_bytes(&machine), f64::from(filled), "{cache}");
        }
    }

    /// Items of the strips of two sources, their product, so many gains behind it, and a sink.
    fn strip(gains: usize) -> u64 {
        let mut graph = Graph::new();
        let (a, b) = (graph.add("a", Source), graph.add("b", Source));
        let product = graph.add("product", Product);
        graph.connect(a.output, product.input.0);
        graph.connect(b.output, product.input.1);
        let mut last = product.output;
        for k in 0..gains {
            let gain = graph.add(format!("gain{k}"), Gain);
            graph.connect(last, gain.input);
            last = gain.output;
        }
        let sink = graph.add("sink", Sink);
        graph.connect(last, sink.input);
        strip_of(graph)
    }

    /// Items of the strips of a graph's first stream.
    fn strip_of(graph: Graph) -> u64 {
        let graph = graph.check().unwrap();
        let machine = Machine { l1_bytes: 32 << 10, l2_bytes: 1 << 20, ..Machine::detect() };
        let plan = crate::plan::Plan::new(&graph, &Single, &machine, &Options::default()).unwrap().to_json();
        plan["streams"][0]["strip_items"].as_u64().unwrap()
    }

    /// Deals its items out.
    #[derive(crate::Block)]
    struct Deal {
        #[port]
        input: In<C32>,
        #[port]
        output: Vec<Out<C32>>,
        ratio: Option<Ratio>,
    }

    impl Work for Deal {
        fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
            Ok(Step::Done)
        }
        fn ratio(&self) -> Option<Ratio> {
            self.ratio
        }
    }

    #[test]
    fn strips_are_longer_where_a_block_says_how_little_it_gives() {
        let strip = |ratio: Option<Ratio>| {
            let mut graph = Graph::new();
            let source = graph.add("source", Source);
            let output = (0..8).map(|_| Out::new()).collect();
            let deal = graph.add("deal", Deal { input: In::new(), output, ratio });
            graph.connect(source.output, deal.input);
            for (place, output) in deal.output.iter().enumerate() {
                let sink = graph.add(format!("sink{place}"), Sink);
                graph.connect(*output, sink.input);
            }
            strip_of(graph)
        };
        assert_eq!(strip(None), 512, "as if each of its outputs were as fast as its input");
        assert_eq!(strip(Some(Ratio { interpolation: 1, decimation: 8 })), (24 << 10) / (2 * 8));
    }

    #[test]
    fn strips_are_as_long_as_level_2_allows_where_many_streams_are_slow() {
        let strip = |outputs: usize, decimation| {
            let mut graph = Graph::new();
            let source = graph.add("source", Source);
            let output = (0..outputs).map(|_| Out::new()).collect();
            let ratio = Some(Ratio { interpolation: 1, decimation });
            let deal = graph.add("deal", Deal { input: In::new(), output, ratio });
            graph.connect(source.output, deal.input);
            for (place, output) in deal.output.iter().enumerate() {
                let gain = graph.add(format!("gain{place}"), Gain);
                let sink = graph.add(format!("sink{place}"), Sink);
                graph.connect(*output, gain.input);
                graph.connect(gain.output, sink.input);
            }
            strip_of(graph)
        };
        assert_eq!(strip(1, 1), (24 << 10) / (2 * 8), "one stream that is as fast");
        // 130 blocks share 2 + 128/512 items of each item at rate 1.
        let mean = (128.0 * 130.0 / 2.25) as u64 / 8 * 8;
        assert_eq!(strip(64, 512), mean);
        assert!(strip(1024, 512) < (512 << 10) / 8, "and all buffers fit half of the level-2 cache");
        assert!(strip(1024, 512) > (24 << 10) / 8);
    }

    #[test]
    fn strips_are_longer_than_what_a_block_keeps_of_them() {
        let strip = |input: In<C32>| {
            let mut graph = Graph::new();
            let source = graph.add("source", Source);
            let keep = graph.add("keep", Deal { input, output: vec![Out::new()], ratio: None });
            let sink = graph.add("sink", Sink);
            graph.connect(source.output, keep.input);
            graph.connect(keep.output[0], sink.input);
            strip_of(graph)
        };
        let in_level_1 = (24 << 10) / (2 * 8);
        assert_eq!(strip(In::new().history(100)), in_level_1);
        assert_eq!(strip(In::new().history(300)), 8 * 300);
        assert_eq!(strip(In::new().min(1000)), 3 * 1000);
        assert_eq!(strip(In::new().min(100_000)), 8192);
    }

    #[test]
    fn a_block_that_does_not_say_how_much_it_gives_counts_as_its_inputs_do() {
        let mut graph = Graph::new();
        let source = graph.add("source", Source);
        let output = (0..64).map(|_| Out::new()).collect();
        let ratio = Some(Ratio { interpolation: 1, decimation: 512 });
        let deal = graph.add("deal", Deal { input: In::new(), output, ratio });
        graph.connect(source.output, deal.input);
        for (place, output) in deal.output.iter().enumerate() {
            let any = graph
                .add(format!("any{place}"), Deal { input: In::new(), output: vec![Out::new()], ratio: None });
            let sink = graph.add(format!("sink{place}"), Sink);
            graph.connect(*output, any.input);
            graph.connect(any.output[0], sink.input);
        }
        // As above: 130 blocks share 2 + 128/512 items of each item at rate 1.
        assert_eq!(strip_of(graph), (128.0 * 130.0 / 2.25) as u64 / 8 * 8);
    }

    #[test]
    fn the_buffers_of_a_lane_fit_the_level_1_cache_or_else_those_of_each_block() {
        let three_quarters = 24 << 10;
        assert_eq!(strip(0), three_quarters / (3 * 8));
        assert_eq!(strip(20), three_quarters / (3 * 8), "the product has three buffers");
    }

    #[test]
    fn a_chain_that_is_not_in_place_holds_two_buffers_whatever_its_length() {
        for gains in [1, 2, 20] {
            let mut graph = Graph::new();
            let mut last = graph.add("source", Source).output;
            for k in 0..gains {
                let gain = graph.add(format!("gain{k}"), Gain);
                graph.connect(last, gain.input);
                last = gain.output;
            }
            let sink = graph.add("sink", Sink);
            graph.connect(last, sink.input);
            assert_eq!(strip_of(graph), (24 << 10) / (2 * 8), "{gains} gains");
        }
    }
}
