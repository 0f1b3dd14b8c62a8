//! When things run, and in which order.

use std::collections::BTreeSet;

use super::*;

#[test]
fn nothing_runs_before_the_host_waits() {
    let (sim, log) = (Sim::new(), Log::default());
    let mut stream = sim.stream().unwrap();
    launch(&sim, &mut stream, &log.kernel(&sim, "a"), &[], &[]).unwrap();
    let event = record(&sim, &mut stream);
    assert!(log.names().is_empty());
    sim.synchronize(&event).unwrap();
    assert_eq!(log.names(), ["a"]);
}

#[test]
fn streams_interleave_in_every_way_over_the_seeds() {
    let orders: BTreeSet<_> = (0..200)
        .map(|seed| {
            let (sim, log) = (Sim::seeded(seed), Log::default());
            let mut streams = [sim.stream().unwrap(), sim.stream().unwrap()];
            for (stream, names) in streams.iter_mut().zip([["a", "b"], ["c", "d"]]) {
                for name in names {
                    launch(&sim, stream, &log.kernel(&sim, name), &[], &[]).unwrap();
                }
            }
            streams.iter_mut().for_each(|stream| sim.drain(stream).unwrap());
            log.names().concat()
        })
        .collect();
    assert_eq!(orders.into_iter().collect::<Vec<_>>(), ["abcd", "acbd", "acdb", "cabd", "cadb", "cdab"]);
}

#[test]
fn a_seed_gives_the_same_order_each_time() {
    let order = || {
        let (sim, log) = (Sim::seeded(7), Log::default());
        for names in [["a", "b", "c"], ["d", "e", "f"], ["g", "h", "i"]] {
            let mut stream = sim.stream().unwrap();
            for name in names {
                launch(&sim, &mut stream, &log.kernel(&sim, name), &[], &[]).unwrap();
            }
        }
        log.names()
    };
    assert_eq!(order(), order());
}

#[test]
fn what_waits_for_an_event_runs_after_it() {
    for seed in 0..50 {
        let (sim, log) = (Sim::seeded(seed), Log::default());
        let (mut first, mut second) = (sim.stream().unwrap(), sim.stream().unwrap());
        for name in ["a", "b"] {
            launch(&sim, &mut first, &log.kernel(&sim, name), &[], &[]).unwrap();
        }
        let event = record(&sim, &mut first);
        sim.wait(&mut second, &event).unwrap();
        launch(&sim, &mut second, &log.kernel(&sim, "c"), &[], &[]).unwrap();
        sim.drain(&mut second).unwrap();
        assert_eq!(log.names(), ["a", "b", "c"]);
    }
}

#[test]
fn a_wait_is_for_the_event_as_it_was_then() {
    let both: BTreeSet<_> = (0..50)
        .map(|seed| {
            let (sim, log) = (Sim::seeded(seed), Log::default());
            let (mut first, mut second) = (sim.stream().unwrap(), sim.stream().unwrap());
            launch(&sim, &mut first, &log.kernel(&sim, "a"), &[], &[]).unwrap();
            let mut event = record(&sim, &mut first);
            sim.wait(&mut second, &event).unwrap();
            launch(&sim, &mut first, &log.kernel(&sim, "b"), &[], &[]).unwrap();
            sim.record(&mut first, &mut event).unwrap();
            launch(&sim, &mut second, &log.kernel(&sim, "c"), &[], &[]).unwrap();
            sim.drain(&mut second).unwrap();
            sim.synchronize(&event).unwrap();
            log.names().concat()
        })
        .collect();
    assert_eq!(both.into_iter().collect::<Vec<_>>(), ["abc", "acb"]);
}

#[test]
fn an_event_that_was_never_recorded_is_done() {
    let sim = Sim::new();
    let (mut stream, event) = (sim.stream().unwrap(), sim.event().unwrap());
    sim.wait(&mut stream, &event).unwrap();
    sim.drain(&mut stream).unwrap();
    sim.synchronize(&event).unwrap();
    assert!(sim.is_done(&event).unwrap());
}

#[test]
fn polling_is_enough_to_get_on() {
    for seed in 0..20 {
        let (sim, log) = (Sim::seeded(seed), Log::default());
        let mut streams: Vec<_> = (0..3).map(|_| sim.stream().unwrap()).collect();
        for stream in &mut streams {
            for _ in 0..4 {
                launch(&sim, stream, &log.kernel(&sim, "a"), &[], &[]).unwrap();
            }
        }
        let event = record(&sim, &mut streams[0]);
        let polls = (1..).find(|_| sim.is_done(&event).unwrap()).unwrap();
        assert!((4..=12).contains(&polls), "{polls}");
        assert_eq!(log.names().len(), polls);
    }
}

