//! Pure and sync blocks behind one face.

use std::sync::Arc;

use crate::block::erased::{ErasedPure, ErasedState, LinkShape, is_link, link_of};
use crate::block::parameters::{Knobs, LinkChanges, NEVER, Told, block_of};
use crate::block::ports::Ports;
use crate::block::probe::{time_link, time_pure};
use crate::block::runnable::Level;
use crate::block::streams::Streams;
use crate::block::watcher::Seen;
use crate::block::{Pure, Shape, SyncBlock, parameters};
use crate::data::{BlockError, Value};
use crate::stream::settable::PORT;
use crate::stream::visit::PortVisitor;

/// What is asked of pure and sync blocks while plans are made.
pub(in crate::block) trait Asked {
    fn probe(&self) -> Option<f64> {
        None
    }
    fn link(&self) -> Option<Arc<dyn ErasedPure>> {
        None
    }
    /// What a chain knows of the block, if it can be a link of one.
    fn link_shape(&self) -> Option<LinkShape>;
    fn link_changes(&self) -> Option<Arc<dyn LinkChanges>> {
        None
    }
}

/// What pure and sync blocks have in common.
pub(in crate::block) trait Body: Asked + Send {
    type In: Streams;
    type Out: Streams;
    const LEVEL: Level;
    const IN_PLACE: bool;
    /// Whether it can be a link of a chain, and a segment can bring its items. A constant: what only others need is left out then.
    const IS_LINK: bool = is_link::<Self::In, Self::Out>();
    fn shape(&self) -> Shape;
    fn map(&mut self, x: <Self::In as Streams>::Slices<'_>, y: <Self::Out as Streams>::SlicesMut<'_>);
    fn map_in_place(&mut self, y: <Self::Out as Streams>::SlicesMut<'_>);
    fn state(&mut self) -> Option<&mut dyn ErasedState> {
        None
    }
    /// Who sees the tags that it passes on.
    fn seen(&self) -> Seen {
        Seen::default()
    }
    fn recall(&mut self) {}
    /// Whether anything of the block can be changed.
    const HAS_PARAMETERS: bool;
    /// The first item for which a change waits, [`NEVER`] if none does.
    fn next_change(&self) -> u64;
    /// Applies the changes for items up to `position`, which is the next to be taken.
    fn change(&mut self, position: u64) -> Result<(), BlockError>;
    fn visit_parameters(&mut self, visitor: &mut dyn PortVisitor);
    /// Says with which item the block begins.
    fn begin_at(&mut self, index: u64);
}

/// A pure block; shared, so that several workers can run it at once.
pub(in crate::block) struct PureBody<P: Pure> {
    block: Arc<P>,
    knobs: Option<Knobs>,
}

/// A sync block.
pub(in crate::block) struct SyncBody<S: SyncBlock> {
    block: Box<S>,
    knobs: Option<Knobs>,
}

impl<P: Pure> PureBody<P> {
    pub fn new(block: P) -> Self {
        let block = Arc::new(block);
        let mut knobs = None;
        // Where there are none, this code is left out for the block.
        if !P::PARAMETERS.is_empty() {
            knobs = Knobs::of_pure(block.clone(), P::PARAMETERS, P::FORMERLY, P::In::PORTS == 0);
        }
        PureBody { block, knobs }
    }

