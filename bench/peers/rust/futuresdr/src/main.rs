//! The chain on FutureSDR: `CORES KERNELS WEIGHT SECONDS CONFIG`.
//!
//! `CONFIG` is `default` (the default scheduler and the default buffers) or `SCHEDULER-KIBxBUFFERS`: an in-place
//! circuit of so many buffers of KIB each on the scheduler `smol` (the default one, pinned), `flow` (each block has
//! its core) or `local` (a pinned local domain for each core).

mod in_place;
mod streams;

use futuresdr::runtime::dev::prelude::*;
use futuresdr::runtime::scheduler::{FlowScheduler, SmolScheduler};
use peer_common::{Args, Items, allowed_cores, fail};

/// The buffers of a circuit.
#[derive(Clone, Copy)]
struct Circuit {
    buffers: usize,
    items: usize,
}

/// Starts `graph` and measures it.
fn measure(
    runtime: Runtime<impl futuresdr::runtime::scheduler::Scheduler>,
    graph: Flowgraph,
    args: &Args,
    items: &Items,
) -> Result<()> {
    let _running = runtime.start(graph)?;
    peer_common::measure("futuresdr", "0.10.0", args, items)
}

fn main() -> Result<()> {
    let args = Args::parse();
    let items = Items::default();
    let mut graph = Flowgraph::new();
    if args.config == "default" {
        streams::build(&mut graph, &args, &items)?;
        return measure(Runtime::new(), graph, &args, &items);
    }
    let Some((scheduler, circuit)) = tuned(&args.config) else {
        fail("CONFIG is default or SCHEDULER-KIBxBUFFERS");
    };
    match scheduler {
        "smol" => {
            in_place::build(&mut graph, &args, circuit, &items)?;
            measure(
                Runtime::with_scheduler(SmolScheduler::with_config(args.cores, true)),
                graph,
                &args,
                &items,
            )
        }
        "flow" => {
            let placed = in_place::build(&mut graph, &args, circuit, &items)?;
            measure(Runtime::with_scheduler(FlowScheduler::with_pinned_blocks(placed)), graph, &args, &items)
        }
        "local" => {
            let cores = &allowed_cores()[..args.shares().len()];
            match cores {
                [core] => in_place::build_local(&mut graph, &args, circuit, &items, *core)?,
                _ => in_place::build_in_domains(&mut graph, &args, circuit, &items, cores)?,
            }
            measure(Runtime::with_scheduler(SmolScheduler::with_config(1, false)), graph, &args, &items)
        }
        _ => fail("the scheduler is smol, flow or local"),
    }
}

fn tuned(config: &str) -> Option<(&str, Circuit)> {
    let (scheduler, circuit) = config.split_once('-')?;
    let (kib, buffers) = circuit.split_once('x')?;
    Some((scheduler, Circuit { buffers: buffers.parse().ok()?, items: kib.parse::<usize>().ok()? * 256 }))
}
