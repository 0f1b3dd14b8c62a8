//! Parameters and the code that they change.

use std::time::Duration;

use superhet_runtime::prelude::*;

use crate::common::*;

/// `y = low · x + high`, where whoever sees a low and a high that do not belong together has seen a race.
#[derive(Clone)]
struct Pair {
    low: u32,
    high: u32,
}

impl Pure for Pair {
    type In = u32;
    type Out = u32;
    const PARAMETERS: &'static [&'static str] = &["both"];
    fn with_parameter(&self, _: &str, value: &Value) -> Result<Self, BlockError> {
        let low = value.as_u64().filter(|n| *n < 1000).ok_or("expected a number below 1000")? as u32;
        Ok(Pair { low, high: low << 16 })
    }
    fn map(&self, _: &[u32], y: &mut [u32]) {
        y.iter_mut().for_each(|y| *y = self.low | self.high);
    }
}

#[test]
fn setters_cannot_race_with_work() {
    for (name, scheduler) in schedulers() {
        let mut graph = Graph::new();
        let zeros = graph.add("zeros", Zeros);
        let pair = graph.add("pair", Pair { low: 0, high: 0 });
        let (items, sink) = keeping(&mut graph);
        graph.connect(zeros.output, pair.input);
        graph.connect(pair.output, sink);
        let running = graph.check().unwrap().start(&*scheduler, &Options::default()).unwrap();
        let controls: Vec<_> = (0..4).map(|_| running.control()).collect();
        // Four threads set one parameter while it is in use; a mistake of theirs is reported at once.
        let receipts: Vec<_> = std::thread::scope(|scope| {
            let turn = |(thread, control): (usize, superhet_runtime::running::Control)| {
                scope.spawn(move || {
                    let value = |turn: usize| thread * 50 + turn;
                    assert!(control.set("pair.both", 1000).is_err());
                    let set = |turn| (value(turn), control.set("pair.both", value(turn)).unwrap());
                    (1..=50).map(set).collect::<Vec<_>>()
                })
            };
            let threads: Vec<_> = controls.into_iter().enumerate().map(turn).collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        let wait = |(value, receipt): &(usize, superhet_runtime::parameter::Receipt)| {
            (receipt.wait(Duration::from_secs(30)).unwrap().expect("it runs"), *value as u32)
        };
        let mut applied: Vec<(u64, u32)> = receipts.iter().map(wait).collect();
        running.stop_within(Duration::from_secs(30)).unwrap();
        let items = items.take();
        // From each item at which values were set to the next such item, one of them holds.
        applied.push((0, 0));
        applied.sort_unstable();
        let groups: Vec<_> = applied.chunk_by(|a, b| a.0 == b.0).collect();
        for (place, group) in groups.iter().enumerate() {
            let start = items.len().min(group[0].0 as usize);
            let end = groups.get(place + 1).map_or(items.len(), |next| items.len().min(next[0].0 as usize));
            let Some(&first) = items[start..end].first() else { continue };
            assert!(
                items[start..end].iter().all(|y| *y == first),
                "{name}: a change between {start} and {end}"
            );
            let (low, high) = (first & 0xffff, first >> 16);
            assert!(low == high && group.iter().any(|(_, value)| *value == low), "{name}: {low} and {high}");
        }
    }
}
