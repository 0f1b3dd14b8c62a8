//! How a lane runs a general block.

use crate::block::runnable::{BlockSpec, Level, Question, Runnable};
use crate::block::{Context, Failed, Step, Work};
use crate::data::{BlockError, Ratio};
use crate::stream::buffer::{Runner, has_shown};
use crate::stream::port::{AnyIn, AnyOut};
use crate::stream::readiness::{Readiness, Verdict};
use crate::stream::visit::PortVisitor;

/// A general block. It has nothing of the block's type, so that how it is run is compiled once and not for each block.
pub(in crate::block) struct General {
    block: Box<dyn Called>,
    runner: Runner,
    past: Past,
}

/// What is known of a block's calls.
struct Past {
    calls: u64,
    /// How often the block said that it ran.
    said_ran: u64,
    last: Step,
    /// Whether a message ever came.
    had_mail: bool,
    /// Ran last with nothing to take: what it gives is its own.
    is_source: bool,
    /// Whether it ran before any message came: of blocks that only have message inputs, those are sources with knobs.
    drives_itself: bool,
}

/// What to do with a block next.
enum Act {
    Work,
    Finish,
    Return(Step),
}

/// Whether nothing will come any more.
fn has_ended(readiness: &Readiness) -> bool {
    readiness.is_ended() || readiness.all_finished()
}

impl Past {
    /// What to do with a block that is as ready as that.
    fn decide(&mut self, readiness: &Readiness, context: &Context<'_>) -> Act {
        let by_message_only = readiness.by_message_only();
        self.is_source = readiness.inputs == 0 && !readiness.mail;
        // A stop ends what nothing upstream will end.
        let is_first = readiness.connected_message_inputs == 0 || self.drives_itself;
        let is_silent = self.last == Step::NeedMessage && !readiness.mail;
        match readiness.verdict() {
            Verdict::Unwanted => Act::Return(Step::Done),
            Verdict::NeedInput => Act::Return(Step::NeedInput),
            Verdict::NeedOutput => Act::Return(Step::NeedOutput),
            Verdict::Run if by_message_only && !readiness.mail && is_first && context.is_stopping() => {
                Act::Finish
            }
            Verdict::Run | Verdict::Finish if is_silent && readiness.may_get_mail() => {
                Act::Return(Step::NeedInput)
            }
            // The message that it waits for will not come from a block.
            Verdict::Run if is_silent && (has_ended(readiness) || readiness.connected_message_inputs > 0) => {
                Act::Finish
            }
            Verdict::Run if is_silent => Act::Return(Step::NeedInput),
            // It said that it waits for a message, and none has come.
            Verdict::Run if by_message_only && !readiness.mail && self.last == Step::NeedInput => {
                Act::Return(Step::NeedInput)
            }
            Verdict::Run => Act::Work,
            Verdict::Finish => Act::Finish,
        }
    }

    /// Notes what a call has shown, and gives what it returned.
    #[inline]
    fn settle(&mut self, readiness: &Readiness) -> Step {
        self.had_mail |= readiness.mail;
        self.drives_itself |= self.last == Step::Ran && !self.had_mail;
        self.last
    }
}

/// A block without its type. Each of its functions is a pointer for each block, so that there are few.
trait Called: Send {
    fn readiness(&self) -> Readiness;
    fn call_work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError>;
    fn call_finish(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError>;
    fn show(&mut self, visitor: &mut dyn PortVisitor);
    /// Its ratio, and whether it waits for the outside world.
    fn ratio_and_blocking(&self) -> (Option<Ratio>, bool);
}

impl<W: Work> Called for W {
    fn readiness(&self) -> Readiness {
        let mut readiness = Readiness::default();
        self.poll(&mut readiness);
        readiness
    }

    fn call_work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        self.work(context)
    }

    fn call_finish(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        self.finish(context)
    }

    fn show(&mut self, visitor: &mut dyn PortVisitor) {
        self.visit(visitor);
    }

    fn ratio_and_blocking(&self) -> (Option<Ratio>, bool) {
        (self.ratio(), self.blocking())
    }
}

/// Whether the block has taken items since it was as ready as that, and could take others.
fn has_more_than(block: &dyn Called, before: &Readiness) -> bool {
    let now = block.readiness();
    now.taken != before.taken && now.verdict() == Verdict::Run
}

