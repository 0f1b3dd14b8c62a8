//! The dashboard of a process.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use axum::serve::ListenerExt;
use superhet_runtime::RunningGraph;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

use crate::error::MonitorError;
use crate::options::Options;
use crate::server::hub::Hub;
use crate::server::router;
use crate::server::security::Gate;
use crate::tap::points::sweep;
use crate::watched::{Graphs, Watch};

/// How much less urgent the dashboard's thread is than those of graphs: the system's `nice`.
const NICE: i32 = 10;
/// How many bytes wait in the system's buffer of a connection.
const SEND_BUFFER: usize = 128 << 10;
/// How long taps have to leave their graphs when the dashboard ends.
const LEAVING: Duration = Duration::from_secs(2);

/// Serves a dashboard for any number of graphs, on a thread of its own, until it is dropped.
///
/// What nobody looks at costs nothing: taps are put into graphs when a viewer comes, and taken out when the last one goes. That
/// takes a scheduler that changes running graphs ([`Adaptive`](superhet_runtime::Adaptive) or
/// [`Single`](superhet_runtime::Single)). Where blocks wait for the outside world, start a graph that was
/// [`loosened`](superhet_runtime::CheckedGraph::loosened): else their streams have no place for taps.
///
/// ```
/// use superhet_monitor::{Monitor, Options};
/// use superhet_runtime::{Adaptive, Graph, harness::{VecSink, VecSource}};
///
/// let monitor = Monitor::serve(Options::default().at("127.0.0.1:0".parse()?))?;
/// let mut graph = Graph::new();
/// let source = graph.add("source", VecSource::new(vec![1.0f32; 1_000_000]));
/// let sink = graph.add("sink", VecSink::<f32>::new());
/// graph.connect(source.output, sink.input);
/// let graph = graph.check()?.loosened()?;
/// let running = graph.start(&Adaptive::workers(1), &superhet_runtime::Options::default())?;
/// monitor.add("example", &running);
/// println!("{}", monitor.urls()[0]);
/// running.wait()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Monitor {
    graphs: Arc<Graphs>,
    address: SocketAddr,
    urls: Vec<String>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// A graph of a [`Monitor`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GraphId(u32);

impl Monitor {
    /// Begins to serve.
    ///
    /// # Errors
    /// [`MonitorError::Address`] where nobody can listen there; [`MonitorError::System`] where there is no thread for it.
    pub fn serve(options: Options) -> Result<Monitor, MonitorError> {
        let listener = listen(&options)?;
        let address = listener.local_addr().map_err(MonitorError::System)?;
        let gate = Gate::new(&options, address)?;
        let url = |token: Option<&str>| {
            let token = token.map(|token| format!("#token={token}")).unwrap_or_default();
            format!("http://{address}/{token}")
        };
        let urls = match gate.tokens() {
            None => vec![url(None)],
            Some(tokens) => vec![url(Some(&tokens.control)), url(Some(&tokens.view))],
        };
        let graphs = Arc::new(Graphs::default());
        let hub = Arc::new(Hub::new(graphs.clone(), options, gate));
        let (stop, stopped) = oneshot::channel();
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_io().enable_time().max_blocking_threads(4).build();
        let runtime = runtime.map_err(MonitorError::System)?;
        let listener = {
            let _inside = runtime.enter();
            tokio::net::TcpListener::from_std(listener).map_err(MonitorError::System)?
        };
        let thread = std::thread::Builder::new().name("superhet-dashboard".to_owned());
        let thread =
            thread.spawn(move || run(runtime, hub, listener, stopped)).map_err(MonitorError::System)?;
        Ok(Monitor { graphs, address, urls, stop: Some(stop), thread: Some(thread) })
    }

    /// Shows a running graph, called `name`.
    pub fn add(&self, name: &str, graph: &RunningGraph) -> GraphId {
        self.watch(Watch::new(name, graph.control()))
    }

    /// Shows a graph of which more is known than the runtime knows.
    pub fn watch(&self, watch: Watch) -> GraphId {
        GraphId(self.graphs.add(watch))
    }

    /// Shows a graph no more.
    pub fn remove(&self, graph: GraphId) {
        self.graphs.remove(graph.0);
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What to type into a browser: for those who may control, and, where tokens are asked for, then for those who may only look.
    pub fn urls(&self) -> &[String] {
        &self.urls
    }
}

impl Drop for Monitor {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // It has no panics to report.
            let _ = thread.join();
        }
    }
}

/// Listens at the address; of the default one, at any port where that is taken.
fn listen(options: &Options) -> Result<TcpListener, MonitorError> {
    let address = options.address;
    let listener = TcpListener::bind(address).or_else(|error| match address {
        _ if address == Options::default().address => TcpListener::bind((address.ip(), 0)),
        _ => Err(error),
    });
    let listener = listener.map_err(|error| MonitorError::Address { address, error })?;
    listener.set_nonblocking(true).map_err(MonitorError::System)?;
    Ok(listener)
}

/// Serves until the other end of `stopped` is dropped.
fn run(runtime: Runtime, hub: Arc<Hub>, listener: tokio::net::TcpListener, stopped: oneshot::Receiver<()>) {
    lower_priority();
    runtime.block_on(async {
        let server = axum::serve(listener.tap_io(|stream| tune(stream)), router(hub.clone())).into_future();
        tokio::select! {
            // It goes on for ever: connections that fail are of no account.
            _ = server => {}
            () = hub.clone().look_after() => {}
            _ = stopped => {}
        }
        hub.rest_taps.clear();
        let leave = async {
            for graph in hub.graphs.all() {
                sweep(&graph, true).await;
                hub.records.sweep(&graph, true).await;
            }
        };
        // A graph whose workers do not pause keeps its taps.
        let _ = tokio::time::timeout(LEAVING, leave).await;
    });
    runtime.shutdown_timeout(Duration::from_millis(100));
}

/// Keeps little in the system's buffers: what waits there is old when a viewer reads it.
fn tune(stream: &tokio::net::TcpStream) {
    // Without these it works as well, a little later.
    let _ = stream.set_nodelay(true);
    let _ = rustix::net::sockopt::set_socket_send_buffer_size(stream, SEND_BUFFER);
}

/// Lets graphs go first.
fn lower_priority() {
    // Of Linux, it is the thread's own; elsewhere the whole process would have it.
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, NICE) {
        tracing::debug!("the dashboard's thread stays as urgent as others: {error}");
    }
}
