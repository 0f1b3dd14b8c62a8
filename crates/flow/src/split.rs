//! A graph cut into parts that run on different hosts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value as Json, json};
use superhet_runtime::{Value, graph::PortList};

use crate::assemble::make;
use crate::error::{FlowError, Mistake, Mistakes, Place, near};
use crate::flow::{Flow, FlowBlock, FlowParam};
use crate::registry::Registry;
use crate::resolve::Side;
use crate::values::Located;

/// The ports of a block, as another process has said them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockPorts {
    /// Stream inputs and outputs, with the names of their item types.
    pub inputs: BTreeMap<String, String>,
    /// As `inputs`.
    pub outputs: BTreeMap<String, String>,
    /// Message inputs.
    pub message_inputs: BTreeSet<String>,
    /// Message outputs.
    pub message_outputs: BTreeSet<String>,
    /// The stream input and the message input that the block's name alone can mean.
    pub meant_inputs: [Option<String>; 2],
    /// As `meant_inputs`.
    pub meant_outputs: [Option<String>; 2],
}

impl BlockPorts {
    fn of(list: &PortList) -> Self {
        let streams = |ports: &[(String, superhet_runtime::port::PortSpec)]| {
            ports.iter().map(|(name, spec)| (name.clone(), spec.item.name().to_owned())).collect()
        };
        let owned = |(stream, message): (Option<&str>, Option<&str>)| {
            [stream.map(str::to_owned), message.map(str::to_owned)]
        };
        BlockPorts {
            inputs: streams(&list.inputs),
            outputs: streams(&list.outputs),
            message_inputs: list.message_inputs.iter().map(|(name, _)| name.clone()).collect(),
            message_outputs: list.message_outputs.iter().map(|(name, _)| name.clone()).collect(),
            meant_inputs: owned(list.meant_inputs()),
            meant_outputs: owned(list.meant_outputs()),
        }
    }

    /// The ports as JSON, for [`from_json`](Self::from_json).
    pub fn to_json(&self) -> Json {
        json!({
            "inputs": self.inputs,
            "outputs": self.outputs,
            "message_inputs": self.message_inputs,
            "message_outputs": self.message_outputs,
            "meant_inputs": self.meant_inputs,
            "meant_outputs": self.meant_outputs,
        })
    }

    /// What [`to_json`](Self::to_json) has written; `None` of anything else.
    pub fn from_json(json: &Json) -> Option<Self> {
        let streams = |key: &str| {
            let ports = json.get(key)?.as_object()?.iter();
            ports.map(|(name, item)| Some((name.clone(), item.as_str()?.to_owned()))).collect::<Option<_>>()
        };
        let messages = |key: &str| {
            json.get(key)?
                .as_array()?
                .iter()
                .map(|name| Some(name.as_str()?.to_owned()))
                .collect::<Option<_>>()
        };
        let meant = |key: &str| {
            let [stream, message] = &json.get(key)?.as_array()?[..] else { return None };
            Some([stream, message].map(|name| name.as_str().map(str::to_owned)))
        };
        Some(BlockPorts {
            inputs: streams("inputs")?,
            outputs: streams("outputs")?,
            message_inputs: messages("message_inputs")?,
            message_outputs: messages("message_outputs")?,
            meant_inputs: meant("meant_inputs")?,
            meant_outputs: meant("meant_outputs")?,
        })
    }

    /// The stream and the message port of a side that a name can mean: this port, or the only one where no port is named.
    fn meant(&self, side: Side, port: Option<&str>) -> [Option<String>; 2] {
        let (streams, messages, meant) = match side {
            Side::Input => (&self.inputs, &self.message_inputs, &self.meant_inputs),
            Side::Output => (&self.outputs, &self.message_outputs, &self.meant_outputs),
        };
        match port {
            None => meant.clone(),
            Some(port) => [
                streams.contains_key(port).then(|| port.to_owned()),
                messages.contains(port).then(|| port.to_owned()),
            ],
        }
    }
}

/// A stream, or messages, that leave a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crossing {
    /// The output that it comes from, as `block.port`, and its host.
    pub from: String,
    /// The host of the output.
    pub host: String,
    /// The name of the item type; `None` of messages.
    pub item: Option<String>,
    /// The inputs that it goes to on each of the other hosts, as `block.port`.
    pub to: BTreeMap<String, Vec<String>>,
}

/// A graph that is cut at the borders of hosts.
#[derive(Clone, Debug)]
pub struct Split {
    parts: BTreeMap<String, Flow>,
    crossings: Vec<Crossing>,
}

