//! Faults that are put in, each by itself. What becomes of mistakes in a whole pipeline is in `pipeline.rs`.

use super::*;

#[test]
fn the_nth_call_is_refused_and_the_next_works() {
    let sim = Sim::new();
    let (memory, mut stream) = (sim.allocate(4).unwrap(), sim.stream().unwrap());
    sim.fail(Fault::Refuse(Operation::Zero, Which::Nth(2)));
    let zero = |stream: &mut Stream| sim.zero(stream, place(&memory, 0), 4);
    zero(&mut stream).unwrap();
    let refused = zero(&mut stream).unwrap_err();
    assert_eq!(refused.to_string(), "zero 2 is refused, as was asked for");
    zero(&mut stream).unwrap();
    sim.drain(&mut stream).unwrap();
}

#[test]
fn what_fails_on_the_device_is_heard_of_by_who_waits_and_ever_after() {
    for seed in 0..20 {
        let sim = Sim::seeded(seed);
        let (memory, mut stream) = (sim.allocate(4).unwrap(), sim.stream().unwrap());
        sim.fail(Fault::Fail(Operation::Zero, Which::Nth(2)));
        for _ in 0..3 {
            sim.zero(&mut stream, place(&memory, 0), 4).unwrap();
        }
        let event = record(&sim, &mut stream);
        let failed = sim.synchronize(&event).unwrap_err();
        assert_eq!(failed.to_string(), "zero 2 of stream 0 failed on the device, as was asked for");
        assert_eq!(sim.is_done(&event), Err(failed.clone()));
        assert_eq!(sim.drain(&mut stream), Err(failed.clone()));
        assert_eq!(sim.allocate(4).unwrap_err(), failed);
        drop((memory, stream));
        assert_eq!(sim.counters().live_memories, 0);
    }
}

#[test]
fn a_kernel_that_panics_is_an_error() {
    let sim = Sim::new();
    let source = Source::new("divide").host(|call| assert_eq!(call.threads, 0, "by zero"));
    let (program, mut stream) = (sim.compile(&source).unwrap(), sim.stream().unwrap());
    launch(&sim, &mut stream, &program, &[], &[]).unwrap();
    let failed = sim.drain(&mut stream).unwrap_err().to_string();
    assert!(failed.starts_with("launch 1 of stream 0 (divide) panicked: "), "{failed}");
    assert!(failed.contains("by zero"), "{failed}");
}

#[test]
fn a_lost_device_refuses_every_call() {
    let sim = Sim::new().with_name("sim:1");
    let (mut frame, memory) = (frame_of(&sim, &[1; 4]), sim.allocate(4).unwrap());
    let (mut stream, mut event) = (sim.stream().unwrap(), sim.event().unwrap());
    let program = increment(&sim);
    sim.fail(Fault::Lose { after: 2 });
    sim.upload(&mut stream, &frame, &memory, 0, 4).unwrap();
    sim.record(&mut stream, &mut event).unwrap();
    let lost = sim.zero(&mut stream, place(&memory, 0), 4).unwrap_err();
    assert_eq!(lost.to_string(), "the device sim:1 is lost after 2 operations, as was asked for");
    let after = [
        sim.synchronize(&event),
        sim.drain(&mut stream),
        sim.is_done(&event).map(|_| ()),
        sim.record(&mut stream, &mut event),
        sim.wait(&mut stream, &event),
        sim.upload(&mut stream, &frame, &memory, 0, 4),
        sim.write(&mut frame, 0, &[2]),
        launch(&sim, &mut stream, &program, &[], &[]),
        sim.allocate(1).map(|_| ()),
        sim.stage(1, Transfer::Upload).map(|_| ()),
        sim.stream().map(|_| ()),
        sim.event().map(|_| ()),
        sim.compile(&Source::new("none").host(|_| {})).map(|_| ()),
    ];
    assert!(after.iter().all(|result| *result == Err(lost.clone())), "{after:?}");
    drop((frame, memory, stream));
    assert_eq!((sim.counters().live_memories, sim.counters().live_stagings), (0, 0));
}

#[test]
fn memory_ends_at_its_limit_and_comes_back_when_it_is_dropped() {
    let sim = Sim::new().with_memory(64);
    let (first, frame) = (sim.allocate(32).unwrap(), sim.stage(16, Transfer::Download).unwrap());
    let full = sim.allocate(17).unwrap_err();
    assert_eq!(full.to_string(), "no room for 17 bytes: 48 bytes of 64 are taken");
    assert!(sim.allocate(usize::MAX).is_err());
    assert!(sim.stage(17, Transfer::Upload).is_err());
    let mut stream = sim.stream().unwrap();
    sim.zero(&mut stream, place(&first, 0), 32).unwrap();
    // What is enqueued still holds it; asking for more waits for that.
    drop(first);
    assert_eq!(sim.counters().live_bytes, 48);
    let second = sim.allocate(48).unwrap();
    assert_eq!(sim.counters().live_bytes, 64);
    drop((second, frame));
    assert_eq!(sim.counters().live_bytes, 0);
}

#[test]
fn the_nth_allocation_finds_no_memory() {
    let sim = Sim::new();
    sim.fail(Fault::Refuse(Operation::Allocate, Which::Nth(2)));
    sim.fail(Fault::Refuse(Operation::Stage, Which::Every));
    let _first = sim.allocate(8).unwrap();
    let second = sim.allocate(9).unwrap_err();
    assert_eq!(second, SimError::OutOfMemory { asked: 9, taken: 8, limit: 1 << 32 });
    sim.allocate(8).unwrap();
    assert!(matches!(sim.stage(1, Transfer::Upload), Err(SimError::OutOfMemory { .. })));
}

#[test]
fn a_skipped_copy_leaves_what_was_there() {
    let sim = Sim::new();
    let (from, to) = (memory_of(&sim, &[1; 8]), memory_of(&sim, &[2; 8]));
    let fresh = sim.allocate(8).unwrap();
    let mut stream = sim.stream().unwrap();
    sim.fail(Fault::Skip(Operation::Copy, Which::Every));
    sim.copy(&mut stream, place(&from, 0), place(&to, 0), 8).unwrap();
    sim.copy(&mut stream, place(&from, 0), place(&fresh, 0), 8).unwrap();
    sim.drain(&mut stream).unwrap();
    assert_eq!(bytes_of(&sim, &to, 0, 8).unwrap(), [2; 8]);
    assert!(matches!(bytes_of(&sim, &fresh, 0, 8), Err(SimError::Uninitialised { .. })));
}

#[test]
fn a_poll_that_says_yes_too_early_is_found_when_the_host_reads() {
    let sim = Sim::new();
    let (memory, mut frame) = (memory_of(&sim, &[1; 8]), sim.stage(8, Transfer::Download).unwrap());
    let mut stream = sim.stream().unwrap();
    sim.download(&mut stream, &memory, 0, &frame, 8).unwrap();
    let event = record(&sim, &mut stream);
    sim.fail(Fault::Skip(Operation::Poll, Which::Every));
    assert!(sim.is_done(&event).unwrap());
    assert!(matches!(sim.read(&mut frame, 0, &mut [0; 8]), Err(SimError::Unordered { .. })));
}
