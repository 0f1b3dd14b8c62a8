//! One contract for every flavour: see the head of `mod.rs`.

use super::*;
use crate::data::{ItemType, Value};
use proptest::prelude::*;

/// What a stream is asked for.
#[derive(Clone, Debug)]
struct Case {
    capacity: usize,
    writer_min: usize,
    reader_min: usize,
    histories: Vec<usize>,
    preload: usize,
    /// Seeds the lengths of the spans.
    seed: u64,
}

fn cases() -> impl Strategy<Value = Case> {
    let histories = prop::collection::vec(0usize..20, 1..4);
    (1usize..80, 1usize..30, 1usize..30, histories, 0usize..5, any::<u64>()).prop_map(
        |(capacity, writer_min, reader_min, histories, preload, seed)| Case {
            capacity,
            writer_min,
            reader_min,
            histories,
            preload,
            seed,
        },
    )
}

const FLAVOURS: [&str; 3] = ["scratch", "ring", "mirrored"];

/// Makes a stream of the flavour; `None` where the system does not have it.
fn make<T: Item>(flavour: &str, case: &Case) -> Option<(WriteEnd, Vec<ReadEnd>)> {
    let item = ItemType::of::<T>();
    if flavour == "scratch" {
        let history = *case.histories.iter().max().unwrap();
        let spec = ScratchSpec {
            history,
            capacity: case.capacity.max(case.writer_min) + case.reader_min - 1,
            writer_min: case.writer_min,
            in_place: 0,
            readers: case.histories.len(),
            preload: case.preload,
            lead: 0,
        };
        let (writer, _, readers) = scratch(item, &spec, None, None).unwrap();
        return Some((
            WriteEnd::Scratch(writer),
            readers.into_iter().flatten().map(ReadEnd::Scratch).collect(),
        ));
    }
    let spec = RingSpec {
        most: None,
        capacity: case.capacity,
        writer_min: case.writer_min,
        histories: case.histories.clone(),
        reader_min: case.reader_min,
        preload: case.preload,
        mirrored: flavour == "mirrored",
        lead: 0,
    };
    match ring(item, &spec, None) {
        Ok((writer, readers)) => {
            Some((WriteEnd::Ring(writer), readers.into_iter().flatten().map(ReadEnd::Ring).collect()))
        }
        Err(error) => {
            let may_lack_it = cfg!(any(miri, not(target_os = "linux")));
            assert!(may_lack_it, "{flavour}: {error}");
            None
        }
    }
}

struct Lengths(u64);

impl Lengths {
    fn up_to(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % (most + 1)
    }
}

/// Item `index` of the stream, the preloaded zeros included.
fn expected(case: &Case, index: i64) -> u32 {
    if index < case.preload as i64 { 0 } else { index as u32 }
}

