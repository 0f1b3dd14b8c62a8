//! The design of taps, by GNU Radio's names: `window.*`, `firdes.*`, `optfir.*` and `filter.pm_remez`.
//!
//! Each is a function of Rust and one that files and people call by name; `FUNCTIONS` lists the latter. Parameters have
//! GNU Radio's names, order and defaults, and the taps are its taps within 10⁻⁶, unless a function says otherwise.

pub mod firdes;
pub mod optfir;
pub mod remez;
pub(crate) mod shape;

pub use firdes::Design;
pub use optfir::Ripple;
pub use remez::{Response, remez};
pub use shape::Shape;

use superhet_runtime::Value;
use superhet_runtime::catalog::{ANY_FLOAT, Function, Kind, Param, Params, optional, required};

use crate::error::{Error, check};

/// The most taps of a filter by the window method.
const MOST_TAPS: usize = 1 << 20;

const NTAPS: Param = required("ntaps", Kind::Integer(1, MOST_TAPS as i64), "", "How many samples or taps.");
const WINDOW: Param =
    optional("window", Kind::Value, "", "\"hamming\"", "The window: GNU Radio's number, or a name.");
const PARAM: Param = optional(
    "param",
    ANY_FLOAT,
    "",
    "6.76",
    "The parameter of a Kaiser, exponential, Gaussian or Tukey window.",
);
const GAIN: Param = required("gain", ANY_FLOAT, "", "The gain in the pass band.");
const RATE: Param = required("sampling_freq", ANY_FLOAT, "Hz", "The sample rate.");
const CUTOFF: Param = required("cutoff_freq", ANY_FLOAT, "Hz", "The middle of the transition.");
const LOW: Param = required("low_cutoff_freq", ANY_FLOAT, "Hz", "The middle of the lower transition.");
const HIGH: Param = required("high_cutoff_freq", ANY_FLOAT, "Hz", "The middle of the upper transition.");
const TRANSITION: Param = required("transition_width", ANY_FLOAT, "Hz", "The width of a transition.");
const ATTENUATION: Param =
    required("attenuation_dB", ANY_FLOAT, "dB", "The attenuation to count the taps with.");

/// The design that the parameters describe.
fn design(params: &Params, with_attenuation: bool) -> Result<Design, Error> {
    Ok(Design {
        gain: params.float("gain"),
        rate_hz: params.float("sampling_freq"),
        transition_hz: params.float("transition_width"),
        shape: Shape::of(params.value("window"), params.float("param"))?,
        attenuation_db: with_attenuation.then(|| params.float("attenuation_dB")),
    })
}

/// A design by one frequency, and the same with an attenuation.
macro_rules! one_edge {
    ($plain:ident $plain_name:literal, $other:ident $other_name:literal, $summary:literal, $method:ident) => {
        const $plain: Function = Function {
            name: $plain_name,
            summary: $summary,
            params: &[GAIN, RATE, CUTOFF, TRANSITION, WINDOW, PARAM],
            call: |params| Ok(design(params, false)?.$method(params.float("cutoff_freq"))?.into()),
        };
        const $other: Function = Function {
            name: $other_name,
            summary: concat!($summary, " As many taps as the attenuation needs."),
            params: &[GAIN, RATE, CUTOFF, TRANSITION, ATTENUATION, WINDOW, PARAM],
            call: |params| Ok(design(params, true)?.$method(params.float("cutoff_freq"))?.into()),
        };
    };
}

/// As [`one_edge`], by two.
macro_rules! two_edges {
    ($plain:ident $plain_name:literal, $other:ident $other_name:literal, $summary:literal, $method:ident) => {
        const $plain: Function = Function {
            name: $plain_name,
            summary: $summary,
            params: &[GAIN, RATE, LOW, HIGH, TRANSITION, WINDOW, PARAM],
            call: |params| {
                let (low, high) = (params.float("low_cutoff_freq"), params.float("high_cutoff_freq"));
                Ok(design(params, false)?.$method(low, high)?.into())
            },
        };
        const $other: Function = Function {
            name: $other_name,
            summary: concat!($summary, " As many taps as the attenuation needs."),
            params: &[GAIN, RATE, LOW, HIGH, TRANSITION, ATTENUATION, WINDOW, PARAM],
            call: |params| {
                let (low, high) = (params.float("low_cutoff_freq"), params.float("high_cutoff_freq"));
                Ok(design(params, true)?.$method(low, high)?.into())
            },
        };
    };
}

