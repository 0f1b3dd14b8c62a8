//! A driver for a board that does not exist: DMA engines with queues, and host functions in the place of its logic.
//!
//! Each stream is an engine with a thread of its own, which does what was enqueued in that order, really at the same time
//! as the others. The DMA moves whole lines only: memory begins on a line of 64 bytes, and so must every transfer.

use std::fmt;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;

use superhet_device::{Backend, HostCall, HostKernel, Language, Launch, Place, Source, Transfer};

/// What a transfer's offset must be a multiple of, in bytes.
const LINE: usize = 64;

/// The board.
#[derive(Debug, Default)]
pub struct Board;

/// What goes wrong with the board.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BoardError {
    #[error("a transfer at byte {at}: the DMA moves whole lines of {LINE} bytes")]
    NotOnALine { at: usize },
    #[error("bytes {at} to {end} of a memory of {size}")]
    OutOfBounds { at: usize, end: usize, size: usize },
    #[error("{0}")]
    NoKernel(String),
    #[error("the engine has broken off")]
    EngineGone,
}

/// Bytes that begin on a line.
#[repr(C, align(64))]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Line([u8; LINE]);

/// Memory of the board, or staging memory of the host.
#[derive(Clone)]
pub struct Memory {
    lines: Arc<Mutex<Vec<Line>>>,
    bytes: usize,
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Memory({} bytes)", self.bytes)
    }
}

impl Memory {
    fn new(bytes: usize) -> Self {
        // What is in memory at first is nobody's business; a pattern shows who relies on it.
        Memory { lines: Arc::new(Mutex::new(vec![Line([0xa5; LINE]); bytes.div_ceil(LINE)])), bytes }
    }

    fn check(&self, at: usize, bytes: usize) -> Result<(), BoardError> {
        let end = at + bytes;
        if end > self.bytes { Err(BoardError::OutOfBounds { at, end, size: self.bytes }) } else { Ok(()) }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Line>> {
        self.lines.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn read(&self, at: usize, to: &mut [u8]) {
        let lines = self.lock();
        to.copy_from_slice(&bytemuck::cast_slice(&lines)[at..at + to.len()]);
    }

    fn write(&self, at: usize, from: &[u8]) {
        let mut lines = self.lock();
        bytemuck::cast_slice_mut(&mut lines)[at..at + from.len()].copy_from_slice(from);
    }

    fn get(&self, at: usize, bytes: usize) -> Words {
        let mut words = Words::new(bytes);
        self.read(at, words.bytes_mut());
        words
    }
}

/// Bytes aligned for every item that the tests use.
struct Words(Vec<Line>, usize);

impl Words {
    fn new(bytes: usize) -> Self {
        Words(vec![Line([0; LINE]); bytes.div_ceil(LINE)], bytes)
    }
    fn bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.0)[..self.1]
    }
    fn bytes_mut(&mut self) -> &mut [u8] {
        let bytes = self.1;
        &mut bytemuck::cast_slice_mut(&mut self.0)[..bytes]
    }
}

/// What an event stands for: done or not.
#[derive(Debug, Default)]
struct Mark {
    done: Mutex<bool>,
    changed: Condvar,
}

