//! `superhet deploy`: cuts a graph where it crosses hosts, has their nodes run the parts, and looks after them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::Args;
use serde_json::{Value as Json, json};
use superhet::io::link::{Token, nonce};
use superhet::io::tls::Authority;
use superhet_flow::{BlockPorts, Flow, LinkEnd, Set, Split};
use superhet_runtime::Value;

use super::client::Client;
use super::file::{Cluster, Links};
use super::fleet::{Fleet, Member};
use crate::interrupt::Interrupts;
use crate::load;
use superhet_terminal::say;

/// `superhet deploy`
#[derive(Args, Debug)]
pub struct Deploy {
    /// The file that names the graph, the hosts, and which blocks run there
    file: PathBuf,
    /// Set a variable of the graph, or a parameter as BLOCK.PARAMETER; may be given several times
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<Set>,
    /// Serve what all nodes do as /metrics, for Prometheus, and as /metrics.json
    #[arg(long, value_name = "HOST:PORT", num_args = 0..=1, default_missing_value = "127.0.0.1:7480")]
    metrics: Option<String>,
    /// Print at the end what all nodes have done, as one JSON object
    #[arg(long)]
    json: bool,
    /// Print the part of each host, and run nothing
    #[arg(long)]
    dry_run: bool,
}

/// How often nodes are asked what they do.
const LOOK_EVERY: Duration = Duration::from_millis(200);

impl Deploy {
    /// Runs the graph to its end.
    pub fn run(self) -> anyhow::Result<()> {
        let cluster = Cluster::open(&self.file)?;
        let flow = load::flow(&cluster.graph, &self.set)?;
        let token = Token::from_file(&cluster.token_file)?;
        let authority = cluster.authority_file.as_deref().map(Authority::from_file).transpose()?;
        let placed = cluster.place(&flow)?;
        let interrupts = Interrupts::catch();
        let used: BTreeSet<&String> = placed.values().collect();
        let mut clients = Vec::new();
        for (name, host) in cluster.hosts.iter().filter(|(name, _)| used.contains(name)) {
            clients.push(Client::new(name, host, &token, authority.as_ref())?);
        }
        let parts = parts(&cluster, &flow, &placed, &mut clients)?;
        if self.dry_run {
            let words = parts.iter().map(|(host, part)| format!("# {host}\n{}\n", part.graph));
            return say::result(&words.collect::<String>());
        }
        let fleet = Fleet::default();
        if let Some(place) = &self.metrics {
            fleet.serve(place)?;
        }
        let run = self.file.display().to_string();
        let name = nonce()?.iter().take(4).map(|byte| format!("{byte:02x}")).collect::<String>();
        let mut running = Running { run: format!("{run} ({name})"), parts, clients, fleet };
        let result = running.run(&interrupts);
        if !matches!(result, Ok(None)) {
            running.stop();
        }
        running.fleet.losses().iter().for_each(|line| say::line(format_args!("superhet: {line}")));
        if self.json {
            say::result(&format!("{}\n", running.fleet.to_json()))?;
        }
        match result? {
            Some(interrupted) => Err(interrupted.into()),
            None => Ok(()),
        }
    }
}

/// The part of a host, as a graph file, and the blocks in it that are ends of links.
#[derive(Clone, Debug)]
struct Part {
    graph: String,
    links: Vec<String>,
}

impl Part {
    fn request(&self, what: &str, run: &str) -> Json {
        json!({ "do": what, "run": run, "graph": self.graph, "links": self.links })
    }
}

/// Asks the nodes what their blocks are, and cuts the graph; each node has checked its part.
fn parts(
    cluster: &Cluster,
    flow: &Flow,
    placed: &BTreeMap<String, String>,
    clients: &mut [Client],
) -> anyhow::Result<BTreeMap<String, Part>> {
    let registry = superhet::registry();
    let folder = cluster.graph.parent().unwrap_or(std::path::Path::new("")).to_owned();
    // Paths are those of the hosts.
    let text = |flow: &Flow| flow.to_toml(&registry, &folder);
    let mut ports: BTreeMap<String, BlockPorts> = BTreeMap::new();
    for client in &mut *clients {
        let blocks = flow.only(|block| placed.get(block) == Some(&client.name))?;
        let reply = client.ask(&json!({ "do": "ports", "graph": text(&blocks)? }))?;
        for block in placed.iter().filter(|(_, host)| **host == client.name).map(|(block, _)| block) {
            let said = BlockPorts::from_json(&reply[block.replace('/', "-")]);
            ports.insert(
                block.clone(),
                said.with_context(|| format!("{} does not say what {block} is", client.name))?,
            );
        }
    }
    let split = flow.split(placed, &ports)?;
    let scheme = if cluster.authority_file.is_some() { "tls" } else { "tcp" };
    let ends = addresses(&split, clients, scheme)?;
    let flows = split.parts(
        |number| sink(&cluster.links, &split, &ends, number),
        |number, host| source(&ends, number, host),
    );
    let mut parts = BTreeMap::new();
    for client in &mut *clients {
        let Some(flow) = flows.get(&client.name) else { continue };
        let links =
            flow.blocks().filter(|(_, kind)| kind.starts_with("link_")).map(|(name, _)| name.to_owned());
        let part = Part { graph: text(flow)?, links: links.collect() };
        client.ask(&part.request("check", ""))?;
        parts.insert(client.name.clone(), part);
    }
    Ok(parts)
}

