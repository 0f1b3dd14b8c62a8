//! The functions of `numpy`, of arrays with one axis.

use super::arithmetic::{binary, times as repeated};
use super::evaluate::Meter;
use super::functions::{
    self, Arguments, absolute, complex_function, extreme, float, iterate, range, real, rounded,
};
use super::object::Object;
use super::{Problem, Result};
use crate::error::shown;

pub(super) const NAMES: &[&str] = &[
    "abs",
    "absolute",
    "amax",
    "amin",
    "angle",
    "append",
    "arange",
    "arctan2",
    "array",
    "asarray",
    "concatenate",
    "conj",
    "conjugate",
    "convolve",
    "cumsum",
    "diff",
    "dot",
    "flip",
    "hypot",
    "imag",
    "linspace",
    "logspace",
    "max",
    "mean",
    "min",
    "mod",
    "ones",
    "power",
    "prod",
    "real",
    "repeat",
    "roll",
    "round",
    "sign",
    "sum",
    "tile",
    "var",
    "zeros",
    "full",
];

/// A function of one number, for each element where there are several.
fn each(x: &Object, meter: &Meter, function: &dyn Fn(&Object) -> Result<Object>) -> Result<Object> {
    match x.items() {
        Some(items) => functions::map(items, meter, function),
        None => function(x),
    }
}

pub(super) fn call(name: &str, arguments: &mut Arguments<'_>, meter: &Meter) -> Result<Object> {
    // What an array's elements are to be.
    let kind = arguments.keyword("dtype");
    let array = value(name, arguments, meter)?;
    let kind = kind.or_else(|| match name {
        "array" | "asarray" | "zeros" | "ones" => arguments.optional("dtype"),
        _ => None,
    });
    let kind = match &kind {
        None | Some(Object::None) => return Ok(array),
        Some(Object::Function(kind)) => kind.to_string(),
        Some(Object::Text(kind)) => kind.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned(),
        Some(_) => return Err(Problem::python("this dtype")),
    };
    let kind = match kind.trim_start_matches('u') {
        kind @ ("int" | "float" | "complex" | "bool") => kind,
        _ => return Err(Problem::python(format!("the dtype {}", shown(&kind)))),
    };
    each(&array, meter, &|item| functions::call(kind, vec![item.clone()], Vec::new(), meter))
}

