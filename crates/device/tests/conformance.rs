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

#[cfg(feature = "opencl")]
#[test]
fn opencl_conforms() {
    use superhet_device::opencl::OpenCl;
    match OpenCl::open(0) {
        Ok(first) => {
            println!("on {}", first.describe());
            check(&|_| OpenCl::open(0).unwrap());
        }
        Err(error) => println!("skipped: {error}"),
    }
}
