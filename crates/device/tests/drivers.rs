//! The same small program on every driver that is built in and present, and what each says when something is missing.
#![cfg(any(feature = "cuda", feature = "opencl", feature = "wgpu"))]

mod common;

/// All are loaded when they are asked for, so that a program with all drivers starts on any machine.
#[test]
fn no_vendors_library_is_linked() {
    let program = std::env::current_exe().expect("a test knows its file");
    let Ok(output) = std::process::Command::new("ldd").arg(program).output() else {
        return println!("skipped: there is no ldd");
    };
    let libraries = String::from_utf8_lossy(&output.stdout).to_lowercase();
    for vendor in ["opencl", "pocl", "cuda", "nvrtc", "cufft", "vulkan"] {
        let linked = libraries.lines().find(|line| line.split("=>").next().unwrap_or("").contains(vendor));
        assert_eq!(linked, None);
    }
}

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
            if OpenCl::open(0).is_ok() {
                return println!("\nerror: skipped: this loader of drivers takes no setting");
            }
            return common::answer(|| OpenCl::open(0));
        }
        if device().is_none() {
            return;
        }
        let error = child.with("OCL_ICD_VENDORS", "/nowhere").run();
        if error.starts_with("skipped") {
            return;
        }
        assert!(error.contains("no device is found") && error.contains("OCL_ICD_VENDORS"), "{error}");
    }
}

#[cfg(feature = "cuda")]
mod cuda {
    use std::sync::MutexGuard;

    use superhet_device::Source;
    use superhet_device::cuda::{Cuda, compile_ptx};

    use crate::common::{self, Child, alone};

    /// The first device for one test at a time, or none with the reason printed.
    fn device() -> Option<(Cuda, MutexGuard<'static, ()>)> {
        let guard = alone();
        let device = Cuda::open(0).inspect_err(|error| println!("skipped: {error}")).ok()?;
        Some((device, guard))
    }

    /// Whether NVRTC is there; if not, the reason is printed.
    fn nvrtc() -> bool {
        let text = "extern \"C\" __global__ void f() {}";
        compile_ptx(text, "f").inspect_err(|error| println!("skipped: {error}")).is_ok()
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
    fn a_captured_chain_does_the_same_each_time_it_is_replayed() {
        let Some((device, _alone)) = device() else { return };
        common::captured(&device);
    }

    #[test]
    fn what_does_not_fit_is_an_error_with_a_sentence() {
        let Some((device, _alone)) = device() else { return };
        common::mistakes(&device);
    }

    #[test]
    fn bad_kernels_are_errors_with_the_compilers_words() {
        let Some((device, _alone)) = device() else { return };
        let limit = 3 * common::LIMIT;
        common::bad_kernels(&device, limit, |text| Source::new("broken").cuda(text.to_owned()));
    }

    #[test]
    fn without_a_driver_the_error_says_what_to_install() {
        let child = Child::new("cuda::without_a_driver_the_error_says_what_to_install");
        if child.is_it() {
            return common::answer(|| Cuda::open(0));
        }
        if Cuda::devices().is_ok() {
            return println!("skipped: there is a driver");
        }
        let error = child.run();
        assert!(error.starts_with("CUDA: ") && error.contains("install NVIDIA's driver"), "{error}");
    }

    /// A library without CUDA's functions, as an old driver lacks the newest.
    #[test]
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    fn with_a_driver_that_lacks_functions_the_error_names_one() {
        let child = Child::new("cuda::with_a_driver_that_lacks_functions_the_error_names_one");
        if child.is_it() {
            return common::answer(|| Cuda::open(0));
        }
        let error = child.with_the_c_library_as("libcuda.so").run();
        assert!(error.contains("it has no function cuCtxSetCurrent"), "{error}");
    }

    #[test]
    fn without_nvrtc_the_error_says_where_it_was_looked_for() {
        let child = Child::new("cuda::without_nvrtc_the_error_says_where_it_was_looked_for");
        if child.is_it() {
            return common::answer(|| compile_ptx("", "f"));
        }
        let error = child.with("SUPERHET_NVRTC", "/nowhere").run();
        assert!(
            error.contains("SUPERHET_NVRTC names /nowhere") && error.contains("libnvrtc.so.13"),
            "{error}"
        );
    }

    #[test]
    fn cuda_c_becomes_ptx_for_compute_capability_7_5_that_cuda_13_0_takes() {
        if !nvrtc() {
            return;
        }
        for source in [common::saxpy(), common::subtract()] {
            let ptx = compile_ptx(source.cuda.as_deref().unwrap(), &source.entry).unwrap();
            let version = ptx.lines().find_map(|line| line.strip_prefix(".version ")).unwrap();
            assert!(version.trim().parse::<f32>().unwrap() <= 9.0, "{version}");
            assert!(ptx.contains(".target sm_75"), "{ptx}");
            assert!(ptx.contains(&format!(".entry {}(", source.entry)), "{ptx}");
        }
    }

    #[test]
    fn cuda_c_that_does_not_compile_is_an_error_with_the_compilers_words() {
        if !nvrtc() {
            return;
        }
        for (text, words) in [
            ("this is no kernel", "f(1): error: expected a declaration"),
            ("extern \"C\" __global__ void f() { x = 1; }", "identifier \"x\" is undefined"),
            ("}{", "f(1): error: expected a declaration"),
            ("\0", "zero byte"),
        ] {
            let error = common::in_time(|| compile_ptx(text, "f").unwrap_err()).to_string();
            assert!(error.contains(words), "{error}");
        }
    }
}

#[cfg(feature = "wgpu")]
mod wgpu {
    use std::sync::MutexGuard;

