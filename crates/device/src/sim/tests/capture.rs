//! What is captured and replayed.

use super::*;

#[test]
fn a_replay_does_what_was_captured_with_what_is_there_then() {
    let sim = Sim::new().with_capture();
    let (x, y) = (memory_of(&sim, &[1, 2, 3, 4]), sim.allocate(4).unwrap());
    let (mut stream, mut other) = (sim.stream().unwrap(), sim.stream().unwrap());
    let program = increment(&sim);
    let capture = sim.capture().unwrap();
    capture.begin(&mut stream).unwrap();
    launch(&sim, &mut stream, &program, &[span(&x, 0, 4)], &[span(&y, 0, 4)]).unwrap();
    sim.copy(&mut stream, place(&y, 0), place(&x, 0), 4).unwrap();
    let mut captured = capture.end(&mut stream).unwrap();
    // Nothing has happened so far.
    assert_eq!((sim.counters().launches, sim.counters().copies), (0, 0));
    assert_eq!(bytes_of(&sim, &x, 0, 4).unwrap(), [1, 2, 3, 4]);
    for _ in 0..3 {
        captured.replay(&mut other).unwrap();
    }
    sim.drain(&mut other).unwrap();
    assert_eq!(bytes_of(&sim, &x, 0, 4).unwrap(), [4, 5, 6, 7]);
    let counters = sim.counters();
    assert_eq!((counters.captures, counters.replays), (1, 3));
    assert_eq!((counters.launches, counters.copies, counters.mistakes), (3, 3, 0));
}

#[test]
fn only_work_on_the_device_can_be_captured() {
    let sim = Sim::new().with_capture();
    let (frame, memory) = (frame_of(&sim, &[0; 4]), sim.allocate(4).unwrap());
    let (mut stream, mut event) = (sim.stream().unwrap(), sim.event().unwrap());
    let capture = sim.capture().unwrap();
    let nothing = capture.end(&mut stream).map(|_| ()).unwrap_err().to_string();
    assert_eq!(nothing, "stream 0 captures nothing: no capture was begun");
    capture.begin(&mut stream).unwrap();
    let refused = sim.upload(&mut stream, &frame, &memory, 0, 4).unwrap_err().to_string();
    assert_eq!(
        refused,
        "upload in stream 0, which captures: only copies on the device, zeros and kernels can be captured"
    );
    assert!(sim.record(&mut stream, &mut event).is_err());
    assert!(sim.wait(&mut stream, &event).is_err());
    assert!(sim.drain(&mut stream).is_err());
    assert!(capture.begin(&mut stream).is_err());
    let outside = sim.zero(&mut stream, place(&memory, 0), 8).unwrap_err();
    assert!(matches!(outside, SimError::OutOfBounds { .. }));
    sim.zero(&mut stream, place(&memory, 0), 4).unwrap();
    assert!(capture.end(&mut stream).is_ok());
    assert!(Sim::new().capture().is_none());
}

#[test]
fn replays_are_checked_like_what_is_enqueued_one_by_one() {
    let sim = Sim::new().with_capture();
    let (x, y) = (memory_of(&sim, &[1; 4]), sim.allocate(4).unwrap());
    let mut streams = [sim.stream().unwrap(), sim.stream().unwrap()];
    let capture = sim.capture().unwrap();
    capture.begin(&mut streams[0]).unwrap();
    sim.copy(&mut streams[0], place(&x, 0), place(&y, 0), 4).unwrap();
    let mut captured = capture.end(&mut streams[0]).unwrap();
    captured.replay(&mut streams[0]).unwrap();
    let race = captured.replay(&mut streams[1]).unwrap_err().to_string();
    assert!(
        race.contains("copy 1 of stream 2 writes bytes 0..4") && race.contains("copy 1 of stream 1"),
        "{race}"
    );
    // The device has to be the same.
    let foreign = captured.replay(&mut Sim::new().stream().unwrap()).unwrap_err();
    assert!(matches!(foreign, SimError::Foreign { .. }));
    // It keeps what it uses.
    drop((x, y));
    assert_eq!(sim.counters().live_memories, 2);
    streams.iter_mut().for_each(|stream| sim.drain(stream).unwrap());
    drop(captured);
    assert_eq!(sim.counters().live_memories, 0);
}