/// Writes and reads in turns, with spans of every length that the case allows, and checks every item in every window.
fn keeps_the_contract(flavour: &str, case: &Case, items: u64) {
    let Some((mut writer, mut readers)) = make::<u32>(flavour, case) else { return };
    let mut lengths = Lengths(case.seed);
    let mut tags_seen = vec![0u64; readers.len()];
    let mut stalled = 0;
    while writer.index() < items {
        let before = writer.index();
        writer.refresh(case.writer_min);
        let room = writer.room();
        if room >= case.writer_min {
            let n = case.writer_min + lengths.up_to(room - case.writer_min);
            let first = writer.index();
            for (i, item) in writer.slice_mut::<u32>(n).iter_mut().enumerate() {
                *item = (first + i as u64) as u32;
            }
            let tag = |index| Tag { index, key: "n".into(), value: Value::Uint(index), source: "w".into() };
            writer.push_tag(tag(first + n as u64 - 1));
            // A writer may give fewer items than it looked at.
            writer.produce(n - usize::from(n > case.writer_min && lengths.up_to(3) == 0));
        }
        let mut read_any = false;
        for (r, reader) in readers.iter_mut().enumerate() {
            // Readers run at different speeds.
            if lengths.up_to(2) == 0 {
                continue;
            }
            reader.refresh(case.reader_min);
            let available = reader.available();
            if available < case.reader_min {
                continue;
            }
            let n = case.reader_min + lengths.up_to(available - case.reader_min);
            let (history, index) = (case.histories[r], reader.index());
            let window = reader.slice::<u32>(history, n);
            assert_eq!(window.len(), history + n);
            for (i, item) in window.iter().enumerate() {
                let at = index as i64 - history as i64 + i as i64;
                assert_eq!(*item, expected(case, at), "{flavour}: reader {r} at item {at}");
            }
            if reader.first_tag() != NO_TAG {
                reader.with_tags(|tags| {
                    for tag in tags.before(index + n as u64) {
                        assert!(tag.index >= index, "{flavour}: a tag came late");
                        assert_eq!(tag.value, Value::Uint(tag.index));
                        tags_seen[r] += 1;
                    }
                });
            }
            reader.consume(n);
            read_any = true;
        }
        stalled = if read_any || writer.index() > before { 0 } else { stalled + 1 };
        assert!(stalled < 1000, "{flavour}: neither side can go on: {case:?}");
    }
    writer.finish();
    for reader in &mut readers {
        reader.refresh(usize::MAX);
        assert!(reader.is_finished());
        reader.consume(reader.available());
        reader.close();
    }
    assert!(writer.is_closed());
    assert!(tags_seen.iter().all(|&seen| seen > 0), "{flavour}: tags arrive");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 3 } else { 200 }, ..ProptestConfig::default() })]

    #[test]
    fn every_flavour_keeps_the_contract_at_every_wrap(case in cases()) {
        for flavour in FLAVOURS {
            // Enough for several rounds of a mirrored ring, which is at least a page long.
            let items = match flavour { _ if cfg!(miri) => 300, "mirrored" => 6000, _ => 2000 };
            keeps_the_contract(flavour, &case, items);
        }
    }

    #[test]
    fn in_place_blocks_see_every_item_once_and_in_order(
        capacity in 1usize..40, history in 0usize..9, reader_min in 1usize..9, seed: u64,
    ) {
        let spec = ScratchSpec {
            history, capacity: capacity + reader_min - 1, writer_min: 1, in_place: 2, readers: 2, preload: 0, lead: 0,
        };
        let (mut writer, mut stages, mut readers) = scratch(ItemType::of::<u32>(), &spec, None, None).unwrap();
        let mut lengths = Lengths(seed);
        while writer.index() < 500 {
            let room = writer.look(1);
            let n = lengths.up_to(room);
            let first = writer.index();
            for (i, item) in writer.slice_mut::<u32>(n).iter_mut().enumerate() {
                *item = first as u32 + i as u32;
            }
            writer.produce(n);
            for stage in &mut stages {
                let n = lengths.up_to(stage.available());
                stage.slice_mut::<u32>(n).iter_mut().for_each(|item| *item += 1000);
                stage.consume(n);
            }
            for reader in readers.iter_mut().flatten() {
                let available = reader.available();
                if available < reader_min {
                    continue;
                }
                let n = reader_min + lengths.up_to(available - reader_min);
                let index = reader.index() as i64;
                for (i, item) in reader.slice::<u32>(history, n).iter().enumerate() {
                    let at = index - history as i64 + i as i64;
                    prop_assert_eq!(*item, if at < 0 { 0 } else { at as u32 + 2000 });
                }
                reader.consume(n);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 2 } else { 100 }))]

    #[test]
    fn streams_that_take_turns_in_memory_keep_their_items(
        capacities in prop::collection::vec(1usize..40, 2..6), readers in 1usize..3, in_place in 0usize..2, seed: u64,
    ) {
        let most = capacities.iter().max().unwrap() * size_of::<u32>();
        #[allow(clippy::arc_with_non_send_sync)]
        let pool = std::sync::Arc::new(Pool::new(capacities.len(), most).unwrap());
        // One stream goes on where another buffer ended.
        let backlog = |reader: usize| ReaderState {
            bytes: if reader < in_place { Vec::new() } else { bytemuck::cast_slice(&[0u32, 1, 2]).to_vec() },
            index: if reader < in_place { 3 } else { 0 },
            ..ReaderState::default()
        };
        let start = Start {
            written: 3,
            readers: (0..in_place + readers).map(backlog).collect(),
            finished: vec![false; 1 + in_place],
        };
        let make = |(place, &capacity): (usize, &usize)| {
            let spec = ScratchSpec { capacity, writer_min: 1, in_place, readers, ..ScratchSpec::default() };
            let start = (place == 0).then_some(&start);
            scratch(ItemType::of::<u32>(), &spec, start, Some(&pool)).unwrap()
        };
        let mut streams: Vec<_> = capacities.iter().enumerate().map(make).collect();
        let mut lengths = Lengths(seed);
        for _ in 0..300 {
            let stream = lengths.up_to(capacities.len() - 1);
            let (writer, stages, readers) = &mut streams[stream];
            let item = |index: u64| (index as u32) + if index < 3 && stream == 0 { 0 } else { 1000 * stream as u32 };
            let n = lengths.up_to(writer.look(1));
            let first = writer.index();
            if n > 0 {
                (first..).zip(writer.slice_mut::<u32>(n)).for_each(|(index, y)| *y = item(index));
                writer.produce(n);
            }
            for stage in stages {
                stage.consume(lengths.up_to(stage.available()));
            }
            for reader in readers.iter_mut().flatten() {
                // Mostly all, as blocks do.
                let available = reader.available();
                let n = if lengths.up_to(3) > 0 { available } else { lengths.up_to(available) };
                let index = reader.index();
                let expected: Vec<u32> = (index..index + n as u64).map(item).collect();
                prop_assert_eq!(reader.slice::<u32>(0, n), &expected[..]);
                reader.consume(n);
            }
        }
    }
}