impl Past {
    /// How many calls one turn takes at most, so that the other blocks of the lane get theirs.
    const CALLS_PER_TURN: usize = 64;

    /// One call, or the reason why there is none.
    fn step(&mut self, block: &mut dyn Called, context: &mut Context<'_>) -> Result<Step, BlockError> {
        let readiness = block.readiness();
        match self.decide(&readiness, context) {
            Act::Return(step) => Ok(step),
            Act::Finish => self.finish(block, context),
            Act::Work => {
                self.calls += 1;
                self.last = block.call_work(context)?;
                match self.settle(&readiness) {
                    // What it took may have been the last there will be: nobody would wake it to hear that.
                    Step::NeedInput | Step::NeedMessage if readiness.mail && !block.readiness().mail => {
                        Ok(Step::Ran)
                    }
                    Step::NeedMessage => Ok(Step::NeedInput),
                    // It has taken all that it saw, a strip, and more waits: that may be the last there will be, too.
                    Step::NeedInput if has_more_than(block, &readiness) => Ok(Step::Ran),
                    Step::NeedInput if has_ended(&readiness) => self.finish(block, context),
                    step => Ok(step),
                }
            }
        }
    }

    fn finish(&mut self, block: &mut dyn Called, context: &mut Context<'_>) -> Result<Step, BlockError> {
        self.calls += 1;
        self.last = block.call_finish(context)?;
        match self.last {
            Step::NeedMessage if block.readiness().may_get_mail() => Ok(Step::NeedInput),
            // There is no more input to wait for, and no message.
            Step::NeedInput | Step::NeedMessage => Ok(Step::Done),
            step => Ok(step),
        }
    }

    /// Runs the block for about a strip.
    #[inline(never)]
    fn turn(&mut self, block: &mut dyn Called, context: &mut Context<'_>) -> Result<Step, Failed> {
        let mut ran = false;
        for _ in 0..Self::CALLS_PER_TURN {
            match self.step(block, context).map_err(|error| context.failed(error))? {
                Step::Ran => {
                    self.said_ran += 1;
                    ran = true;
                }
                Step::Later => {
                    self.said_ran += 1;
                    return Ok(Step::Ran);
                }
                Step::Done => return Ok(Step::Done),
                _ if ran => return Ok(Step::Ran),
                step => return Ok(step),
            }
            // What a source gives is to be taken first: it could go on for ever.
            if context.is_stopping()
                || self.is_source
                || context.share.is_some_and(|share| share.is_through())
            {
                break;
            }
        }
        Ok(Step::Ran)
    }
}

impl General {
    pub fn new<W: Work>(block: W) -> Self {
        General::of(Box::new(block))
    }

    #[inline(never)]
    fn of(block: Box<dyn Called>) -> Self {
        General {
            block,
            runner: Runner::new(),
            past: Past {
                calls: 0,
                said_ran: 0,
                last: Step::Ran,
                had_mail: false,
                is_source: false,
                drives_itself: false,
            },
        }
    }
}

/// Changes the ends of all ports that it meets, so that nobody looks at what they have shown.
struct Settle;

impl PortVisitor for Settle {
    fn input(&mut self, _: &str, port: &mut dyn AnyIn) {
        let raw = port.raw();
        if raw.is_mine() {
            raw.end.settle();
        }
    }
    fn output(&mut self, _: &str, _: &mut dyn AnyOut) {}
}

impl Runnable for General {
    fn spec(&self) -> BlockSpec {
        let (ratio, blocking) = self.block.ratio_and_blocking();
        BlockSpec { level: Level::General, ratio, in_place: false, blocking }
    }

    fn visit(&mut self, visitor: &mut dyn PortVisitor) {
        let _as_block = self.runner.enter();
        self.block.show(visitor);
    }

    fn answer(&self, question: Question<'_>) {
        if let Question::Runner(runner) = question {
            *runner = self.runner;
        }
    }

    fn run(&mut self, context: &mut Context<'_>) -> Result<Step, Failed> {
        let _as_block = self.runner.enter();
        let step = self.past.turn(&mut *self.block, context);
        // It has looked at items and left them: see `stream/buffer/scratch/mod.rs`.
        if has_shown() {
            self.block.show(&mut Settle);
        }
        step
    }

