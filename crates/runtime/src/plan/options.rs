//! Settings of a run.

/// How streams between workers are mapped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RingFlavour {
    /// The same pages twice in a row, where the system can.
    #[cfg_attr(all(target_os = "linux", not(miri)), default)]
    Mirrored,
    /// One piece of memory with explicit wrap.
    #[cfg_attr(not(all(target_os = "linux", not(miri))), default)]
    Single,
}

/// Settings that every scheduler understands.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Spans of at most this many items everywhere, instead of what the caches suggest.
    pub strip_items: Option<usize>,
    /// Draws the length of every span at random, between the least that the ports allow and the strip: the same seed
    /// gives the same lengths under [`Single`](crate::Single). For tests.
    pub seed: Option<u64>,
    /// How streams between workers are mapped.
    pub rings: RingFlavour,
    /// Whether blocks that can work in place do.
    pub in_place: bool,
    /// How urgent the workers' threads are to the system.
    pub priority: Priority,
    /// How much may lie between a source and a sink.
    pub max_latency: Option<MaxLatency>,
    /// The same for single streams, each named by the output that writes it, `block` or `block.port`.
    pub max_stream_latency: Vec<(String, MaxLatency)>,
}

/// How long a sample may be on its way: a limit to what buffers hold, which the plan divides between them.
///
/// Nothing is held back to fill a buffer: a sample waits only behind others, where a block further down is slower than
/// the source. What a block keeps inside, and the spans that ports insist on, come on top.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MaxLatency {
    /// So many items: of the stream, or for a whole graph of its source's.
    Items(usize),
    /// So many seconds, at so many items per second.
    Seconds {
        /// The time, in seconds.
        seconds: f64,
        /// The rate of the stream, or for a whole graph of its source, in Hz.
        rate_hz: f64,
    },
}

impl MaxLatency {
    /// The limit in items, at least one.
    pub fn items(self) -> usize {
        match self {
            MaxLatency::Items(items) => items.max(1),
            MaxLatency::Seconds { seconds, rate_hz } => ((seconds * rate_hz) as usize).max(1),
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Options {
            strip_items: None,
            seed: None,
            rings: RingFlavour::default(),
            in_place: true,
            max_latency: None,
            max_stream_latency: Vec::new(),
            priority: Priority::Normal,
        }
    }
}

/// How urgent the threads of a graph are to the system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Priority {
    /// As all other programs.
    #[default]
    Normal,
    /// Before all programs of lower real-time priority, and those of none: 1 to 99, `SCHED_FIFO` on Linux.
    ///
    /// A worker that never waits then leaves its processor to nobody but the system's own reserve (5 % by default). Where
    /// the system does not permit it, a warning says what is missing, and the graph runs as [`Priority::Normal`].
    RealTime(u8),
}