#[test]
fn rings_hand_items_from_thread_to_thread() {
    let items: u64 = if cfg!(miri) { 500 } else { 300_000 };
    for flavour in ["ring", "mirrored"] {
        let case =
            Case { capacity: 50, writer_min: 3, reader_min: 2, histories: vec![0, 7], preload: 0, seed: 1 };
        let Some((mut writer, readers)) = make::<u32>(flavour, &case) else { continue };
        std::thread::scope(|scope| {
            for (r, mut reader) in readers.into_iter().enumerate() {
                let case = &case;
                scope.spawn(move || {
                    let mut lengths = Lengths(r as u64);
                    loop {
                        reader.refresh(case.reader_min);
                        let finished = reader.is_finished();
                        let available = reader.available();
                        if available < case.reader_min {
                            if finished {
                                break;
                            }
                            std::thread::yield_now();
                            continue;
                        }
                        let n = case.reader_min + lengths.up_to((available - case.reader_min).min(20));
                        let (history, index) = (case.histories[r], reader.index() as i64);
                        for (i, item) in reader.slice::<u32>(history, n).iter().enumerate() {
                            let at = index - history as i64 + i as i64;
                            assert_eq!(*item, if at < 0 { 0 } else { at as u32 });
                        }
                        reader.consume(n);
                    }
                    assert!(reader.index() + 2 > items);
                });
            }
            let mut lengths = Lengths(99);
            while writer.index() < items {
                writer.refresh(case.writer_min);
                let room = writer.room();
                if room < case.writer_min {
                    std::thread::yield_now();
                    continue;
                }
                let n = case.writer_min + lengths.up_to((room - case.writer_min).min(20));
                let first = writer.index();
                for (i, item) in writer.slice_mut::<u32>(n).iter_mut().enumerate() {
                    *item = (first + i as u64) as u32;
                }
                writer.produce(n);
            }
            writer.finish();
        });
    }
}

