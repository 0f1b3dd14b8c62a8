//! Every driver that is there does what every driver must do.

use superhet_device::conformance::{self, Extent};
use superhet_device::{Backend, Sim};

/// Some cases, or all with `SUPERHET_CONFORMANCE=full`.
fn check<B: Backend>(make: &dyn Fn(u64) -> B) {
    let full = std::env::var("SUPERHET_CONFORMANCE").is_ok_and(|extent| extent == "full");
    let extent = if full { Extent::FULL } else { Extent::SHORT };
    let passed = conformance::run(&extent, make).unwrap();
    assert!(passed > 20, "{passed} cases");
}

#[test]
fn the_simulated_device_conforms() {
    check(&Sim::seeded);
}

#[test]
fn the_simulated_device_conforms_where_it_captures() {
    check(&|seed| Sim::seeded(seed).with_capture());
}

#[test]
fn the_simulated_device_conforms_where_streams_lend_their_memory() {
    check(&|seed| Sim::seeded(seed).with_lending());
}

#[test]
fn the_simulated_device_conforms_where_it_captures_and_streams_lend_their_memory() {
    check(&|seed| Sim::seeded(seed).with_lending().with_capture());
}

/// A driver's first device, opened anew for each case; or the reason why there is none.
#[cfg(any(feature = "cuda", feature = "opencl", feature = "wgpu"))]
fn check_first<B: Backend<Error = superhet_device::DriverError>>(open: fn(usize) -> Result<B, B::Error>) {
    match open(0) {
        Ok(first) => {
            println!("on {}", first.describe());
            check(&|_| open(0).unwrap());
        }
        Err(error) => println!("skipped: {error}"),
    }
}

#[cfg(feature = "opencl")]
#[test]
fn opencl_conforms() {
    check_first(superhet_device::opencl::OpenCl::open);
}

#[cfg(feature = "cuda")]
#[test]
fn cuda_conforms() {
    check_first(superhet_device::cuda::Cuda::open);
}

#[cfg(feature = "wgpu")]
#[test]
fn wgpu_conforms() {
    check_first(superhet_device::wgpu::Wgpu::open);
}
