//! Whether a block can run, as its ports say.

/// What the ports of a block say about whether it can run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Readiness {
    pub(crate) inputs: u32,
    pub(crate) finished_inputs: u32,
    pub(crate) drained_inputs: u32,
    /// How far the inputs are, added up: another number once items were taken.
    pub(crate) taken: u64,
    /// An input has fewer items than its minimum, and may get more.
    pub(crate) short: bool,
    /// An input has fewer items than its minimum, for ever.
    pub(crate) ended: bool,
    pub(crate) outputs: u32,
    pub(crate) open_outputs: u32,
    /// An output has less room than its minimum.
    pub(crate) full: bool,
    pub(crate) message_inputs: u32,
    pub(crate) connected_message_inputs: u32,
    pub(crate) finished_message_inputs: u32,
    pub(crate) mail: bool,
}

/// What the runtime does with a block that said so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Run,
    NeedInput,
    NeedOutput,
    /// The inputs have ended: `finish`.
    Finish,
    /// Nobody reads what it would give.
    Unwanted,
}

impl Readiness {
    #[inline]
    pub(crate) fn verdict(&self) -> Verdict {
        let unwanted = self.outputs > 0 && self.open_outputs == 0;
        let last_message = self.connected_message_inputs > 0
            && self.finished_message_inputs == self.connected_message_inputs;
        match () {
            _ if unwanted => Verdict::Unwanted,
            _ if self.full => Verdict::NeedOutput,
            _ if self.mail => Verdict::Run,
            _ if self.is_ended() => Verdict::Finish,
            _ if self.short => Verdict::NeedInput,
            _ if self.by_message_only() && last_message => Verdict::Finish,
            _ => Verdict::Run,
        }
    }

    /// Whether a stream has ended that the block cannot go on without.
    pub(crate) fn is_ended(&self) -> bool {
        self.ended || (self.inputs > 0 && self.drained_inputs == self.inputs)
    }

    /// Whether messages are all that can make the block run.
    #[inline]
    pub(crate) fn by_message_only(&self) -> bool {
        self.inputs == 0 && self.message_inputs > 0
    }

    /// Whether a message may still come, from a block of the graph.
    pub(crate) fn may_get_mail(&self) -> bool {
        self.mail || self.finished_message_inputs < self.connected_message_inputs
    }

    /// Whether no input will bring anything that is not there already.
    pub(crate) fn all_finished(&self) -> bool {
        self.inputs > 0 && self.finished_inputs == self.inputs
    }
}
