//! What a viewer sees of a graph's layout: without the blocks that only pass items on, and without the dashboard's own.

use std::collections::HashMap;

use superhet_runtime::running::{BlockLayout, Layout, PortPlace};

use crate::api::{MessageLink, PortRef};

/// What the names of the dashboard's own blocks begin with.
pub(crate) const OWN: &str = "dashboard: ";

/// A layout with its streams as viewers see them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shape {
    pub layout: Layout,
    pub edges: Vec<Edge>,
}

/// A stream from an output to one of its readers, of blocks that are shown.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Edge {
    pub id: String,
    pub from: PortPlace,
    pub to: PortPlace,
    /// The inputs on the way: those of blocks that pass items on, and `to`.
    pub inputs: Vec<PortPlace>,
    /// The output behind which a tap can lie; `None` where the stream stays as it is.
    pub open: Option<PortPlace>,
    /// The output where a reader can be added: behind the tap, where there is one.
    pub beside: Option<PortPlace>,
}

impl Shape {
    pub fn new(layout: Layout) -> Self {
        let mut written = HashMap::new();
        layout.streams.iter().enumerate().for_each(|(place, stream)| _ = written.insert(stream.from, place));
        let mut edges = Vec::new();
        for (place, stream) in layout.streams.iter().enumerate() {
            let block = &layout.blocks[stream.from.block];
            if is_shown(block) {
                let begun = Edge {
                    id: String::new(),
                    from: stream.from,
                    to: stream.from,
                    inputs: Vec::new(),
                    open: None,
                    beside: None,
                };
                follow(&layout, &written, place, begun, &mut edges);
            }
        }
        Shape { layout, edges }
    }

    /// The blocks that are shown, with their places.
    pub fn blocks(&self) -> impl Iterator<Item = (usize, &BlockLayout)> {
        self.layout.blocks.iter().enumerate().filter(|(_, block)| is_shown(block))
    }

    /// The stream of that name.
    pub fn edge(&self, id: &str) -> Option<&Edge> {
        self.edges.iter().find(|edge| edge.id == id)
    }

    /// The type of the items of an output.
    pub fn item(&self, from: PortPlace) -> Option<&'static str> {
        let ports = &self.layout.blocks.get(from.block)?.ports;
        Some(ports.outputs.get(from.port)?.1.item.name())
    }

    /// An output for messages, by names.
    pub fn message_output(&self, port: &PortRef) -> Option<PortPlace> {
        let (block, found) = self.blocks().find(|(_, block)| block.name == port.block)?;
        let outputs = &found.ports.message_outputs;
        let port = outputs.iter().position(|(name, _)| *name == port.port)?;
        Some(PortPlace { block, port })
    }

    /// An output, by names.
    pub fn output_ref(&self, from: PortPlace) -> PortRef {
        output_ref(&self.layout, from)
    }

    /// An input, by names.
    pub fn input_ref(&self, to: PortPlace) -> PortRef {
        input_ref(&self.layout, to)
    }

    /// The connections for messages between blocks that are shown.
    pub fn messages(&self) -> Vec<MessageLink> {
        let blocks = &self.layout.blocks;
        let is_shown = |place: PortPlace| is_shown(&blocks[place.block]);
        let links = self.layout.messages.iter().filter(|(from, to)| is_shown(*from) && is_shown(*to));
        links
            .map(|(from, to)| {
                let output = &blocks[from.block].ports.message_outputs[from.port].0;
                let input = &blocks[to.block].ports.message_inputs[to.port].0;
                MessageLink {
                    from: PortRef { block: blocks[from.block].name.clone(), port: output.clone() },
                    to: PortRef { block: blocks[to.block].name.clone(), port: input.clone() },
                }
            })
            .collect()
    }

    /// Whether all that read a stream beside the block of that name have ended, but for the dashboard's own.
    pub fn reads_alone(&self, block: &str) -> bool {
        let blocks = &self.layout.blocks;
        let is_read = |reader: &PortPlace| blocks[reader.block].name == block;
        let stream = self.layout.streams.iter().find(|stream| stream.readers.iter().any(is_read));
        stream.is_none_or(|stream| {
            let mut readers = stream.readers.iter().map(|reader| &blocks[reader.block]);
            readers.all(|block| block.ended || block.name.starts_with(OWN))
        })
    }

    /// Rate and centre of each output, from what is known of some: through blocks with a fixed ratio.
    pub fn rates(&self, known: &HashMap<PortRef, Known>) -> HashMap<PortPlace, Known> {
        let blocks = &self.layout.blocks;
        let mut feeds: HashMap<usize, PortPlace> = HashMap::new();
        for stream in &self.layout.streams {
            stream
                .readers
                .iter()
                .filter(|r| r.port == 0)
                .for_each(|r| _ = feeds.insert(r.block, stream.from));
        }
        let mut found: HashMap<PortPlace, Known> = HashMap::new();
        for stream in &self.layout.streams {
            // Up to an output that is known, and back.
            let (mut way, mut at) = (Vec::new(), stream.from);
            let mut value = loop {
                if let Some(value) =
                    found.get(&at).copied().or_else(|| known.get(&self.output_ref(at)).copied())
                {
                    break value;
                }
                let next = feeds.get(&at.block).filter(|_| blocks[at.block].ratio.is_some());
                way.push(at);
                match next {
                    Some(&next) if !way.contains(&next) => at = next,
                    _ => break Known::default(),
                }
            };
            found.entry(at).or_insert(value);
            for place in way.into_iter().rev() {
                let block = &blocks[place.block];
                if let Some(ratio) = block.ratio {
                    let by = ratio.interpolation as f64 / ratio.decimation as f64;
                    value.rate_hz = value.rate_hz.map(|rate_hz| rate_hz * by);
                }
                let is_complex = self.item(place).is_some_and(is_complex);
                value.center_hz = value.center_hz.filter(|_| block.keeps_frequency && is_complex);
                found.insert(place, value);
            }
        }
        found
    }
}

