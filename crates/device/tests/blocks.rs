//! Every block of a device gives what its twin on the host gives, on every driver that is there, wherever the stream is
//! cut.

use superhet_blocks::{convert, filters, math, transforms};
use superhet_device::blocks::{
    Channelizer, DeviceToHost, Fft, Fir, HostToDevice, Loopback, MagnitudeSquared, MultiplyConjugate,
    MultiplyConst, Saxpy,
};
use superhet_device::{Backend, Device, DeviceLevel, DeviceMap, OnDevice, Settings, Sim};
use superhet_runtime::harness::{VecSink, VecSource};
use superhet_runtime::{AnyBlock, C32, Graph, Item, Options, Single, Value, block::IntoBlock};

/// A function that makes a driver from a seed.
type Make<'a, B> = &'a dyn Fn(u64) -> B;

/// Each check on each driver.
macro_rules! on_every_driver {
    ($($check:ident),+ $(,)?) => {
        mod on_the_simulated_device {
            $(#[test]
            fn $check() {
                super::$check(&super::Sim::seeded);
            })+
        }

        on_driver!("opencl", on_opencl, superhet_device::opencl::OpenCl, $($check),+);
        on_driver!("wgpu", on_wgpu, superhet_device::wgpu::Wgpu, $($check),+);
        on_driver!("cuda", on_cuda, superhet_device::cuda::Cuda, $($check),+);
    };
}

/// Each check on the first device of a driver, if there is one.
macro_rules! on_driver {
    ($feature:literal, $module:ident, $driver:ty, $($check:ident),+) => {
        #[cfg(feature = $feature)]
        mod $module {
            type Driver = $driver;

            $(#[test]
            fn $check() {
                match Driver::open(0) {
                    Ok(device) => super::$check(&|_| device.clone()),
                    Err(error) => println!("skipped: {error}"),
                }
            })+
        }
    };
}

on_every_driver! {
    copies_are_exact,
    multiply_const_is_that_of_the_host,
    multiply_conjugate_is_that_of_the_host,
    saxpy_is_that_of_the_host,
    magnitude_squared_is_that_of_the_host,
    fir_is_that_of_the_host,
    fft_is_that_of_the_host,
    channelizer_is_that_of_the_host,
}

/// `n` numbers within ±1 (splitmix64).
fn noise(n: usize, seed: u64) -> Vec<f32> {
    let draw = |i: usize| {
        let z = (seed << 32 | i as u64).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..n).map(draw).collect()
}

/// `n` complex samples with parts within ±1.
fn complex_noise(n: usize, seed: u64) -> Vec<C32> {
    noise(2 * n, seed).chunks(2).map(|pair| C32::new(pair[0], pair[1])).collect()
}

/// Ways to cut a stream: on the device, and on the host.
fn cuts() -> Vec<(Settings, Options)> {
    let settings = |batch, depth| Settings { batch, depth };
    let strips = |items| Options { strip_items: Some(items), ..Options::default() };
    let random = |seed| Options { seed: Some(seed), strip_items: Some(700), ..Options::default() };
    vec![
        (Settings::default(), Options::default()),
        (settings(1000, 2), strips(333)),
        (settings(64, 5), Options::default()),
        (settings(300, 3), random(1)),
        (settings(513, 2), random(2)),
    ]
}

/// What the block gives for the streams `x`, which must be the same bits wherever they are cut.
fn outputs<B: Backend, I, O, A: Item, Y: Item>(
    make: Make<'_, B>,
    block: impl Fn(&Device<B>) -> OnDevice<B, I, O>,
    x: &[&[A]],
) -> Vec<Y>
where
    OnDevice<B, I, O>: IntoBlock<DeviceLevel>,
{
    let run = |(seed, (settings, options)): (u64, (Settings, Options))| {
        let device = Device::with(make(seed), settings);
        (format!("{settings:?}, {options:?}"), run_with::<_, _, A, Y>(block(&device), x, &options))
    };
    let mut all = (0..).zip(cuts()).map(run);
    let (_, whole) = all.next().expect("there is a way to cut");
    for (how, cut) in all {
        assert_eq!(whole.len(), cut.len(), "{how}");
        assert!(bytemuck::cast_slice::<Y, u8>(&whole) == bytemuck::cast_slice::<Y, u8>(&cut), "{how}");
    }
    whole
}

