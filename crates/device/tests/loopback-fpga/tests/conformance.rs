//! The board does what every device must do.

use loopback_fpga::Board;
use superhet_device::conformance::{self, Extent};

#[test]
fn the_board_conforms() {
    let passed = conformance::run(&Extent::SHORT, &|_| Board).unwrap();
    assert!(passed > 20, "{passed} cases");
}

/// All cases; some minutes without optimisation.
#[test]
#[ignore = "takes minutes"]
fn the_board_conforms_in_all_cases() {
    let passed = conformance::run(&Extent::FULL, &|_| Board).unwrap();
    println!("{passed} cases");
}
