//! Graphs on several hosts: `superhet deploy` cuts one where it crosses hosts, and has `superhet node` run the parts.
//!
//! | file | has |
//! |---|---|
//! | `file` | the file that says which block runs where |
//! | `wire` | how a node is spoken to: a handshake, then requests and replies as lines of JSON |
//! | `node` | `superhet node` |
//! | `client` | a connection to a node |
//! | `deploy` | `superhet deploy` |
//! | `fleet` | what all nodes have done, as JSON and for Prometheus |

mod client;
mod deploy;
mod file;
mod fleet;
mod node;
mod wire;

pub use deploy::Deploy;
pub use node::Node;
