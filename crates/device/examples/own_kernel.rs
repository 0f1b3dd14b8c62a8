//! A device block with a kernel of one's own, on an OpenCL device where there is one, else on the simulated device:
//! `cargo run --example own_kernel --features opencl`.

use superhet_device::{Backend, Device, DeviceMap, HostCall, Sim, Source};
use superhet_runtime::{BlockError, Graph, harness};

/// Limits softly: `y[n] = x[n] / (1 + |x[n]|)`.
struct Limit;

impl DeviceMap for Limit {
    type In = f32;
    type Out = f32;

    fn source(&self) -> Source {
        Source::new("limit")
            .opencl(
                "kernel void limit(uint threads, global const float *x, uint x0, global float *y, uint y0) {
                     uint i = get_global_id(0);
                     if (i < threads) y[y0 + i] = x[x0 + i] / (1 + fabs(x[x0 + i]));
                 }",
            )
            .host(HostCall::map(|x: &[f32], y: &mut [f32]| {
                y.iter_mut().zip(x).for_each(|(y, x)| *y = x / (1.0 + x.abs()));
            }))
    }
}

fn run<B: Backend>(device: &Device<B>) -> Result<(), BlockError> {
    let mut graph = Graph::new();
    let source = graph.add("source", harness::VecSource::new(vec![-3.0f32, 0.0, 0.25, 1.0]));
    let limit = graph.add("limit", device.map(Limit));
    let sink = harness::VecSink::<f32>::new();
    let items = sink.items();
    let sink = graph.add("sink", sink);
    graph.connect(source.output, limit.input);
    graph.connect(limit.output, sink.input);
    graph.run()?;
    println!("{}: {:?}", device.backend().describe(), items.take());
    Ok(())
}

fn main() -> Result<(), BlockError> {
    #[cfg(feature = "opencl")]
    match superhet_device::opencl::OpenCl::open(0) {
        Ok(driver) => return run(&Device::new(driver)),
        Err(error) => println!("{error}"),
    }
    run(&Device::new(Sim::new()))
}

#[test]
fn it_runs() {
    main().unwrap();
}
