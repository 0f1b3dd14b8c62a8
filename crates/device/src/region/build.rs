//! Makes a region: finds the streams between its blocks, and gets what they need on the device.

use std::collections::VecDeque;
use std::sync::Arc;

use superhet_runtime::domain::{Feed, Member as Joined};
use superhet_runtime::{BlockError, parameter::Desk};

use super::Region;
use super::download::Download;
use super::joint::JointRuns;
use super::member::{Member, Read};
use super::ring::{Need, Ring};
use super::staging::Way;
use super::upload::Upload;
use crate::backend::{Backend, Transfer};
use crate::counters::Counters;
use crate::part::{Part, Shape, Work};
use crate::ports::{HostIn, HostOut};
use crate::settings::{Settings, Ways};
use crate::streams::HostEnds;

/// Where a stream of a region comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Writer {
    /// From the host: the stream of this number.
    Host(usize),
    /// From an output of a block.
    Member { member: usize, output: usize },
}

/// A stream of a region.
#[derive(Debug)]
pub(super) struct Stream {
    writer: Writer,
    item_bytes: usize,
    /// The most items of a batch.
    capacity: usize,
    /// What each of its readers needs.
    needs: Vec<Need>,
}

/// A block as it came, taken apart.
struct Piece<B: Backend> {
    name: String,
    work: Box<dyn Work<B>>,
    shape: Shape,
    ends: HostEnds,
    desk: Option<Desk>,
    feeds: Vec<Feed>,
    reaches_host: Vec<bool>,
}

/// Where the ports of each block lead, by the streams' places.
#[derive(Debug, Default)]
pub(super) struct Wiring {
    pub streams: Vec<Stream>,
    inputs: Vec<Vec<Read>>,
    outputs: Vec<Vec<usize>>,
    /// Per block and output, as which reader the host reads it.
    downloads: Vec<Vec<Option<Read>>>,
}

impl Wiring {
    /// How many operations lie one behind the other on the longest way: upload, kernels, download. With so many batches
    /// on their way each of them can be at work on one.
    fn stages(&self) -> usize {
        let mut behind = vec![1; self.streams.len()];
        for (inputs, outputs) in self.inputs.iter().zip(&self.outputs) {
            let longest = inputs.iter().map(|read| behind[read.ring]).max().unwrap_or(0);
            outputs.iter().for_each(|&ring| behind[ring] = longest + 1);
        }
        behind.into_iter().max().unwrap_or(1) + 1
    }
}

/// Interpolation may make a stream's batches so many times longer than those from the host, at most.
const MOST_INTERPOLATION: usize = 4;

impl Wiring {
    fn of<B: Backend>(pieces: &[Piece<B>], batch: usize) -> Result<Self, BlockError> {
        let mut wiring = Wiring::default();
        for (member, piece) in pieces.iter().enumerate() {
            let outputs = piece.ends.out_bytes.iter().enumerate();
            let places =
                outputs.map(|(output, &bytes)| wiring.stream_of(Writer::Member { member, output }, bytes));
            let places = places.collect();
            wiring.outputs.push(places);
        }
        for piece in pieces {
            let (history, decimation) = (piece.shape.history, piece.shape.ratio.decimation);
            let need = Need { history, decimation, is_download: false };
            let mut reads = Vec::new();
            for (feed, &bytes) in piece.feeds.iter().zip(&piece.ends.in_bytes) {
                let writer = match *feed {
                    Feed::Host(number) => Writer::Host(number),
                    Feed::Member { member, output } => Writer::Member { member, output },
                    Feed::Unconnected => {
                        return Err(format!("{} has an input that nothing feeds", piece.name).into());
                    }
                };
                let ring = wiring.stream_of(writer, bytes);
                reads.push(wiring.streams[ring].read(ring, need));
            }
            wiring.inputs.push(reads);
        }
        for (member, piece) in pieces.iter().enumerate() {
            let host = Need { history: 0, decimation: 1, is_download: true };
            let outputs = piece.reaches_host.iter().zip(&wiring.outputs[member]);
            let downloads = outputs
                .map(|(&reaches, &ring)| reaches.then(|| wiring.streams[ring].read(ring, host)))
                .collect();
            wiring.downloads.push(downloads);
        }
        wiring.set_capacities(pieces, batch);
        Ok(wiring)
    }

    /// The place of the stream that comes from there.
    fn stream_of(&mut self, writer: Writer, item_bytes: usize) -> usize {
        let known = self.streams.iter().position(|stream| stream.writer == writer);
        known.unwrap_or_else(|| {
            self.streams.push(Stream { writer, item_bytes, capacity: 0, needs: Vec::new() });
            self.streams.len() - 1
        })
    }

    /// How many items a batch of each stream has at most. The blocks are in the order in which they feed each other.
    fn set_capacities<B: Backend>(&mut self, pieces: &[Piece<B>], batch: usize) {
        for stream in self.streams.iter_mut().filter(|stream| matches!(stream.writer, Writer::Host(_))) {
            let whole = stream.needs.iter().map(|need| need.decimation).max().unwrap_or(1);
            stream.capacity = batch.max(whole) / whole * whole;
        }
        for (piece, (inputs, outputs)) in pieces.iter().zip(self.inputs.iter().zip(&self.outputs)) {
            let ratio = piece.shape.ratio;
            let most = |read: &Read| {
                let stream = &self.streams[read.ring];
                stream.capacity.div_ceil(ratio.decimation)
            };
            let rounds = inputs.iter().map(most).min().unwrap_or(batch / ratio.interpolation);
            let limit = (MOST_INTERPOLATION * batch / ratio.interpolation).max(1);
            let capacity = rounds.clamp(1, limit) * ratio.interpolation;
            outputs.iter().for_each(|&ring| self.streams[ring].capacity = capacity);
        }
    }
}