/// What a block with one output makes of the streams `x`.
fn run_with<M, K: IntoBlock<M>, A: Item, Y: Item>(block: K, x: &[&[A]], options: &Options) -> Vec<Y> {
    let mut graph = Graph::new();
    graph.add_any("block", AnyBlock::new(block));
    for (n, items) in x.iter().enumerate() {
        graph.add(format!("x{n}"), VecSource::new(items.to_vec()));
        let port = if x.len() == 1 { "block.in".to_owned() } else { format!("block.in{n}") };
        graph.connect_names(&format!("x{n}"), &port);
    }
    let sink = VecSink::<Y>::new();
    let items = sink.items();
    graph.add("sink", sink);
    graph.connect_names("block.out", "sink");
    let graph = graph.check().unwrap_or_else(|error| panic!("{error}"));
    graph.start(&Single, options).unwrap().wait().unwrap_or_else(|error| panic!("{error}"));
    items.take()
}

/// What the host's block makes of the streams `x`.
fn host<M, K: IntoBlock<M>, A: Item, Y: Item>(block: K, x: &[&[A]]) -> Vec<Y> {
    run_with(block, x, &Options::default())
}

/// The distance of two samples: the greater of those of their parts.
trait Distance: Copy {
    fn distance(self, other: Self) -> f32;
}

impl Distance for f32 {
    fn distance(self, other: f32) -> f32 {
        (self - other).abs()
    }
}

impl Distance for C32 {
    fn distance(self, other: C32) -> f32 {
        self.re.distance(other.re).max(self.im.distance(other.im))
    }
}

/// Checks that item `n` of `y` is no further than `bound(n)` from that of `wanted`.
fn assert_near<Y: Distance + std::fmt::Debug>(y: &[Y], wanted: &[Y], bound: impl Fn(usize) -> f32) {
    assert_eq!(y.len(), wanted.len());
    for (n, (y, wanted)) in y.iter().zip(wanted).enumerate() {
        let (distance, bound) = (y.distance(*wanted), bound(n));
        assert!(
            distance <= bound,
            "item {n}: {y:?}, wanted {wanted:?}: off by {distance}, more than {bound}"
        );
    }
}

/// 2⁻²³. The bounds are twice the accuracy that the blocks' documentation says: both sides may be off by that.
const ULP: f32 = f32::EPSILON;
const LENGTHS: [usize; 4] = [1, 63, 1000, 5001];

fn copies_are_exact<B: Backend>(make: Make<'_, B>) {
    for n in LENGTHS {
        let x = complex_noise(n, 1);
        assert_eq!(outputs::<B, _, _, _, C32>(make, |device| device.block(Loopback::<C32>::new()), &[&x]), x);
        assert_eq!(
            outputs::<B, _, _, _, C32>(make, |device| device.block(HostToDevice::<C32>::new()), &[&x]),
            x
        );
        assert_eq!(
            outputs::<B, _, _, _, C32>(make, |device| device.block(DeviceToHost::<C32>::new()), &[&x]),
            x
        );
    }
}

fn multiply_const_is_that_of_the_host<B: Backend>(make: Make<'_, B>) {
    for (n, constant) in LENGTHS.into_iter().zip(complex_noise(4, 9)) {
        let x = complex_noise(n, 1);
        let y: Vec<C32> = outputs(make, |device| device.map(MultiplyConst::new(constant)), &[&x]);
        let wanted = host(math::MultiplyConst::new(constant), &[&x]);
        assert_near(&y, &wanted, |n| 2.0 * ULP * constant.norm() * x[n].norm());

        let (x, constant) = (noise(n, 1), constant.re);
        let y: Vec<f32> = outputs(make, |device| device.map(MultiplyConst::new(constant)), &[&x]);
        assert_eq!(y, host::<_, _, _, f32>(math::MultiplyConst::new(constant), &[&x]));
    }
}