    fn calls(&self) -> u64 {
        self.past.calls
    }

    fn said_ran(&self) -> u64 {
        self.past.said_ran
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::block::runnable::AnyBlock;
    use crate::stream::message::{MsgIn, MsgOut};
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
            (AtomicBool::new(false), crate::wake::Parker::new(), Mutex::new(None));
        let mut context = Context::new(&[], &stopping, &parker, &verdict);
        // It has something to do still, so its worker comes back.
        assert_eq!(AnyBlock::new(polite).0.run(&mut context), Ok(Step::Ran));
    }

    /// Gives an item for each message, and asks for the message by an item that it takes.
    #[derive(crate::Block)]
    struct Ask {
        #[port]
        input: crate::stream::port::In<u32>,
        #[port]
        answers: MsgIn,
        #[port]
        questions: MsgOut,
        #[port]
        output: crate::stream::port::Out<u32>,
        asked: bool,
    }

    impl Work for Ask {
        fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
            if self.asked {
                let Some(answer) = self.answers.recv() else { return Ok(Step::NeedMessage) };
                self.output.reserve()[0] = answer.as_u64().unwrap_or(0) as u32;
                self.output.produce(1);
                self.asked = false;
                return Ok(Step::Ran);
            }
            let Some(item) = self.input.peek().first() else { return Ok(Step::NeedInput) };
            self.questions.send(u64::from(*item))?;
            self.input.consume(1);
            self.asked = true;
            Ok(Step::Ran)
        }
        fn finish(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
            if self.asked { self.work(context) } else { Ok(Step::Done) }
        }
    }

    /// Answers each message, but for one, by ten times it.
    #[derive(crate::Block)]
    struct Answer {
        #[port]
        questions: MsgIn,
        #[port]
        answers: MsgOut,
        not: u64,
    }

    impl Work for Answer {
        fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
            let Some(question) = self.questions.recv() else { return Ok(Step::NeedInput) };
            match question.as_u64() {
                Some(number) if number != self.not => self.answers.send(10 * number)?,
                _ => return Ok(Step::Done),
            }
            Ok(Step::Ran)
        }
    }

    fn ask(not: u64, scheduler: &dyn crate::Scheduler) -> Vec<u32> {
        let mut graph = crate::Graph::new();
        let (input, output) = (crate::stream::port::In::new(), crate::stream::port::Out::new());
        let (answers, questions) = (MsgIn::new(), MsgOut::new());
        let source = graph.add("source", crate::harness::VecSource::new(vec![1, 2, 3]));
        let ask = graph.add("ask", Ask { input, answers, questions, output, asked: false });
        let answer = graph.add("answer", Answer { questions: MsgIn::new(), answers: MsgOut::new(), not });
        let sink = crate::harness::VecSink::<u32>::new();
        let items = sink.items();
        let sink = graph.add("sink", sink);
        graph.connect(source.output, ask.input);
        graph.connect(ask.questions, answer.questions);
        graph.connect(answer.answers, ask.answers);
        graph.connect(ask.output, sink.input);
        graph.check().unwrap().start(scheduler, &crate::Options::default()).unwrap().wait().unwrap();
        items.take()
    }

    #[test]
    fn a_block_that_waits_for_a_message_outlives_its_streams_and_not_its_senders() {
        for _ in 0..20 {
            for scheduler in [&crate::Single as &dyn crate::Scheduler, &crate::Threads] {
                assert_eq!(ask(0, scheduler), [10, 20, 30]);
                assert_eq!(ask(3, scheduler), [10, 20]);
            }
        }
    }

    #[test]
    fn a_block_that_takes_the_last_message_hears_that_it_was_the_last() {
        let (mut sender, listen) = (MsgOut::new(), Listen { news: MsgIn::new() });
        sender.connect(listen.news.queue());
        sender.send(1).unwrap();
        sender.finish();
        let (stopping, parker, verdict) =
            (AtomicBool::new(false), crate::wake::Parker::new(), Mutex::new(None));
        let mut context = Context::new(&[], &stopping, &parker, &verdict);
        let mut runnable = AnyBlock::new(listen).0;
        // A worker that is told NeedInput may go to sleep, and nobody is left to wake it.
        assert_eq!(runnable.run(&mut context), Ok(Step::Done));
    }
}
