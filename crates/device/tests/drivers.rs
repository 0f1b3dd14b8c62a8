//! The same small program on every driver that is built in and present, and what each says when something is missing.
#![cfg(any(feature = "cuda", feature = "opencl", feature = "wgpu"))]

mod common;

#[cfg(feature = "opencl")]
mod opencl {
    use superhet_device::opencl::OpenCl;

    use std::sync::MutexGuard;

    use crate::common::{self, Child, alone};

    /// The first device for one test at a time, or none with the reason printed.
    fn device() -> Option<(OpenCl, MutexGuard<'static, ()>)> {
        let guard = alone();
        let device = OpenCl::open(0).inspect_err(|error| println!("skipped: {error}")).ok()?;
        Some((device, guard))
    }

    #[test]
    fn a_program_of_uploads_kernels_copies_and_downloads_gives_what_the_host_computes() {
        let Some((device, _alone)) = device() else { return };
        println!("{}", superhet_device::Backend::describe(&device));
        common::program(&device);
    }

    #[test]
    fn a_long_chain_over_two_streams_is_kept_in_order_by_events() {
        let Some((device, _alone)) = device() else { return };
        common::chain(&device);
    }

    #[test]
    fn what_does_not_fit_is_an_error_with_a_sentence() {
        let Some((device, _alone)) = device() else { return };
        common::mistakes(&device);
    }

    #[test]
    fn bad_kernels_are_errors_with_the_compilers_words() {
        let Some((device, _alone)) = device() else { return };
        // 90 ms on an idle machine, of which PoCL takes most for parsing its own header twice.
        let limit = 3 * common::LIMIT;
        common::bad_kernels(&device, limit, |text| {
            superhet_device::Source::new("broken").opencl(text.to_owned())
        });
    }

    #[test]
    fn a_device_that_is_not_there_is_an_error_that_names_those_that_are() {
        let Ok(devices) = OpenCl::devices().inspect_err(|error| println!("skipped: {error}")) else { return };
        let error = OpenCl::open(1000).err().expect("there are no 1001 devices").to_string();
        assert!(error.contains("no device 1000") && error.contains(&devices[0].description), "{error}");
    }

    #[test]
    fn without_a_library_the_error_says_what_to_install() {
        let child = Child::new("opencl::without_a_library_the_error_says_what_to_install");
        if child.is_it() {
            return common::answer(|| OpenCl::open(0));
        }
        let error = child.without_library("libOpenCL.so.1").run();
        assert!(error.contains("libOpenCL.so.1") && error.contains("pocl-opencl-icd"), "{error}");
    }

    #[test]
    fn without_a_registered_driver_the_error_says_so() {
        let child = Child::new("opencl::without_a_registered_driver_the_error_says_so");
        if child.is_it() {
            return common::answer(|| OpenCl::open(0));
        }
        if device().is_none() {
            return;
        }
        let error = child.with("OCL_ICD_VENDORS", "/nowhere").run();
        assert!(error.contains("no device is found") && error.contains("OCL_ICD_VENDORS"), "{error}");
    }
}