/// Where the sink of a link listens, and where others find it.
struct Ends {
    listens_at: String,
    found_at: String,
}

/// Asks the nodes for ports for what leaves them.
fn addresses(split: &Split, clients: &mut [Client], scheme: &str) -> anyhow::Result<Vec<Ends>> {
    let mut free: BTreeMap<String, Vec<Ends>> = BTreeMap::new();
    for client in clients {
        let count = split.crossings().iter().filter(|crossing| crossing.host == client.name).count();
        let reply = client.ask(&json!({ "do": "free", "count": count }))?;
        let (Some(host), Some(ports)) = (reply["host"].as_str(), reply["ports"].as_array()) else {
            bail!("the node {} does not say which ports are free", client.name);
        };
        let bracketed = |host: &str| {
            if host.contains(':') && !host.starts_with('[') { format!("[{host}]") } else { host.to_owned() }
        };
        let ends = ports.iter().map(|port| Ends {
            listens_at: format!("{scheme}://{}:{port}", bracketed(host)),
            found_at: format!("{scheme}://{}:{port}", bracketed(client.place())),
        });
        free.insert(client.name.clone(), ends.collect());
    }
    let of = |crossing: &superhet_flow::Crossing| {
        free.get_mut(&crossing.host).and_then(Vec::pop).context("too few ports are free")
    };
    split.crossings().iter().map(of).collect()
}

fn sink<'a>(links: &Links, split: &Split, ends: &[Ends], number: usize) -> LinkEnd<'a> {
    let address = ends.get(number).map_or("", |ends| &*ends.listens_at);
    let readers = split.crossings().get(number).map_or(1, |crossing| crossing.to.len());
    LinkEnd {
        types: ["link_sink", "link_msg_sink"],
        params: vec![
            ("address", address.into()),
            ("policy", (&*links.policy).into()),
            ("hold_s", links.hold_s.into()),
            ("memory_bytes", links.memory_bytes.into()),
            ("readers", (readers as u64).into()),
        ],
    }
}

fn source<'a>(ends: &[Ends], number: usize, host: &str) -> LinkEnd<'a> {
    let address = ends.get(number).map_or("", |ends| &*ends.found_at);
    LinkEnd {
        types: ["link_source", "link_msg_source"],
        // Whoever runs this part has this name, also one that was started again.
        params: vec![("address", address.into()), ("reader", host.into()), ("from_start", Value::Bool(true))],
    }
}

/// A graph that runs.
struct Running {
    run: String,
    parts: BTreeMap<String, Part>,
    clients: Vec<Client>,
    fleet: Fleet,
}

impl Running {
    /// Runs the parts to their end, or to a signal.
    fn run(&mut self, interrupts: &Interrupts) -> anyhow::Result<Option<crate::interrupt::Interrupted>> {
        for client in &mut self.clients {
            let Some(part) = self.parts.get(&client.name) else { continue };
            client.ask(&part.request("start", &self.run))?;
            let member = Member { is_there: true, ..Member::default() };
            self.fleet.members().insert(client.name.clone(), member);
            say::line(format_args!("superhet: {} runs its part", client.name));
        }
        loop {
            if let Some(interrupted) = interrupts.forget() {
                return Ok(Some(interrupted));
            }
            if self.look()? {
                return Ok(None);
            }
            std::thread::sleep(LOOK_EVERY);
        }
    }

    /// Looks after the nodes; whether all parts have come to their end.
    fn look(&mut self) -> anyhow::Result<bool> {
        let mut all_done = true;
        for client in &mut self.clients {
            let Some(part) = self.parts.get(&client.name) else { continue };
            let mut member = self.fleet.members().get(&client.name).cloned().unwrap_or_default();
            if member.state == "done" {
                continue;
            }
            all_done = false;
            let was_there = member.is_there;
            let status =
                if client.is_there()? { client.try_to_ask(&json!({ "do": "status" }))? } else { None };
            member.is_there = status.is_some();
            if let Some(status) = status {
                if status["run"] == *self.run {
                    member.state = status["state"].as_str().unwrap_or_default().to_owned();
                    if !status["report"].is_null() {
                        member.report = status["report"].clone();
                    }
                } else if client.try_to_ask(&part.request("start", &self.run))?.is_some() {
                    member.restarts += 1;
                    say::line(format_args!("superhet: {} is back, its part was started again", client.name));
                }
                if member.state == "failed" {
                    bail!(
                        "the node {}: {}",
                        client.name,
                        status["problem"].as_str().unwrap_or("its part has failed")
                    );
                }
            } else if was_there {
                say::line(format_args!("superhet: {} has gone", client.name));
            }
            self.fleet.members().insert(client.name.clone(), member);
        }
        Ok(all_done)
    }

    fn stop(&mut self) {
        for client in &mut self.clients {
            if let Some(status) = client.stop().filter(|status| status["run"] == *self.run)
                && let Some(member) = self.fleet.members().get_mut(&client.name)
            {
                member.state = status["state"].as_str().unwrap_or_default().to_owned();
                if !status["report"].is_null() {
                    member.report = status["report"].clone();
                }
            }
        }
    }
}