/// What the block at an end of a link is called, and the parameters that it has besides the type of its items.
pub struct LinkEnd<'a> {
    /// The type of the block: one for streams and one for messages.
    pub types: [&'a str; 2],
    /// Its parameters.
    pub params: Vec<(&'a str, Value)>,
}

impl Flow {
    /// The names of all blocks, those of included files too: `FILE/BLOCK`.
    pub fn block_names(&self) -> impl Iterator<Item = &str> {
        self.blocks.iter().map(|block| block.name.as_str())
    }

    /// The graph with some of its blocks, and no connections. In the names of blocks `-` stands in the place of `/`, since a graph file cannot
    /// name the blocks of a file that it does not include.
    ///
    /// # Errors
    /// The mistakes of the file.
    pub fn only(&self, wanted: impl Fn(&str) -> bool) -> Result<Flow, FlowError> {
        let blocks = self.blocks.iter().filter(|block| wanted(&block.name));
        let blocks = blocks.map(|block| FlowBlock { name: flat(&block.name), ..block.clone() }).collect();
        let flow = Flow { name: self.name.clone(), blocks, ..Flow::default() };
        self.mistakes.clone().or(flow)
    }

    /// Makes each block and says which ports it has, by the names of blocks.
    ///
    /// # Errors
    /// The mistakes of all blocks at once.
    pub fn ports_of_blocks(&self, registry: &Registry) -> Result<BTreeMap<String, BlockPorts>, FlowError> {
        let (mut mistakes, mut ports) = (self.mistakes.clone(), BTreeMap::new());
        for block in &self.blocks {
            if let Some(mut made) = make(block, registry, &mut mistakes) {
                ports.insert(block.name.clone(), BlockPorts::of(&PortList::of(&mut made)));
            }
        }
        mistakes.or(ports)
    }

    /// Cuts the graph where a connection goes from one host to another. `hosts` has the host of each block, `ports` its ports.
    ///
    /// # Errors
    /// The mistakes of the file; blocks without a host; connections whose ends are none or do not fit.
    pub fn split(
        &self,
        hosts: &BTreeMap<String, String>,
        ports: &BTreeMap<String, BlockPorts>,
    ) -> Result<Split, FlowError> {
        let mut mistakes = self.mistakes.clone();
        let mut parts: BTreeMap<String, Flow> = BTreeMap::new();
        for block in &self.blocks {
            let Some(host) = hosts.get(&block.name) else {
                let subject = format!("block {}", block.name);
                wrong(&mut mistakes, &block.place, subject, "has no host".to_owned());
                continue;
            };
            let part = parts.entry(host.clone()).or_default();
            part.name.clone_from(&self.name);
            part.blocks.push(FlowBlock { name: flat(&block.name), ..block.clone() });
        }
        let mut crossings: Vec<Crossing> = Vec::new();
        for ((from, to), place) in &self.links {
            let ends = Ends { flow: self, hosts, ports };
            match ends.of(from, to) {
                Err(problem) => wrong(&mut mistakes, place, format!("connection {from} -> {to}"), problem),
                Ok(Edge { from, to, .. }) if from.0 == to.0 => {
                    let part = parts.entry(from.0).or_default();
                    part.links.push(((from.1, to.1), place.clone()));
                }
                Ok(Edge { from: (host, from), to: (reader, to), item }) => {
                    let known =
                        crossings.iter_mut().find(|crossing| crossing.from == from && crossing.host == host);
                    let crossing = match known {
                        Some(known) => known,
                        None => {
                            crossings.push(Crossing { from, host, item, to: BTreeMap::new() });
                            match crossings.last_mut() {
                                Some(last) => last,
                                None => continue,
                            }
                        }
                    };
                    crossing.to.entry(reader).or_default().push(to);
                }
            }
        }
        mistakes.or(Split { parts, crossings })
    }
}

/// A connection whose ends are known: host and `block.port` of each, and the type of its items.
struct Edge {
    from: (String, String),
    to: (String, String),
    item: Option<String>,
}

/// What the ends of connections can mean.
struct Ends<'a> {
    flow: &'a Flow,
    hosts: &'a BTreeMap<String, String>,
    ports: &'a BTreeMap<String, BlockPorts>,
}

/// A port that an end can mean: host, `block.port` and block, port.
type End = (String, String, String);