fn value(name: &str, arguments: &mut Arguments<'_>, meter: &Meter) -> Result<Object> {
    // All that is made here has paid for its elements.
    let array = |items: Vec<Object>| functions::array(items, meter);
    let floats = |items: Vec<f64>| array(items.into_iter().map(Object::Float).collect());
    let fold = |items: &[Object], sign: &str, start: i128| {
        items.iter().try_fold(Object::Int(start), |sum, item| binary(sign, &sum, item, meter))
    };
    Ok(match name {
        "array" | "asarray" => {
            let items = arguments.items("object", meter)?;
            if items.iter().any(|item| item.items().is_some()) {
                return Err(Problem::python("an array with several axes"));
            }
            array(items)?
        }
        "zeros" | "ones" => {
            let length = arguments.length("shape", meter)?;
            floats(vec![f64::from(name == "ones"); length])?
        }
        "full" => {
            let length = arguments.length("shape", meter)?;
            array(vec![arguments.required("fill_value")?; length])?
        }
        "arange" => {
            let mut given = vec![arguments.required("stop")?];
            given.extend(arguments.rest());
            if given.iter().all(|object| object.as_int().is_some()) {
                let mut inner = Arguments { name, given: given.into_iter(), named: Vec::new() };
                return match range(&mut inner, meter)? {
                    Object::List(items) => Ok(Object::Array(items)),
                    other => Ok(other),
                };
            }
            let numbers = given.iter().map(|object| float(name, object)).collect::<Result<Vec<f64>>>()?;
            let (start, stop, step) = match numbers[..] {
                [stop] => (0.0, stop, 1.0),
                [start, stop] => (start, stop, 1.0),
                [start, stop, step, ..] => (start, stop, step),
                [] => return Err(Problem::new("arange expects stop")),
            };
            let length = ((stop - start) / step).ceil();
            if length.is_nan() {
                return Err(Problem::new("the step of arange is not 0"));
            }
            let length = length.max(0.0) as usize;
            meter.spend(length)?;
            floats((0..length).map(|n| start + n as f64 * step).collect())?
        }
        "linspace" | "logspace" => {
            let (start, stop) = (arguments.float("start")?, arguments.float("stop")?);
            let wrong = || Problem::new(format!("{name} expects a number of points from 0 on"));
            let points = arguments.optional("num").map_or(Some(50), |object| object.as_int());
            let points = points.and_then(|n| usize::try_from(n).ok()).ok_or_else(wrong)?;
            let with_end = arguments.optional("endpoint").map_or(Ok(true), |object| object.truth())?;
            meter.spend(points)?;
            let steps = if with_end { points.saturating_sub(1) } else { points }.max(1) as f64;
            let point = |n: usize| match with_end && n > 0 && n + 1 == points {
                true => stop,
                false => start + n as f64 * ((stop - start) / steps),
            };
            let points = (0..points).map(point);
            if name == "linspace" {
                floats(points.collect())?
            } else {
                floats(points.map(|x| 10f64.powf(x)).collect())?
            }
        }
        "concatenate" => {
            let mut items = Vec::new();
            for part in arguments.items("arrays", meter)? {
                items.extend(iterate(&part, meter)?);
            }
            array(items)?
        }
        "append" => {
            let (mut items, more) = (arguments.items("arr", meter)?, arguments.required("values")?);
            match more.items() {
                Some(_) => items.extend(iterate(&more, meter)?),
                None => items.push(more),
            }
            array(items)?
        }
        "tile" | "repeat" => {
            let x = arguments.required("a")?;
            let items = x.items().unwrap_or(std::slice::from_ref(&x));
            let times = arguments.length("repeats", meter)?;
            meter.spend(items.len().saturating_mul(times))?;
            match name {
                "tile" => array(repeated(items, times))?,
                _ => array(items.iter().flat_map(|item| std::iter::repeat_n(item.clone(), times)).collect())?,
            }
        }
        "flip" => {
            let mut items = arguments.items("m", meter)?;
            items.reverse();
            array(items)?
        }
        "roll" => {
            let (mut items, shift) = (arguments.items("a", meter)?, arguments.int("shift")?);
            if !items.is_empty() {
                let shift = shift.rem_euclid(items.len() as i128);
                items.rotate_right(shift as usize);
            }
            array(items)?
        }
        "cumsum" => {
            let mut sum = Object::Int(0);
            let mut sums = Vec::new();
            for item in arguments.items("a", meter)? {
                sum = binary("+", &sum, &item, meter)?;
                sums.push(sum.clone());
            }
            array(sums)?
        }
        "diff" => {
            let items = arguments.items("a", meter)?;
            array(items.windows(2).map(|w| binary("-", &w[1], &w[0], meter)).collect::<Result<_>>()?)?
        }
        "sum" => fold(&arguments.items("a", meter)?, "+", 0)?,
        "prod" => fold(&arguments.items("a", meter)?, "*", 1)?,
        "mean" => {
            let items = arguments.items("a", meter)?;
            binary("/", &fold(&items, "+", 0)?, &Object::Int(items.len() as i128), meter)?
        }
        "max" | "min" | "amax" | "amin" => extreme(name, arguments.items("a", meter)?, meter)?,
        "dot" => {
            let (a, b) = (arguments.items("a", meter)?, arguments.items("b", meter)?);
            let product = binary("*", &array(a)?, &array(b)?, meter)?;
            fold(product.items().unwrap_or_default(), "+", 0)?
        }
        "convolve" => {
            let (a, b) = (arguments.items("a", meter)?, arguments.items("v", meter)?);
            if a.is_empty() || b.is_empty() {
                return Err(Problem::new("convolve expects two arrays that are not empty"));
            }
            meter.spend(a.len().saturating_mul(b.len()))?;
            let mut sums = vec![Object::Int(0); (a.len() - 1).saturating_add(b.len())];
            for (n, x) in a.iter().enumerate() {
                for (m, y) in b.iter().enumerate() {
                    sums[n + m] = binary("+", &sums[n + m], &binary("*", x, y, meter)?, meter)?;
                }
            }
            array(sums)?
        }
        "power" | "mod" | "arctan2" | "hypot" => {
            let (a, b) = (arguments.required("x1")?, arguments.required("x2")?);
            match name {
                "power" => binary("**", &a, &b, meter)?,
                "mod" => binary("%", &a, &b, meter)?,
                _ => {
                    let (a, b) = (float(name, &a)?, float(name, &b)?);
                    Object::Float(if name == "hypot" { a.hypot(b) } else { a.atan2(b) })
                }
            }
        }
        "abs" | "absolute" => each(&arguments.required("x")?, meter, &|item| absolute(item, meter))?,
        "real" | "imag" | "conj" | "conjugate" | "angle" => {
            let part = |x: &Object| {
                let wrong = || Problem::new(format!("{name} expects a number, got {}", x.describe()));
                let z = x.as_complex().ok_or_else(wrong)?;
                Ok(match name {
                    "real" => Object::Float(z.re),
                    "imag" => Object::Float(z.im),
                    "angle" => Object::Float(z.arg()),
                    _ if matches!(x, Object::Complex(_)) => Object::Complex(z.conj()),
                    _ => x.clone(),
                })
            };
            each(&arguments.required("x")?, meter, &part)?
        }
        "round" | "sign" => {
            let function = |x: &Object| {
                let x = float(name, x)?;
                Ok(Object::Float(match name {
                    "round" => rounded(x),
                    _ if x == 0.0 => 0.0,
                    _ => x.signum(),
                }))
            };
            each(&arguments.required("x")?, meter, &function)?
        }
        "var" => return Err(Problem::python("numpy.var")),
        _ => {
            let function = real(name)?;
            let one = |x: &Object| match x {
                Object::Complex(z) => complex_function(name, *z),
                x => Ok(Object::Float(function(float(name, x)?))),
            };
            each(&arguments.required("x")?, meter, &one)?
        }
    })
}
