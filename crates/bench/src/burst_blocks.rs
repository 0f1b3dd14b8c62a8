//! The blocks of the burst graphs: the same source, kernel and sink, once for streams and once for messages.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use superhet_kernels as kernels;
use superhet_runtime::{
    Block, BlockError, Context, In, InPlace, MsgIn, MsgOut, Out, Packet, Pure, Step, Value, Work,
    packet::{PacketBlock, PacketItems},
};

/// The key of the tag that says how long a burst is.
pub const LENGTH: &str = "packet_len";

/// Adds 1 to every item: `y[n] = x[n] + 1`, f32, as a stream block and as a packet block.
pub struct AddOne;

impl Pure for AddOne {
    type In = f32;
    type Out = f32;
    const IN_PLACE: Option<InPlace<Self>> = Some(|_, x| kernels::saxpy_in_place(x, 1.0, 1.0));
    fn map(&self, x: &[f32], y: &mut [f32]) {
        kernels::saxpy(y, x, 1.0, 1.0);
    }
}

impl PacketBlock for AddOne {
    type In = f32;
    type Out = f32;
    const ITEMS: Option<PacketItems<Self>> = Some(|_, x, y| {
        kernels::saxpy(y, x, 1.0, 1.0);
        Ok(())
    });
    fn packet(&mut self, mut x: Packet<f32>) -> Result<Option<Packet<f32>>, BlockError> {
        kernels::saxpy_in_place(x.items_mut(), 1.0, 1.0);
        Ok(Some(x))
    }
}

/// What the source, the sink and the measurement of a graph share.
pub struct Bursts {
    /// Items of a burst, ≥ 1.
    pub items: usize,
    /// Blocks between source and sink.
    blocks: u32,
    /// Whether the source waits for the sink's word before it gives the next burst.
    pub one_at_a_time: bool,
    clock: Instant,
    /// When the burst in flight was begun, in nanoseconds of the clock. Written by the source, read by the sink, one at
    /// a time.
    begun_ns: AtomicU64,
    /// Bursts that have come. Written by the sink, read by the measurement.
    arrived: AtomicU64,
    /// How long each took, one at a time. Written by the sink, read after the run.
    delays_us: Mutex<Vec<f64>>,
}

impl Bursts {
    pub fn new(items: usize, blocks: u32, one_at_a_time: bool) -> Arc<Self> {
        Arc::new(Bursts {
            items,
            blocks,
            one_at_a_time,
            clock: Instant::now(),
            begun_ns: AtomicU64::new(0),
            arrived: AtomicU64::new(0),
            delays_us: Mutex::default(),
        })
    }

    /// How many bursts have come.
    pub fn arrived(&self) -> u64 {
        self.arrived.load(Ordering::Relaxed)
    }

    /// How long each burst took from where the source began it until the sink had seen it whole, in microseconds.
    pub fn take_delays_us(&self) -> Vec<f64> {
        std::mem::take(&mut self.delays_us.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn now_ns(&self) -> u64 {
        self.clock.elapsed().as_nanos() as u64
    }

    /// The value of all items of burst `n`: whole numbers that f32 holds, also after the blocks.
    fn item(n: u64) -> f32 {
        (n % 4096) as f32
    }

    /// Whether some items of burst `n` are what the blocks should have made of them.
    fn check(&self, n: u64, items: &[f32]) -> Result<(), BlockError> {
        let expected = Self::item(n) + self.blocks as f32;
        let places = [0, items.len() / 2, items.len() - 1];
        match places.into_iter().find(|&place| items[place] != expected) {
            None => Ok(()),
            Some(place) => {
                Err(format!("burst {n} has {} at {place}, expected {expected}", items[place]).into())
            }
        }
    }

    /// Counts a burst that has come whole, and lets the source go on where it waits.
    fn arrive(&self, n: u64, released: &mut MsgOut) -> Result<(), BlockError> {
        self.arrived.store(n + 1, Ordering::Relaxed);
        if self.one_at_a_time {
            let delay_ns = self.now_ns() - self.begun_ns.load(Ordering::Relaxed);
            let mut delays = self.delays_us.lock().unwrap_or_else(PoisonError::into_inner);
            delays.push(delay_ns as f64 / 1e3);
            drop(delays);
            released.send(Value::Null)?;
        }
        Ok(())
    }
}

/// When a source begins its bursts.
struct Beginner {
    bursts: Arc<Bursts>,
    next: u64,
}

impl Beginner {
    /// The number of the burst to begin, if it is time.
    fn begin(&mut self, released: &mut MsgIn) -> Option<u64> {
        let n = self.next;
        if self.bursts.one_at_a_time {
            if n > 0 {
                released.recv()?;
            }
            self.bursts.begun_ns.store(self.bursts.now_ns(), Ordering::Relaxed);
        }
        self.next += 1;
        Some(n)
    }
}

/// Gives bursts in a stream, one right after another, each with a tag that says how long it is.
#[derive(Block)]
pub struct StreamSource {
    #[port]
    pub out: Out<f32>,
    #[port]
    pub released: MsgIn,
    beginner: Beginner,
    key: Arc<str>,
    /// The burst that is being written, and how many of its items are left.
    current: u64,
    left: usize,
}

impl StreamSource {
    pub fn new(bursts: Arc<Bursts>) -> Self {
        let beginner = Beginner { bursts, next: 0 };
        let (out, released) = (Out::new(), MsgIn::new());
        StreamSource { out, released, beginner, key: LENGTH.into(), current: 0, left: 0 }
    }
}

impl StreamSource {
    /// Writes as many bursts as there is room for; after a stop, what is left of one that was begun.
    fn write(&mut self, is_stopping: bool) -> Step {
        let before = self.out.index();
        let lacks = loop {
            if self.left == 0 && is_stopping {
                break Step::Done;
            }
            let room = self.out.room();
            if room == 0 {
                break Step::NeedOutput;
            }
            if self.left == 0 {
                let Some(n) = self.beginner.begin(&mut self.released) else { break Step::NeedInput };
                (self.current, self.left) = (n, self.beginner.bursts.items);
                self.out.tag(0, self.key.clone(), self.left);
            }
            let n = room.min(self.left);
            self.out.reserve()[..n].fill(Bursts::item(self.current));
            self.out.produce(n);
            self.left -= n;
        };
        if lacks != Step::Done && self.out.index() > before { Step::Ran } else { lacks }
    }
}

impl Work for StreamSource {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        Ok(self.write(context.is_stopping()))
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        Ok(self.write(true))
    }
}

/// Takes bursts out of a stream without copying them, and checks some items of each.
#[derive(Block)]
pub struct StreamSink {
    #[port("in")]
    input: In<f32>,
    #[port]
    pub released: MsgOut,
    bursts: Arc<Bursts>,
    next: u64,
    /// Items that the burst still lacks.
    left: usize,
}

impl StreamSink {
    pub fn new(bursts: Arc<Bursts>) -> Self {
        StreamSink { input: In::new(), released: MsgOut::new(), bursts, next: 0, left: 0 }
    }

