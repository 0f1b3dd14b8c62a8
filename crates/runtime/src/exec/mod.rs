//! Carries a plan out: threads, what they run, and changes of a graph while it runs. `README.md` has the protocol.
//!
//! | file | has |
//! |---|---|
//! | `start.rs`, `run.rs` | how a graph is started, and the handle by which it is watched, told and ended |
//! | `future.rs`, `awaited.rs` | that handle as a future, and whom the end of the graph wakes |
//! | `view.rs`, `layout.rs` | what others can see of a running graph |
//! | `bind.rs` | the buffers of a plan, and every port's end |
//! | `shared.rs`, `signals.rs` | what the workers of a graph and its handles share, and what tells them that it ends |
//! | `region.rs`, `thread.rs`, `worker.rs`, `row.rs`, `spin.rs` | regions, threads, the workers of a region, how they carry claims, and how long they look before they sleep |
//! | `duty.rs`, `preempted.rs` | which of them take part |
//! | `idle.rs`, `endless.rs`, `stuck.rs` | what is wrong with blocks that say they ran, give for ever, or wait for each other |
//! | `unit.rs`, `units.rs`, `rings.rs`, `lane.rs`, `task.rs`, `chain/` | what a worker runs: a lane, or a strip of a chain that all share |
//! | `change/` | a running graph that is changed |

mod awaited;
pub(crate) mod bind;
pub(crate) mod chain;
pub(crate) mod change;
mod duty;
mod endless;
mod future;
mod idle;
mod lane;
pub(crate) mod layout;
mod preempted;
mod priority;
mod region;
mod rings;
mod row;
pub(crate) mod run;
mod seeded;
mod segment;
mod shared;
mod signals;
mod spin;
mod start;
mod stuck;
mod sweep;
mod task;
mod thread;
mod timing;
mod unit;
mod units;
mod view;
mod wanted;
mod words;
mod worker;
