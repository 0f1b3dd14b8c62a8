//! Graphs: blocks with names, streams between their ports.
//!
//! [`Graph`] collects, [`Graph::check`] finds every mistake, and only the [`CheckedGraph`] that it gives can be run.

pub(crate) mod build;
mod chain;
mod check;
pub(crate) mod checked;
mod connect;
mod handle;
mod join;
mod loosen;
pub(crate) mod parameters;
mod streams;

pub(crate) use build::Graph;
pub use build::Hier;
pub use chain::{Chain, OneInput, OneOutput, Part};
pub(crate) use checked::CheckedGraph;
pub use connect::Link;
pub use handle::Handle;
pub(crate) use streams::{Stream, Streams};

use crate::block::erased::LinkShape;
use crate::block::runnable::{AnyBlock, BlockSpec, Level};
use crate::data::{Base, MessageType};
use crate::stream::message::{MsgIn, MsgOut};
use crate::stream::port::{AnyIn, AnyOut, PortSpec};
use crate::stream::settable;
use crate::stream::settable::Parameters;
use crate::stream::visit::PortVisitor;

/// The names and contracts of a block's ports.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PortList {
    /// Stream inputs.
    pub inputs: Vec<(String, PortSpec)>,
    /// Stream outputs.
    pub outputs: Vec<(String, PortSpec)>,
    /// Message inputs.
    pub message_inputs: Vec<(String, MessageType)>,
    /// Message outputs.
    pub message_outputs: Vec<(String, MessageType)>,
}

impl PortList {
    /// The ports of `block`.
    pub fn of(block: &mut AnyBlock) -> Self {
        let mut list = PortList::default();
        block.visit(&mut list);
        list
    }

    /// The stream input and the message input that a block's name alone can mean.
    ///
    /// Each is the only one of its kind. Of several streams it is the only one that must be connected. Of several message
    /// inputs it is the only one that neither sets parameters nor only answers requests. Streams go before messages.
    pub fn meant_inputs(&self) -> (Option<&str>, Option<&str>) {
        meant(&self.inputs, &self.message_inputs)
    }

    /// As [`meant_inputs`](Self::meant_inputs), of the outputs.
    pub fn meant_outputs(&self) -> (Option<&str>, Option<&str>) {
        meant(&self.outputs, &self.message_outputs)
    }
}

fn meant<'a>(
    streams: &'a [(String, PortSpec)],
    messages: &'a [(String, MessageType)],
) -> (Option<&'a str>, Option<&'a str>) {
    fn only<'a>(mut names: impl Iterator<Item = &'a String>) -> Option<&'a str> {
        names.next().filter(|_| names.next().is_none()).map(String::as_str)
    }
    let needed = streams.iter().filter(|(_, spec)| streams.len() == 1 || !spec.optional);
    let is_alone = streams.is_empty() && messages.len() == 1;
    let is_plain = |(name, of): &&(String, MessageType)| {
        is_alone || (name != settable::PORT && *of != MessageType::Requests)
    };
    let plain = messages.iter().filter(is_plain);
    (only(needed.map(|(name, _)| name)), only(plain.map(|(name, _)| name)))
}

impl PortVisitor for PortList {
    fn input(&mut self, name: &str, port: &mut dyn AnyIn) {
        self.inputs.push((name.to_owned(), port.spec().clone()));
    }
    fn output(&mut self, name: &str, port: &mut dyn AnyOut) {
        self.outputs.push((name.to_owned(), port.spec().clone()));
    }
    fn message_input(&mut self, name: &str, port: &mut MsgIn) {
        self.message_inputs.push((name.to_owned(), port.message_type()));
    }
    fn message_output(&mut self, name: &str, port: &mut MsgOut) {
        self.message_outputs.push((name.to_owned(), port.message_type()));
    }
}

/// A block in a graph.
#[derive(Debug)]
pub(crate) struct Node {
    pub name: String,
    pub block: AnyBlock,
    pub spec: BlockSpec,
    pub ports: PortList,
    /// What it is as a link of a chain that workers share, where it can be one.
    pub shape: Option<LinkShape>,
    /// The names of the blocks that a domain has joined, for which it stands: its ports are called as theirs.
    pub joined: Vec<String>,
    /// The place of the region whose workers run it. The first region has all workers that a scheduler gives blocks to.
    pub region: usize,
    /// Has not run yet.
    pub is_new: bool,
    /// Where its streams stood when it was put into a running graph.
    pub base: Base,
    /// The runtime has added it: it passes items on.
    pub passes: bool,
    /// Has ended, in a graph that is being changed.
    pub ended: bool,
    /// Has items before it that it cannot take yet, in a graph that is being changed.
    pub has_waiting: bool,
    /// Reads a ring that stays as it is: its history, and the least span that it was made for.
    pub kept_input: Option<(usize, usize)>,
    /// Writes a ring that stays as it is: the least span that it was made for.
    pub kept_output: Option<usize>,
}

impl Node {
    pub fn new(name: String, mut block: AnyBlock) -> Self {
        /// One visit for both: what a block shows in the first one is what counts.
        struct Introduce<'a>(&'a str, PortList);
        impl PortVisitor for Introduce<'_> {
            fn input(&mut self, name: &str, port: &mut dyn AnyIn) {
                self.1.input(name, port);
            }
            fn output(&mut self, name: &str, port: &mut dyn AnyOut) {
                self.1.output(name, port);
            }
            fn message_input(&mut self, name: &str, port: &mut MsgIn) {
                self.1.message_input(name, port);
            }
            fn message_output(&mut self, name: &str, port: &mut MsgOut) {
                self.1.message_output(name, port);
            }
            fn parameters(&mut self, parameters: &Parameters) {
                parameters.name_block(self.0);
            }
        }
        let mut introduce = Introduce(&name, PortList::default());
        block.visit(&mut introduce);
        let ports = introduce.1;
        Node {
            name,
            spec: block.spec(),
            ports,
            shape: block.0.link_shape(),
            block,
            joined: Vec::new(),
            region: 0,
            is_new: true,
            base: Base::default(),
            passes: false,
            ended: false,
            has_waiting: false,
            kept_input: None,
            kept_output: None,
        }
    }

    /// Whether a message can make the block go on. One that changes parameters or asks something does not.
    pub fn takes_messages(&self) -> bool {
        let mut types = self.ports.message_inputs.iter().map(|(_, of)| *of);
        self.spec.level == Level::General && types.any(|of| of != MessageType::Requests)
    }

    pub fn input_name(&self, port: usize) -> String {
        format!("{}.{}", self.name, self.ports.inputs[port].0)
    }
    pub fn output_name(&self, port: usize) -> String {
        format!("{}.{}", self.name, self.ports.outputs[port].0)
    }
}