    /// What the changes that were taken have made of the block.
    fn newest(&self) -> Arc<P> {
        if P::PARAMETERS.is_empty() {
            return self.block.clone();
        }
        let current = self.knobs.as_ref().and_then(|knobs| block_of(knobs.mailbox.current()));
        current.unwrap_or_else(|| self.block.clone())
    }
}

impl<S: SyncBlock> SyncBody<S> {
    pub fn new(block: S) -> Self {
        let mut knobs = None;
        if !S::PARAMETERS.is_empty() {
            let (ratio, is_source) = (block.shape().ratio, S::In::PORTS == 0);
            knobs = Knobs::new(S::PARAMETERS, S::FORMERLY, None, ratio, is_source);
        }
        let body = SyncBody { block: Box::new(block), knobs };
        if let Some(knobs) = &body.knobs {
            knobs.mailbox.tell(told(&*body.block));
        }
        body
    }
}

/// What the parameters are.
fn told<S: SyncBlock>(block: &S) -> Told {
    told_of(S::PARAMETERS, &|name| block.parameter(name))
}

fn told_of(names: &[&'static str], parameter: &dyn Fn(&str) -> Option<Value>) -> Told {
    names.iter().filter_map(|name| Some((*name, parameter(name)?))).collect()
}

macro_rules! delegate {
    ($trait:ident, $level:expr) => {
        type In = B::In;
        type Out = B::Out;
        const LEVEL: Level = $level;
        const IN_PLACE: bool = B::IN_PLACE.is_some();
        fn shape(&self) -> Shape {
            $trait::shape(&*self.block)
        }
        const HAS_PARAMETERS: bool = !B::PARAMETERS.is_empty();
        #[inline(always)]
        fn next_change(&self) -> u64 {
            self.knobs.as_ref().map_or(NEVER, |knobs| knobs.mailbox.next())
        }
        fn visit_parameters(&mut self, visitor: &mut dyn PortVisitor) {
            if let (true, Some(knobs)) = (Self::HAS_PARAMETERS, &mut self.knobs) {
                knobs.visit(PORT, visitor);
            }
        }
        fn begin_at(&mut self, index: u64) {
            if let (true, Some(knobs)) = (Self::HAS_PARAMETERS, &self.knobs) {
                knobs.mailbox.begin_at(index);
            }
        }
    };
}

impl<B: Pure> Asked for PureBody<B> {
    fn probe(&self) -> Option<f64> {
        if Self::IS_LINK { time_link(&*self.block) } else { time_pure(&*self.block) }
    }
    fn link(&self) -> Option<Arc<dyn ErasedPure>> {
        if Self::IS_LINK { link_of(self.newest()) } else { None }
    }
    fn link_shape(&self) -> Option<LinkShape> {
        if !Self::IS_LINK {
            return None;
        }
        LinkShape::of_link::<B::In, B::Out>(&Body::shape(self), Self::IN_PLACE, false)
    }
    fn link_changes(&self) -> Option<Arc<dyn LinkChanges>> {
        if Self::HAS_PARAMETERS { Some(self.knobs.as_ref()?.mailbox.clone()) } else { None }
    }
}

impl<B: Pure> Body for PureBody<B> {
    delegate!(Pure, Level::Pure);
    #[inline]
    fn map(&mut self, x: <B::In as Streams>::Slices<'_>, y: <B::Out as Streams>::SlicesMut<'_>) {
        self.block.map(x, y);
    }
    #[inline]
    fn map_in_place(&mut self, y: <B::Out as Streams>::SlicesMut<'_>) {
        if let Some(map) = B::IN_PLACE {
            map(&self.block, y);
        }
    }
    fn change(&mut self, position: u64) -> Result<(), BlockError> {
        if let (true, Some(knobs)) = (Self::HAS_PARAMETERS, &self.knobs)
            && let Some(version) = knobs.take_version(position)
        {
            self.block = block_of(version).ok_or_else(parameters::of_another_block)?;
        }
        Ok(())
    }
    fn recall(&mut self) {
        if Self::HAS_PARAMETERS {
            self.block = self.newest();
        }
    }
}

impl<B: SyncBlock> Asked for SyncBody<B> {
    fn link_shape(&self) -> Option<LinkShape> {
        if !Self::IS_LINK {
            return None;
        }
        LinkShape::of_link::<B::In, B::Out>(&Body::shape(self), Self::IN_PLACE, true)
    }
}

impl<B: SyncBlock> Body for SyncBody<B> {
    delegate!(SyncBlock, Level::Sync);
    #[inline]
    fn map(&mut self, x: <B::In as Streams>::Slices<'_>, y: <B::Out as Streams>::SlicesMut<'_>) {
        self.block.process(x, y);
    }
    #[inline]
    fn map_in_place(&mut self, y: <B::Out as Streams>::SlicesMut<'_>) {
        if let Some(process) = B::IN_PLACE {
            process(&mut self.block, y);
        }
    }
    fn change(&mut self, position: u64) -> Result<(), BlockError> {
        if !Self::HAS_PARAMETERS {
            return Ok(());
        }
        let Some(knobs) = &self.knobs else { return Ok(()) };
        let (shape, block) = (self.block.shape(), &mut *self.block);
        knobs.apply(position, &mut |change| match change {
            Some((name, value)) => (Told::new(), block.set_parameter(name, value)),
            // An error ends the graph, since nothing is planned for what the block is then.
            None if !block.shape().fits(&shape) => (told(block), Err(parameters::changed_shape())),
            None => (told(block), Ok(())),
        })
    }
    fn state(&mut self) -> Option<&mut dyn ErasedState> {
        if Self::IS_LINK { Some(self) } else { None }
    }
}

impl<S: SyncBlock> SyncBody<S> {
    /// Cuts `steps` steps where changes of parameters hold from; the first begins at item `at`.
    #[inline]
    fn for_each_part(
        &mut self,
        at: u64,
        steps: usize,
        mut call: impl FnMut(&mut S, usize, usize),
    ) -> Result<(), BlockError> {
        if !Self::HAS_PARAMETERS {
            if steps > 0 {
                call(&mut self.block, 0, steps);
            }
            return Ok(());
        }
        let ratio = Body::shape(self).ratio;
        let step = if S::In::PORTS == 0 { ratio.interpolation } else { ratio.decimation } as u64;
        let mut start = 0;
        while start < steps {
            let position = at + start as u64 * step;
            if self.next_change() <= position {
                self.change(position)?;
            }
            let until_change = self.next_change().saturating_sub(position) / step;
            let n = usize::try_from(until_change).unwrap_or(usize::MAX).clamp(1, steps - start);
            call(&mut self.block, start, start + n);
            start += n;
        }
        Ok(())
    }
}

impl<S: SyncBlock> ErasedState for SyncBody<S> {
    fn process(&mut self, at: u64, x: &[u8], y: &mut [u8]) -> Result<(), BlockError> {
        let shape = LinkShape::new::<S::In, S::Out>(&Body::shape(self), false);
        let (taken, given) =
            (shape.ratio.decimation * shape.in_bytes, shape.ratio.interpolation * shape.out_bytes);
        let history = shape.history * shape.in_bytes;
        self.for_each_part(at, shape.steps(x, y), |block, start, end| {
            // The last step may not be whole.
            let (x_end, y_end) = (x.len().min(history + end * taken), y.len().min(end * given));
            let x = S::In::slices_of(&x[start * taken..x_end]);
            if let (Some(x), Some(y)) = (x, S::Out::slices_of_mut(&mut y[start * given..y_end])) {
                block.process(x, y);
            }
        })
    }

    fn process_in_place(&mut self, at: u64, y: &mut [u8]) -> Result<(), BlockError> {
        let Some(process) = S::IN_PLACE else { return Ok(()) };
        let item = LinkShape::new::<S::In, S::Out>(&Shape::default(), true).out_bytes;
        self.for_each_part(at, y.len() / item.max(1), |block, start, end| {
            if let Some(y) = S::Out::slices_of_mut(&mut y[start * item..end * item]) {
                process(block, y);
            }
        })
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use std::sync::Mutex;
    use std::sync::atomic::AtomicBool;

    use super::super::regular::Regular;
    use super::*;
    use crate::block::Context;
    use crate::block::runnable::Runnable;
    use crate::data::{ItemType, Value};
    use crate::stream::buffer::{ReadEnd, RingReader, RingSpec, ring};
    use crate::stream::port::AnyIn;
    use crate::stream::settable::Settable;
    use crate::wake::Parker;

    #[derive(Clone)]
    struct Gain(u32);

    impl Pure for Gain {
        type In = u32;
        type Out = u32;
        const PARAMETERS: &'static [&'static str] = &["gain"];
        fn with_parameter(&self, _: &str, value: &Value) -> Result<Self, BlockError> {
            Ok(Gain(value.as_u64().ok_or("expected a whole number")? as u32))
        }
        fn map(&self, x: &[u32], y: &mut [u32]) {
            y.copy_from_slice(x);
        }
    }

    /// Keeps its gain for each item.
    #[derive(Clone)]
    struct Keep {
        gain: Gain,
        kept: Arc<Mutex<Vec<u32>>>,
    }

    impl Pure for Keep {
        type In = u32;
        type Out = ();
        const PARAMETERS: &'static [&'static str] = Gain::PARAMETERS;
        fn with_parameter(&self, name: &str, value: &Value) -> Result<Self, BlockError> {
            Ok(Keep { gain: self.gain.with_parameter(name, value)?, kept: self.kept.clone() })
        }
        fn map(&self, x: &[u32], (): ()) {
            self.kept.lock().unwrap().extend(x.iter().map(|_| self.gain.0));
        }
    }

    struct Join(Option<RingReader>);

    impl PortVisitor for Join {
        fn input(&mut self, _: &str, port: &mut dyn AnyIn) {
            *port.raw().end = ReadEnd::Ring(self.0.take().unwrap());
        }
    }

    #[test]
    fn loom_a_change_that_was_asked_for_before_an_item_came_holds_for_it() {
        loom::model(|| {
            let kept = Arc::new(Mutex::new(Vec::new()));
            let body = PureBody::new(Keep { gain: Gain(1), kept: kept.clone() });
            let Some(knobs) = &body.knobs else { unreachable!("it has a parameter") };
            let mailbox = knobs.mailbox.clone();
            let spec = RingSpec {
                capacity: 8,
                writer_min: 1,
                reader_min: 1,
                histories: vec![0],
                ..RingSpec::default()
            };
            let (mut writer, mut readers) = ring(ItemType::of::<u32>(), &spec, None).unwrap();
            let mut block = Regular::new(body);
            block.visit(&mut Join(readers.remove(0)));
            let other = loom::thread::spawn(move || {
                mailbox.set(vec![("gain", 2.into())], None).unwrap();
                writer.produce(1);
                writer
            });
            let (stopping, parker, verdict) = (AtomicBool::new(false), Parker::new(), Mutex::new(None));
            let mut context = Context::new(&[], &stopping, &parker, &verdict);
            block.run(&mut context).unwrap();
            let _writer = other.join().unwrap();
            block.run(&mut context).unwrap();
            assert_eq!(*kept.lock().unwrap(), [2]);
        });
    }

    #[test]
    fn loom_a_block_that_leaves_a_chain_goes_on_as_what_was_asked_for() {
        loom::model(|| {
            let mut body = PureBody::new(Gain(1));
            let Some(knobs) = &body.knobs else { unreachable!("it has a parameter") };
            let mailbox = knobs.mailbox.clone();
            mailbox.set(vec![("gain", 2.into())], Some(1)).unwrap();
            let asked = loom::thread::spawn(move || mailbox.set(vec![("gain", 3.into())], Some(5)).unwrap());
            // A chain takes the items before 4, a lane those from there on.
            let taken = body.link_changes().map(|changes| changes.take(0, 4)).unwrap();
            assert_eq!(taken.iter().map(|(from, _)| *from).collect::<Vec<_>>(), [1]);
            body.recall();
            let mut gains = Vec::new();
            for position in 4..7 {
                if body.next_change() <= position {
                    body.change(position).unwrap();
                }
                gains.push(body.block.0);
            }
            let from = asked.join().unwrap().index().unwrap_or(7);
            let wanted: Vec<u32> = (4..7).map(|position| if position < from { 2 } else { 3 }).collect();
            assert_eq!(gains, wanted);
        });
    }
}
