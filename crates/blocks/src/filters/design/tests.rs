//! The functions against what GNU Radio 3.10.5 gives.

use std::collections::BTreeMap;

use super::*;
use superhet_runtime::C64;

fn call(name: &str, args: &[Value]) -> Result<Value, String> {
    let function =
        FUNCTIONS.iter().find(|function| function.name == name).unwrap_or_else(|| panic!("{name}"));
    let given: BTreeMap<String, Value> = function
        .params
        .iter()
        .zip(args)
        .map(|(param, value)| (param.name.to_owned(), value.clone()))
        .collect();
    function.call(&given).map_err(|errors| errors[0].to_string())
}

fn arguments(json: &str) -> Vec<Value> {
    let json: serde_json::Value = serde_json::from_str(json).unwrap();
    Value::from_json(&json).as_list().unwrap().to_vec()
}

fn taps(value: &Value) -> Vec<C64> {
    value.as_list().unwrap().iter().map(|tap| tap.as_complex().unwrap()).collect()
}

/// A function, its arguments, how many taps it gives, and some of them: place, real and imaginary part.
type Golden = (&'static str, &'static str, usize, &'static [(usize, f64, f64)]);

const GOLDEN: &[Golden] = &[
    (
        "firdes.low_pass",
        r#"[2.0, 48000.0, 3000.0, 1234.0, 0, 6.76]"#,
        93,
        &[
            (0, -7.8441325e-04, 0.0000000e+00),
            (1, -1.0617040e-03, 0.0000000e+00),
            (23, 5.7310392e-03, 0.0000000e+00),
            (46, 2.5048843e-01, 0.0000000e+00),
            (47, 2.4383806e-01, 0.0000000e+00),
        ],
    ),
    (
        "firdes.low_pass",
        r#"[1.0, 1.0, 0.1, 0.05, 4, 5.0]"#,
        49,
        &[
            (0, 2.8611423e-04, 0.0000000e+00),
            (1, 7.6267536e-04, 0.0000000e+00),
            (12, 1.3943471e-02, 0.0000000e+00),
            (24, 1.9994797e-01, 0.0000000e+00),
            (25, 1.8632501e-01, 0.0000000e+00),
        ],
    ),
    (
        "firdes.low_pass_2",
        r#"[1.0, 1.0, 0.1, 0.05, 71.3, 5, 6.76]"#,
        65,
        &[
            (0, 5.6732370e-07, 0.0000000e+00),
            (1, 1.2040376e-06, 0.0000000e+00),
            (16, -2.5430059e-03, 0.0000000e+00),
            (32, 1.9999960e-01, 0.0000000e+00),
            (33, 1.8605557e-01, 0.0000000e+00),
        ],
    ),
    (
        "firdes.high_pass",
        r#"[2.0, 48000.0, 3000.0, 1234.0, 7, 6.76]"#,
        165,
        &[
            (0, 8.9524006e-11, 0.0000000e+00),
            (1, 8.8993033e-08, 0.0000000e+00),
            (41, -3.3580998e-04, 0.0000000e+00),
            (82, 1.7500000e+00, 0.0000000e+00),
            (83, -2.4319874e-01, 0.0000000e+00),
        ],
    ),
    (
        "firdes.high_pass_2",
        r#"[1.0, 1.0, 0.1, 0.05, 60.0, 1]"#,
        55,
        &[
            (0, 0.0000000e+00, 0.0000000e+00),
            (1, 2.4328589e-05, 0.0000000e+00),
            (13, -6.2935282e-03, 0.0000000e+00),
            (27, 7.9999864e-01, 0.0000000e+00),
            (28, -1.8646500e-01, 0.0000000e+00),
        ],
    ),
    (
        "firdes.band_pass",
        r#"[2.0, 1.0, 0.1, 0.2, 0.05, 2]"#,
        67,
        &[
            (0, 4.4244247e-10, 0.0000000e+00),
            (1, -5.9151885e-06, 0.0000000e+00),
            (16, 1.8246233e-02, 0.0000000e+00),
            (33, 4.0007049e-01, 0.0000000e+00),
            (34, 2.3044832e-01, 0.0000000e+00),
        ],
    ),
    (
        "firdes.band_pass_2",
        r#"[2.0, 1.0, 0.1, 0.2, 0.05, 50.0, 2]"#,
        45,
        &[
            (0, 1.5814587e-10, 0.0000000e+00),
            (1, 2.0554588e-05, 0.0000000e+00),
            (11, 7.2168335e-03, 0.0000000e+00),
            (22, 4.0383989e-01, 0.0000000e+00),
            (23, 2.3154086e-01, 0.0000000e+00),
        ],
    ),
    (
        "firdes.band_reject",
        r#"[2.0, 1.0, 0.1, 0.2, 0.05, 7]"#,
        85,
        &[
            (0, -8.9743199e-11, 0.0000000e+00),
            (1, 6.4155438e-07, 0.0000000e+00),
            (21, 6.2201516e-04, 0.0000000e+00),
            (42, 1.6002356e+00, 0.0000000e+00),
            (43, -2.2959891e-01, 0.0000000e+00),
        ],
    ),
    (
        "firdes.band_reject_2",
        r#"[1.0, 1.0, 0.1, 0.2, 0.05, 45.0, 0]"#,
        41,
        &[
            (0, 6.2424462e-19, 0.0000000e+00),
            (1, 5.2179099e-04, 0.0000000e+00),
            (10, 4.2136518e-18, 0.0000000e+00),
            (20, 8.0068898e-01, 0.0000000e+00),
            (21, -1.1507700e-01, 0.0000000e+00),
        ],
    ),
    (
        "firdes.complex_band_pass",
        r#"[1.0, 1.0, -0.1, 0.2, 0.05, 0]"#,
        49,
        &[
            (0, -1.9254864e-04, 5.9260422e-04),
            (1, 2.1080412e-04, -2.9014703e-04),
            (12, 1.1011282e-02, -8.0001419e-03),
            (24, 2.9973131e-01, 6.0742286e-07),
            (25, 2.4373178e-01, 7.9193808e-02),
        ],
    ),
    (
        "firdes.complex_band_pass_2",
        r#"[1.0, 1.0, 0.1, 0.2, 0.05, 45.0, 0]"#,
        41,
        &[
            (0, -3.1061775e-19, 1.4816318e-26),
            (1, -2.5963775e-04, -3.5736093e-04),
            (10, -2.0966700e-18, -7.9481562e-24),
            (20, 9.9603668e-02, 3.6808416e-07),
            (21, 5.7260845e-02, 7.8813404e-02),
        ],
    ),
    (
        "firdes.complex_band_reject",
        r#"[1.0, 1.0, -0.1, 0.2, 0.1, 0]"#,
        25,
        &[
            (0, -1.6300883e-03, 1.1843287e-03),
            (1, -2.1266900e-03, 6.9100340e-04),
            (6, -5.1949490e-03, -1.5988439e-02),
            (12, 6.9885379e-01, 4.1654931e-07),
            (13, -2.4068068e-01, -7.8202054e-02),
        ],
    ),
    (
        "firdes.root_raised_cosine",
        r#"[3.0, 4.0, 1.0, 0.25, 44]"#,
        45,
        &[
            (0, 6.9626411e-03, 0.0000000e+00),
            (1, 2.0843789e-03, 0.0000000e+00),
            (11, 4.5098378e-03, 0.0000000e+00),
            (22, 8.0008525e-01, 0.0000000e+00),
            (23, 7.0636117e-01, 0.0000000e+00),
        ],
    ),
    (
        "firdes.root_raised_cosine",
        r#"[1.0, 32000.0, 9600.0, 0.35, 101]"#,
        101,
        &[
            (0, -2.0471032e-04, 0.0000000e+00),
            (1, -2.6459768e-04, 0.0000000e+00),
            (25, -1.1756927e-03, 0.0000000e+00),
            (50, 3.2883951e-01, 0.0000000e+00),
            (51, 2.7008399e-01, 0.0000000e+00),
        ],
    ),
    (
        "firdes.gaussian",
        r#"[2.0, 4.0, 0.35, 12]"#,
        12,
        &[
            (0, 2.2621020e-03, 0.0000000e+00),
            (1, 1.6096199e-02, 0.0000000e+00),
            (3, 2.2029509e-01, 0.0000000e+00),
            (6, 4.2371634e-01, 0.0000000e+00),
            (7, 2.2029509e-01, 0.0000000e+00),
        ],
    ),
    (
        "firdes.hilbert",
        r#"[19, 0]"#,
        19,
        &[
            (0, -5.6279986e-03, 0.0000000e+00),
            (1, 0.0000000e+00, 0.0000000e+00),
            (4, -5.8265217e-02, 0.0000000e+00),
            (9, 0.0000000e+00, 0.0000000e+00),
            (10, 6.1558539e-01, 0.0000000e+00),
        ],
    ),
    (
        "firdes.window",
        r#"[15, 21, 0.5]"#,
        21,
        &[
            (0, 0.0000000e+00, 0.0000000e+00),
            (1, 9.5491506e-02, 0.0000000e+00),
            (5, 1.0000000e+00, 0.0000000e+00),
            (10, 1.0000000e+00, 0.0000000e+00),
            (11, 1.0000000e+00, 0.0000000e+00),
        ],
    ),
    (
        "window.kaiser",
        r#"[20, 6.76]"#,
        20,
        &[
            (0, 7.4042957e-03, 0.0000000e+00),
            (1, 3.6699008e-02, 0.0000000e+00),
            (5, 4.7715175e-01, 0.0000000e+00),
            (10, 9.9139220e-01, 0.0000000e+00),
            (11, 9.2477620e-01, 0.0000000e+00),
        ],
    ),
    (
        "window.blackman_harris",
        r#"[20, 67]"#,
        20,
        &[
            (0, 1.2719993e-02, 0.0000000e+00),
            (1, 2.7496278e-02, 0.0000000e+00),
            (5, 4.3435872e-01, 0.0000000e+00),
            (10, 9.9019152e-01, 0.0000000e+00),
            (11, 9.1478366e-01, 0.0000000e+00),
        ],
    ),
    (
        "window.blackman4",
        r#"[21]"#,
        21,
        &[
            (0, 1.8570200e-03, 0.0000000e+00),
            (1, 1.4897361e-03, 0.0000000e+00),
            (5, -2.5046501e-01, 0.0000000e+00),
            (10, 9.9999708e-01, 0.0000000e+00),
            (11, 7.9993242e-01, 0.0000000e+00),
        ],
    ),
    (
        "window.build",
        r#"[1, 5, 6.76, true]"#,
        5,
        &[
            (0, 0.0000000e+00, 0.0000000e+00),
            (1, 9.1287088e-01, 0.0000000e+00),
            (2, 1.8257418e+00, 0.0000000e+00),
            (3, 9.1287088e-01, 0.0000000e+00),
        ],
    ),
    (
        "filter.pm_remez",
        r#"[10, [0, 0.3, 0.5, 1], [1, 1, 0, 0], [1, 1], "bandpass", 16]"#,
        11,
        &[
            (0, 7.7905795e-3, 0.0000000e0),
            (1, -7.5177348e-2, 0.0000000e0),
            (2, -5.5503957e-2, 0.0000000e0),
            (5, 4.0035470e-1, 0.0000000e0),
            (6, 2.9771338e-1, 0.0000000e0),
        ],
    ),
    (
        "filter.pm_remez",
        r#"[11, [0, 0.3, 0.5, 1], [1, 1, 0, 0], [1, 10], "bandpass", 16]"#,
        12,
        &[
            (0, -1.7207082e-2, 0.0000000e0),
            (1, -6.5936408e-2, 0.0000000e0),
            (3, 2.0881528e-2, 0.0000000e0),
            (6, 3.5319388e-1, 0.0000000e0),
            (7, 2.0244995e-1, 0.0000000e0),
        ],
    ),
    (
        "filter.pm_remez",
        r#"[60, [0, 0.2, 0.3, 0.6, 0.7, 1], [0, 0, 1, 1, 0, 0], [10, 1, 5]]"#,
        61,
        &[
            (0, -7.5488644e-4, 0.0000000e0),
            (1, 1.4274196e-3, 0.0000000e0),
            (15, -4.5287745e-3, 0.0000000e0),
            (30, 3.9024679e-1, 0.0000000e0),
            (31, 5.5204281e-2, 0.0000000e0),
        ],
    ),
    (
        "filter.pm_remez",
        r#"[31, [0.05, 1], [1, 1], [1], "hilbert"]"#,
        32,
        &[
            (0, -2.4276474e-02, 0.0000000e+00),
            (1, -9.8235200e-03, 0.0000000e+00),
            (8, -3.5114096e-02, 0.0000000e+00),
            (16, 6.3597620e-01, 0.0000000e+00),
            (17, 2.1074106e-01, 0.0000000e+00),
        ],
    ),
    (
        "optfir.low_pass",
        r#"[3.0, 48000.0, 3000.0, 5000.0, 0.5, 40]"#,
        50,
        &[
            (0, 1.3009558e-2, 0.0000000e0),
            (1, -7.3060063e-3, 0.0000000e0),
            (12, 1.5039630e-2, 0.0000000e0),
            (25, 4.9516066e-1, 0.0000000e0),
            (26, 4.4890177e-1, 0.0000000e0),
        ],
    ),
    (
        "optfir.low_pass",
        r#"[1.0, 1.0, 0.1, 0.12, 0.1, 80]"#,
        170,
        &[
            (0, -9.6347644e-5, 0.0000000e0),
            (1, -8.2053236e-5, 0.0000000e0),
            (42, -2.0298417e-3, 0.0000000e0),
            (85, 2.1174956e-1, 0.0000000e0),
            (86, 1.8039993e-1, 0.0000000e0),
        ],
    ),
    (
        "optfir.high_pass",
        r#"[1.0, 48000.0, 3000.0, 5000.0, 0.5, 40]"#,
        43,
        &[
            (0, 9.9534012e-5, 0.0000000e0),
            (1, 1.4521988e-2, 0.0000000e0),
            (10, 8.4481465e-3, 0.0000000e0),
            (21, 8.2975841e-1, 0.0000000e0),
            (22, -1.6189197e-1, 0.0000000e0),
        ],
    ),
    (
        "optfir.band_pass",
        r#"[3.0, 48000.0, 3000.0, 5000.0, 9000.0, 11000.0, 0.5, 40]"#,
        50,
        &[
            (0, 9.9128941e-4, 0.0000000e0),
            (1, 5.2983238e-3, 0.0000000e0),
            (12, -4.6860519e-2, 0.0000000e0),
            (25, 6.6886352e-1, 0.0000000e0),
            (26, 1.3755530e-1, 0.0000000e0),
        ],
    ),
    (
        "optfir.complex_band_pass",
        r#"[1.0, 1.0, -0.1, -0.05, 0.2, 0.25, 0.1, 60]"#,
        57,
        &[
            (0, 1.0595460e-4, 0.0000000e0),
            (1, -1.1937619e-3, -6.0825209e-4),
            (14, 4.9996061e-3, 1.6244705e-3),
            (28, 2.3845711e-1, 1.7324923e-1),
            (29, 1.1523079e-1, 2.2615316e-1),
        ],
    ),
    (
        "optfir.band_reject",
        r#"[2.0, 1.0, 0.1, 0.15, 0.25, 0.3, 0.5, 40]"#,
        41,
        &[
            (0, 7.7911995e-3, 0.0000000e0),
            (1, -2.3760491e-3, 0.0000000e0),
            (10, 9.1683559e-2, 0.0000000e0),
            (20, 1.3921384e0, 0.0000000e0),
            (21, -1.7912496e-1, 0.0000000e0),
        ],
    ),
];

#[test]
fn taps_are_those_of_gnu_radio() {
    let mut wrong = Vec::new();
    for (name, args, len, some) in GOLDEN {
        let taps = taps(&call(name, &arguments(args)).unwrap());
        if taps.len() != *len {
            wrong.push(format!("{name}{args}: {} taps, wanted {len}", taps.len()));
            continue;
        }
        // Equiripple filters are those of a grid of 2048 points for each unknown; GNU Radio's has 16. The Hilbert
        // transformer is GNU Radio's with 16, and complex filters agree as far as its phase is good.
        let bound = match () {
            _ if args.contains("hilbert") => 2e-4,
            _ if name.contains("complex") => 2e-5,
            _ if name.contains("remez") || name.contains("optfir") => 1e-6,
            _ => 1e-6,
        };
        for &(place, re, im) in *some {
            let error = (taps[place] - C64::new(re, im)).norm();
            if error > bound {
                wrong.push(format!("{name}{args}[{place}]: {}, wanted {re} {im}", taps[place]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The response at a frequency in parts of the sample rate.
fn response(taps: &[f64], frequency: f64) -> f64 {
    let term = |(n, tap): (usize, &f64)| C64::cis(-std::f64::consts::TAU * frequency * n as f64) * tap;
    taps.iter().enumerate().map(term).sum::<C64>().norm()
}

#[test]
fn equiripple_filters_are_as_good_as_their_ripple_says() {
    for (order, bands, ampl, weights) in [
        (60, vec![0.0, 0.2, 0.3, 0.6, 0.7, 1.0], vec![0.0, 0.0, 1.0, 1.0, 0.0, 0.0], vec![10.0, 1.0, 5.0]),
        (300, vec![0.0, 0.2, 0.22, 1.0], vec![1.0, 1.0, 0.0, 0.0], vec![1.0, 20.0]),
        (33, vec![0.0, 0.3, 0.5, 1.0], vec![1.0, 1.0, 0.0, 0.0], vec![1.0, 1.0]),
    ] {
        let taps = remez(order, &bands, &ampl, &weights, Response::Bandpass, 16).unwrap();
        assert!(taps.iter().zip(taps.iter().rev()).all(|(a, b)| (a - b).abs() < 1e-12));
        let greatest: Vec<f64> = (0..weights.len())
            .map(|band| {
                let (low, high) = (bands[2 * band] / 2.0, bands[2 * band + 1] / 2.0);
                let at = |k: usize| low + (high - low) * k as f64 / 4000.0;
                let error = |k: usize| (response(&taps, at(k)) - ampl[2 * band]).abs();
                weights[band] * (0..=4000).map(error).fold(0.0, f64::max)
            })
            .collect();
        // All bands have the same weighted error: the mark of the best filter.
        let (least, most) =
            greatest.iter().fold((f64::MAX, 0f64), |(least, most), e| (least.min(*e), most.max(*e)));
        assert!(most / least < 1.05 && most < 0.1, "{order}: {greatest:?}");
    }
}

#[test]
fn antisymmetric_filters_have_the_amplitude_that_they_are_asked_for() {
    for order in [30, 31] {
        let taps = remez(order, &[0.1, 0.9], &[1.0, 1.0], &[1.0], Response::Hilbert, 16).unwrap();
        assert!(taps.iter().zip(taps.iter().rev()).all(|(a, b)| (a + b).abs() < 1e-12));
        assert!((10..=90).all(|k| (response(&taps, f64::from(k) / 200.0) - 1.0).abs() < 0.02), "{order}");
        let taps = remez(order, &[0.0, 0.8], &[0.0, 0.8], &[1.0], Response::Differentiator, 16).unwrap();
        let error = |k: i32| response(&taps, f64::from(k) / 200.0) / (f64::from(k) / 100.0) - 1.0;
        assert!((1..=80).all(|k| error(k).abs() < 0.02), "{order}");
    }
}

#[test]
fn the_gain_of_a_high_pass_and_the_attenuation_of_a_complex_band_reject_are_heeded() {
    let designed = |name: &str, args: &str| taps(&call(name, &arguments(args)).unwrap());
    let high = designed("optfir.high_pass", "[2.0, 48e3, 3e3, 5e3, 0.5, 40]");
    let real: Vec<f64> = high.iter().map(|tap| tap.re).collect();
    assert!((response(&real, 0.5) / 2.0 - 1.0).abs() < 0.06, "{}", response(&real, 0.5));
    let length =
        |db: u32| designed("firdes.complex_band_reject_2", &format!("[1, 1, -0.1, 0.1, 0.05, {db}]")).len();
    assert!(length(20) < length(40) && length(40) < length(80));
}

#[test]
fn what_makes_no_filter_is_named() {
    let problem = |name: &str, args: &str| call(name, &arguments(args)).unwrap_err();
    assert_eq!(
        problem("firdes.low_pass", "[1, 48e3, 25e3, 1e3]"),
        "firdes.low_pass: cutoff_freq = 25000: expected more than 0, at most half of sampling_freq"
    );
    assert!(
        problem("firdes.low_pass", "[1, 48e3, 5e3, 1e3, \"hemming\"]").contains("or a name such as hamming")
    );
    assert!(problem("firdes.low_pass", "[1, 48e3, 5e3, 0]").contains("transition_width = 0"));
    assert!(problem("firdes.low_pass", "[1, 48e3, 5e3, 1e-3]").contains("more than 1048576"));
    assert!(problem("firdes.band_pass", "[1, 1, 0.2, 0.1, 0.01]").contains("more than low_cutoff_freq"));
    assert!(problem("firdes.hilbert", "[20]").contains("ntaps = 20: expected an odd number"));
    assert!(problem("filter.pm_remez", "[10, [0, 0.3, 0.2, 1], [1, 1, 0, 0], [1, 1]]").contains("ascending"));
    assert!(problem("filter.pm_remez", "[10, [0, 0.3, 0.5], [1, 1, 0, 0], [1, 1]]").contains("two edges"));
    assert!(
        problem("filter.pm_remez", "[10, [0, 0.3], [1, 1], [1, 1]]").contains("one number for each band")
    );
    assert!(problem("optfir.low_pass", "[1, 1, 0.2, 0.1, 0.1, 60]").contains("ascend"));
    assert!(problem("optfir.low_pass", "[1, 1, 0.2, 0.20001, 0.1, 60]").contains("transition"));
    assert!(problem("window.kaiser", "[10, -1]").contains("param = -1"));
}
