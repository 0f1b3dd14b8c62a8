//! Samples that are missing.

use std::sync::Arc;
use std::time::Duration;

use superhet_runtime::prelude::*;

use crate::blocks::TagsOf;
use crate::common::*;

/// Gives the numbers of the samples that a radio took, one a microsecond from second 100 on, without those of `lost`.
#[derive(Block)]
struct Lossy {
    #[port]
    out: Out<u32>,
    gaps: superhet_runtime::gap::Gaps,
    /// The first sample of each loss and how many were lost; `None`: nobody has counted them.
    lost: Vec<(u32, u32, Option<u64>)>,
    next: u32,
}

impl Lossy {
    const SAMPLES: u32 = 1000;
    const LOST: [(u32, u32, Option<u64>); 3] = [(0, 4, Some(4)), (300, 101, Some(101)), (700, 6, None)];

    fn new(on_gap: superhet_runtime::gap::OnGap) -> Self {
        let lost = Self::LOST.into_iter().rev().collect();
        Lossy { out: Out::new(), gaps: superhet_runtime::gap::Gaps::new(on_gap), lost, next: 0 }
    }
}

impl Work for Lossy {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        if self.next == 0 {
            self.out.tag(0, "rx_rate", 1e6);
            self.out.tag(0, "rx_time", 100);
        }
        while let Some((first, samples, counted)) = self.lost.pop_if(|(first, ..)| *first == self.next) {
            self.next = first + samples;
            self.gaps.lost(counted);
        }
        match self.gaps.settle(&mut self.out) {
            Ok(true) => {}
            Ok(false) => return Ok(Step::NeedOutput),
            Err(error) => return Ok(context.end_with(error)),
        }
        let until = self.lost.last().map_or(Self::SAMPLES, |(first, ..)| *first);
        let room = self.out.reserve();
        let n = room.len().min((until - self.next) as usize);
        room[..n].iter_mut().zip(self.next..).for_each(|(y, x)| *y = x);
        self.out.produce(n);
        self.next += n as u32;
        Ok(match n {
            _ if self.next == Self::SAMPLES => Step::Done,
            0 => Step::NeedOutput,
            _ => Step::Ran,
        })
    }
}

/// Checks that a clock knows the microsecond in which each item was taken, as far as anybody can; keeps items and tags.
#[derive(Block)]
struct Timed {
    #[port]
    input: In<u32>,
    clock: superhet_runtime::clock::StreamClock,
    seen: SeenTags,
}

/// Items and the indices, keys and values of tags.
type SeenTags = Arc<std::sync::Mutex<(Vec<u32>, Vec<(u64, String, Value)>)>>;

impl Work for Timed {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let (mut tags, first) = (self.input.tags().into_iter().peekable(), self.input.index());
        let mut seen = self.seen.lock().unwrap();
        for (index, &item) in (first..).zip(self.input.peek()) {
            while let Some(tag) = tags.next_if(|tag| tag.index == index) {
                self.clock.note(&tag);
                seen.1.push((index, tag.key.to_string(), tag.value));
            }
            let time = self.clock.time_of(index).map(|time| (time.fraction * 1e6).round());
            let is_filled = item == 0;
            let expected = (item < 700).then_some(f64::from(item));
            if !is_filled && time != expected {
                return Err(format!("sample {item} at {time:?} us").into());
            }
            seen.0.push(item);
        }
        self.input.consume(self.input.available());
        Ok(Step::Ran)
    }
}

#[test]
fn a_gap_is_tagged_at_its_sample_counted_and_the_time_behind_it_is_right() {
    use superhet_runtime::gap::OnGap;
    let run = |on_gap, scheduler: &dyn superhet_runtime::Scheduler, options: &Options| {
        let mut graph = Graph::new();
        let radio = graph.add("radio", Lossy::new(on_gap));
        let pass = graph.add("pass", AddConst(0));
        let seen = SeenTags::default();
        let clock = superhet_runtime::clock::StreamClock::new();
        let sink = graph.add("sink", Timed { input: In::new(), clock, seen: seen.clone() });
        graph.connect(radio.out, pass.input);
        graph.connect(pass.output, sink.input);
        let mut running = graph.check().unwrap().start(scheduler, options).unwrap();
        let result = running.wait_for(Duration::from_secs(20)).expect("it ends");
        let seen = std::mem::take(&mut *seen.lock().unwrap());
        (result, seen)
    };
    let samples = |from: u32, to: u32| from..to;
    for (name, scheduler) in schedulers() {
        for options in all_options() {
            let words = format!("{name} {options:?}");
            let (result, (items, tags)) = run(OnGap::Zeros, &*scheduler, &options);
            let report = result.unwrap_or_else(|error| panic!("{words}: {error}"));
            let zeros = |n| std::iter::repeat_n(0u32, n);
            let expected = zeros(4).chain(samples(4, 300)).chain(zeros(101)).chain(samples(401, 700));
            assert_eq!(items, expected.chain(samples(706, 1000)).collect::<Vec<_>>(), "{words}");
            let expected: [(u64, &str, Value); 5] = [
                (0, "rx_rate", 1e6.into()),
                (0, "rx_time", 100.into()),
                (0, "gap_filled", 4u64.into()),
                (300, "gap_filled", 101u64.into()),
                (700, "gap", Value::Null),
            ];
            let expected = expected.map(|(index, key, value)| (index, key.to_owned(), value));
            assert_eq!(tags, expected, "{words}");
            let radio = report.block("radio").unwrap();
            assert_eq!((radio.gaps, radio.lost_items), (3, 105), "{words}");

            let (result, (items, _)) = run(OnGap::Error, &*scheduler, &options);
            let error = result.unwrap_err().to_string();
            assert_eq!(error, "block radio failed: 4 items were lost before item 0", "{words}");
            assert!(items.is_empty(), "{words}");
        }
    }
}

#[test]
fn a_gap_goes_through_a_rate_change_with_the_time_that_it_cost() {
    use superhet_runtime::gap::OnGap;
    for (name, scheduler) in schedulers() {
        let mut graph = Graph::new();
        let mut lossy = Lossy::new(OnGap::Continue);
        lossy.lost = vec![(300, 101, Some(101))];
        let radio = graph.add("radio", lossy);
        let (up, down) =
            (graph.add("up", Repeat(2)), graph.add("down", MovingSum { length: 1, decimation: 4 }));
        let tags = Arc::default();
        let sink = graph.add("sink", TagsOf { input: In::new(), tags: Arc::clone(&tags) });
        graph.connect(radio.out, up.input);
        graph.connect(up.output, down.input);
        graph.connect(down.output, sink.input);
        finish(graph.check().unwrap(), &*scheduler, &Options::default()).unwrap();
        let tags = tags.lock().unwrap();
        let gap = tags.iter().find(|tag| &*tag.key == "gap").unwrap();
        assert_eq!((gap.index, &gap.value), (150, &Value::from(50.5)), "{name}");
        let mut clock = superhet_runtime::clock::StreamClock::new();
        tags.iter().for_each(|tag| clock.note(tag));
        // Item 200 is the radio's sample 400 + 101.
        let time = clock.time_of(200).unwrap();
        assert!((time.fraction - 501e-6).abs() < 1e-12, "{name}: {time:?}");
    }
}
