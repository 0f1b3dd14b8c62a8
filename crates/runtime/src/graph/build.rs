//! Putting a graph together.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::handle::Handle;
use super::{Node, PortList};
use crate::block::any::IntoBlock;
use crate::block::runnable::AnyBlock;
use crate::data::ConnectError;
use crate::data::names::suggestion;
use crate::stream::refs::{BlockId, GraphNumber, PortId};

/// Blocks and the streams between them, not checked yet.
///
/// ```
/// use superhet_runtime::{Graph, harness::{VecSource, VecSink}, Pure};
///
/// struct Double;
/// impl Pure for Double {
///     type In = f32;
///     type Out = f32;
///     fn map(&self, x: &[f32], y: &mut [f32]) {
///         for (y, x) in y.iter_mut().zip(x) { *y = 2.0 * x; }
///     }
/// }
///
/// let mut graph = Graph::new();
/// let source = graph.add("source", VecSource::new(vec![1.0f32, 2.0]));
/// let double = graph.add("double", Double);
/// let sink = VecSink::<f32>::new();
/// let items = sink.items();
/// let sink = graph.add("sink", sink);
/// graph.connect(source.output, double.input);
/// graph.connect(double.output, sink.input);
/// graph.run()?;
/// assert_eq!(items.take(), [2.0, 4.0]);
/// # Ok::<(), superhet_runtime::RunError>(())
/// ```
#[derive(Debug)]
pub struct Graph {
    /// The handles of its blocks have the same.
    pub(super) number: GraphNumber,
    pub(super) nodes: Vec<Node>,
    pub(super) streams: Vec<(PortId, PortId)>,
    pub(super) messages: Vec<(PortId, PortId)>,
    /// Mistakes made while connecting by name; `check` reports them with the others.
    pub(super) mistakes: Vec<ConnectError>,
    /// What the names of new blocks begin with: `outer/` inside of a hierarchical block.
    scope: String,
    /// The places of the blocks by their names. A block that was renamed since is there under its old name.
    places: HashMap<String, usize>,
}

impl Default for Graph {
    fn default() -> Self {
        Graph {
            number: GraphNumber::next(),
            nodes: Vec::new(),
            streams: Vec::new(),
            messages: Vec::new(),
            mistakes: Vec::new(),
            scope: String::new(),
            places: HashMap::new(),
        }
    }
}

/// A block made of a graph: it is taken apart into its blocks when it is added.
///
/// ```
/// use superhet_runtime::{Graph, Pure, graph::Hier, harness::{VecSink, VecSource}, port::{InRef, OutRef}};
/// # struct Double;
/// # impl Pure for Double {
/// #     type In = f32;
/// #     type Out = f32;
/// #     fn map(&self, x: &[f32], y: &mut [f32]) { for (y, x) in y.iter_mut().zip(x) { *y = 2.0 * x; } }
/// # }
/// struct Quadruple;
/// struct Ports { input: InRef<f32>, output: OutRef<f32> }
///
/// impl Hier for Quadruple {
///     type Ports = Ports;
///     fn build(self, graph: &mut Graph) -> Ports {
///         let (a, b) = (graph.add("a", Double), graph.add("b", Double));
///         graph.connect(a.output, b.input);
///         Ports { input: a.input, output: b.output }
///     }
/// }
///
/// let mut graph = Graph::new();
/// let quadruple = graph.add_hier("quadruple", Quadruple);
/// # let source = graph.add("source", VecSource::new(vec![1.0f32]));
/// # let sink = VecSink::<f32>::new();
/// # let items = sink.items();
/// # let sink = graph.add("sink", sink);
/// graph.connect(source.output, quadruple.input);
/// graph.connect(quadruple.output, sink.input);
/// # graph.run().unwrap();
/// # assert_eq!(items.take(), [4.0]);
/// ```
pub trait Hier {
    /// The ports that it shows: those of inner blocks.
    type Ports;
    /// Adds the inner blocks and connects them. Their names get the block's own name and a `/` before them.
    fn build(self, graph: &mut Graph) -> Self::Ports;
}

impl Graph {
    /// An empty graph.
    pub fn new() -> Self {
        Graph::default()
    }

    /// Adds a block of any level. Its handle has the ports.
    ///
    /// The name is not empty and has no dot, which stands before the names of ports and parameters; a `/` in it is as of a block
    /// within a hierarchical one. [`Graph::check`] reports others.
    pub fn add<M, B: IntoBlock<M>>(&mut self, name: impl Into<String>, block: B) -> Handle<B::Ports, B> {
        let ports = block.ports(self.id(self.nodes.len()));
        let id = self.add_any(name, block.into_block());
        Handle::new(id, self.nodes[id.place].name.as_str().into(), ports)
    }