one_edge!(LOW_PASS "firdes.low_pass", LOW_PASS_2 "firdes.low_pass_2", "Taps of a low-pass filter.", low_pass);
one_edge!(HIGH_PASS "firdes.high_pass", HIGH_PASS_2 "firdes.high_pass_2", "Taps of a high-pass filter.", high_pass);
two_edges!(BAND_PASS "firdes.band_pass", BAND_PASS_2 "firdes.band_pass_2", "Taps of a band-pass filter.", band_pass);
two_edges!(BAND_REJECT "firdes.band_reject", BAND_REJECT_2 "firdes.band_reject_2", "Taps of a band-stop filter.", band_reject);
two_edges!(
    COMPLEX_BAND_PASS "firdes.complex_band_pass", COMPLEX_BAND_PASS_2 "firdes.complex_band_pass_2",
    "Complex taps of a band-pass filter, whose band may lie on either side of 0 Hz.", complex_band_pass
);
two_edges!(
    COMPLEX_BAND_REJECT "firdes.complex_band_reject", COMPLEX_BAND_REJECT_2 "firdes.complex_band_reject_2",
    "Complex taps of a band-stop filter, whose band may lie on either side of 0 Hz.", complex_band_reject
);

const ROOT_RAISED_COSINE: Function = Function {
    name: "firdes.root_raised_cosine",
    summary: "Taps of a root-raised-cosine pulse.",
    params: &[
        GAIN,
        RATE,
        required("symbol_rate", ANY_FLOAT, "Hz", "The symbols in a second."),
        required("alpha", ANY_FLOAT, "", "The excess bandwidth, 0 to 1."),
        NTAPS,
    ],
    call: |params| {
        let float = |name| params.float(name);
        let (gain, rate, symbol_rate) = (float("gain"), float("sampling_freq"), float("symbol_rate"));
        Ok(firdes::root_raised_cosine(gain, rate, symbol_rate, float("alpha"), params.count("ntaps"))?.into())
    },
};

const GAUSSIAN: Function = Function {
    name: "firdes.gaussian",
    summary: "Taps of a Gaussian pulse.",
    params: &[
        GAIN,
        required("spb", ANY_FLOAT, "", "The samples in a bit."),
        required("bt", ANY_FLOAT, "", "The bandwidth in parts of the bit rate."),
        NTAPS,
    ],
    call: |params| {
        let float = |name| params.float(name);
        Ok(firdes::gaussian(float("gain"), float("spb"), float("bt"), params.count("ntaps"))?.into())
    },
};

const HILBERT: Function = Function {
    name: "firdes.hilbert",
    summary: "Taps of a Hilbert transformer.",
    params: &[
        optional("ntaps", NTAPS.kind, "", "19", "How many taps, an odd number."),
        optional(
            "windowtype",
            Kind::Value,
            "",
            "\"rectangular\"",
            "The window: GNU Radio's number, or a name.",
        ),
        PARAM,
    ],
    call: |params| {
        let shape = Shape::of(params.value("windowtype"), params.float("param"))?;
        Ok(firdes::hilbert(params.count("ntaps"), &shape)?.into())
    },
};

/// The samples of a window as a value.
fn samples(shape: &Shape, len: usize) -> Value {
    shape.samples(len).into_iter().map(|w| w as f32).collect::<Vec<f32>>().into()
}

/// What `firdes.window` and `window.build` have in common.
const TYPE: Param = required("type", Kind::Value, "", "The window: GNU Radio's number, or a name.");

const FIRDES_WINDOW: Function = Function {
    name: "firdes.window",
    summary: "The samples of a window.",
    params: &[TYPE, NTAPS, PARAM],
    call: |params| {
        Ok(samples(&Shape::of(params.value("type"), params.float("param"))?, params.count("ntaps")))
    },
};

const BUILD: Function = Function {
    name: "window.build",
    summary: "The samples of a window; with a mean power of 1 where that is asked for.",
    params: &[
        TYPE,
        NTAPS,
        PARAM,
        optional("normalize", Kind::Bool, "", "false", "Scale to a mean power of 1."),
    ],
    call: |params| {
        let mut samples =
            Shape::of(params.value("type"), params.float("param"))?.samples(params.count("ntaps"));
        if params.flag("normalize") {
            let power = samples.iter().map(|w| w * w).sum::<f64>() / samples.len() as f64;
            samples.iter_mut().for_each(|w| *w /= power.sqrt());
        }
        Ok(samples.into_iter().map(|w| w as f32).collect::<Vec<f32>>().into())
    },
};

const MAX_ATTENUATION: Function = Function {
    name: "window.max_attenuation",
    summary: "The attenuation in dB that a filter made with a window is taken to have.",
    params: &[TYPE, PARAM],
    call: |params| Ok(Shape::of(params.value("type"), params.float("param"))?.attenuation_db().into()),
};

/// A window by its name, without a parameter or with one.
macro_rules! windows {
    ($($constant:ident $name:literal $(($param:ident, $doc:literal))?;)+) => {$(
        const $constant: Function = Function {
            name: concat!("window.", $name),
            summary: concat!("The samples of the window ", $name, "."),
            params: &[NTAPS, $(required(stringify!($param), ANY_FLOAT, "", $doc))?],
            call: |params| {
                let param = 0.0 $(+ params.float(stringify!($param)))?;
                Ok(samples(&Shape::named($name, param)?, params.count("ntaps")))
            },
        };
    )+};
}

