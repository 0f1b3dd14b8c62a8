//! How a lane runs a general block.

use super::{BlockSpec, Level, Runnable};
use crate::block::{Context, Failed, Readiness, Step, Verdict, Work};
use crate::error::BlockError;
use crate::graph::PortVisitor;

/// A general block.
pub(super) struct General<W> {
    block: W,
    calls: u64,
    last: Step,
    /// Whether a message ever came.
    had_mail: bool,
    /// Ran last with nothing to take: what it gives is its own.
    is_source: bool,
    /// Whether it ran before any message came: of blocks that only have message inputs, those are sources with knobs.
    drives_itself: bool,
}

impl<W: Work> General<W> {
    /// How many calls one turn takes at most, so that the other blocks of the lane get theirs.
    const CALLS_PER_TURN: usize = 64;

    pub fn new(block: W) -> Self {
        General { block, calls: 0, last: Step::Ran, had_mail: false, is_source: false, drives_itself: false }
    }

    /// One call, or the reason why there is none.
    #[inline]
    fn step(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        let mut readiness = Readiness::default();
        self.block.poll(&mut readiness);
        let by_message_only = readiness.by_message_only();
        self.is_source = readiness.inputs == 0 && !readiness.mail;
        // A stop ends what nothing upstream will end.
        let is_first = readiness.connected_message_inputs == 0 || self.drives_itself;
        match readiness.verdict() {
            Verdict::Unwanted => Ok(Step::Done),
            Verdict::NeedInput => Ok(Step::NeedInput),
            Verdict::NeedOutput => Ok(Step::NeedOutput),
            Verdict::Run if by_message_only && !readiness.mail && is_first && context.is_stopping() => {
                self.finish(context)
            }
            // It said that it waits for a message, and none has come.
            Verdict::Run if by_message_only && !readiness.mail && self.last == Step::NeedInput => {
                Ok(Step::NeedInput)
            }
            Verdict::Run => {
                self.calls += 1;
                self.last = self.block.work(context)?;
                self.had_mail |= readiness.mail;
                self.drives_itself |= self.last == Step::Ran && !self.had_mail;
                match self.last {
                    // What it took may have been the last there will be: nobody would wake it to hear that.
                    Step::NeedInput if readiness.mail && !self.has_mail() => Ok(Step::Ran),
                    Step::NeedInput if readiness.is_ended() || readiness.all_finished() => {
                        self.finish(context)
                    }
                    step => Ok(step),
                }
            }
            Verdict::Finish => self.finish(context),
        }
    }

    fn has_mail(&self) -> bool {
        let mut readiness = Readiness::default();
        self.block.poll(&mut readiness);
        readiness.mail
    }

    fn finish(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        self.calls += 1;
        match self.block.finish(context)? {
            // There is no more input to wait for.
            Step::NeedInput => Ok(Step::Done),
            step => Ok(step),
        }
    }
}

impl<W: Work> Runnable for General<W> {
    fn spec(&self) -> BlockSpec {
        BlockSpec { level: Level::General, ratio: None, in_place: false, blocking: self.block.blocking() }
    }

    fn visit(&mut self, visitor: &mut dyn PortVisitor) {
        self.block.visit(visitor);
    }

    fn run(&mut self, context: &mut Context<'_>) -> Result<Step, Failed> {
        let mut ran = false;
        for _ in 0..Self::CALLS_PER_TURN {
            match self.step(context).map_err(|error| context.failed(error))? {
                Step::Ran => ran = true,
                Step::Later => return Ok(Step::Ran),
                Step::Done => return Ok(Step::Done),
                _ if ran => return Ok(Step::Ran),
                step => return Ok(step),
            }
            // What a source gives is to be taken first: it could go on for ever.
            if context.is_stopping() || self.is_source {
                break;
            }
        }
        Ok(Step::Ran)
    }

    fn calls(&self) -> u64 {
        self.calls
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::message::{MsgIn, MsgOut};
    use crate::stage::AnyBlock;
    use std::sync::{Mutex, atomic::AtomicBool};

    /// Takes all mail and says that it needs more.
    #[derive(crate::Block)]
    struct Listen {
        #[port]
        news: MsgIn,
    }

    impl Work for Listen {
        fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
            while self.news.recv().is_some() {}
            Ok(Step::NeedInput)
        }
    }

    /// Says for ever that the others may go first.
    #[derive(crate::Block)]
    struct Polite {
        #[port]
        news: MsgIn,
        calls: usize,
    }

    impl Work for Polite {
        fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
            self.calls += 1;
            assert_eq!(self.calls, 1, "the others have not had their turn");
            Ok(Step::Later)
        }
    }

    #[test]
    fn a_block_that_lets_the_others_go_first_is_called_once_in_a_turn() {
        let (mut sender, polite) = (MsgOut::new(), Polite { news: MsgIn::new(), calls: 0 });
        sender.connect(polite.news.queue());
        sender.send(1).unwrap();
        let (stopping, parker, verdict) =
            (AtomicBool::new(false), crate::park::Parker::new(), Mutex::new(None));
        let mut context = Context::new(&[], &stopping, &parker, &verdict);
        // It has something to do still, so its worker comes back.
        assert_eq!(AnyBlock::new(polite).0.run(&mut context), Ok(Step::Ran));
    }

    #[test]
    fn a_block_that_takes_the_last_message_hears_that_it_was_the_last() {
        let (mut sender, listen) = (MsgOut::new(), Listen { news: MsgIn::new() });
        sender.connect(listen.news.queue());
        sender.send(1).unwrap();
        sender.finish();
        let (stopping, parker, verdict) =
            (AtomicBool::new(false), crate::park::Parker::new(), Mutex::new(None));
        let mut context = Context::new(&[], &stopping, &parker, &verdict);
        let mut runnable = AnyBlock::new(listen).0;
        // A worker that is told NeedInput may go to sleep, and nobody is left to wake it.
        assert_eq!(runnable.run(&mut context), Ok(Step::Done));
    }
}
