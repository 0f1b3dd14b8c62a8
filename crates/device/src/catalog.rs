//! The blocks of devices by name, for graph files and the command line.
//!
//! Each has the parameters of its twin on the host, and one that names its device: `sim`, or `opencl:0`, `wgpu:0`, `cuda:0`
//! and so on. The program must be built with that driver. Blocks of one device, batch size and depth are neighbours:
//! between them samples stay on the device.

use std::sync::{Mutex, PoisonError};

use superhet_blocks::transforms::window_factors;
use superhet_runtime::catalog::{
    ANY_FLOAT, COUNT, Entry, Kind, Param, Params, PortDoc, input, optional, output, required, set_port,
};
use superhet_runtime::{AnyBlock, BlockError, C32, C64};

use crate::blocks::{
    Channelizer, Fft, Fir, Loopback, MagnitudeSquared, MultiplyConjugate, MultiplyConst, Saxpy,
};
use crate::device::Device;
use crate::settings::Settings;
use crate::sim::Sim;

const DEVICE: Param =
    optional("device", Kind::Text, "", "\"sim\"", "Where it lives: sim, opencl:0, wgpu:0, cuda:0.");
const BATCH: Param =
    optional("batch", Kind::Integer(1, 1 << 24), "items", "65536", "The most items that are moved at once.");
/// The most items of a stream that are on their way, in all batches together.
const MOST_ITEMS: usize = 1 << 26;
const DEPTH: Param = optional(
    "depth",
    Kind::Integer(2, 64),
    "",
    "3",
    "How many batches of a stream are on their way at most.",
);
const ITEM: Param = optional("item", Kind::Choice(&["C32", "f32"]), "", "\"C32\"", "What the samples are.");

/// The block that `$block` makes of the device that the parameters name.
macro_rules! on_device {
    ($params:expr, $device:ident => $block:expr) => {
        Ok(match opened($params)? {
            Opened::Sim($device) => AnyBlock::new($block),
            #[cfg(feature = "opencl")]
            Opened::OpenCl($device) => AnyBlock::new($block),
            #[cfg(feature = "wgpu")]
            Opened::Wgpu($device) => AnyBlock::new($block),
            #[cfg(feature = "cuda")]
            Opened::Cuda($device) => AnyBlock::new($block),
        })
    };
}

