use std::collections::VecDeque;

use super::*;
use crate::data::Value;
use crate::stream::readiness::Readiness;

fn pair(capacity: usize, when_full: WhenFull) -> (MsgOut, MsgIn) {
    let (mut output, input) = (MsgOut::new(), MsgIn::with(capacity, when_full));
    output.connect(input.queue());
    (output, input)
}

fn drain(input: &mut MsgIn) -> Vec<i64> {
    std::iter::from_fn(|| input.recv()).map(|v| v.as_i64().unwrap()).collect()
}

#[test]
fn a_full_queue_does_what_its_policy_says_and_counts_what_it_drops() {
    for (policy, left, dropped) in [
        (WhenFull::Block, vec![0, 1, 2, 3], 0),
        (WhenFull::DropOldest, vec![2, 3], 2),
        (WhenFull::DropNewest, vec![0, 1], 2),
    ] {
        let (mut output, mut input) = pair(2, policy);
        (0..4).for_each(|n| output.send(n).unwrap());
        assert_eq!(drain(&mut input), left, "{policy:?}");
        assert_eq!(input.queue().dropped.load(std::sync::atomic::Ordering::Relaxed), dropped);
    }
    let (mut output, _input) = pair(1, WhenFull::Error);
    output.send(1).unwrap();
    assert_eq!(output.send(2), Err(QueueFull { capacity: 1 }));
}

#[test]
fn messages_that_the_reader_has_fetched_count_until_it_hands_them_out() {
    for (policy, left, dropped) in
        [(WhenFull::DropOldest, vec![2, 3], 1), (WhenFull::DropNewest, vec![1, 2], 1)]
    {
        let (mut output, mut input) = pair(2, policy);
        (0..2).for_each(|n| output.send(n).unwrap());
        assert_eq!(input.recv(), Some(Value::from(0)));
        // One place is free, not two.
        (2..4).for_each(|n| output.send(n).unwrap());
        assert_eq!(drain(&mut input), left, "{policy:?}");
        assert_eq!(input.queue().dropped.load(std::sync::atomic::Ordering::Relaxed), dropped);
    }
    let (mut output, mut input) = pair(2, WhenFull::Error);
    (0..2).for_each(|n| output.send(n).unwrap());
    input.recv();
    assert_eq!((output.send(2), output.send(3)), (Ok(()), Err(QueueFull { capacity: 2 })));
}

#[test]
fn a_queue_is_a_list_with_its_policy_in_any_order_of_sends_and_reads() {
    let mut state = 1u64;
    let mut draw = |n: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    };
    for policy in [WhenFull::Block, WhenFull::DropOldest, WhenFull::DropNewest, WhenFull::Error] {
        for capacity in [1, 2, 5] {
            let (mut output, mut input) = pair(capacity, policy);
            let mut list = VecDeque::new();
            for n in 0..2000 {
                if draw(2) == 0 {
                    assert_eq!(input.recv().and_then(|value| value.as_i64()), list.pop_front());
                } else if draw(4) == 0 {
                    let most = draw(4) as usize;
                    let mut some = VecDeque::new();
                    input.recv_some(&mut some, most);
                    assert!(some.len() <= most && some.is_empty() == (most == 0 || list.is_empty()));
                    let expected: Vec<i64> = list.drain(..some.len()).collect();
                    assert_eq!(some.iter().filter_map(Value::as_i64).collect::<Vec<_>>(), expected);
                } else {
                    let full = list.len() >= capacity;
                    assert_eq!(output.send(n).is_err(), full && policy == WhenFull::Error);
                    if full && policy == WhenFull::DropOldest {
                        list.pop_front();
                    }
                    if !full || matches!(policy, WhenFull::Block | WhenFull::DropOldest) {
                        list.push_back(n);
                    }
                }
                let mut readiness = Readiness::default();
                output.poll(&mut readiness);
                assert_eq!(readiness.full, policy == WhenFull::Block && list.len() >= capacity);
                assert_eq!(input.has_mail(), !list.is_empty());
            }
        }
    }
}

#[test]
fn a_queue_whose_last_sender_is_disconnected_waits_for_the_outside() {
    let (mut output, mut input) = pair(2, WhenFull::Block);
    output.connect(input.queue());
    output.send(1).unwrap();
    assert_eq!(drain(&mut input), [1], "connected twice is connected once");
    output.disconnect(input.queue());
    output.send(2).unwrap();
    output.finish();
    assert!(!input.is_finished() && !input.has_mail());
}

#[test]
fn a_queue_is_finished_when_its_senders_are_and_all_mail_is_read() {
    let (mut output, mut input) = pair(2, WhenFull::Block);
    output.send(1).unwrap();
    output.finish();
    assert!(!input.is_finished());
    input.recv();
    assert!(input.is_finished());
}
