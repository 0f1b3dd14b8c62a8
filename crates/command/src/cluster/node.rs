//! `superhet node`: runs the parts of graphs that `superhet deploy` sends.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context, bail};
use clap::Args;
use serde_json::{Value as Json, json};
use superhet::io::link::Token;
use superhet::io::tls::Certificate;
use superhet_flow::{Flow, Set};
use superhet_runtime::{Report, RunError, RunningGraph};

use super::wire::Wire;
use superhet_terminal::say;
use superhet_terminal::settings::Settings;

/// `superhet node`
#[derive(Args, Debug)]
pub struct Node {
    /// Where it listens. Whoever has the token can have it run any graph, and so read and write any file that you may: listen at other
    /// addresses than those of this machine only in a network that you trust. Port 0 is one that is free
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:7400")]
    listen: String,
    /// A file with a secret of 16 to 1024 bytes, the same for all nodes and for `deploy`
    #[arg(long, value_name = "FILE")]
    token_file: PathBuf,
    /// Encrypt: the certificate of this node, and those that have signed it, as PEM. `deploy` needs authority_file then
    #[arg(long, value_name = "FILE", requires = "key")]
    certificate: Option<PathBuf>,
    /// The private key of the certificate, as PEM
    #[arg(long, value_name = "FILE", requires = "certificate")]
    key: Option<PathBuf>,
    /// The certificates, as PEM, of those who may have signed that of other nodes
    #[arg(long, value_name = "FILE", requires = "certificate")]
    authority: Option<PathBuf>,
    /// The folder that paths in graphs are relative to
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    folder: PathBuf,
    #[command(flatten)]
    settings: Settings,
}

/// How many connections there may be at once.
const MOST_CONNECTIONS: usize = 16;
/// How long a graph has to stop by itself.
const STOP: Duration = Duration::from_secs(5);
/// The most ports that are looked for at once.
const MOST_PORTS: usize = 1024;

impl Node {
    /// Serves until it is killed.
    pub fn run(self) -> anyhow::Result<()> {
        self.settings.check()?;
        let token = Token::from_file(&self.token_file)?;
        let certificate = match (&self.certificate, &self.key) {
            (Some(certificate), Some(key)) => Some(Certificate::from_files(certificate, key)?),
            _ => None,
        };
        let listener =
            TcpListener::bind(&self.listen).with_context(|| format!("cannot listen at {}", self.listen))?;
        let address = listener.local_addr()?;
        say::line(format_args!("superhet: this node is at {address}"));
        let absolute = |path: &PathBuf| std::path::absolute(path);
        let secrets = Secrets {
            token: absolute(&self.token_file)?,
            certificate: self.certificate.as_ref().map(absolute).transpose()?,
            key: self.key.as_ref().map(absolute).transpose()?,
            authority: self.authority.as_ref().map(absolute).transpose()?,
        };
        let server = Arc::new(Server {
            address,
            certificate,
            secrets,
            folder: self.folder,
            settings: self.settings,
            job: Mutex::default(),
        });
        let connections = Arc::new(AtomicUsize::new(0));
        for stream in listener.incoming() {
            let Ok(stream) = stream else {
                std::thread::sleep(Duration::from_millis(100));
                continue;
            };
            if connections.fetch_add(1, Ordering::Relaxed) >= MOST_CONNECTIONS {
                connections.fetch_sub(1, Ordering::Relaxed);
                continue;
            }
            let (server, token, count) = (server.clone(), token.clone(), connections.clone());
            let thread = std::thread::Builder::new().name("superhet-node".to_owned());
            let spawned = thread.spawn(move || {
                let peer = stream.peer_addr().map_or_else(|_| "somebody".to_owned(), |peer| peer.to_string());
                if let Err(error) = server.talk(stream, &token) {
                    tracing::warn!("{peer}: {error}");
                }
                count.fetch_sub(1, Ordering::Relaxed);
            });
            if spawned.is_err() {
                connections.fetch_sub(1, Ordering::Relaxed);
            }
        }
        Ok(())
    }
}

/// A node at work.
struct Server {
    address: SocketAddr,
    certificate: Option<Certificate>,
    secrets: Secrets,
    folder: PathBuf,
    settings: Settings,
    job: Mutex<Job>,
}

/// The files that its links go by.
struct Secrets {
    token: PathBuf,
    certificate: Option<PathBuf>,
    key: Option<PathBuf>,
    authority: Option<PathBuf>,
}

/// What a node does.
#[derive(Default)]
struct Job {
    /// The run that the part belongs to.
    run: String,
    graph: Option<RunningGraph>,
    /// How the last one ended.
    ended: Option<Result<Report, RunError>>,
}