/// All of them.
pub static ENTRIES: &[Entry] = &[
    Entry {
        name: "device_channelizer",
        category: "device",
        summary: "A band in channels of equal width, on a device.",
        params: &[
            DEVICE,
            BATCH,
            DEPTH,
            required("channels", Kind::Integer(2, 4096), "", "How many channels, a power of two."),
            required("taps", Kind::Numbers, "", "The taps of the filter before them."),
        ],
        ports: &[
            input("in", "C32", "the band"),
            output("out", "C32", "frames of one sample of each channel"),
        ],
        make: |params| {
            let block = Channelizer::new(params.count("channels"), &real("taps", &params.numbers("taps"))?)?;
            on_device!(params, device => device.map(block))
        },
    },
    Entry {
        name: "device_copy",
        category: "device",
        summary: "A copy on a device: forces a stream there, for measurements and tests.",
        params: &[DEVICE, BATCH, DEPTH, ITEM],
        ports: &[input("in", "item", "anything"), output("out", "item", "the same")],
        make: |params| match params.text("item") {
            "f32" => on_device!(params, device => device.block(Loopback::<f32>::new())),
            _ => on_device!(params, device => device.block(Loopback::<C32>::new())),
        },
    },
    Entry {
        name: "device_fft",
        category: "device",
        summary: "Fourier transforms of consecutive frames on a device, not scaled.",
        params: &[
            DEVICE,
            BATCH,
            DEPTH,
            required("length", COUNT, "items", "The length of a frame, a power of two.").formerly(&["size"]),
            optional("inverse", Kind::Bool, "", "false", "From spectrum to samples."),
            optional("shift", Kind::Bool, "", "false", "Frequency 0 is in the middle of the spectrum."),
            optional(
                "window",
                Kind::Value,
                "",
                "\"rectangular\"",
                "Each frame is multiplied by it first: rectangular, hann, hamming, blackman, blackman_harris, or numbers.",
            ),
        ],
        ports: &[input("in", "C32", "frames"), output("out", "C32", "their transforms")],
        make: |params| {
            let size = params.count("length");
            let mut fft = Fft::new(size)?;
            if params.flag("inverse") {
                fft = fft.inverse();
            }
            if params.flag("shift") {
                fft = fft.shifted();
            }
            let window = window_factors(params.value("window"), size)?;
            if !window.is_empty() {
                fft = fft.with_window(&window)?;
            }
            // NVIDIA's own, where it is.
            #[cfg(feature = "cuda")]
            if let Opened::Cuda(device) = opened(params)?
                && let Ok(frames) = crate::cuda::FftFrames::new(&fft)
            {
                return Ok(AnyBlock::new(device.block(frames)));
            }
            on_device!(params, device => device.map(fft))
        },
    },
    Entry {
        name: "device_fir_filter",
        category: "device",
        summary: "A filter given by its taps on a device, real or complex, decimating.",
        params: &[
            DEVICE,
            BATCH,
            DEPTH,
            ITEM,
            required("taps", Kind::Numbers, "", "The taps; complex ones as [re, im], for C32 only."),
            optional("decimation", COUNT, "", "1", "Items in for one out."),
        ],
        ports: &[
            input("in", "item", "x"),
            output("out", "item", "x, filtered"),
            set_port("new values of taps, as many as before"),
        ],
        make: |params| {
            let (taps, decimation) = (params.numbers("taps"), params.count("decimation"));
            let is_real = taps.iter().all(|tap| tap.im == 0.0);
            match params.text("item") {
                "f32" => {
                    let fir = Fir::<f32, f32>::new(&real("taps", &taps)?, decimation)?;
                    on_device!(params, device => device.map(fir))
                }
                _ if is_real => {
                    let fir = Fir::<C32, f32>::new(&real("taps", &taps)?, decimation)?;
                    on_device!(params, device => device.map(fir))
                }
                _ => {
                    let taps: Vec<C32> = taps.iter().map(|tap| single(*tap)).collect();
                    let fir = Fir::<C32, C32>::new(&taps, decimation)?;
                    on_device!(params, device => device.map(fir))
                }
            }
        },
    },
    Entry {
        name: "device_magnitude_squared",
        category: "device",
        summary: "The squared magnitude on a device: y[n] = re² + im².",
        params: &[DEVICE, BATCH, DEPTH],
        ports: &[input("in", "C32", "samples"), output("out", "f32", "their power, linear")],
        make: |params| on_device!(params, device => device.map(MagnitudeSquared)),
    },
    Entry {
        name: "device_multiply_conjugate",
        category: "device",
        summary: "One stream times the conjugate of another, on a device: y[n] = a[n] · conj(b[n]).",
        params: &[DEVICE, BATCH, DEPTH],
        ports: &[input("in0", "C32", "a"), input("in1", "C32", "b"), output("out", "C32", "a · conj(b)")],
        make: |params| on_device!(params, device => device.map(MultiplyConjugate)),
    },
    Entry {
        name: "device_multiply_const",
        category: "device",
        summary: "Multiplies by a constant on a device: y[n] = constant · x[n].",
        params: &[
            DEVICE,
            BATCH,
            DEPTH,
            ITEM,
            required("constant", Kind::Numbers, "", "The factor, as a list of one number."),
        ],
        ports: SAMPLES,
        make: |params| {
            let constants = params.numbers("constant");
            let &[constant] = &constants[..] else {
                return Err(
                    format!("constant: expected a list of one number, got {}", constants.len()).into()
                );
            };
            match params.text("item") {
                "f32" => {
                    let [constant] = real("constant", &[constant])?[..] else { unreachable!("one number") };
                    on_device!(params, device => device.map(MultiplyConst::new(constant)))
                }
                _ => on_device!(params, device => device.map(MultiplyConst::new(single(constant)))),
            }
        },
    },
    Entry {
        name: "device_saxpy",
        category: "device",
        summary: "Scales and shifts on a device: y[n] = gain · x[n] + offset.",
        params: &[
            DEVICE,
            BATCH,
            DEPTH,
            required("gain", ANY_FLOAT, "", "The factor."),
            optional("offset", ANY_FLOAT, "", "0.0", "What is added to the product."),
        ],
        ports: &[
            input("in", "f32", "x"),
            output("out", "f32", "gain · x + offset"),
            set_port("new values of gain and offset"),
        ],
        make: |params| {
            let saxpy = Saxpy::new(params.float("gain") as f32, params.float("offset") as f32);
            on_device!(params, device => device.map(saxpy))
        },
    },
];