fn multiply_conjugate_is_that_of_the_host<B: Backend>(make: Make<'_, B>) {
    for n in LENGTHS {
        let (a, b) = (complex_noise(n, 1), complex_noise(n, 2));
        let y: Vec<C32> = outputs(make, |device| device.map(MultiplyConjugate), &[&a, &b]);
        let wanted = host(math::MultiplyConjugate, &[&a, &b]);
        assert_near(&y, &wanted, |n| 2.0 * ULP * a[n].norm() * b[n].norm());
    }
}

fn saxpy_is_that_of_the_host<B: Backend>(make: Make<'_, B>) {
    for (n, gain) in LENGTHS.into_iter().zip(complex_noise(4, 9)) {
        let (x, offset) = (complex_noise(n, 1), C32::new(0.7, -0.2));
        let y: Vec<C32> = outputs(make, |device| device.map(Saxpy::new(gain, offset)), &[&x]);
        let scaled: Vec<C32> = host(math::MultiplyConst::new(gain), &[&x]);
        let wanted = host(math::AddConst::new(offset), &[&scaled]);
        assert_near(&y, &wanted, |n| 4.0 * ULP * (gain.norm() * x[n].norm() + offset.norm()));

        let (x, gain, offset) = (noise(n, 1), gain.re, offset.re);
        let y: Vec<f32> = outputs(make, |device| device.map(Saxpy::new(gain, offset)), &[&x]);
        let wanted = host(math::Saxpy::new(gain, offset), &[&x]);
        assert_near(&y, &wanted, |n| 2.0 * ULP * (gain * x[n]).abs().max(offset.abs()));
    }
}

fn magnitude_squared_is_that_of_the_host<B: Backend>(make: Make<'_, B>) {
    for n in LENGTHS {
        let x = complex_noise(n, 1);
        let y: Vec<f32> = outputs(make, |device| device.map(MagnitudeSquared), &[&x]);
        let wanted = host(convert::ComplexToMagSquared, &[&x]);
        assert_near(&y, &wanted, |n| 2.0 * ULP * x[n].norm_sqr());
    }
}

/// Σ |x| · |tap| over the taps, up to item `n`.
fn weight(x: &[C32], taps: &[f32], n: usize) -> f32 {
    taps.iter().zip(x[..=n].iter().rev()).map(|(tap, x)| tap.abs() * x.norm()).sum()
}

fn fir_is_that_of_the_host<B: Backend>(make: Make<'_, B>) {
    let (z, complex_taps) = (complex_noise(3001, 1), complex_noise(200, 2));
    let (x, taps) = (noise(3001, 3), noise(200, 4));
    let sizes: Vec<f32> = complex_taps.iter().map(|tap| tap.norm()).collect();
    let real: Vec<C32> = x.iter().map(|&x| C32::new(x, 0.0)).collect();
    for (count, decimation) in [(1, 1), (2, 5), (33, 1), (64, 64), (200, 3), (7, 1000)] {
        // That of the documentation, and that of the host's filter, which is less.
        let factor = 2.0 * ULP * (count + 4) as f32;
        let taps = &taps[..count];
        let fir = Fir::<f32, f32>::new(taps, decimation).unwrap();
        let y: Vec<f32> = outputs(make, |device| device.map(fir.clone()), &[&x]);
        let wanted = host(filters::FirFilter::<f32, f32>::new(taps, decimation).unwrap(), &[&x]);
        assert_near(&y, &wanted, |k| factor * weight(&real, taps, k * decimation));

        let fir = Fir::<C32, f32>::new(taps, decimation).unwrap();
        let y: Vec<C32> = outputs(make, |device| device.map(fir.clone()), &[&z]);
        let wanted = host(filters::FirFilter::<C32, f32>::new(taps, decimation).unwrap(), &[&z]);
        assert_near(&y, &wanted, |k| factor * weight(&z, taps, k * decimation));

        let taps = &complex_taps[..count];
        let fir = Fir::<C32, C32>::new(taps, decimation).unwrap();
        let y: Vec<C32> = outputs(make, |device| device.map(fir.clone()), &[&z]);
        let wanted = host(filters::FirFilter::<C32, C32>::new(taps, decimation).unwrap(), &[&z]);
        assert_near(&y, &wanted, |k| factor * weight(&z, &sizes[..count], k * decimation));
    }
}