#[test]
fn items_whose_size_does_not_divide_a_page_are_mirrored_whole() {
    #[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
    #[repr(C)]
    struct Triple([u32; 3]);
    impl Item for Triple {
        const NAME: &'static str = "triple";
    }
    let case = Case { capacity: 5, writer_min: 1, reader_min: 1, histories: vec![3], preload: 0, seed: 0 };
    let Some((mut writer, mut readers)) = make::<Triple>("mirrored", &case) else { return };
    for round in 0..5u32 {
        writer.refresh(usize::MAX);
        let room = writer.room();
        writer.slice_mut::<Triple>(room).fill(Triple([round, round + 1, round + 2]));
        writer.produce(room);
        readers[0].refresh(room);
        assert_eq!(readers[0].available(), room);
        assert!(
            readers[0].slice::<Triple>(0, room).iter().all(|t| *t == Triple([round, round + 1, round + 2]))
        );
        readers[0].consume(room);
    }
}

#[test]
fn a_scratch_that_begins_with_a_backlog_is_as_large_as_any_other_once_that_is_read() {
    for in_place in [0, 1] {
        let spec = ScratchSpec { capacity: 8, writer_min: 1, readers: 1, in_place, ..ScratchSpec::default() };
        let waiting =
            |items: usize| ReaderState { index: 0, bytes: vec![7; items], ..ReaderState::default() };
        // What waits, waits before the last reader.
        let readers = [waiting(0), waiting(100)][1 - in_place..].to_vec();
        let start = Start { written: 100, readers, finished: vec![false; 1 + in_place] };
        let (mut writer, mut stages, readers) =
            scratch(ItemType::of::<u8>(), &spec, Some(&start), None).unwrap();
        let mut readers: Vec<_> = readers.into_iter().flatten().collect();
        assert_eq!(writer.look(1), 8);
        for (read, room) in [(50, 8), (49, 8), (9, 8)] {
            writer.produce(room);
            stages.iter_mut().for_each(|stage| stage.consume(stage.available()));
            readers[0].consume(read);
            assert_eq!(writer.look(200), 8, "after {read} more");
        }
        assert_eq!(readers[0].fill().1, readers[0].available() + 8);
    }
}

/// What a reader that has ended leaves is nobody's: a buffer that goes on without it has no end for it.
#[test]
fn a_reader_that_has_ended_gets_no_end_of_a_buffer_that_goes_on() {
    let waiting = |items: usize| ReaderState { index: 5, bytes: vec![7; items], ..ReaderState::default() };
    let readers = vec![ReaderState::closed(0), waiting(3), ReaderState::closed(0)];
    let start = Start { written: 8, readers, finished: vec![false] };
    let spec = ScratchSpec { capacity: 8, writer_min: 1, readers: 3, ..ScratchSpec::default() };
    let (mut writer, _, ends) = scratch(ItemType::of::<u8>(), &spec, Some(&start), None).unwrap();
    let ends = ends.into_iter().map(|end| end.map_or(ReadEnd::None, ReadEnd::Scratch)).collect::<Vec<_>>();
    assert!(matches!(ends[..], [ReadEnd::None, ReadEnd::Scratch(_), ReadEnd::None]));
    writer.produce(writer.room());
    let states: Vec<_> = ends.into_iter().map(ReadEnd::state).collect();
    assert_eq!(states.iter().map(|state| state.closed).collect::<Vec<_>>(), [true, false, true]);
    assert_eq!(states[1].bytes[..3], [7; 3]);
    for mirrored in [false, true] {
        let spec = RingSpec {
            capacity: 8,
            writer_min: 1,
            reader_min: 1,
            histories: vec![0; 3],
            mirrored,
            ..RingSpec::default()
        };
        let Ok((mut writer, mut ends)) = ring(ItemType::of::<u8>(), &spec, Some(&start)) else { continue };
        assert!(ends[0].is_none() && ends[2].is_none());
        let mut open = ReadEnd::Ring(ends[1].take().unwrap());
        for _ in 0..5 {
            // The writer waits for nobody else.
            writer.refresh(1);
            let room = writer.room();
            assert!(room > 0);
            writer.produce(room);
            open.refresh(usize::MAX);
            open.consume(open.available());
        }
        assert!(!writer.is_closed());
        open.close();
        assert!(matches!(open, ReadEnd::None) && writer.is_closed());
    }
}
