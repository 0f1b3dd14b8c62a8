//! A connection to a node, which may be lost and is then made anew; and the process of a node that `deploy` has started.

use std::net::{TcpStream, ToSocketAddrs};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use serde_json::{Value as Json, json};
use superhet::io::link::Token;
use superhet::io::tls::Authority;

use super::file::Host;
use super::wire::Wire;
use superhet_terminal::say;

/// How long an attempt to connect takes at most, and how long it is until the next.
const ATTEMPT: Duration = Duration::from_secs(2);
const AGAIN: Duration = Duration::from_millis(500);
/// How long a node has until it is there at first.
const FIRST: Duration = Duration::from_secs(30);

/// A node, as `deploy` sees it.
#[derive(Debug)]
pub struct Client {
    pub name: String,
    host: Host,
    token: Token,
    authority: Option<Authority>,
    wire: Option<Wire>,
    process: Option<Child>,
    tried: Instant,
}

impl Client {
    /// Starts the node, where the file says how, and connects to it.
    pub fn new(
        name: &str,
        host: &Host,
        token: &Token,
        authority: Option<&Authority>,
    ) -> anyhow::Result<Self> {
        let mut client = Client {
            name: name.to_owned(),
            host: host.clone(),
            token: token.clone(),
            authority: authority.cloned(),
            wire: None,
            process: None,
            tried: Instant::now(),
        };
        client.start()?;
        let since = Instant::now();
        while !client.connect().with_context(|| format!("the node {name} at {}", host.address))? {
            if since.elapsed() > FIRST {
                bail!("the node {name} at {}: nobody is there", host.address);
            }
            std::thread::sleep(AGAIN / 5);
            client.start()?;
        }
        Ok(client)
    }

    /// Where others reach it, without the port.
    pub fn place(&self) -> &str {
        self.host.address.rsplit_once(':').map_or(&*self.host.address, |(host, _)| host)
    }

    /// Starts the process of the node, where it has none.
    fn start(&mut self) -> anyhow::Result<()> {
        let Some((program, words)) = self.host.start.split_first() else { return Ok(()) };
        if let Some(process) = &mut self.process {
            match process.try_wait()? {
                None => return Ok(()),
                Some(status) => {
                    say::line(format_args!("superhet: {}: the node's process has ended, {status}", self.name))
                }
            }
        }
        let mut command = Command::new(program);
        command.args(words).stdin(Stdio::null());
        let started = command.spawn();
        self.process = Some(
            started.with_context(|| format!("cannot run {program}, which starts the node {}", self.name))?,
        );
        Ok(())
    }

    /// Connects, where somebody is there; an error where that is no node, or one that has another token.
    fn connect(&mut self) -> anyhow::Result<bool> {
        for address in self.host.address.to_socket_addrs()? {
            if let Ok(stream) = TcpStream::connect_timeout(&address, ATTEMPT) {
                let wire = Wire::greet(stream, self.place(), self.authority.as_ref(), &self.token)?;
                self.wire = Some(wire);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Connects again, if it is time; whether it is connected.
    pub fn is_there(&mut self) -> anyhow::Result<bool> {
        if self.wire.is_none() && self.tried.elapsed() >= AGAIN {
            self.start()?;
            // It may take a while until it is back.
            if let Err(error) = self.connect() {
                tracing::info!("{}: {error}", self.name);
            }
            self.tried = Instant::now();
        }
        Ok(self.wire.is_some())
    }

    /// Asks the node for something; an error of the node is one here. `None` where the connection is lost.
    pub fn try_to_ask(&mut self, request: &Json) -> anyhow::Result<Option<Json>> {
        let Some(wire) = &mut self.wire else { return Ok(None) };
        match wire.ask(request) {
            Ok(reply) => match reply["error"].as_str() {
                Some(error) => bail!("the node {}: {error}", self.name),
                None => Ok(Some(reply)),
            },
            Err(error) => {
                tracing::info!("{}: {error}", self.name);
                (self.wire, self.tried) = (None, Instant::now());
                Ok(None)
            }
        }
    }

    /// The same, where a lost connection is an error.
    pub fn ask(&mut self, request: &Json) -> anyhow::Result<Json> {
        self.try_to_ask(request)?.with_context(|| format!("the node {} has gone", self.name))
    }

    /// Stops what it runs; what that has done.
    pub fn stop(&mut self) -> Option<Json> {
        self.try_to_ask(&json!({ "do": "stop" })).ok().flatten()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if let Some(process) = &mut self.process {
            // One that has ended cannot be killed.
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}
