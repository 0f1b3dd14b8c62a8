//! Copies between the device and the memory of the host's streams, which is locked in place for that.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use cudarc::driver::sys;
use superhet_runtime::buffer::{LentItems, LentRoom, StreamMemory};

use super::context::{Context, words};
use super::quiet;
use super::stream::{Event, Stream};
use super::{Cuda, Memory};
use crate::backend::{Direct, Flight, Locked, Place};
use crate::driver::DriverError;

impl Direct<Cuda> for Cuda {
    fn lock(&self, memory: &StreamMemory) -> Result<Box<dyn Locked<Cuda>>, DriverError> {
        Ok(Box::new(Pinned { cuda: self.clone(), registered: Registered::new(&self.context, memory)? }))
    }
}

/// Memory of a stream that is locked in place, until the last copy from or to it is done.
struct Registered {
    memory: StreamMemory,
    context: Arc<Context>,
    /// Those of copies that are done, to be used again.
    events: Mutex<Vec<Event>>,
}

impl Registered {
    fn events(&self) -> MutexGuard<'_, Vec<Event>> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks the memory, unless another user of it in this process has.
    fn new(context: &Arc<Context>, memory: &StreamMemory) -> Result<Arc<Self>, DriverError> {
        static ALL: Mutex<Vec<Weak<Registered>>> = Mutex::new(Vec::new());
        let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|known| known.strong_count() > 0);
        let is_same = |known: &Arc<Registered>| {
            known.memory == *memory && known.context.owns(context, "a stream's memory").is_ok()
        };
        if let Some(known) = all.iter().filter_map(Weak::upgrade).find(is_same) {
            return Ok(known);
        }
        context.enter()?;
        let (start, bytes) = memory.span();
        // SAFETY: The memory stays where it is as long as `memory` lives, which is unlocked before. It is ordinary memory
        // to the host, and stays so.
        let locked = quiet::alone(|| unsafe { sys::cuMemHostRegister_v2(start.cast_mut().cast(), bytes, 0) });
        locked.result().map_err(|error| DriverError::NoMemory {
            device: context.found.name.clone(),
            what: "the locking of a stream's memory",
            bytes,
            reason: words(error),
        })?;
        let (memory, context) = (memory.clone(), Arc::clone(context));
        let registered = Arc::new(Registered { memory, context, events: Mutex::default() });
        all.push(Arc::downgrade(&registered));
        Ok(registered)
    }

    fn owns(&self, other: &StreamMemory) -> Result<(), DriverError> {
        if self.memory == *other {
            return Ok(());
        }
        let (device, reason) = (self.context.found.name.clone(), "it lies in other memory".to_owned());
        Err(DriverError::Call { device, call: "the use of what a stream lends", reason })
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        let unlocked = self.context.enter().and_then(|()| {
            // SAFETY: It was locked by `new`, and every copy that used it kept this alive until it was done.
            quiet::alone(|| unsafe { sys::cuMemHostUnregister(self.memory.span().0.cast_mut().cast()) })
                .result()
                .map_err(self.context.failed("cuMemHostUnregister"))
        });
        if let Err(error) = unlocked {
            tracing::warn!("{error}");
            // What the device may still reach must stay.
            std::mem::forget(self.memory.clone());
        }
    }
}

struct Pinned {
    cuda: Cuda,
    registered: Arc<Registered>,
}

impl Pinned {
    /// Makes a flight of a copy that was just enqueued.
    fn flight<L: Send + 'static>(
        &self,
        stream: &mut Stream,
        lent: L,
    ) -> Result<Box<dyn Flight<L, DriverError>>, DriverError> {
        let known = self.registered.events().pop();
        let event = known.map_or_else(|| Event::new(&self.cuda.context), Ok);
        let recorded = event.and_then(|mut done| stream.record(&mut done).map(|()| done));
        match recorded {
            Ok(done) => Ok(Box::new(OnItsWay(Some((lent, done, self.registered.clone()))))),
            Err(error) => {
                // No event marks the end of the copy, so it must end now, or never.
                if stream.drain().is_err() {
                    std::mem::forget((lent, self.registered.clone()));
                }
                Err(error)
            }
        }
    }
}

impl Locked<Cuda> for Pinned {
    fn upload(
        &self,
        stream: &mut Stream,
        from: LentItems,
        to: &Memory,
        at: usize,
    ) -> Result<Box<dyn Flight<LentItems, DriverError>>, DriverError> {
        let context = &self.cuda.context;
        self.registered.owns(&from.memory())?;
        context.owns(&stream.context, "the use of a stream")?;
        stream.refuse_while_capturing("cuMemcpyHtoDAsync")?;
        let bytes = from.bytes();
        let target = self.cuda.address(Place { memory: to, at }, bytes.len())?;
        context.enter()?;
        if !bytes.is_empty() {
            // SAFETY: The target was checked. The items stay, unchanged, until the flight has landed.
            unsafe { sys::cuMemcpyHtoDAsync_v2(target, bytes.as_ptr().cast(), bytes.len(), stream.handle) }
                .result()
                .map_err(context.failed("cuMemcpyHtoDAsync"))?;
        }
        self.flight(stream, from)
    }

    fn download(
        &self,
        stream: &mut Stream,
        from: &Memory,
        at: usize,
        mut to: LentRoom,
    ) -> Result<Box<dyn Flight<LentRoom, DriverError>>, DriverError> {
        let context = &self.cuda.context;
        self.registered.owns(&to.memory())?;
        context.owns(&stream.context, "the use of a stream")?;
        stream.refuse_while_capturing("cuMemcpyDtoHAsync")?;
        let bytes = to.bytes_mut();
        let source = self.cuda.address(Place { memory: from, at }, bytes.len())?;
        context.enter()?;
        if !bytes.is_empty() {
            // SAFETY: The source was checked. Nobody else has the room until the flight has landed.
            unsafe {
                sys::cuMemcpyDtoHAsync_v2(bytes.as_mut_ptr().cast(), source, bytes.len(), stream.handle)
            }
            .result()
            .map_err(context.failed("cuMemcpyDtoHAsync"))?;
        }
        self.flight(stream, to)
    }
}

/// What is lent, the end of the copy, and the memory that it lies in; nothing once it has landed.
struct OnItsWay<L>(Option<(L, Event, Arc<Registered>)>);

impl<L> OnItsWay<L> {
    fn done(&self) -> &Event {
        let (_, done, _) = self.0.as_ref().expect("a flight lands once, which consumes it");
        done
    }
}

impl<L: Send> Flight<L, DriverError> for OnItsWay<L> {
    fn is_done(&self) -> Result<bool, DriverError> {
        self.done().is_done()
    }

    fn wait(&self) -> Result<(), DriverError> {
        self.done().synchronize()
    }

    fn land(mut self: Box<Self>) -> Result<L, DriverError> {
        self.wait()?;
        let (lent, done, registered) = self.0.take().expect("a flight lands once, which consumes it");
        registered.events().push(done);
        Ok(lent)
    }
}

impl<L> Drop for OnItsWay<L> {
    fn drop(&mut self) {
        // What the device may still use is lost to the process.
        if let Some((lent, done, registered)) = self.0.take()
            && done.synchronize().is_err()
        {
            std::mem::forget((lent, registered));
        }
    }
}