impl Mark {
    fn set(&self) {
        *self.done.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = true;
        self.changed.notify_all();
    }
    fn is_set(&self) -> bool {
        *self.done.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
    fn wait(&self) {
        let mut done = self.done.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        while !*done {
            done = self.changed.wait(done).unwrap_or_else(|poisoned| poisoned.into_inner());
        }
    }
}

/// A point in an engine's queue.
#[derive(Debug, Default)]
pub struct Event(Option<Arc<Mark>>);

type Job = Box<dyn FnOnce() + Send>;

/// An engine with its queue.
#[derive(Debug)]
pub struct Engine {
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl Engine {
    fn start() -> Self {
        let (jobs, queue): (Sender<Job>, Receiver<Job>) = channel();
        let thread = std::thread::spawn(move || queue.into_iter().for_each(|job| job()));
        Engine { jobs: Some(jobs), thread: Some(thread) }
    }
    fn enqueue(&mut self, job: impl FnOnce() + Send + 'static) -> Result<(), BoardError> {
        let jobs = self.jobs.as_ref().ok_or(BoardError::EngineGone)?;
        jobs.send(Box::new(job)).map_err(|_| BoardError::EngineGone)
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn on_a_line(at: usize) -> Result<(), BoardError> {
    if at.is_multiple_of(LINE) { Ok(()) } else { Err(BoardError::NotOnALine { at }) }
}

impl Backend for Board {
    type Memory = Memory;
    type Staging = Memory;
    type Stream = Engine;
    type Event = Event;
    type Program = HostKernel;
    type Error = BoardError;
    const LANGUAGE: Language = Language::Host;

    fn name(&self) -> String {
        "loopback-fpga".to_owned()
    }
    fn alignment(&self) -> usize {
        LINE
    }
    fn allocate(&self, bytes: usize) -> Result<Memory, BoardError> {
        Ok(Memory::new(bytes))
    }
    fn stage(&self, bytes: usize, _: Transfer) -> Result<Memory, BoardError> {
        Ok(Memory::new(bytes))
    }
    fn write(&self, staging: &mut Memory, at: usize, bytes: &[u8]) -> Result<(), BoardError> {
        staging.check(at, bytes.len())?;
        staging.write(at, bytes);
        Ok(())
    }
    fn read(&self, staging: &mut Memory, at: usize, bytes: &mut [u8]) -> Result<(), BoardError> {
        staging.check(at, bytes.len())?;
        staging.read(at, bytes);
        Ok(())
    }
    fn stream(&self) -> Result<Engine, BoardError> {
        Ok(Engine::start())
    }
    fn event(&self) -> Result<Event, BoardError> {
        Ok(Event::default())
    }

    fn upload(
        &self,
        stream: &mut Engine,
        from: &Memory,
        to: &Memory,
        at: usize,
        bytes: usize,
    ) -> Result<(), BoardError> {
        on_a_line(at)?;
        from.check(0, bytes)?;
        to.check(at, bytes)?;
        let (from, to) = (from.clone(), to.clone());
        stream.enqueue(move || to.write(at, from.get(0, bytes).bytes()))
    }

    fn download(
        &self,
        stream: &mut Engine,
        from: &Memory,
        at: usize,
        to: &Memory,
        bytes: usize,
    ) -> Result<(), BoardError> {
        on_a_line(at)?;
        from.check(at, bytes)?;
        to.check(0, bytes)?;
        let (from, to) = (from.clone(), to.clone());
        stream.enqueue(move || to.write(0, from.get(at, bytes).bytes()))
    }

    fn copy(
        &self,
        stream: &mut Engine,
        from: Place<'_, Self>,
        to: Place<'_, Self>,
        bytes: usize,
    ) -> Result<(), BoardError> {
        from.memory.check(from.at, bytes)?;
        to.memory.check(to.at, bytes)?;
        let (source, target) = (from.memory.clone(), to.memory.clone());
        let (from, to) = (from.at, to.at);
        stream.enqueue(move || target.write(to, source.get(from, bytes).bytes()))
    }

    fn zero(&self, stream: &mut Engine, at: Place<'_, Self>, bytes: usize) -> Result<(), BoardError> {
        at.memory.check(at.at, bytes)?;
        let (memory, at) = (at.memory.clone(), at.at);
        stream.enqueue(move || memory.write(at, &vec![0; bytes]))
    }

    fn compile(&self, source: &Source) -> Result<HostKernel, BoardError> {
        source.host.clone().ok_or_else(|| BoardError::NoKernel(source.not_in(Language::Host)))
    }

    fn launch(
        &self,
        stream: &mut Engine,
        program: &HostKernel,
        launch: &Launch<'_, Self>,
    ) -> Result<(), BoardError> {
        for span in launch.inputs.iter().chain(launch.outputs) {
            span.place.memory.check(span.place.at, span.bytes())?;
        }
        let of = |spans: &[superhet_device::Span<'_, Self>]| -> Vec<(Memory, usize, usize)> {
            spans.iter().map(|s| (s.place.memory.clone(), s.place.at, s.bytes())).collect()
        };
        let (inputs, outputs) = (of(launch.inputs), of(launch.outputs));
        let (constants, threads, program) = (launch.constants.to_vec(), launch.threads, program.clone());
        stream.enqueue(move || {
            let x: Vec<Words> = inputs.iter().map(|(memory, at, bytes)| memory.get(*at, *bytes)).collect();
            let mut y: Vec<Words> = outputs.iter().map(|(_, _, bytes)| Words::new(*bytes)).collect();
            let x: Vec<&[u8]> = x.iter().map(Words::bytes).collect();
            let mut spans: Vec<&mut [u8]> = y.iter_mut().map(Words::bytes_mut).collect();
            program(HostCall { inputs: &x, outputs: &mut spans, constants: &constants, threads });
            for ((memory, at, _), y) in outputs.iter().zip(&y) {
                memory.write(*at, y.bytes());
            }
        })
    }

    fn record(&self, stream: &mut Engine, event: &mut Event) -> Result<(), BoardError> {
        let mark = Arc::new(Mark::default());
        event.0 = Some(mark.clone());
        stream.enqueue(move || mark.set())
    }
    fn wait(&self, stream: &mut Engine, event: &Event) -> Result<(), BoardError> {
        let Some(mark) = event.0.clone() else { return Ok(()) };
        stream.enqueue(move || mark.wait())
    }
    fn is_done(&self, event: &Event) -> Result<bool, BoardError> {
        Ok(event.0.as_ref().is_none_or(|mark| mark.is_set()))
    }
    fn synchronize(&self, event: &Event) -> Result<(), BoardError> {
        if let Some(mark) = &event.0 {
            mark.wait();
        }
        Ok(())
    }
    fn drain(&self, stream: &mut Engine) -> Result<(), BoardError> {
        let mut event = Event::default();
        self.record(stream, &mut event)?;
        self.synchronize(&event)
    }
}
