//! The blocks of the benchmarks: a source that writes nothing, a sink that reads nothing.

use superhet_runtime::Pure;

/// Gives items without writing them: what the strip happens to hold.
pub struct DummySource;

/// Takes items without reading them.
pub struct BenchmarkSink;

impl Pure for DummySource {
    type In = ();
    type Out = f32;
    fn map(&self, _: (), _: &mut [f32]) {}
}

impl Pure for BenchmarkSink {
    type In = f32;
    type Out = ();
    fn map(&self, _: &[f32], _: ()) {}
}
