use std::collections::VecDeque;
use std::sync::Arc;

use super::*;
use crate::data::Value;
use crate::stream::readiness::Readiness;
use crate::wake::Parker;

/// Sleeps until `is_ready`, in the steps of a worker: look, announce, look again, sleep.
fn wait_until(parker: &Parker, mut is_ready: impl FnMut() -> bool) {
    while !is_ready() {
        parker.announce();
        if is_ready() {
            parker.withdraw();
            return;
        }
        parker.sleep(None);
    }
}

/// A worker that nobody wakes is a deadlock, which loom reports.
fn every_message_arrives(capacity: usize, senders: i64, messages: i64, most: usize) {
    let mut builder = loom::model::Builder::new();
    // Two senders with two forced switches take minutes; one is enough to see each of the three fences missing.
    builder.preemption_bound = Some(if senders == 1 { 2 } else { 1 });
    builder.check(move || {
        let mut input = MsgIn::with(capacity, WhenFull::Block);
        let reads = Arc::new(Parker::new());
        input.set_parker(&reads);
        let outputs: Vec<_> = (0..senders)
            .map(|_| {
                let (mut output, parker) = (MsgOut::new(), Arc::new(Parker::new()));
                output.connect(input.queue());
                output.set_parker(&parker);
                (output, parker)
            })
            .collect();
        let senders = outputs.into_iter().map(|(mut output, parker)| {
            loom::thread::spawn(move || {
                for n in 0..messages {
                    wait_until(&parker, || {
                        let mut readiness = Readiness::default();
                        output.poll(&mut readiness);
                        !readiness.full
                    });
                    output.send(n).unwrap();
                }
                output.finish();
            })
        });
        let senders: Vec<_> = senders.collect();
        let mut got = Vec::new();
        while !input.is_finished() {
            wait_until(&reads, || input.has_mail() || input.is_finished());
            let mut some = VecDeque::new();
            if most > 1 {
                input.recv_some(&mut some, most);
            } else {
                some.extend(input.recv());
            }
            got.extend(some.iter().filter_map(Value::as_i64));
        }
        let ends = senders.len();
        senders.into_iter().for_each(|sender| sender.join().unwrap());
        if ends > 1 {
            got.sort_unstable();
        }
        assert_eq!(got, (0..messages).flat_map(|n| vec![n; ends]).collect::<Vec<_>>());
    });
}

#[test]
fn loom_every_message_arrives_once_and_nobody_sleeps_for_ever() {
    every_message_arrives(1, 1, 3, 1);
    every_message_arrives(2, 1, 4, 1);
    every_message_arrives(1, 2, 2, 1);
    every_message_arrives(2, 1, 4, 2);
}