windows! {
    WINDOW_RECTANGULAR "rectangular";
    WINDOW_HAMMING "hamming";
    WINDOW_HANN "hann";
    WINDOW_HANNING "hanning";
    WINDOW_BLACKMAN "blackman";
    WINDOW_BLACKMAN2 "blackman2";
    WINDOW_BLACKMAN3 "blackman3";
    WINDOW_BLACKMAN4 "blackman4";
    WINDOW_BLACKMAN_NUTTALL "blackman_nuttall";
    WINDOW_NUTTALL "nuttall";
    WINDOW_NUTTALL_CFD "nuttall_cfd";
    WINDOW_FLATTOP "flattop";
    WINDOW_BARTLETT "bartlett";
    WINDOW_WELCH "welch";
    WINDOW_PARZEN "parzen";
    WINDOW_RIEMANN "riemann";
    WINDOW_KAISER "kaiser" (beta, "The shape: 0 is rectangular, more is narrower.");
    WINDOW_EXPONENTIAL "exponential" (d, "How far it falls to the ends, in dB.");
    WINDOW_GAUSSIAN "gaussian" (sigma, "The standard deviation in samples.");
    WINDOW_TUKEY "tukey" (alpha, "The part of the window that its two ends take, 0 to 1.");
}

const ATTEN: Param = optional(
    "atten",
    Kind::Integer(61, 92),
    "dB",
    "92",
    "The attenuation of the side lobes: 61, 67, 74 or 92.",
);

const WINDOW_BLACKMAN_HARRIS: Function = Function {
    name: "window.blackman_harris",
    summary: "The samples of a Blackman-Harris window.",
    params: &[NTAPS, ATTEN],
    call: |params| {
        let name = match params.count("atten") {
            61 => "blackman_harris_61",
            67 => "blackman_harris_67",
            74 => "blackman_harris_74",
            atten => {
                check(atten == 92, "atten", "61, 67, 74 or 92", atten as f64)?;
                "blackman_harris"
            }
        };
        Ok(samples(&Shape::named(name, 0.0)?, params.count("ntaps")))
    },
};

const WINDOW_BLACKMANHARRIS: Function = Function { name: "window.blackmanharris", ..WINDOW_BLACKMAN_HARRIS };

/// Real numbers of a parameter.
fn real(params: &Params, name: &'static str) -> Result<Vec<f64>, Error> {
    let number = |(place, number): (usize, &superhet_runtime::C64)| {
        let got = || format!("[{}, {}]", number.re, number.im);
        let wrong = || Error::Element { parameter: name, place, wanted: "a real number", got: got() };
        if number.im == 0.0 { Ok(number.re) } else { Err(wrong()) }
    };
    params.numbers(name).iter().enumerate().map(number).collect()
}

const PM_REMEZ: Function = Function {
    name: "filter.pm_remez",
    summary: "Taps of an equiripple filter, by the algorithm of Parks and McClellan.",
    params: &[
        required(
            "order",
            Kind::Integer(3, remez::MOST_ORDER as i64),
            "",
            "One less than the number of taps.",
        ),
        required("bands", Kind::Numbers, "", "The edges of the bands, 1 being half of the sample rate."),
        required("ampl", Kind::Numbers, "", "The response at each edge."),
        required("error_weight", Kind::Numbers, "", "How much an error counts in each band."),
        optional(
            "filter_type",
            Kind::Choice(&["bandpass", "differentiator", "hilbert"]),
            "",
            "\"bandpass\"",
            "What kind of filter it is.",
        ),
        optional("grid_density", Kind::Integer(1, 64), "", "16", "Points of the grid for each unknown."),
    ],
    call: |params| {
        let response = match params.text("filter_type") {
            "differentiator" => Response::Differentiator,
            "hilbert" => Response::Hilbert,
            _ => Response::Bandpass,
        };
        let (bands, ampl, weight) =
            (real(params, "bands")?, real(params, "ampl")?, real(params, "error_weight")?);
        let (order, density) = (params.count("order"), params.count("grid_density"));
        let taps = remez(order, &bands, &ampl, &weight, response, density)?;
        Ok(taps.into_iter().map(Value::from).collect::<Vec<Value>>().into())
    },
};

const FIRDES_REMEZ: Function = Function { name: "firdes.remez", ..PM_REMEZ };

const FS: Param = required("Fs", ANY_FLOAT, "Hz", "The sample rate.");
const RIPPLE: Param =
    required("passband_ripple_db", ANY_FLOAT, "dB", "How much the pass band may differ from flat.");