    /// The length of the burst that begins at the first item.
    fn length(&self) -> Result<usize, BlockError> {
        let mut length = None;
        self.input.for_each_tag(1, |tag| {
            if &*tag.key == LENGTH {
                length = tag.value.as_u64();
            }
        });
        match length {
            Some(length) if length == self.bursts.items as u64 => Ok(self.bursts.items),
            length => Err(format!("the length of burst {} is {length:?}", self.next).into()),
        }
    }
}

impl Work for StreamSink {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let before = self.input.index();
        loop {
            let n = self.input.available();
            if n == 0 {
                return Ok(if self.input.index() > before { Step::Ran } else { Step::NeedInput });
            }
            if self.left == 0 {
                self.left = self.length()?;
            }
            let n = n.min(self.left);
            self.bursts.check(self.next, &self.input.peek()[..n])?;
            self.input.consume(n);
            self.left -= n;
            if self.left == 0 {
                self.bursts.arrive(self.next, &mut self.released)?;
                self.next += 1;
            }
        }
    }
}

/// Sends bursts as packets.
#[derive(Block)]
pub struct PacketSource {
    #[port("out")]
    output: MsgOut,
    #[port]
    pub released: MsgIn,
    beginner: Beginner,
    made: VecDeque<Value>,
}

impl PacketSource {
    /// What one call of `work` sends lies in the level-1 cache, as the strip of a stream does.
    const AT_ONCE_ITEMS: usize = 4096;
    const AT_ONCE: usize = 64;

    pub fn new(bursts: Arc<Bursts>) -> Self {
        let beginner = Beginner { bursts, next: 0 };
        PacketSource { output: MsgOut::new(), released: MsgIn::new(), beginner, made: VecDeque::new() }
    }
}

impl Work for PacketSource {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        if context.is_stopping() {
            return Ok(Step::Done);
        }
        let items = self.beginner.bursts.items;
        for _ in 0..(Self::AT_ONCE_ITEMS / items).clamp(1, Self::AT_ONCE) {
            let Some(n) = self.beginner.begin(&mut self.released) else { break };
            let mut packet = Packet::unspecified(items);
            packet.items_mut().fill(Bursts::item(n));
            self.made.push_back(packet.into());
        }
        let step = if self.made.is_empty() { Step::NeedInput } else { Step::Ran };
        self.output.send_all(&mut self.made)?;
        Ok(step)
    }
}

/// Takes packets, and checks some items of each.
#[derive(Block)]
pub struct PacketSink {
    #[port("in")]
    input: MsgIn,
    #[port]
    pub released: MsgOut,
    bursts: Arc<Bursts>,
    next: u64,
}

impl PacketSink {
    const AT_ONCE: u64 = 64;

    pub fn new(bursts: Arc<Bursts>) -> Self {
        PacketSink { input: MsgIn::new(), released: MsgOut::new(), bursts, next: 0 }
    }
}

impl Work for PacketSink {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let before = self.next;
        while self.next - before < Self::AT_ONCE {
            let Some(message) = self.input.recv() else { break };
            let packet = Packet::<f32>::try_from(message)?;
            if packet.len() != self.bursts.items {
                return Err(format!("burst {} has {} items", self.next, packet.len()).into());
            }
            self.bursts.check(self.next, packet.items())?;
            self.bursts.arrive(self.next, &mut self.released)?;
            self.next += 1;
        }
        Ok(if self.next > before { Step::Ran } else { Step::NeedInput })
    }
}
