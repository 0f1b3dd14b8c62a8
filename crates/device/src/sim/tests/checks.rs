//! What the checker finds, and what it lets pass.

use super::*;

fn text<T: fmt::Debug>(result: Result<T, SimError>) -> String {
    result.unwrap_err().to_string()
}

const ORDER: &str = ": nothing makes the one happen after the other (an event that the stream waits for, or the host's \
                     waiting)";

#[test]
fn two_streams_without_an_event_are_a_race_whatever_the_seed() {
    for seed in 0..20 {
        let sim = Sim::seeded(seed);
        let (frame, memory, other) =
            (frame_of(&sim, &[0; 16]), memory_of(&sim, &[0; 16]), memory_of(&sim, &[0; 16]));
        let (mut first, mut second) = (sim.stream().unwrap(), sim.stream().unwrap());
        sim.upload(&mut first, &frame, &memory, 0, 12).unwrap();
        let race = launch(&sim, &mut second, &increment(&sim), &[span(&memory, 8, 8)], &[span(&other, 0, 8)]);
        let expected = format!(
            "launch 1 of stream 3 (increment) reads bytes 8..12 of device memory 2, which upload 1 of stream 2 writes{ORDER}"
        );
        assert_eq!(text(race), expected);
        assert_eq!(sim.counters().mistakes, 1);
    }
}

#[test]
fn reads_beside_reads_and_other_bytes_are_no_race() {
    let sim = Sim::new();
    let (frame, memory) = (frame_of(&sim, &[7; 4]), memory_of(&sim, &[0; 16]));
    let mut streams: Vec<_> = (0..4).map(|_| sim.stream().unwrap()).collect();
    sim.upload(&mut streams[0], &frame, &memory, 0, 4).unwrap();
    sim.upload(&mut streams[1], &frame, &memory, 4, 4).unwrap();
    let frames = [sim.stage(8, Transfer::Download).unwrap(), sim.stage(8, Transfer::Download).unwrap()];
    sim.download(&mut streams[2], &memory, 8, &frames[0], 8).unwrap();
    sim.download(&mut streams[3], &memory, 8, &frames[1], 8).unwrap();
    streams.iter_mut().for_each(|stream| sim.drain(stream).unwrap());
    assert_eq!(sim.counters().mistakes, 0);
}

#[test]
fn a_write_after_a_read_needs_order_too() {
    let sim = Sim::new();
    let memory = memory_of(&sim, &[0; 8]);
    let frame = sim.stage(8, Transfer::Download).unwrap();
    let (mut reader, mut writer) = (sim.stream().unwrap(), sim.stream().unwrap());
    sim.download(&mut reader, &memory, 0, &frame, 8).unwrap();
    let race = text(sim.zero(&mut writer, place(&memory, 4), 4));
    assert!(
        race.starts_with("zero 1 of stream 2 writes bytes 4..8 of device memory 1, which download 1"),
        "{race}"
    );
    let event = record(&sim, &mut reader);
    sim.wait(&mut writer, &event).unwrap();
    sim.zero(&mut writer, place(&memory, 4), 4).unwrap();
}

#[test]
fn order_is_handed_on_from_stream_to_stream() {
    let sim = Sim::new();
    let memory = sim.allocate(8).unwrap();
    let mut streams: Vec<_> = (0..3).map(|_| sim.stream().unwrap()).collect();
    sim.zero(&mut streams[0], place(&memory, 0), 8).unwrap();
    for pair in [[0, 1], [1, 2]] {
        let event = record(&sim, &mut streams[pair[0]]);
        sim.wait(&mut streams[pair[1]], &event).unwrap();
    }
    sim.zero(&mut streams[2], place(&memory, 0), 8).unwrap();
    let race = sim.zero(&mut streams[1], place(&memory, 0), 8);
    assert!(matches!(race, Err(SimError::Unordered { bytes, .. }) if bytes == (0..8)));
}

