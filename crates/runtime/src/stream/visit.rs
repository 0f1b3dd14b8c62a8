//! How the runtime gets to see the ports of a block.

use super::message::{MsgIn, MsgOut};
use super::port::{AnyIn, AnyOut};
use super::settable::Parameters;

/// Sees every port of a block, in the order in which the block declares them.
pub trait PortVisitor {
    /// A stream input.
    fn input(&mut self, name: &str, port: &mut dyn AnyIn) {
        let _ = (name, port);
    }
    /// A stream output.
    fn output(&mut self, name: &str, port: &mut dyn AnyOut) {
        let _ = (name, port);
    }
    /// A message input.
    fn message_input(&mut self, name: &str, port: &mut MsgIn) {
        let _ = (name, port);
    }
    /// A message output.
    fn message_output(&mut self, name: &str, port: &mut MsgOut) {
        let _ = (name, port);
    }
    /// The parameters of a pure or sync block that has any.
    fn parameters(&mut self, parameters: &Parameters) {
        let _ = parameters;
    }
}