impl Server {
    fn talk(&self, stream: TcpStream, token: &Token) -> anyhow::Result<()> {
        let mut wire = Wire::accept(stream, self.certificate.as_ref(), token)?;
        while let Some(request) = wire.read()? {
            let reply =
                self.answer(&request).unwrap_or_else(|error| json!({ "error": format!("{error:#}") }));
            wire.write(&reply)?;
        }
        Ok(())
    }

    fn answer(&self, request: &Json) -> anyhow::Result<Json> {
        let text = |key: &str| request[key].as_str().with_context(|| format!("expected {key}"));
        match text("do")? {
            "ports" => {
                let flow = Flow::from_text(text("graph")?, &self.folder, &[])?;
                let ports = flow.ports_of_blocks(&superhet::registry())?;
                Ok(ports.into_iter().map(|(name, ports)| (name, ports.to_json())).collect())
            }
            "free" => self.free(request["count"].as_u64().unwrap_or(0)),
            "check" => self
                .flow(text("graph")?, request)?
                .check(&superhet::registry())
                .map(|_| json!({}))
                .map_err(Into::into),
            "start" => self.start(text("run")?, text("graph")?, request),
            "status" => Ok(self.lock().status()),
            "stop" => Ok(self.lock().stop()),
            other => bail!("there is no request {other:?}"),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Job> {
        self.job.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ports that are free, and the address to listen at.
    fn free(&self, count: u64) -> anyhow::Result<Json> {
        let count = usize::try_from(count).unwrap_or(usize::MAX).min(MOST_PORTS);
        let listeners: Vec<TcpListener> =
            (0..count).map(|_| TcpListener::bind((self.address.ip(), 0))).collect::<Result<_, _>>()?;
        let ports = listeners
            .iter()
            .map(|one| Ok(one.local_addr()?.port()))
            .collect::<std::io::Result<Vec<u16>>>()?;
        Ok(json!({ "host": self.address.ip().to_string(), "ports": ports }))
    }

    /// The part, whose links use the token and the certificates of this node.
    fn flow(&self, text: &str, request: &Json) -> anyhow::Result<Flow> {
        let links = request["links"].as_array().map_or(&[][..], Vec::as_slice);
        let links: Vec<&str> = links.iter().filter_map(Json::as_str).collect();
        let plain = Flow::from_text(text, &self.folder, &[])?;
        let Secrets { token, certificate, key, authority } = &self.secrets;
        let mut sets = Vec::new();
        for (link, kind) in plain.blocks().filter(|(name, _)| links.contains(name)) {
            let own: &[(&str, Option<&PathBuf>)] = match kind.ends_with("_sink") {
                true => &[("certificate_file", certificate.as_ref()), ("key_file", key.as_ref())],
                false => &[("authority_file", authority.as_ref())],
            };
            for (name, file) in own.iter().chain(&[("token_file", Some(token))]) {
                let Some(file) = file else { continue };
                sets.push(Set::new(format!("{link}.{name}"), &*file.to_string_lossy()));
            }
        }
        Ok(Flow::from_text(text, &self.folder, &sets)?)
    }

    fn start(&self, run: &str, text: &str, request: &Json) -> anyhow::Result<Json> {
        let mut job = self.lock();
        job.stop();
        let checked = self.flow(text, request)?.check(&superhet::registry())?;
        let graph = checked.start(&*self.settings.scheduler(), &self.settings.options())?;
        *job = Job { run: run.to_owned(), graph: Some(graph), ended: None };
        say::line(format_args!("superhet: runs a part of {run}"));
        Ok(json!({}))
    }
}

impl Job {
    fn status(&mut self) -> Json {
        let ended = self.graph.as_mut().and_then(|graph| graph.wait_for(Duration::ZERO));
        if let Some(ended) = ended {
            self.graph = None;
            self.ended = Some(ended);
        }
        let (state, error, report) = match (&self.graph, &self.ended) {
            (Some(graph), _) => ("running", None, Some(graph.metrics())),
            (None, Some(Ok(report))) => ("done", None, Some(report.clone())),
            (None, Some(Err(error))) => ("failed", Some(error.to_string()), None),
            (None, None) => ("idle", None, None),
        };
        json!({ "run": self.run, "state": state, "problem": error, "report": report.map(|report| report.to_json()) })
    }

    /// Stops the graph; what it has done.
    fn stop(&mut self) -> Json {
        if let Some(graph) = self.graph.take() {
            self.ended = Some(graph.stop_within(STOP));
        }
        self.status()
    }
}