const SAMPLES: &[PortDoc] =
    &[input("in", "item", "x"), output("out", "item", "constant · x"), set_port("new values of constant")];

fn single(number: C64) -> C32 {
    C32::new(number.re as f32, number.im as f32)
}

/// Numbers that must be real.
fn real(parameter: &str, numbers: &[C64]) -> Result<Vec<f32>, BlockError> {
    match numbers.iter().find(|number| number.im != 0.0) {
        Some(number) => Err(format!("{parameter}: expected real numbers, got {number}").into()),
        None => Ok(numbers.iter().map(|number| number.re as f32).collect()),
    }
}

/// A device that was opened for graph files.
#[derive(Clone)]
enum Opened {
    Sim(Device<Sim>),
    #[cfg(feature = "opencl")]
    OpenCl(Device<crate::opencl::OpenCl>),
    #[cfg(feature = "wgpu")]
    Wgpu(Device<crate::wgpu::Wgpu>),
    #[cfg(feature = "cuda")]
    Cuda(Device<crate::cuda::Cuda>),
}

/// The device that the parameters name. It is opened once, and stays open: blocks that name it alike are neighbours.
fn opened(params: &Params) -> Result<Opened, BlockError> {
    static OPENED: Mutex<Vec<(String, usize, Settings, Opened)>> = Mutex::new(Vec::new());
    let name = params.text("device");
    let (driver, number) = name.split_once(':').unwrap_or((name, "0"));
    let number: usize = number
        .parse()
        .map_err(|_| format!("device: expected a driver and a number, as in sim:0, got {name}"))?;
    let settings = Settings { batch: params.count("batch"), depth: params.count("depth") };
    let items = settings.batch.saturating_mul(settings.depth);
    if items > MOST_ITEMS {
        let problem = format!(
            "batch and depth: expected at most {MOST_ITEMS} items of a stream on their way, got {} batches of {}",
            settings.depth, settings.batch
        );
        return Err(problem.into());
    }
    let mut all = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    let is_it = |known: &&(String, usize, Settings, Opened)| {
        (&*known.0, known.1, known.2) == (driver, number, settings)
    };
    if let Some((.., device)) = all.iter().find(is_it) {
        return Ok(device.clone());
    }
    let device = open(driver, number, settings)?;
    all.push((driver.to_owned(), number, settings, device.clone()));
    Ok(device)
}

/// The drivers that this program was built with.
const DRIVERS: &[&str] = &[
    "sim",
    #[cfg(feature = "opencl")]
    "opencl",
    #[cfg(feature = "wgpu")]
    "wgpu",
    #[cfg(feature = "cuda")]
    "cuda",
];

/// All drivers, built in or not.
const KNOWN: &[&str] = &["sim", "opencl", "wgpu", "cuda"];

fn open(driver: &str, number: usize, settings: Settings) -> Result<Opened, BlockError> {
    let _ = number;
    match driver {
        "sim" => Ok(Opened::Sim(Device::with(Sim::new(), settings))),
        #[cfg(feature = "opencl")]
        "opencl" => Ok(Opened::OpenCl(Device::with(crate::opencl::OpenCl::open(number)?, settings))),
        #[cfg(feature = "wgpu")]
        "wgpu" => Ok(Opened::Wgpu(Device::with(crate::wgpu::Wgpu::open(number)?, settings))),
        #[cfg(feature = "cuda")]
        "cuda" => Ok(Opened::Cuda(Device::with(crate::cuda::Cuda::open(number)?, settings))),
        _ if KNOWN.contains(&driver) => Err(format!(
            "device: this program was built without {driver}: build it with the feature {driver}"
        )
        .into()),
        _ => Err(format!("device: there is no driver {driver}, only {}", DRIVERS.join(", ")).into()),
    }
}

#[cfg(test)]
mod tests {
    use superhet_runtime::Value;

    use super::ENTRIES;

    #[test]
    fn batches_that_fill_the_memory_are_refused() {
        let entry = ENTRIES.iter().find(|entry| entry.name == "device_magnitude_squared").unwrap();
        let with = |batch: u64, depth: u64| {
            let values = [("batch", batch), ("depth", depth)];
            entry.build(&values.map(|(name, value)| (name.to_owned(), Value::from(value))).into())
        };
        assert!(with(1 << 16, 64).is_ok());
        let error = with(1 << 24, 64).err().map(|errors| errors[0].to_string()).unwrap_or_default();
        assert!(error.contains("64 batches of 16777216"), "{error}");
    }
}