impl Ends<'_> {
    fn of(&self, from: &str, to: &str) -> Result<Edge, String> {
        let (output, input) = (self.end(from, Side::Output)?, self.end(to, Side::Input)?);
        // As everywhere, streams go before messages.
        for (kind, (output, input)) in output.into_iter().zip(input).enumerate() {
            let (Some((from, out_block, out_port)), Some((to, in_block, in_port))) = (output, input) else {
                continue;
            };
            let item = |block: &str, side: Side, port: &str| {
                let ports = self.ports.get(block)?;
                let ports = if side == Side::Input { &ports.inputs } else { &ports.outputs };
                ports.get(port).cloned().filter(|_| kind == 0)
            };
            let (gives, takes) =
                (item(&out_block, Side::Output, &out_port), item(&in_block, Side::Input, &in_port));
            if gives != takes {
                let name = |item: Option<String>| item.unwrap_or_else(|| "messages".to_owned());
                return Err(format!("{} are given, {} are taken", name(gives), name(takes)));
            }
            let end = |block: &str, port: &str| format!("{}.{port}", flat(block));
            return Ok(Edge {
                from: (from, end(&out_block, &out_port)),
                to: (to, end(&in_block, &in_port)),
                item: gives,
            });
        }
        Err("one side has streams, the other messages, or it is not clear which port is meant".to_owned())
    }

    /// The stream and the message port that an end can mean.
    fn end(&self, name: &str, side: Side) -> Result<[Option<End>; 2], String> {
        let mut found: [Vec<End>; 2] = Default::default();
        for name in self.targets(name, 0) {
            let (block, port) =
                name.split_once('.').map_or((&*name, None), |(block, port)| (block, Some(port)));
            let (Some(host), Some(ports)) = (self.hosts.get(block), self.ports.get(block)) else {
                let known = self.ports.keys().map(String::as_str);
                return Err(format!("there is no block {block}{}", near(block, known)));
            };
            for (found, port) in found.iter_mut().zip(ports.meant(side, port)) {
                found.extend(port.map(|port| (host.clone(), block.to_owned(), port)));
            }
        }
        if found.iter().all(Vec::is_empty) {
            let side = if side == Side::Input { "input" } else { "output" };
            return Err(format!("{name} names no {side}, or several"));
        }
        Ok(found.map(|mut ends| if ends.len() == 1 { ends.pop() } else { None }))
    }

    /// What a name stands for, where it is that of an included file.
    fn targets(&self, name: &str, depth: usize) -> Vec<String> {
        const DEEPEST: usize = 32;
        let (block, port) = name.split_once('.').map_or((name, None), |(block, port)| (block, Some(port)));
        let Some(part) = self.flow.parts.get(block).filter(|_| !block.is_empty() && depth < DEEPEST) else {
            return vec![name.to_owned()];
        };
        let ports = part.ports.iter().filter(|(shown, _)| port.is_none_or(|port| port == *shown));
        ports.flat_map(|(_, (target, _))| self.targets(target, depth + 1)).collect()
    }
}

impl Split {
    /// What leaves a host.
    pub fn crossings(&self) -> &[Crossing] {
        &self.crossings
    }

    /// The hosts.
    pub fn hosts(&self) -> impl Iterator<Item = &str> {
        self.parts.keys().map(String::as_str)
    }

    /// The parts, by host, with a block at each end of each crossing. `sink` and `source` say what these are: of the crossing with that
    /// number, and the host that reads it.
    pub fn parts<'a>(
        &self,
        sink: impl Fn(usize) -> LinkEnd<'a>,
        source: impl Fn(usize, &str) -> LinkEnd<'a>,
    ) -> BTreeMap<String, Flow> {
        let mut parts = self.parts.clone();
        for (number, crossing) in self.crossings.iter().enumerate() {
            let name = |part: &Flow, what: &str| {
                let name = format!("link-{}-{what}", number + 1);
                // A block of the graph may have the name.
                let is_free = |name: &String| part.blocks.iter().all(|block| block.name != *name);
                std::iter::successors(Some(name), |name| Some(format!("{name}-")))
                    .find(is_free)
                    .unwrap_or_default()
            };
            if let Some(part) = parts.get_mut(&crossing.host) {
                let name = name(part, "out");
                part.blocks.push(sink(number).block(&name, crossing.item.as_deref()));
                part.links.push(((crossing.from.clone(), format!("{name}.in")), Place::Nowhere));
            }
            for (reader, inputs) in &crossing.to {
                let Some(part) = parts.get_mut(reader) else { continue };
                let name = name(part, "in");
                part.blocks.push(source(number, reader).block(&name, crossing.item.as_deref()));
                let links =
                    inputs.iter().map(|input| ((format!("{name}.out"), input.clone()), Place::Nowhere));
                part.links.extend(links);
            }
        }
        parts
    }
}

impl LinkEnd<'_> {
    fn block(&self, name: &str, item: Option<&str>) -> FlowBlock {
        let here: Arc<Path> = Path::new("").into();
        let param = |name: &str, value: Value| FlowParam {
            name: name.to_owned(),
            place: Place::Nowhere,
            value: Some(Located::new(value, &here)),
        };
        let [streams, messages] = self.types;
        let kind = if item.is_some() { streams } else { messages };
        let item = item.map(|item| param("item", item.into()));
        let params = self.params.iter().map(|(name, value)| param(name, value.clone()));
        FlowBlock {
            name: name.to_owned(),
            place: Place::Nowhere,
            what: Some((kind.to_owned(), Place::Nowhere)),
            params: item.into_iter().chain(params).collect(),
        }
    }
}

/// A name that a block of a file can have.
fn flat(name: &str) -> String {
    name.replace('/', "-")
}

fn wrong(mistakes: &mut Mistakes, at: &Place, subject: String, problem: String) {
    let at = at.clone();
    mistakes.add(|| Mistake::Shape { at, subject, problem });
}