fn fft_is_that_of_the_host<B: Backend>(make: Make<'_, B>) {
    transforms_are_those_of_the_host(make, |device, fft| device.map(fft));
}

/// As far as NVIDIA's cuFFT is there.
#[cfg(feature = "cuda")]
#[test]
fn cufft_is_that_of_the_host() {
    use superhet_device::cuda::{Cuda, FftFrames};

    match (Cuda::open(0), FftFrames::new(&Fft::new(1).unwrap())) {
        (Ok(cuda), Ok(_)) => transforms_are_those_of_the_host(&|_| cuda.clone(), |device, fft| {
            device.block(FftFrames::new(&fft).unwrap())
        }),
        (Err(error), _) | (_, Err(error)) => println!("skipped: {error}"),
    }
}

fn transforms_are_those_of_the_host<B: Backend>(
    make: Make<'_, B>,
    block: impl Fn(&Device<B>, Fft) -> OnDevice<B, C32, C32>,
) {
    let x = complex_noise(3 * 4096 + 77, 1);
    for size in (0..=12).map(|log2| 1 << log2) {
        // As many frames as fill groups of them, and some more.
        let x = &x[..x.len().min(150 * size + size / 2)];
        let window: Vec<f32> = noise(size, 2).iter().map(|w| w + 1.5).collect();
        let variants = [(false, false, false), (true, false, true), (false, true, true), (true, true, true)];
        // All variants of some sizes, and one of each other.
        let one = size.ilog2() as usize % 4;
        let tried = if [1, 8, 256].contains(&size) { &variants[..] } else { &variants[one..=one] };
        for &(inverse, shift, windowed) in tried {
            let mut here = Fft::new(size).unwrap();
            let mut there = transforms::Fft::new(size).unwrap();
            if inverse {
                (here, there) = (here.inverse(), there.inverse());
            }
            if shift {
                (here, there) = (here.shifted(), there.shifted());
            }
            if windowed {
                here = here.with_window(&window).unwrap();
                there = there.with_window(&window).unwrap();
            }
            let y: Vec<C32> = outputs(make, |device| block(device, here.clone()), &[x]);
            let factor = ULP * (4 * size.ilog2() + 4) as f32 * (size as f32).sqrt();
            let norms: Vec<f32> =
                x.chunks(size).map(|frame| norm(frame, windowed.then_some(&window))).collect();
            assert_near(&y, &host(there, &[x]), |n| factor * norms[n / size]);
        }
    }
}

/// The norm of a frame, which may be windowed.
fn norm(frame: &[C32], window: Option<&Vec<f32>>) -> f32 {
    let one = vec![1.0; frame.len()];
    let window = window.unwrap_or(&one);
    frame.iter().zip(window).map(|(x, w)| (x * w).norm_sqr()).sum::<f32>().sqrt()
}

fn channelizer_is_that_of_the_host<B: Backend>(make: Make<'_, B>) {
    let x = complex_noise(3 * 4096 + 77, 1);
    for (channels, count) in
        [(1, 1), (1, 7), (2, 3), (8, 33), (64, 64), (256, 2000), (512, 4000), (4096, 9000)]
    {
        let (x, taps) = (&x[..x.len().min(100 * channels)], noise(count, 2));
        let channelizer = Channelizer::new(channels, &taps).unwrap();
        let y: Vec<C32> = outputs(make, |device| device.map(channelizer.clone()), &[x]);
        let wanted = host(filters::Channelizer::new(channels, &taps).unwrap(), &[x]);
        let factor = ULP * (count.div_ceil(channels) as u32 + 4 * channels.ilog2() + 8) as f32;
        let weights: Vec<f32> =
            (0..x.len() / channels).map(|k| weight(x, &taps, k * channels + channels - 1)).collect();
        assert_near(&y, &wanted, |n| factor * weights[n / channels]);
    }
}