#[test]
fn an_event_recorded_too_early_orders_nothing() {
    let sim = Sim::new();
    let memory = sim.allocate(8).unwrap();
    let (mut first, mut second) = (sim.stream().unwrap(), sim.stream().unwrap());
    let event = record(&sim, &mut first);
    sim.zero(&mut first, place(&memory, 0), 8).unwrap();
    sim.wait(&mut second, &event).unwrap();
    assert!(matches!(sim.zero(&mut second, place(&memory, 0), 8), Err(SimError::Unordered { .. })));
}

#[test]
fn the_host_may_not_touch_staging_that_a_copy_still_uses() {
    let sim = Sim::new();
    let (mut up, mut down) = (frame_of(&sim, &[1; 8]), sim.stage(8, Transfer::Download).unwrap());
    let (memory, mut stream) = (sim.allocate(8).unwrap(), sim.stream().unwrap());
    sim.upload(&mut stream, &up, &memory, 0, 8).unwrap();
    sim.download(&mut stream, &memory, 0, &down, 8).unwrap();
    let expected =
        "write 2 of the host writes bytes 4..6 of upload staging 0, which upload 1 of stream 0 reads";
    assert_eq!(text(sim.write(&mut up, 4, &[2; 2])), format!("{expected}{ORDER}"));
    let expected =
        "read 1 of the host reads bytes 0..4 of download staging 1, which download 2 of stream 0 writes";
    assert_eq!(text(sim.read(&mut down, 0, &mut [0; 4])), format!("{expected}{ORDER}"));
    sim.drain(&mut stream).unwrap();
    sim.write(&mut up, 4, &[2; 2]).unwrap();
    sim.read(&mut down, 0, &mut [0; 4]).unwrap();
}

#[test]
fn waiting_for_one_event_says_nothing_of_what_came_after_it() {
    let sim = Sim::new();
    let mut frames = [frame_of(&sim, &[1; 8]), frame_of(&sim, &[2; 8])];
    let (memory, mut stream) = (sim.allocate(16).unwrap(), sim.stream().unwrap());
    sim.upload(&mut stream, &frames[0], &memory, 0, 8).unwrap();
    let event = record(&sim, &mut stream);
    sim.upload(&mut stream, &frames[1], &memory, 8, 8).unwrap();
    sim.synchronize(&event).unwrap();
    sim.write(&mut frames[0], 0, &[3; 8]).unwrap();
    assert!(sim.write(&mut frames[1], 0, &[3; 8]).is_err());
}

#[test]
fn reading_what_nothing_has_written_is_an_error() {
    let sim = Sim::new();
    let memory = sim.allocate(32).unwrap();
    let frame = frame_of(&sim, &[1; 8]);
    let mut stream = sim.stream().unwrap();
    sim.upload(&mut stream, &frame, &memory, 4, 8).unwrap();
    sim.zero(&mut stream, place(&memory, 16), 4).unwrap();
    let unwritten = "of device memory 0, which nothing has written";
    let mut down = sim.stage(32, Transfer::Download).unwrap();
    assert_eq!(
        text(sim.download(&mut stream, &memory, 0, &down, 8)),
        format!("download 3 of stream 0 reads bytes 0..4 {unwritten}")
    );
    assert_eq!(
        text(sim.copy(&mut stream, place(&memory, 8), place(&memory, 24), 8)),
        format!("copy 3 of stream 0 reads bytes 12..16 {unwritten}")
    );
    let program = increment(&sim);
    assert_eq!(
        text(launch(&sim, &mut stream, &program, &[span(&memory, 16, 12)], &[span(&memory, 28, 4)])),
        format!("launch 3 of stream 0 (increment) reads bytes 20..28 {unwritten}")
    );
    assert_eq!(
        text(sim.read(&mut down, 2, &mut [0; 3])),
        "read 1 of the host reads bytes 2..5 of download staging 2, which nothing has written"
    );
    let blank = sim.stage(4, Transfer::Upload).unwrap();
    assert_eq!(
        text(sim.upload(&mut stream, &blank, &memory, 0, 4)),
        "upload 3 of stream 0 reads bytes 0..4 of upload staging 3, which nothing has written"
    );
    launch(&sim, &mut stream, &program, &[span(&memory, 4, 4)], &[span(&memory, 0, 4)]).unwrap();
    sim.drain(&mut stream).unwrap();
    assert_eq!(bytes_of(&sim, &memory, 0, 12).unwrap(), [2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1]);
    assert_eq!(sim.counters().mistakes, 5);
}

