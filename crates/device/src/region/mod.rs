//! Blocks of one device that streams connect, run together: batches come from the host, go through kernels, and go back.
//!
//! ```text
//!   host stream                              device                                     host stream
//!  ═══════════> frame ─upload─> slots ─kernel─> slots ─kernel─> slots ─download─> frame ═══════════>
//!                 (1)            (2)                                                (3)
//! ```
//!
//! Each arrow is enqueued in a stream of its own, so that both directions and the kernels overlap. The region's thread only
//! enqueues. Waiting happens on the device, by events (see [`ring`]). The host waits when
//!
//! 1. it would fill a frame whose copy is still on its way, as many batches old as there are frames,
//! 2. never,
//! 3. there is nothing to do but to give to the host's blocks a batch that is still on its way.
//!
//! Where the driver copies from and to the memory of the host's streams, there are no frames. The streams lend the memory
//! to be copied, and get it back when the copy is done (see [`direct`]).
//!
//! A batch is as large as the stream allows. An idle device gets whatever is there, even if it is less. So the load decides
//! how long batches are, and nothing waits for more items.
//!
//! Where the driver captures, whole batches go through all blocks at once, and are replayed: see [`joint`].

mod build;
mod direct;
mod download;
mod joint;
mod member;
mod ring;
mod staging;
#[cfg(test)]
mod tests;
mod upload;

use std::sync::Arc;

use superhet_runtime::port::{BlockId, PortVisitor};
use superhet_runtime::{Block, BlockError, Context, Readiness, Step, Work};

use crate::backend::Backend;
use crate::counters::Counters;
use download::Download;
use joint::JointRuns;
use member::{Member, of_block};
use ring::Ring;
use upload::Upload;

/// Blocks of one device, as one block of the host.
pub(crate) struct Region<B: Backend> {
    backend: Arc<B>,
    counters: Arc<Counters>,
    rings: Vec<Ring<B>>,
    members: Vec<Member<B>>,
    uploads: Vec<Upload<B>>,
    downloads: Vec<Download<B>>,
    /// None where the blocks gain more from running one by one.
    joint: Option<JointRuns<B>>,
    /// How many batches a stream of the host may lend at once. `None` once that is decided.
    may_lend: Option<usize>,
}

impl<B: Backend> Region<B> {
    /// Whether the device has nothing to do, as far as is known.
    fn is_idle(&mut self) -> bool {
        let downloads = self.downloads.iter().all(|download| download.is_done || download.items.is_empty());
        downloads && self.uploads.iter().all(|upload| upload.way.on_their_way() == 0)
    }

    /// Does everything once that needs no wait. Returns whether there was anything to do.
    fn sweep(&mut self, is_stopping: bool) -> Result<bool, BlockError> {
        let (backend, counters) = (self.backend.clone(), self.counters.clone());
        let rings = &mut self.rings;
        let mut moved = false;
        for download in &mut self.downloads {
            let given = download.give(&*backend, &mut rings[download.ring]);
            moved |= given.map_err(of_block(&download.member))?;
        }
        for upload in &mut self.uploads {
            upload.collect(&backend).map_err(of_block(&upload.member))?;
        }
        let is_idle = self.is_idle();
        let rings = &mut self.rings;
        for upload in &mut self.uploads {
            let sent = upload.step(&*backend, &mut rings[upload.ring], is_idle, &counters);
            moved |= sent.map_err(of_block(&upload.member))?;
        }
        let members = &mut self.members;
        let joint = match &mut self.joint {
            Some(joint) => joint.run(&*backend, &counters, rings, members, self.downloads.len())?,
            None => None,
        };
        match joint {
            Some(has_run) => moved |= has_run,
            None => {
                if let Some(joint) = &mut self.joint {
                    joint.separate(&*backend, members)?;
                }
                for member in &mut self.members {
                    let ran = member.step(&*backend, &mut self.rings, is_stopping, &counters);
                    moved |= ran.map_err(of_block(&member.name))?;
                }
            }
        }
        let rings = &mut self.rings;
        for download in &mut self.downloads {
            let asked = download.step(&*backend, &mut rings[download.ring], &counters);
            moved |= asked.map_err(of_block(&download.member))?;
        }
        Ok(moved)
    }