#[test]
fn a_yes_to_a_poll_counts_as_waiting() {
    let sim = Sim::new();
    let (memory, mut frame) = (memory_of(&sim, &[1, 2, 3, 4]), sim.stage(4, Transfer::Download).unwrap());
    let mut stream = sim.stream().unwrap();
    sim.download(&mut stream, &memory, 0, &frame, 4).unwrap();
    let event = record(&sim, &mut stream);
    while !sim.is_done(&event).unwrap() {}
    let mut read = [0; 4];
    sim.read(&mut frame, 0, &mut read).unwrap();
    assert_eq!(read, [1, 2, 3, 4]);
}

#[test]
fn a_dropped_stream_runs_what_is_left_and_memory_is_freed_after_its_last_use() {
    let (sim, log) = (Sim::new(), Log::default());
    let mut stream = sim.stream().unwrap();
    let (from, to) = (memory_of(&sim, &[0; 8]), sim.allocate(8).unwrap());
    sim.copy(&mut stream, place(&from, 0), place(&to, 0), 8).unwrap();
    launch(&sim, &mut stream, &log.kernel(&sim, "a"), &[span(&to, 0, 8)], &[]).unwrap();
    drop((from, to));
    assert_eq!((sim.counters().live_memories, sim.counters().live_bytes), (2, 16));
    drop(stream);
    assert_eq!(log.names(), ["a"]);
    assert_eq!((sim.counters().live_memories, sim.counters().live_bytes), (0, 0));
}

#[test]
fn a_kernel_sees_its_spans_and_nothing_else() {
    let sim = Sim::new();
    let memory = memory_of(&sim, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    let source = Source::new("look").host(|call| {
        assert_eq!(call.inputs, [&[1, 2, 3][..], &[5, 6]]);
        assert_eq!(call.outputs, [&mut [9, 10, 11][..]]);
        assert_eq!((bytemuck::cast_slice::<u8, u32>(call.constants), call.threads), (&[7, 8][..], 5));
        assert_eq!(call.inputs[1].as_ptr().addr() % 64, 0);
        call.outputs[0][1] = 0;
    });
    let (program, mut stream) = (sim.compile(&source).unwrap(), sim.stream().unwrap());
    let constants = bytemuck::cast_slice(&[7u32, 8]);
    let (inputs, outputs) = ([span(&memory, 0, 3), span(&memory, 4, 2)], [span(&memory, 8, 3)]);
    sim.launch(&mut stream, &program, &Launch { inputs: &inputs, outputs: &outputs, constants, threads: 5 })
        .unwrap();
    sim.drain(&mut stream).unwrap();
    assert_eq!(bytes_of(&sim, &memory, 0, 12).unwrap(), [1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 11, 12]);
}

#[test]
fn calls_and_bytes_are_counted() {
    let sim = Sim::new();
    let (one, two) = (memory_of(&sim, &[1; 8]), sim.allocate(8).unwrap());
    let mut stream = sim.stream().unwrap();
    sim.copy(&mut stream, place(&one, 0), place(&two, 0), 4).unwrap();
    sim.zero(&mut stream, place(&two, 4), 4).unwrap();
    launch(&sim, &mut stream, &increment(&sim), &[span(&two, 0, 8)], &[span(&one, 0, 8)]).unwrap();
    let event = record(&sim, &mut stream);
    sim.wait(&mut stream, &event).unwrap();
    sim.synchronize(&event).unwrap();
    assert!(sim.is_done(&event).unwrap());
    assert_eq!(bytes_of(&sim, &one, 0, 8).unwrap(), [2, 2, 2, 2, 1, 1, 1, 1]);
    let expected = Counters {
        allocations: 2,
        staged: 2,
        uploads: 1,
        downloads: 1,
        copies: 1,
        zeros: 1,
        launches: 1,
        records: 1,
        waits: 1,
        polls: 1,
        synchronisations: 3,
        uploaded_bytes: 8,
        downloaded_bytes: 8,
        copied_bytes: 4,
        live_memories: 2,
        live_bytes: 16,
        ..Counters::default()
    };
    assert_eq!(sim.counters(), expected);
}