#[test]
fn parameters_change_what_is_computed_or_say_what_is_wrong() {
    let mut saxpy = Saxpy::new(C32::ONE, C32::ZERO);
    saxpy.set_parameter("gain", &vec![Value::from(1.0), Value::from(-2.0)].into()).unwrap();
    saxpy.set_parameter("offset", &Value::from(3)).unwrap();
    assert_eq!((saxpy.gain, saxpy.offset), (C32::new(1.0, -2.0), C32::new(3.0, 0.0)));

    let mut gain = MultiplyConst::new(1.0f32);
    let problem = |gain: &mut MultiplyConst<f32>, name: &str, value: Value| {
        gain.set_parameter(name, &value).unwrap_err().to_string()
    };
    let wanted = "expected a real number within ±3.4e38";
    assert_eq!(problem(&mut gain, "constant", "loud".into()), format!("constant = \"loud\": {wanted}"));
    assert_eq!(
        problem(&mut gain, "constant", 1e300.into()),
        format!("constant = {}: {wanted}", Value::from(1e300))
    );
    assert_eq!(problem(&mut gain, "gain", 1.into()), "there is no parameter gain, only constant");
    assert_eq!(gain.constant, 1.0);
}

#[test]
fn taps_change_while_the_block_runs() {
    let mut fir = Fir::<f32, f32>::new(&[1.0, 0.0], 1).unwrap();
    fir.set_parameter("taps", &vec![0.5f32, 0.25].into()).unwrap();
    assert_eq!(fir.tables(), Fir::<f32, f32>::new(&[0.5, 0.25], 1).unwrap().tables());
    let error = fir.set_parameter("taps", &vec![0.5f32].into()).unwrap_err();
    assert_eq!(error.to_string(), "taps has 1 numbers: expected 2, as many as before");
}

#[test]
fn parameters_that_make_no_block_are_named() {
    let problem = |size| Fft::new(size).unwrap_err().to_string();
    assert_eq!(problem(0), "length = 0: expected a power of two from 1 to 4096");
    assert_eq!(problem(100), "length = 100: expected a power of two from 1 to 4096");
    assert_eq!(problem(8192), "length = 8192: expected a power of two from 1 to 4096");
    let error = Fft::new(8).unwrap().with_window(&[1.0; 7]).unwrap_err();
    assert_eq!(error.to_string(), "window = 7 factors: expected as many factors as the transform has items");

    let problem = |channels, taps: &[f32]| Channelizer::new(channels, taps).unwrap_err().to_string();
    assert_eq!(problem(3, &[1.0]), "channels = 3: expected a power of two from 1 to 4096");
    assert_eq!(problem(2, &[]), "taps is empty: expected at least one number");
    assert_eq!(problem(2, &[1.0, f32::NAN]), "taps[1] = NaN: expected a finite number");

    let error = Fir::<C32, f32>::new(&[1.0], 0).unwrap_err();
    assert_eq!(error.to_string(), "decimation = 0: expected a whole number from 1 to 16777216");
}

/// Where NVRTC is there in the version that the PTX was made with, which stands in it.
#[cfg(feature = "cuda")]
#[test]
fn the_committed_ptx_is_what_the_texts_compile_to() {
    use superhet_device::DriverError;
    use superhet_device::cuda::compile_ptx;

    let release = |ptx: &str| ptx.lines().find(|line| line.contains("compilation tools")).map(str::to_owned);
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/blocks/kernels");
    for file in std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()) {
        if file.extension().is_none_or(|extension| extension != "cu") {
            continue;
        }
        let text = std::fs::read_to_string(&file).unwrap();
        let committed = std::fs::read_to_string(file.with_extension("ptx")).unwrap();
        match compile_ptx(&text, &file.file_name().unwrap().to_string_lossy()) {
            Ok(ptx) if release(&ptx) != release(&committed) => {
                return println!(
                    "skipped: {:?} has made it, and {:?} is here",
                    release(&committed),
                    release(&ptx)
                );
            }
            Ok(ptx) => assert!(ptx == committed, "{} is old: see examples/compile_ptx.rs", file.display()),
            Err(error @ DriverError::NoLibrary { .. }) => return println!("skipped: {error}"),
            Err(error) => panic!("{error}"),
        }
    }
}