/// Rate and centre frequency of a stream, as far as they are known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Known {
    pub rate_hz: Option<f64>,
    pub center_hz: Option<f64>,
}

/// Whether items of this name are complex samples.
pub(crate) fn is_complex(item: &str) -> bool {
    matches!(item, "C32" | "C64" | "cu8" | "cs8" | "cs16")
}

/// Whether it is a tap that lies in a stream.
fn is_tap(block: &BlockLayout) -> bool {
    block.name.starts_with(OWN) && !block.ports.outputs.is_empty()
}

fn is_shown(block: &BlockLayout) -> bool {
    !block.passes && !block.removed && !block.name.starts_with(OWN)
}

fn follow(
    layout: &Layout,
    written: &HashMap<PortPlace, usize>,
    place: usize,
    begun: Edge,
    edges: &mut Vec<Edge>,
) {
    let stream = &layout.streams[place];
    for &reader in &stream.readers {
        let block = &layout.blocks[reader.block];
        let mut edge = begun.clone();
        edge.inputs.push(reader);
        if !stream.fixed {
            edge.open.get_or_insert(stream.from);
            edge.beside.get_or_insert(stream.from);
        }
        if is_tap(&layout.blocks[stream.from.block]) {
            edge.beside = Some(stream.from);
        }
        if block.passes || is_tap(block) {
            let behind = written.get(&PortPlace { block: reader.block, port: 0 });
            // Those that pass items on form no circle; a wrong layout must not make one.
            if let Some(&behind) = behind.filter(|_| edge.inputs.len() <= layout.blocks.len()) {
                follow(layout, written, behind, edge, edges);
            }
        } else if is_shown(block) {
            let (from, to) = (output_ref(layout, edge.from), input_ref(layout, reader));
            edge.id = format!("{}.{}>{}.{}", from.block, from.port, to.block, to.port);
            edge.to = reader;
            edges.push(edge);
        }
    }
}

fn output_ref(layout: &Layout, from: PortPlace) -> PortRef {
    let block = &layout.blocks[from.block];
    PortRef { block: block.name.clone(), port: block.ports.outputs[from.port].0.clone() }
}

fn input_ref(layout: &Layout, to: PortPlace) -> PortRef {
    let block = &layout.blocks[to.block];
    PortRef { block: block.name.clone(), port: block.ports.inputs[to.port].0.clone() }
}
