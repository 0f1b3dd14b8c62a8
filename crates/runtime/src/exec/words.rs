//! Where a block's streams stand, in words.

use crate::block::runnable::Runnable;
use crate::stream::port::{AnyIn, AnyOut};
use crate::stream::visit::PortVisitor;

/// Where the stream ports of a block stand.
pub(super) fn ports_in_words(runnable: &mut dyn Runnable) -> String {
    struct Words(Vec<String>);
    impl PortVisitor for Words {
        fn input(&mut self, name: &str, port: &mut dyn AnyIn) {
            let raw = port.raw();
            if raw.is_mine() {
                let (index, (waiting, _)) = (raw.end.index(), raw.end.fill());
                self.0.push(format!("{name} at item {index} with {waiting} waiting"));
            }
        }
        fn output(&mut self, name: &str, port: &mut dyn AnyOut) {
            let raw = port.raw();
            if raw.is_mine() {
                self.0.push(format!("{name} at item {}", raw.end.index()));
            }
        }
    }
    let mut words = Words(Vec::new());
    runnable.visit(&mut words);
    words.0.join(", ")
}