    use superhet_device::wgpu::Wgpu;
    use superhet_device::{Backend, Launch, Place, Source, Span, Transfer};

    use crate::common::{self, Child, alone};

    /// The first device for one test at a time, or none with the reason printed.
    fn device() -> Option<(Wgpu, MutexGuard<'static, ()>)> {
        let guard = alone();
        let device = Wgpu::open(0).inspect_err(|error| println!("skipped: {error}")).ok()?;
        Some((device, guard))
    }

    #[test]
    fn a_program_of_uploads_kernels_copies_and_downloads_gives_what_the_host_computes() {
        let Some((device, _alone)) = device() else { return };
        println!("{}", device.describe());
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
        common::bad_kernels(&device, common::LIMIT, |text| Source::new("broken").wgsl(text.to_owned()));
    }

    #[test]
    fn kernels_that_break_the_convention_get_an_error_with_the_convention() {
        let Some((device, _alone)) = device() else { return };
        let call = "@group(0) @binding(0) var<storage, read> call: array<u32>;";
        let start = "@compute @workgroup_size(64) fn f()";
        for (text, words) in [
            (format!("{call} @compute @workgroup_size(32) fn f() {{}}"), "64 in one dimension"),
            (format!("{start} {{}}"), "no binding"),
            (format!("{} {start} {{}}", call.replace("read", "read_write")), "must be var<storage, read>"),
            (format!("{} {start} {{}}", call.replace("binding(0)", "binding(1)")), "without gaps"),
            (format!("{} {start} {{}}", call.replace("group(0)", "group(1)")), "group 0"),
            (
                format!(
                    "{} {start} {{}}",
                    call.replace("storage, read", "uniform").replace("array<u32>", "u32")
                ),
                "no var<storage>",
            ),
            (format!("{call} {start} {{ let x = call[0] + 1.5; }}"), "1.5"),
        ] {
            let error = device.compile(&Source::new("f").wgsl(text)).err().expect("it does not").to_string();
            assert!(error.contains(words), "{words:?} is not in {error}");
        }
    }

    #[test]
    fn what_webgpu_does_not_allow_is_an_error_with_a_sentence() {
        let Some((device, _alone)) = device() else { return };
        let mut stream = device.stream().unwrap();
        let memory = device.allocate(64).unwrap();
        let up = device.stage(64, Transfer::Upload).unwrap();
        let mut down = device.stage(64, Transfer::Download).unwrap();
        let says = |result: Result<(), superhet_device::DriverError>, words: &str| {
            let error = result.expect_err("it is not allowed").to_string();
            assert!(error.contains(words), "{words:?} is not in {error}");
        };
        says(device.upload(&mut stream, &up, &memory, 0, 6), "a copy of 6 bytes is no multiple of 4");
        says(device.upload(&mut stream, &up, &memory, 2, 4), "an offset of 2 bytes is no multiple of 4");
        says(device.upload(&mut stream, &down, &memory, 0, 4), "for downloads");
        says(device.write(&mut down, 0, &[0]), "for downloads");
        let program = device.compile(&common::saxpy()).unwrap();
        let half = |at| Span { place: Place { memory: &memory, at }, items: 8, item_bytes: 4 };
        let launch = Launch { inputs: &[half(0)], outputs: &[half(32)], constants: &[0; 8], threads: 8 };
        says(device.launch(&mut stream, &program, &launch), "lie in the same memory");
    }