    /// The block at this place.
    pub(crate) fn id(&self, place: usize) -> BlockId {
        BlockId { place, graph: self.number }
    }

    /// Adds a block whose type is known at run time only; connect it by names. Its own name is as of [`Graph::add`].
    pub fn add_any(&mut self, name: impl Into<String>, block: AnyBlock) -> BlockId {
        let name = self.checked_name(&name.into(), "block");
        self.add_named(name, block)
    }

    /// As [`Graph::add_any`], under a name of the runtime's own.
    pub(super) fn add_named(&mut self, name: String, block: AnyBlock) -> BlockId {
        let place = self.nodes.len();
        match self.places.entry(name.clone()) {
            Entry::Occupied(known) if self.nodes[*known.get()].name == name => {}
            Entry::Occupied(mut known) => *known.get_mut() = place,
            Entry::Vacant(new) => _ = new.insert(place),
        }
        self.nodes.push(Node::new(name, block));
        self.id(place)
    }

    /// Adds a block made of a graph, and gives the ports that it shows. Its name is as of [`Graph::add`].
    pub fn add_hier<H: Hier>(&mut self, name: impl AsRef<str>, hier: H) -> H::Ports {
        let inner = self.checked_name(name.as_ref(), "the hierarchical block before block") + "/";
        let outer = std::mem::replace(&mut self.scope, inner);
        let ports = hier.build(self);
        self.scope = outer;
        ports
    }

    /// The name with those of the blocks around it; notes a mistake where no block can be called so.
    fn checked_name(&mut self, name: &str, what: &str) -> String {
        let full = format!("{}{name}", self.scope);
        if name.is_empty() || name.contains('.') {
            let block = format!("{what} {}", self.nodes.len());
            self.mistakes.push(ConnectError::BadName { block, name: full.clone() });
        }
        full
    }

    /// Connects two ports by name: `block.port`, or `block` where it has one stream or one message port that fits the other
    /// side. Streams go before messages. Ports that must be connected go before optional ones.
    ///
    /// [`Graph::check`] reports ports that do not exist or do not fit.
    pub fn connect_names(&mut self, from: &str, to: &str) {
        match (self.find(from, Side::Out), self.find(to, Side::In)) {
            (Ok(outputs), Ok(inputs)) => {
                let fitting = |output: &Port| inputs.iter().find(|input| input.1 == output.1).copied();
                let pair = outputs.iter().find_map(|output| Some((*output, fitting(output)?)));
                match (pair, outputs[0].1) {
                    (Some(((from, false), (to, _))), _) => self.streams.push((from, to)),
                    (Some(((from, true), (to, _))), _) => self.messages.push((from, to)),
                    (None, from_message) => {
                        let kind = |message| if message { "messages" } else { "a stream" }.to_owned();
                        self.mistakes.push(ConnectError::TypeMismatch {
                            from: from.to_owned(),
                            from_item: kind(from_message),
                            to: to.to_owned(),
                            to_item: kind(!from_message),
                            hint: String::new(),
                        });
                    }
                }
            }
            (from, to) => self.mistakes.extend([from.err(), to.err()].into_iter().flatten()),
        }
    }

    /// The port of that name; for a block's name the only stream, if there is one only, then the same of messages.
    fn find(&self, name: &str, side: Side) -> Result<Vec<Port>, ConnectError> {
        let unknown = |what, hint| ConnectError::Unknown { what, name: name.to_owned(), hint };
        let (block_name, port_name) = match name.split_once('.') {
            Some((block, port)) => (block, Some(port)),
            None => (name, None),
        };
        let Some(block) = self.place_of(block_name) else {
            let hint = suggestion(block_name, self.nodes.iter().map(|node| node.name.as_str()));
            return Err(ConnectError::Unknown { what: "block", name: block_name.to_owned(), hint });
        };
        let ports = &self.nodes[block].ports;
        let (streams, messages) = match side {
            Side::In => (&ports.inputs, &ports.message_inputs),
            Side::Out => (&ports.outputs, &ports.message_outputs),
        };
        let streams = streams.iter().map(|(name, _)| name.as_str());
        let all: Vec<(&str, usize, bool)> = streams
            .enumerate()
            .map(|(port, name)| (name, port, false))
            .chain(messages.iter().enumerate().map(|(port, (name, _))| (name.as_str(), port, true)))
            .collect();
        let what = side.name();
        let listed = || all.iter().map(|(name, ..)| *name).collect::<Vec<_>>().join(", ");
        let port = |(_, port, message): &(&str, usize, bool)| (PortId { block, port: *port }, *message);
        if let Some(wanted) = port_name {
            let found = all.iter().find(|(name, ..)| *name == wanted);
            return found.map(|found| vec![port(found)]).ok_or_else(|| match all.is_empty() {
                true => unknown(what, format!(": {block_name} has no {what}")),
                false => unknown(what, format!(": {block_name} has {}", listed())),
            });
        }
        let (stream, message) = match side {
            Side::In => ports.meant_inputs(),
            Side::Out => ports.meant_outputs(),
        };
        let place = |meant: Option<&str>, is_message| {
            all.iter().find(|entry| Some(entry.0) == meant && entry.2 == is_message).map(port)
        };
        let found: Vec<Port> = [place(stream, false), place(message, true)].into_iter().flatten().collect();
        match (found.is_empty(), all.is_empty()) {
            (false, _) => Ok(found),
            (true, true) => Err(unknown(what, format!(": {block_name} has no {what}"))),
            (true, false) => {
                Err(unknown(what, format!(": {block_name} has several, name one of {}", listed())))
            }
        }
    }