    /// Waits for the device if the region can wait for nothing else. Returns whether it waited.
    fn wait_for_device(&mut self) -> Result<bool, BlockError> {
        let (backend, counters) = (&*self.backend, &*self.counters);
        for download in &mut self.downloads {
            if download.is_waiting_for_device() {
                counters.host_waits.add(1);
                download.way.wait(backend).map_err(of_block(&download.member))?;
                download.has_arrived = true;
                return Ok(true);
            }
        }
        // Streams that have ended count, too: others may wait until the device is idle.
        for upload in &mut self.uploads {
            if upload.way.on_their_way() > 0 {
                counters.host_waits.add(1);
                upload.way.wait(backend).map_err(of_block(&upload.member))?;
                return Ok(true);
            }
        }
        for member in &self.members {
            if let Some(event) = member.oldest_run()
                && !backend.is_done(event).map_err(of_block(&member.name))?
            {
                counters.host_waits.add(1);
                backend.synchronize(event).map_err(of_block(&member.name))?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Lets the host's streams lend the memory to be copied, where that is possible. The first step decides this, since the
    /// streams have their memory by then.
    fn settle(&mut self) -> Result<(), BlockError> {
        let Some(most) = self.may_lend.take() else { return Ok(()) };
        for upload in &mut self.uploads {
            let settled = upload.settle(&self.backend, &self.rings[upload.ring], most);
            settled.map_err(of_block(&upload.member))?;
        }
        for download in &mut self.downloads {
            let settled = download.settle(&self.backend, &self.rings[download.ring], most);
            settled.map_err(of_block(&download.member))?;
        }
        Ok(())
    }

    fn advance(&mut self, is_stopping: bool) -> Result<Step, BlockError> {
        self.settle()?;
        if self.sweep(is_stopping)? || self.wait_for_device()? {
            return Ok(Step::Ran);
        }
        let is_done = self.members.iter().all(|member| member.is_done)
            && self.downloads.iter().all(|download| download.is_done);
        if is_done {
            self.drain()?;
            return Ok(Step::Done);
        }
        let is_full = self
            .downloads
            .iter()
            .any(|download| !download.is_done && (download.has_arrived || download.lacks_room));
        Ok(if is_full { Step::NeedOutput } else { Step::NeedInput })
    }

    /// Waits until the device has done everything, so that its last error is heard.
    fn drain(&mut self) -> Result<(), BlockError> {
        let backend = &*self.backend;
        for member in &mut self.members {
            backend.drain(&mut member.stream).map_err(of_block(&member.name))?;
        }
        if let (Some(joint), Some(first)) = (&mut self.joint, self.members.first()) {
            joint.drain(backend).map_err(of_block(&first.name))?;
        }
        Ok(())
    }
}

impl<B: Backend> Block for Region<B> {
    type Ports = ();

    fn visit(&mut self, visitor: &mut dyn PortVisitor) {
        self.uploads.iter_mut().for_each(|upload| upload.port.visit(&upload.name, visitor));
        for member in &mut self.members {
            if let Some(desk) = &mut member.desk {
                desk.visit(&member.set_port, visitor);
            }
        }
        self.downloads.iter_mut().for_each(|download| download.port.visit(&download.name, visitor));
    }

    fn poll(&self, readiness: &mut Readiness) {
        self.uploads.iter().for_each(|upload| upload.port.poll(readiness));
        self.downloads.iter().for_each(|download| download.port.poll(readiness));
    }

    fn ports(&self, _: BlockId) {}
}

impl<B: Backend> Work for Region<B> {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        self.advance(context.is_stopping())
    }

    fn finish(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        self.advance(context.is_stopping())
    }

    /// It waits for the device.
    fn blocking(&self) -> bool {
        true
    }
}