impl Stream {
    /// Whether a block of the region writes it.
    pub fn is_ours(&self) -> bool {
        matches!(self.writer, Writer::Member { .. })
    }

    /// Adds a reader.
    fn read(&mut self, ring: usize, need: Need) -> Read {
        self.needs.push(need);
        Read { ring, reader: self.needs.len() - 1 }
    }
}

impl<B: Backend> Region<B> {
    /// Compiles the blocks' kernels, and gets memory and streams for them.
    pub fn new(
        backend: Arc<B>,
        settings: Settings,
        ways: Ways,
        counters: Arc<Counters>,
        joined: Vec<Joined>,
    ) -> Result<Self, BlockError> {
        let pieces: Vec<_> =
            joined.into_iter().map(|joined| piece(&*backend, joined)).collect::<Result<_, _>>()?;
        let wiring = Wiring::of(&pieces, settings.batch)?;
        let frames = settings.depth.max(wiring.stages());
        let lends = ways.may_lend && backend.direct().is_some();
        // Where streams may lend, no staging memory is allocated here. Streams that turn out unable to lend get theirs
        // later.
        let staged = if lends { 0 } else { frames };
        let ring = |stream: &Stream| {
            Ring::new(&*backend, stream.item_bytes, stream.capacity, settings.depth, &stream.needs)
        };
        let rings = wiring.streams.iter().map(ring).collect::<Result<_, _>>()?;
        let mut region = Region {
            backend,
            counters,
            rings,
            members: vec![],
            uploads: vec![],
            downloads: vec![],
            joint: None,
            may_lend: lends.then_some(frames),
        };
        for (member, piece) in pieces.into_iter().enumerate() {
            region.add(piece, member, &wiring, [frames, staged])?;
        }
        let is_ours = wiring.streams.iter().map(Stream::is_ours).collect();
        region.joint =
            JointRuns::new(&*region.backend, &region.members, is_ours, settings.depth, ways.may_capture)?;
        Ok(region)
    }

    fn add(
        &mut self,
        piece: Piece<B>,
        member: usize,
        wiring: &Wiring,
        [frames, staged]: [usize; 2],
    ) -> Result<(), BlockError> {
        let Piece { name, work, shape, ends, desk, .. } = piece;
        let (ins, outs) = (ends.inputs.len(), ends.outputs.len());
        for (input, (port, read)) in ends.inputs.into_iter().zip(&wiring.inputs[member]).enumerate() {
            let is_host = matches!(wiring.streams[read.ring].writer, Writer::Host(_));
            // Of several readers the first has the port.
            if is_host && read.reader == 0 {
                let port_name = format!("{name}.{}", HostEnds::port_name("in", input, ins));
                self.add_upload(port_name, &name, port, read.ring, staged)?;
            }
        }
        for (output, (port, read)) in ends.outputs.into_iter().zip(&wiring.downloads[member]).enumerate() {
            if let Some(read) = read {
                let port_name = format!("{name}.{}", HostEnds::port_name("out", output, outs));
                self.add_download(port_name, &name, port, *read, staged)?;
            }
        }
        let pace = (0..if ins == 0 { frames } else { 0 }).map(|_| self.backend.event());
        self.members.push(Member {
            set_port: format!("{name}.{}", Desk::PORT),
            name,
            work,
            shape,
            desk,
            stream: self.backend.stream()?,
            inputs: wiring.inputs[member].clone(),
            outputs: wiring.outputs[member].clone(),
            pace: pace.collect::<Result<_, _>>()?,
            runs: 0,
            has_run_alone: false,
            alone: self.backend.event()?,
            changes: 0,
            is_done: false,
        });
        Ok(())
    }

    fn add_upload(
        &mut self,
        name: String,
        member: &str,
        mut port: Box<dyn HostIn>,
        ring: usize,
        frames: usize,
    ) -> Result<(), B::Error> {
        port.set_batch(self.rings[ring].capacity);
        let bytes = self.rings[ring].batch_bytes();
        self.uploads.push(Upload {
            name,
            member: member.to_owned(),
            port,
            ring,
            way: Way::staged(&*self.backend, bytes, frames, Transfer::Upload)?,
            stream: self.backend.stream()?,
            is_done: false,
        });
        Ok(())
    }

    fn add_download(
        &mut self,
        name: String,
        member: &str,
        mut port: Box<dyn HostOut>,
        Read { ring, reader }: Read,
        frames: usize,
    ) -> Result<(), B::Error> {
        port.set_batch(self.rings[ring].capacity);
        let bytes = self.rings[ring].batch_bytes();
        self.downloads.push(Download {
            name,
            member: member.to_owned(),
            port,
            ring,
            reader,
            way: Way::staged(&*self.backend, bytes, frames, Transfer::Download)?,
            stream: self.backend.stream()?,
            items: VecDeque::new(),
            given: 0,
            has_arrived: false,
            lacks_room: false,
            is_done: false,
        });
        Ok(())
    }
}

/// Takes a block apart and gets it ready.
fn piece<B: Backend>(backend: &B, joined: Joined) -> Result<Piece<B>, BlockError> {
    let Joined { name, block, inputs: feeds, outputs: reaches_host } = joined;
    let not_ours = |_| format!("{name} is not a block of {}", backend.name());
    let Part { mut work, ends, desk } = *block.downcast::<Part<B>>().map_err(not_ours)?;
    work.prepare(backend).map_err(|error| format!("{name}: {error}"))?;
    let shape = work.shape();
    Ok(Piece { name, work, shape, ends, desk, feeds, reaches_host })
}
