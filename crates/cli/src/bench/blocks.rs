//! The blocks of the benchmarks: a source that writes nothing, a sink that reads nothing.

use superhet_runtime::SyncBlock;

/// Gives items without writing them: what the strip happens to hold.
pub struct DummySource;

/// Takes items without reading them.
pub struct BenchmarkSink;

impl SyncBlock for DummySource {
    type In = ();
    type Out = f32;
    fn process(&mut self, _: (), _: &mut [f32]) {}
}

impl SyncBlock for BenchmarkSink {
    type In = f32;
    type Out = ();
    fn process(&mut self, _: &[f32], _: ()) {}
}
