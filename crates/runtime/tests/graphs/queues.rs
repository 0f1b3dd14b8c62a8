//! Message queues.

use std::sync::Arc;
use std::time::{Duration, Instant};

use superhet_runtime::prelude::*;

/// Sends numbers without end, several in each call.
#[derive(Block)]
struct Flooding {
    #[port]
    out: MsgOut,
    sent: u64,
}

impl Work for Flooding {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        for _ in 0..10 {
            self.out.send(self.sent)?;
            self.sent += 1;
        }
        Ok(Step::Ran)
    }
}

/// Reads a message a millisecond.
#[derive(Block)]
struct SlowReader {
    #[port]
    input: MsgIn,
    read: Arc<std::sync::Mutex<Vec<u64>>>,
}

impl Work for SlowReader {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let Some(message) = self.input.recv() else { return Ok(Step::NeedInput) };
        self.read.lock().unwrap().push(message.as_u64().unwrap());
        std::thread::sleep(Duration::from_millis(1));
        Ok(Step::Ran)
    }
}

#[test]
fn message_queues_are_bounded_and_what_is_dropped_is_counted() {
    use superhet_runtime::message::WhenFull;
    for policy in [WhenFull::Block, WhenFull::DropOldest, WhenFull::DropNewest] {
        let mut graph = Graph::new();
        let flood = graph.add("flood", Flooding { out: MsgOut::new(), sent: 0 });
        let read = Arc::<std::sync::Mutex<Vec<u64>>>::default();
        let slow = graph.add("slow", SlowReader { input: MsgIn::with(4, policy), read: Arc::clone(&read) });
        graph.connect(flood.out, slow.input);
        let running = graph.check().unwrap().start(&Threads, &Options::default()).unwrap();
        let dropped = || running.metrics().block("slow").unwrap().dropped_messages;
        // What was dropped shows as a gap once something after it is read.
        let has_gaps = || read.lock().unwrap().windows(2).any(|pair| pair[1] > pair[0] + 1);
        let start = Instant::now();
        while policy != WhenFull::Block && (dropped() == 0 || !has_gaps()) {
            assert!(start.elapsed() < Duration::from_secs(60), "{policy:?}: nothing is dropped");
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(100));
        let dropped = dropped();
        running.cancel();
        running.wait().unwrap();
        let read = read.lock().unwrap();
        assert!(read.is_sorted(), "{policy:?}");
        let gaps = read.windows(2).filter(|pair| pair[1] > pair[0] + 1).count();
        if policy == WhenFull::Block {
            assert_eq!((dropped, gaps), (0, 0), "nothing is dropped, the sender waits");
        } else {
            assert!(dropped > 0 && gaps > 0, "{policy:?} drops, and says so: {dropped}, {gaps} gaps");
        }
    }
}