    #[test]
    fn memory_is_copied_to_another_place_of_the_same_memory() {
        let Some((device, _alone)) = device() else { return };
        let mut stream = device.stream().unwrap();
        let memory = device.allocate(64).unwrap();
        let mut up = device.stage(64, Transfer::Upload).unwrap();
        let mut down = device.stage(64, Transfer::Download).unwrap();
        device.write(&mut up, 0, &[7; 32]).unwrap();
        device.upload(&mut stream, &up, &memory, 0, 32).unwrap();
        let place = |at| Place { memory: &memory, at };
        device.copy(&mut stream, place(0), place(32), 32).unwrap();
        device.zero(&mut stream, place(0), 32).unwrap();
        device.download(&mut stream, &memory, 0, &down, 64).unwrap();
        let mut bytes = [1; 64];
        device.read(&mut down, 0, &mut bytes).unwrap();
        assert_eq!(bytes[..32], [0; 32]);
        assert_eq!(bytes[32..], [7; 32]);
    }

    #[test]
    fn more_kernels_than_a_batch_holds_are_all_run() {
        let Some((device, _alone)) = device() else { return };
        let mut stream = device.stream().unwrap();
        let program = device.compile(&common::saxpy()).unwrap();
        let memories = [device.allocate(256).unwrap(), device.allocate(256).unwrap()];
        device.zero(&mut stream, Place { memory: &memories[0], at: 0 }, 256).unwrap();
        let span = |memory| Span { place: Place { memory, at: 0 }, items: 64, item_bytes: 4 };
        let constants: Vec<u8> = [1.0_f32, 1.0].iter().flat_map(|word| word.to_ne_bytes()).collect();
        for step in 0..1000 {
            let (inputs, outputs) = ([span(&memories[step % 2])], [span(&memories[(step + 1) % 2])]);
            let launch = Launch { inputs: &inputs, outputs: &outputs, constants: &constants, threads: 64 };
            device.launch(&mut stream, &program, &launch).unwrap();
        }
        let mut down = device.stage(256, Transfer::Download).unwrap();
        device.download(&mut stream, &memories[0], 0, &down, 256).unwrap();
        let mut output = [0_f32; 64];
        device.read(&mut down, 0, bytemuck::cast_slice_mut(&mut output)).unwrap();
        assert_eq!(output, [1000.0; 64]);
    }

    #[test]
    fn a_device_that_is_not_there_is_an_error_that_names_those_that_are() {
        let _alone = alone();
        let Ok(devices) = Wgpu::devices().inspect_err(|error| println!("skipped: {error}")) else { return };
        let error = Wgpu::open(1000).err().expect("there are no 1001 devices").to_string();
        assert!(error.contains("no device 1000") && error.contains(&devices[0].description), "{error}");
    }

    #[test]
    fn without_a_library_the_error_says_what_to_install() {
        let child = Child::new("wgpu::without_a_library_the_error_says_what_to_install");
        if child.is_it() {
            return common::answer(|| Wgpu::open(0));
        }
        let error = child.without_library("libvulkan.so.1").run();
        assert!(error.contains("no device is found") && error.contains("libvulkan1"), "{error}");
    }

    #[test]
    fn without_a_driver_the_error_says_what_to_install() {
        let child = Child::new("wgpu::without_a_driver_the_error_says_what_to_install");
        if child.is_it() {
            return common::answer(|| Wgpu::open(0));
        }
        let error = child.with("VK_DRIVER_FILES", "/nowhere").with("VK_ICD_FILENAMES", "/nowhere").run();
        assert!(error.contains("no device is found") && error.contains("mesa-vulkan-drivers"), "{error}");
    }
}
