//! Finds the ports that connections name.

use std::collections::{BTreeMap, BTreeSet};

use superhet_runtime::{error::ConnectError, graph::PortList, message::MessageType};

use crate::error::near;
use crate::flow::Part;

/// Which end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Side {
    /// The output that gives.
    Output,
    /// The input that takes.
    Input,
}

impl Side {
    fn name(self) -> &'static str {
        match self {
            Side::Output => "output",
            Side::Input => "input",
        }
    }

    fn other(self) -> Side {
        match self {
            Side::Output => Side::Input,
            Side::Input => Side::Output,
        }
    }

    fn ports(self, list: &PortList) -> impl Iterator<Item = &str> {
        let (streams, messages) = match self {
            Side::Output => (&list.outputs, &list.message_outputs),
            Side::Input => (&list.inputs, &list.message_inputs),
        };
        streams.iter().map(|(name, _)| name.as_str()).chain(messages.iter().map(|(name, _)| name.as_str()))
    }

    fn messages(self, list: &PortList) -> &[(String, MessageType)] {
        match self {
            Side::Output => &list.message_outputs,
            Side::Input => &list.message_inputs,
        }
    }

    /// The stream and the message port that the block's name alone can mean.
    fn meant(self, list: &PortList) -> (Option<&str>, Option<&str>) {
        match self {
            Side::Output => list.meant_outputs(),
            Side::Input => list.meant_inputs(),
        }
    }
}

/// Why a name is not that of a port.
#[derive(Debug)]
pub(crate) enum NoPort {
    /// The block, or the file that it stands for, has a mistake that has been reported.
    Consequence,
    /// This is the mistake. The nearest block is not looked for yet, see [`Names::with_near`].
    Wrong(ConnectError),
}

/// What names can mean.
pub(crate) struct Names<'a> {
    /// The ports of the blocks that could be made.
    pub ports: &'a BTreeMap<String, PortList>,
    /// The blocks that could not.
    pub failed: &'a BTreeSet<&'a str>,
    /// The blocks that stand for files.
    pub parts: &'a BTreeMap<String, Part>,
}

/// Names of ports, and the port of a block that each is.
type Ports = Vec<(String, String)>;

/// Where `block.port` leads.
enum Lead {
    /// To this port of a block.
    Port(String),
    /// To a port of the other side.
    OtherSide,
    /// To something that has a mistake.
    Failed,
    /// To a block that is not there.
    NoBlock,
    /// To a port that is not there.
    NoPort,
}