    /// The names and port lists of the blocks, in the order in which they were added.
    pub fn blocks(&self) -> impl Iterator<Item = (&str, &PortList)> {
        self.nodes.iter().map(|node| (node.name.as_str(), &node.ports))
    }

    /// A graph that is being changed.
    pub(crate) fn of_parts(
        number: GraphNumber,
        nodes: Vec<Node>,
        streams: Vec<(PortId, PortId)>,
        messages: Vec<(PortId, PortId)>,
    ) -> Self {
        let places = nodes.iter().enumerate().map(|(place, node)| (node.name.clone(), place)).collect();
        Graph { number, nodes, streams, messages, places, ..Graph::default() }
    }

    pub(crate) fn place_of(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied().filter(|&place| self.nodes[place].name == name)
    }

    /// The block that a block of a domain has been joined into.
    pub(crate) fn joined_into(&self, name: &str) -> Option<&str> {
        let stands_for = |node: &&Node| node.joined.iter().any(|joined| joined == name);
        self.nodes.iter().find(stands_for).map(|node| &*node.name)
    }

    pub(crate) fn node(&self, place: usize) -> &Node {
        &self.nodes[place]
    }

    pub(crate) fn node_mut(&mut self, place: usize) -> &mut Node {
        &mut self.nodes[place]
    }

    pub(crate) fn messages_mut(&mut self) -> &mut Vec<(PortId, PortId)> {
        &mut self.messages
    }

    pub(crate) fn links_mut(&mut self) -> &mut Vec<(PortId, PortId)> {
        &mut self.streams
    }

    pub(crate) fn mistake(&mut self, mistake: ConnectError) {
        self.mistakes.push(mistake);
    }

    /// The output for a stream of that name, found as by [`Graph::connect_names`]; notes a mistake where there is none.
    pub(crate) fn find_output(&mut self, name: &str) -> Option<PortId> {
        let found = self.find(name, Side::Out).and_then(|ports| {
            let stream = ports.iter().find(|(_, is_message)| !is_message).map(|(port, _)| *port);
            let hint = ": it has messages, not a stream".to_owned();
            stream.ok_or_else(|| ConnectError::Unknown { what: "output", name: name.to_owned(), hint })
        });
        found.map_err(|mistake| self.mistakes.push(mistake)).ok()
    }

    /// Takes the connections between two ports by name away; notes a mistake where there are none.
    pub(crate) fn unlink(&mut self, from: &str, to: &str) {
        let (outputs, inputs) = match (self.find(from, Side::Out), self.find(to, Side::In)) {
            (Ok(outputs), Ok(inputs)) => (outputs, inputs),
            (from, to) => return self.mistakes.extend([from.err(), to.err()].into_iter().flatten()),
        };
        let is_meant = |from: PortId, to: PortId, message: bool| {
            outputs.contains(&(from, message)) && inputs.contains(&(to, message))
        };
        let before = self.streams.len() + self.messages.len();
        self.streams.retain(|(from, to)| !is_meant(*from, *to, false));
        self.messages.retain(|(from, to)| !is_meant(*from, *to, true));
        if self.streams.len() + self.messages.len() == before {
            let name = format!("{from} -> {to}");
            self.mistakes.push(ConnectError::Unknown { what: "connection", name, hint: String::new() });
        }
    }
}

/// A port, and whether it carries messages.
type Port = (PortId, bool);

#[derive(Clone, Copy)]
enum Side {
    In,
    Out,
}

impl Side {
    fn name(self) -> &'static str {
        match self {
            Side::In => "input",
            Side::Out => "output",
        }
    }
}