#[test]
fn accesses_that_do_not_fit_are_refused() {
    let sim = Sim::new().with_alignment(8);
    let (mut up, mut down) = (frame_of(&sim, &[1; 8]), sim.stage(8, Transfer::Download).unwrap());
    let (memory, mut stream) = (memory_of(&sim, &[0; 32]), sim.stream().unwrap());
    assert_eq!(
        text(sim.upload(&mut stream, &up, &memory, 32, 4)),
        "upload 1 of stream 1 takes 4 bytes from byte 32 on of device memory 3, which has 32"
    );
    assert_eq!(
        text(sim.upload(&mut stream, &up, &memory, 0, 9)),
        "upload 1 of stream 1 takes 9 bytes from byte 0 on of upload staging 0, which has 8"
    );
    assert_eq!(
        text(sim.write(&mut up, usize::MAX, &[0; 2])),
        format!(
            "write 3 of the host takes 2 bytes from byte {} on of upload staging 0, which has 8",
            usize::MAX
        )
    );
    assert_eq!(
        text(sim.zero(&mut stream, place(&memory, 12), 4)),
        "zero 1 of stream 1 begins at byte 12 of device memory 3: the device asks for a multiple of 8"
    );
    assert_eq!(
        text(sim.upload(&mut stream, &down, &memory, 0, 8)),
        "upload 1 of stream 1 uses download staging 1, which is for the other direction"
    );
    assert!(matches!(sim.download(&mut stream, &memory, 0, &up, 8), Err(SimError::Direction { .. })));
    assert!(matches!(sim.write(&mut down, 0, &[0]), Err(SimError::Direction { .. })));
    assert!(matches!(sim.read(&mut up, 0, &mut [0]), Err(SimError::Direction { .. })));
    assert_eq!(
        text(sim.copy(&mut stream, place(&memory, 0), place(&memory, 8), 12)),
        "copy 1 of stream 1 writes bytes 8..12 of device memory 3, which are also another argument of it"
    );
    let program = increment(&sim);
    let huge = Span { place: place(&memory, 0), items: usize::MAX, item_bytes: 8 };
    assert!(matches!(
        launch(&sim, &mut stream, &program, &[huge], &[]),
        Err(SimError::OutOfBounds { bytes: usize::MAX, .. })
    ));
    let odd = Launch { inputs: &[], outputs: &[], constants: &[0; 6], threads: 1 };
    assert_eq!(
        text(sim.launch(&mut stream, &program, &odd)),
        "the kernel increment is given 6 bytes of constants, which is not a multiple of 4"
    );
    // None of them has left a trace.
    sim.upload(&mut stream, &up, &memory, 0, 8).unwrap();
    sim.drain(&mut stream).unwrap();
    assert_eq!(bytes_of(&sim, &memory, 0, 12).unwrap(), [1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0]);
}

#[test]
fn devices_do_not_take_what_belongs_to_others() {
    let (here, there) = (Sim::new().with_name("here"), Sim::new().with_name("there"));
    let (memory, mut stream) = (memory_of(&there, &[0; 8]), there.stream().unwrap());
    let event = record(&there, &mut stream);
    assert_eq!(
        text(here.zero(&mut stream, place(&memory, 0), 8)),
        "zero on here: its stream belongs to another device"
    );
    assert_eq!(
        text(here.zero(&mut here.stream().unwrap(), place(&memory, 0), 8)),
        "zero on here: its memory belongs to another device"
    );
    assert_eq!(text(here.synchronize(&event)), "synchronize on here: its event belongs to another device");
    assert_eq!((here.name(), there.name()), ("here".to_owned(), "there".to_owned()));
}

#[test]
fn a_kernel_without_a_host_function_is_refused() {
    let refused = text(Sim::new().compile(&Source::new("saxpy").wgsl("")));
    assert_eq!(refused, "the kernel saxpy has no text in host, only in WGSL");
}
