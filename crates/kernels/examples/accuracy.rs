//! Measures the largest errors of functions against double precision, and prints a JSON object for each on a line.
//!
//! ```text
//! cargo run --release -p superhet-kernels --example accuracy -- log2_fast:0.5:2:linear tanh:1e-30:1e30:log
//! ```
//!
//! Each argument is a kernel of one input (or `power`, `power_fast`), a range and the spacing of 65536 numbers in it.
//! `bench/peers/volk/kernels.c` does the same to VOLK's kernels, on the same numbers.

use superhet_kernels as kernels;

type Function = fn(&mut [f32], &[f32]);
type Reference = fn(f64) -> f64;
type Power = fn(&mut [f32], &[f32], &[f32]);

/// The kernel and what it approximates.
fn function(name: &str) -> Option<(Function, Reference)> {
    Some(match name {
        "inverse_sqrt" => (kernels::inverse_sqrt, |x| 1.0 / x.sqrt()),
        "inverse_sqrt_fast" => (kernels::inverse_sqrt_fast, |x| 1.0 / x.sqrt()),
        "tanh" => (kernels::tanh, f64::tanh),
        "tanh_fast" => (kernels::tanh_fast, f64::tanh),
        "log2" => (kernels::log2, f64::log2),
        "log2_fast" => (kernels::log2_fast, f64::log2),
        "exp" => (kernels::exp, f64::exp),
        "sqrt" => (kernels::sqrt, f64::sqrt),
        "sin" => (kernels::sin, f64::sin),
        "cos" => (kernels::cos, f64::cos),
        "tan" => (kernels::tan, f64::tan),
        "asin" => (kernels::asin, f64::asin),
        "acos" => (kernels::acos, f64::acos),
        "atan" => (kernels::atan, f64::atan),
        _ => return None,
    })
}

fn power(name: &str) -> Option<Power> {
    Some(match name {
        "power" => kernels::power,
        "power_fast" => kernels::power_fast,
        _ => return None,
    })
}

const COUNT: usize = 1 << 16;

/// `COUNT` numbers, evenly or each so many times the one before.
fn numbers(low: f64, high: f64, logarithmic: bool) -> Vec<f32> {
    let number = |n: usize| {
        let place = (n as f64 + 0.5) / COUNT as f64;
        if logarithmic { low * (high / low).powf(place) } else { low + (high - low) * place }
    };
    (0..COUNT).map(|n| number(n) as f32).collect()
}

/// Exponents within ±5, in an order that meets all bases with all.
fn exponents() -> Vec<f32> {
    (0..COUNT).map(|n| (10.0 * (n as f64 * 0.6180339887498949).fract() - 5.0) as f32).collect()
}

/// The largest error, and the largest as a fraction of the value; NaN if a result is none.
fn errors(y: &[f32], want: impl Fn(usize) -> f64) -> (f64, f64) {
    y.iter().enumerate().fold((0.0, 0.0), |(absolute, relative), (n, &y)| {
        let want = want(n);
        let error = (f64::from(y) - want).abs();
        let larger = |a: f64, b: f64| if a > b || a.is_nan() { a } else { b };
        (larger(absolute, error), larger(relative, error / want.abs()))
    })
}

fn measure(word: &str) -> Option<String> {
    let mut words = word.split(':');
    let mut next = || words.next();
    let (name, low, high, spacing) = (next()?, next()?, next()?, next()?);
    let x = numbers(low.parse().ok()?, high.parse().ok()?, spacing == "log");
    let mut y = vec![0.0; COUNT];
    let (absolute, relative) = if let Some((run, reference)) = function(name) {
        run(&mut y, &x);
        errors(&y, |n| reference(x[n].into()))
    } else {
        let exponents = exponents();
        power(name)?(&mut y, &x, &exponents);
        errors(&y, |n| f64::from(x[n]).powf(exponents[n].into()))
    };
    Some(format!(
        "{{\"name\": \"{name}\", \"absolute_error\": {absolute:e}, \"relative_error\": {relative:e}}}"
    ))
}

fn main() {
    for word in std::env::args().skip(1) {
        match measure(&word) {
            Some(line) => println!("{line}"),
            None => {
                eprintln!("{word}: expected KERNEL:LOW:HIGH:linear or log, with a kernel that is a function");
                std::process::exit(2);
            }
        }
    }
}