const STOP: Param = required("stopband_atten_db", ANY_FLOAT, "dB", "The attenuation in the stop band.");
const EXTRA: Param =
    optional("nextra_taps", Kind::Integer(0, 1000), "", "2", "So many more taps than estimated.");

fn ripple(params: &Params) -> Ripple {
    Ripple {
        gain: params.float("gain"),
        rate_hz: params.float("Fs"),
        passband_ripple_db: params.float("passband_ripple_db"),
        stopband_atten_db: params.float("stopband_atten_db"),
        extra_taps: params.count("nextra_taps"),
    }
}

const fn edge(name: &'static str) -> Param {
    required(name, ANY_FLOAT, "Hz", "An edge of a band: of what is passed (pb) or stopped (sb).")
}

const OPTFIR_LOW_PASS: Function = Function {
    name: "optfir.low_pass",
    summary: "Taps of an equiripple low-pass filter: passes up to freq1, stops from freq2 on.",
    params: &[GAIN, FS, edge("freq1"), edge("freq2"), RIPPLE, STOP, EXTRA],
    call: |params| Ok(ripple(params).low_pass(params.float("freq1"), params.float("freq2"))?.into()),
};

const OPTFIR_HIGH_PASS: Function = Function {
    name: "optfir.high_pass",
    summary: "Taps of an equiripple high-pass filter: stops up to freq1, passes from freq2 on.",
    params: &[GAIN, FS, edge("freq1"), edge("freq2"), RIPPLE, STOP, EXTRA],
    call: |params| Ok(ripple(params).high_pass(params.float("freq1"), params.float("freq2"))?.into()),
};

/// Filters with four edges.
macro_rules! four_edges {
    ($($constant:ident $name:literal $summary:literal $method:ident($e1:literal, $e2:literal, $e3:literal, $e4:literal);)+) => {$(
        const $constant: Function = Function {
            name: $name,
            summary: $summary,
            params: &[GAIN, FS, edge($e1), edge($e2), edge($e3), edge($e4), RIPPLE, STOP, EXTRA],
            call: |params| Ok(ripple(params).$method([$e1, $e2, $e3, $e4].map(|name| params.float(name)))?.into()),
        };
    )+};
}

four_edges! {
    OPTFIR_BAND_PASS "optfir.band_pass" "Taps of an equiripple band-pass filter."
        band_pass("freq_sb1", "freq_pb1", "freq_pb2", "freq_sb2");
    OPTFIR_BAND_REJECT "optfir.band_reject" "Taps of an equiripple band-stop filter."
        band_reject("freq_pb1", "freq_sb1", "freq_sb2", "freq_pb2");
    OPTFIR_COMPLEX_BAND_PASS "optfir.complex_band_pass" "Complex taps of an equiripple band-pass filter."
        complex_band_pass("freq_sb1", "freq_pb1", "freq_pb2", "freq_sb2");
}

superhet_runtime::catalogued! {
    /// Every function that designs taps.
    const FUNCTIONS: &[Function] = &[
        LOW_PASS,
        LOW_PASS_2,
        HIGH_PASS,
        HIGH_PASS_2,
        BAND_PASS,
        BAND_PASS_2,
        BAND_REJECT,
        BAND_REJECT_2,
        COMPLEX_BAND_PASS,
        COMPLEX_BAND_PASS_2,
        COMPLEX_BAND_REJECT,
        COMPLEX_BAND_REJECT_2,
        ROOT_RAISED_COSINE,
        GAUSSIAN,
        HILBERT,
        FIRDES_WINDOW,
        FIRDES_REMEZ,
        PM_REMEZ,
        OPTFIR_LOW_PASS,
        OPTFIR_HIGH_PASS,
        OPTFIR_BAND_PASS,
        OPTFIR_BAND_REJECT,
        OPTFIR_COMPLEX_BAND_PASS,
        BUILD,
        MAX_ATTENUATION,
        WINDOW_RECTANGULAR,
        WINDOW_HAMMING,
        WINDOW_HANN,
        WINDOW_HANNING,
        WINDOW_BLACKMAN,
        WINDOW_BLACKMAN2,
        WINDOW_BLACKMAN3,
        WINDOW_BLACKMAN4,
        WINDOW_BLACKMAN_HARRIS,
        WINDOW_BLACKMANHARRIS,
        WINDOW_BLACKMAN_NUTTALL,
        WINDOW_NUTTALL,
        WINDOW_NUTTALL_CFD,
        WINDOW_FLATTOP,
        WINDOW_BARTLETT,
        WINDOW_WELCH,
        WINDOW_PARZEN,
        WINDOW_RIEMANN,
        WINDOW_KAISER,
        WINDOW_EXPONENTIAL,
        WINDOW_GAUSSIAN,
        WINDOW_TUKEY,
    ];
}

#[cfg(test)]
mod tests;