impl Names<'_> {
    /// The ports that both ends of a connection mean. Where only the block is named, and its only stream does not fit the
    /// other end, its only message port is meant, as in `Graph::connect_names`.
    pub fn ends(&self, from: &str, to: &str) -> (Result<String, NoPort>, Result<String, NoPort>) {
        let (output, input) = (self.port(from, Side::Output), self.port(to, Side::Input));
        if let (Ok(out), Ok(into)) = (&output, &input) {
            match (self.is_message(out, Side::Output), self.is_message(into, Side::Input)) {
                (false, true) => {
                    let other = self.meant_message(from, Side::Output);
                    return (other.map_or(output, Ok), input);
                }
                (true, false) => {
                    let other = self.meant_message(to, Side::Input);
                    return (output, other.map_or(input, Ok));
                }
                _ => {}
            }
        }
        (output, input)
    }

    /// Whether `block.port` carries messages.
    fn is_message(&self, name: &str, side: Side) -> bool {
        name.split_once('.').is_some_and(|(block, port)| {
            let list = self.ports.get(block);
            list.is_some_and(|list| side.messages(list).iter().any(|(known, _)| known == port))
        })
    }

    /// The message port that the name of a block alone can mean.
    fn meant_message(&self, block: &str, side: Side) -> Option<String> {
        Some(format!("{block}.{}", side.meant(self.ports.get(block)?).1?))
    }

    /// The port that `name` means, as `block.port`.
    pub fn port(&self, name: &str, side: Side) -> Result<String, NoPort> {
        let (block, named) = match name.split_once('.') {
            Some((block, _)) => (block, true),
            None => (name, false),
        };
        if named {
            match self.follow(name, side) {
                Lead::Port(port) => return Ok(port),
                Lead::Failed => return Err(NoPort::Consequence),
                Lead::NoBlock => return Err(unknown("block", block, String::new())),
                Lead::OtherSide | Lead::NoPort => {}
            }
        }
        let Some(ports) = self.ports_of(block, side, named)? else {
            return Err(unknown("block", block, String::new()));
        };
        // As in `Graph::connect_names`, streams go before messages.
        let stream = || self.ports.get(block).and_then(|list| side.meant(list).0);
        if let (false, Some(port)) = (named, stream()) {
            return Ok(format!("{block}.{port}"));
        }
        let what = side.name();
        match (&ports[..], named) {
            ([(_, port)], false) => Ok(port.clone()),
            ([], _) => Err(unknown(what, name, format!(": {block} has no {what}"))),
            (_, false) => {
                Err(unknown(what, name, format!(": {block} has several, name one of {}", listed(&ports))))
            }
            (_, true) => Err(unknown(what, name, format!(": {block} has {}", listed(&ports)))),
        }
    }

    /// What is wrong with a port that a file shows, if anything.
    pub fn shown_port(&self, target: &str) -> Result<(), NoPort> {
        let block = target.split_once('.').map_or(target, |(block, _)| block);
        match self.follow(target, Side::Input) {
            Lead::Port(_) | Lead::OtherSide => Ok(()),
            Lead::Failed => Err(NoPort::Consequence),
            Lead::NoBlock => Err(unknown("block", block, String::new())),
            Lead::NoPort => Err(unknown("port", target, String::new())),
        }
    }

    /// The error with the nearest known block in it. That takes time, and is of use only where the error is reported.
    pub fn with_near(&self, error: ConnectError) -> ConnectError {
        match error {
            ConnectError::Unknown { what: "block", name, .. } => {
                let known = self.ports.keys().chain(self.parts.keys()).map(String::as_str);
                let known = known.chain(self.failed.iter().copied()).filter(|known| !known.is_empty());
                let hint = near(&name, known);
                ConnectError::Unknown { what: "block", name, hint }
            }
            other => other,
        }
    }

    /// Follows `block.port` through the files that it leads into. Each is inside of the one before.
    fn follow(&self, name: &str, side: Side) -> Lead {
        let mut name = name;
        let mut inside = false;
        loop {
            let Some((block, port)) = name.split_once('.') else { return Lead::NoPort };
            if self.failed.contains(block) {
                return Lead::Failed;
            }
            let lead = if let Some(list) = self.ports.get(block) {
                let has = |side: Side| side.ports(list).any(|known| known == port);
                match (has(side), has(side.other())) {
                    (true, _) => return Lead::Port(name.to_owned()),
                    (false, true) => return Lead::OtherSide,
                    (false, false) => Lead::NoPort,
                }
            } else {
                match self.parts.get(block).filter(|_| !block.is_empty()) {
                    Some(part) if part.failed => return Lead::Failed,
                    Some(part) => match part.ports.get(port) {
                        Some((target, _)) => {
                            (name, inside) = (target, true);
                            continue;
                        }
                        None => Lead::NoPort,
                    },
                    None => Lead::NoBlock,
                }
            };
            // A mistake in an included file is reported as that file's.
            return if inside { Lead::Failed } else { lead };
        }
    }

    /// The ports of a block by name, and where they lead; `None` if there is no such block. With `partly`, ports that lead
    /// nowhere are left out. Otherwise one of them may be the one that is meant, and the answer is not known.
    fn ports_of(&self, block: &str, side: Side, partly: bool) -> Result<Option<Ports>, NoPort> {
        if self.failed.contains(block) {
            return Err(NoPort::Consequence);
        }
        if let Some(list) = self.ports.get(block) {
            let ports = side.ports(list).map(|port| (port.to_owned(), format!("{block}.{port}")));
            return Ok(Some(ports.collect()));
        }
        let Some(part) = self.parts.get(block).filter(|_| !block.is_empty()) else { return Ok(None) };
        if part.failed {
            return Err(NoPort::Consequence);
        }
        let mut ports = Vec::new();
        for (port, (target, _)) in &part.ports {
            match self.follow(target, side) {
                Lead::Port(found) => ports.push((port.clone(), found)),
                Lead::OtherSide => {}
                Lead::Failed | Lead::NoBlock | Lead::NoPort if partly => {}
                Lead::Failed | Lead::NoBlock | Lead::NoPort => return Err(NoPort::Consequence),
            }
        }
        Ok(Some(ports))
    }
}

fn listed(ports: &[(String, String)]) -> String {
    ports.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ")
}

fn unknown(what: &'static str, name: &str, hint: String) -> NoPort {
    NoPort::Wrong(ConnectError::Unknown { what, name: name.to_owned(), hint })
}
