//! The functions of Python, `math`, `cmath` and `numpy` that are known.

use std::cmp::Ordering;
use std::f64::consts;
use std::fmt::{self, Write as _};

use superhet_runtime::C64;

use super::arithmetic::{binary, compare, order, unary};
use super::evaluate::Meter;
use super::items::Items;
use super::object::Object;
use super::{Problem, Result, numpy, pmt};
use crate::error::shown;

pub(super) const BUILTINS: &[&str] = &[
    "abs",
    "all",
    "any",
    "bool",
    "complex",
    "dict",
    "enumerate",
    "float",
    "int",
    "len",
    "list",
    "max",
    "min",
    "pow",
    "range",
    "reversed",
    "round",
    "sorted",
    "str",
    "sum",
    "tuple",
    "zip",
];

type Real = fn(f64) -> f64;
type Complex = fn(C64) -> C64;

/// Functions of one real number, in `math` and `numpy`.
const REAL: &[(&str, Real)] = &[
    ("acos", f64::acos),
    ("arccos", f64::acos),
    ("arcsin", f64::asin),
    ("arctan", f64::atan),
    ("asin", f64::asin),
    ("asinh", f64::asinh),
    ("acosh", f64::acosh),
    ("atan", f64::atan),
    ("atanh", f64::atanh),
    ("cbrt", f64::cbrt),
    ("ceil", f64::ceil),
    ("cos", f64::cos),
    ("cosh", f64::cosh),
    ("deg2rad", f64::to_radians),
    ("degrees", f64::to_degrees),
    ("exp", f64::exp),
    ("expm1", f64::exp_m1),
    ("fabs", f64::abs),
    ("floor", f64::floor),
    ("log", f64::ln),
    ("log10", f64::log10),
    ("log1p", f64::ln_1p),
    ("log2", f64::log2),
    ("rad2deg", f64::to_degrees),
    ("radians", f64::to_radians),
    ("sin", f64::sin),
    ("sinc", |x| if x == 0.0 { 1.0 } else { (consts::PI * x).sin() / (consts::PI * x) }),
    ("sinh", f64::sinh),
    ("sqrt", f64::sqrt),
    ("tan", f64::tan),
    ("tanh", f64::tanh),
    ("trunc", f64::trunc),
];

/// Functions of one complex number, in `cmath` and `numpy`.
const COMPLEX: &[(&str, Complex)] = &[
    ("cos", |z| z.cos()),
    ("exp", |z| z.exp()),
    ("log", |z| z.ln()),
    ("log10", |z| z.log10()),
    ("sin", |z| z.sin()),
    ("sqrt", |z| z.sqrt()),
    ("tan", |z| z.tan()),
];

const MATH: &[&str] =
    &["atan2", "copysign", "factorial", "fmod", "fsum", "gcd", "hypot", "isclose", "pow", "prod"];
const CMATH: &[&str] = &["phase", "polar", "rect"];

/// A number with a name.
pub(super) fn constant(path: &str) -> Option<Object> {
    let (module, name) = path.split_once('.')?;
    Some(match (module, name) {
        ("math" | "numpy" | "cmath", "pi") => Object::Float(consts::PI),
        ("math" | "numpy" | "cmath", "e") => Object::Float(consts::E),
        ("math" | "cmath", "tau") => Object::Float(consts::TAU),
        ("math" | "numpy" | "cmath", "inf") => Object::Float(f64::INFINITY),
        ("math" | "numpy" | "cmath", "nan") => Object::Float(f64::NAN),
        ("pmt", name) => pmt::constant(name)?,
        _ => return None,
    })
}

/// Whether [`call`] knows `path`.
pub(super) fn exists(path: &str) -> bool {
    let Some((module, name)) = path.split_once('.') else { return BUILTINS.contains(&path) };
    let real = || REAL.iter().any(|(known, _)| *known == name);
    match module {
        "math" => MATH.contains(&name) || real() && !name.starts_with("arc") && !name.contains('2'),
        "numpy" => numpy::NAMES.contains(&name) || real(),
        "cmath" => CMATH.contains(&name) || COMPLEX.iter().any(|(known, _)| *known == name),
        "pmt" => pmt::NAMES.contains(&name),
        _ => false,
    }
}

/// What `from module import *` brings.
pub(crate) fn members(module: &str) -> Vec<&'static str> {
    let real = REAL.iter().map(|(name, _)| *name).filter(|name| exists(&format!("{module}.{name}")));
    let others: &[&str] = match module {
        "math" => MATH,
        "numpy" => numpy::NAMES,
        "cmath" => CMATH,
        "pmt" => pmt::NAMES,
        _ => &[],
    };
    let constants = ["pi", "e", "tau", "inf", "nan"].into_iter();
    let constants = constants.filter(|name| constant(&format!("{module}.{name}")).is_some());
    let names = real.chain(others.iter().copied()).chain(constants);
    // Names that Python has without a module keep their meaning.
    names.filter(|name| !BUILTINS.contains(name)).collect()
}

/// What a loop runs over, an operation for each.
pub(super) fn iterate(object: &Object, meter: &Meter) -> Result<Vec<Object>> {
    match object {
        Object::Text(text) => {
            meter.spend(text.len())?;
            Ok(text.chars().map(|c| Object::text(c.to_string())).collect())
        }
        Object::Dict(pairs) => {
            meter.spend(pairs.len())?;
            Ok(pairs.iter().map(|(key, _)| key.clone()).collect())
        }
        other => match other.items() {
            Some(items) => {
                meter.spend(items.len())?;
                Ok(items.to_vec())
            }
            None => Err(Problem::new(format!("expected a list, got {}", other.describe()))),
        },
    }
}

/// A list of elements, an operation for each of which has been spent.
pub(super) fn list(items: Vec<Object>, meter: &Meter) -> Result<Object> {
    let paid = items.len();
    Ok(Object::List(Items::new(items, paid, meter)?))
}

/// As [`list`], an array.
pub(super) fn array(items: Vec<Object>, meter: &Meter) -> Result<Object> {
    let paid = items.len();
    Ok(Object::Array(Items::new(items, paid, meter)?))
}

/// An array of what `function` gives for each element.
pub(super) fn map(
    items: &[Object],
    meter: &Meter,
    function: impl Fn(&Object) -> Result<Object>,
) -> Result<Object> {
    meter.spend(items.len())?;
    array(items.iter().map(function).collect::<Result<Vec<_>>>()?, meter)
}

/// Text that is written as `repr` has it, and paid for as it grows.
struct Written<'a> {
    text: String,
    meter: &'a Meter,
}

impl fmt::Write for Written<'_> {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        self.meter.spend(part.len()).map_err(|_| fmt::Error)?;
        self.text.push_str(part);
        Ok(())
    }
}

fn repr(object: &Object, meter: &Meter) -> Result<String> {
    // What walks over a value of the runtime makes more than it writes.
    meter.spend(object.size())?;
    let mut written = Written { text: String::new(), meter };
    match write!(written, "{object}") {
        Ok(()) => Ok(written.text),
        // The meter says again what there was too much of.
        Err(_) => meter.spend(usize::MAX).map(|()| String::new()),
    }
}

/// The arguments of a call, taken one after the other.
pub(super) struct Arguments<'a> {
    pub name: &'a str,
    pub given: std::vec::IntoIter<Object>,
    pub named: Vec<(String, Object)>,
}

impl Arguments<'_> {
    pub fn optional(&mut self, name: &str) -> Option<Object> {
        self.given.next().or_else(|| self.keyword(name))
    }

    pub fn keyword(&mut self, name: &str) -> Option<Object> {
        let place = self.named.iter().position(|(known, _)| known == name)?;
        Some(self.named.remove(place).1)
    }

    pub fn required(&mut self, name: &str) -> Result<Object> {
        self.optional(name).ok_or_else(|| Problem::new(format!("{} expects {name}", self.name)))
    }

    pub fn float(&mut self, name: &str) -> Result<f64> {
        let object = self.required(name)?;
        float(self.name, &object)
    }

    pub fn int(&mut self, name: &str) -> Result<i128> {
        let object = self.required(name)?;
        let wrong =
            || Problem::new(format!("{} expects a whole number, got {}", self.name, object.describe()));
        object.as_int().ok_or_else(wrong)
    }

    /// A length, which is accounted for.
    pub fn length(&mut self, name: &str, meter: &Meter) -> Result<usize> {
        let object = self.required(name)?;
        let object = match object.items() {
            Some([one]) => one.clone(),
            Some(_) => return Err(Problem::python("an array with several axes")),
            None => object,
        };
        let wrong = || Problem::new(format!("{} expects a length, got {}", self.name, object.describe()));
        let length = object.as_int().filter(|n| *n >= 0).ok_or_else(wrong)?;
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        meter.spend(length)?;
        Ok(length)
    }

    pub fn items(&mut self, name: &str, meter: &Meter) -> Result<Vec<Object>> {
        iterate(&self.required(name)?, meter)
    }

    pub fn rest(&mut self) -> Vec<Object> {
        self.given.by_ref().collect()
    }

    /// `value`, if all arguments have been taken.
    pub fn end(mut self, value: Object) -> Result<Object> {
        if self.given.next().is_some() {
            return Err(Problem::new(format!("{} got too many arguments", self.name)));
        }
        match self.named.first() {
            Some((name, _)) => Err(Problem::python(format!("{} with {}", self.name, shown(name)))),
            None => Ok(value),
        }
    }
}

pub(super) fn float(owner: &str, object: &Object) -> Result<f64> {
    if let Object::Raw(_, error) = object {
        return Err(Problem::from_cause(error));
    }
    let wrong = || Problem::new(format!("{owner} expects a number, got {}", object.describe()));
    object.as_float().ok_or_else(wrong)
}

pub(super) fn whole(x: f64) -> Result<Object> {
    match x.is_finite() && x.abs() < 1e30 {
        true => Ok(Object::Int(x as i128)),
        false => Err(Problem::new(format!("{x} is no whole number"))),
    }
}

/// Halves go to the even neighbour.
pub(super) fn rounded(x: f64) -> f64 {
    x.round_ties_even()
}

/// Calls the function `path`.
pub(super) fn call(
    path: &str,
    arguments: Vec<Object>,
    named: Vec<(String, Object)>,
    meter: &Meter,
) -> Result<Object> {
    meter.spend(1)?;
    let mut arguments = Arguments { name: path, given: arguments.into_iter(), named };
    let value = match path.split_once('.') {
        None => builtin(path, &mut arguments, meter)?,
        Some(("pmt", name)) => pmt::call(name, arguments.rest(), meter)?,
        Some(("math", name)) => math(name, &mut arguments, meter)?,
        Some(("cmath", name)) => cmath(name, &mut arguments, meter)?,
        Some((_, name)) => numpy::call(name, &mut arguments, meter)?,
    };
    arguments.end(value)
}

fn builtin(name: &str, arguments: &mut Arguments<'_>, meter: &Meter) -> Result<Object> {
    Ok(match name {
        "abs" => absolute(&arguments.required("x")?, meter)?,
        "all" | "any" => {
            let mut truths = arguments.items("iterable", meter)?.into_iter().map(|item| item.truth());
            let found = truths.find(|truth| truth.as_ref().map_or(true, |truth| *truth == (name == "any")));
            Object::Bool(found.transpose()?.is_some() == (name == "any"))
        }
        "bool" => Object::Bool(arguments.optional("x").unwrap_or(Object::None).truth()?),
        "complex" => complex(arguments, meter)?,
        "dict" if arguments.given.len() == 0 => {
            let pairs = std::mem::take(&mut arguments.named).into_iter();
            let pairs: Vec<_> = pairs.map(|(name, value)| (Object::text(name), value)).collect();
            Object::Dict(Items::new(pairs, 0, meter)?)
        }
        "enumerate" => {
            let items = arguments.items("iterable", meter)?;
            let start = arguments.optional("start").and_then(|start| start.as_int()).unwrap_or(0);
            let far = || Problem::new("enumerate expects a start of at most 64 bits");
            let start = i64::try_from(start).map_err(|_| far())?;
            let pair = |(index, item)| {
                let pair = [Object::Int(i128::from(start) + index as i128), item];
                Ok(Object::Tuple(Items::new(pair, 0, meter)?))
            };
            list(items.into_iter().enumerate().map(pair).collect::<Result<Vec<_>>>()?, meter)?
        }
        "float" => match arguments.optional("x").unwrap_or(Object::Int(0)) {
            Object::Array(items) => map(&items, meter, |item| Ok(Object::Float(float(name, item)?)))?,
            Object::Text(text) => Object::Float(number(&text)?),
            other => Object::Float(float(name, &other)?),
        },
        "int" => int(arguments, meter)?,
        "len" => {
            let object = arguments.required("object")?;
            let length = match &object {
                Object::Dict(pairs) => Some(pairs.len()),
                Object::Value(value) => value.as_list().map(|list| list.len()),
                other => match (other.items(), other.as_text()) {
                    (Some(items), _) => Some(items.len()),
                    (None, text) => text.map(|text| text.chars().count()),
                },
            };
            let wrong = || Problem::new(format!("len expects a list, got {}", object.describe()));
            Object::Int(length.ok_or_else(wrong)? as i128)
        }
        "list" | "tuple" => {
            let items = match arguments.optional("iterable") {
                Some(object) => iterate(&object, meter)?,
                None => Vec::new(),
            };
            let paid = items.len();
            let items = Items::new(items, paid, meter)?;
            if name == "list" { Object::List(items) } else { Object::Tuple(items) }
        }
        "max" | "min" => {
            let default = arguments.keyword("default");
            let first = arguments.required("values")?;
            let mut items = arguments.rest();
            match items.is_empty() {
                true => items = iterate(&first, meter)?,
                false => items.insert(0, first),
            }
            match (items.is_empty(), default) {
                (true, Some(default)) => default,
                _ => extreme(name, items, meter)?,
            }
        }
        "pow" => {
            let (base, power) = (arguments.required("base")?, arguments.required("exp")?);
            binary("**", &base, &power, meter)?
        }
        "range" => range(arguments, meter)?,
        "reversed" => {
            let mut items = arguments.items("sequence", meter)?;
            items.reverse();
            list(items, meter)?
        }
        "round" => {
            let x = arguments.required("number")?;
            match (arguments.optional("ndigits"), x.as_int()) {
                (None | Some(Object::None), Some(n)) => Object::Int(n),
                (None | Some(Object::None), None) => whole(rounded(float(name, &x)?))?,
                (Some(digits), _) => {
                    let wrong = || Problem::new("round expects from 0 to 15 digits");
                    let digits = digits.as_int().filter(|n| (0..=15).contains(n)).ok_or_else(wrong)?;
                    let text = format!("{:.*}", digits as usize, float(name, &x)?);
                    Object::Float(text.parse().unwrap_or(f64::NAN))
                }
            }
        }
        "sorted" => {
            let mut items = arguments.items("iterable", meter)?;
            let reverse = arguments.keyword("reverse").map_or(Ok(false), |object| object.truth())?;
            let mut failed = None;
            items.sort_by(|a, b| {
                order(a, b, meter).map(|order| order.unwrap_or(Ordering::Equal)).unwrap_or_else(|problem| {
                    failed.get_or_insert(problem);
                    Ordering::Equal
                })
            });
            if let Some(problem) = failed {
                return Err(problem);
            }
            if reverse {
                items.reverse();
            }
            list(items, meter)?
        }
        "str" => {
            let object = arguments.optional("object").unwrap_or(Object::text(""));
            match &object {
                Object::Text(_) => object,
                other => Object::text(repr(other, meter)?),
            }
        }
        "sum" => {
            let items = arguments.items("iterable", meter)?;
            let start = arguments.optional("start").unwrap_or(Object::Int(0));
            items.iter().try_fold(start, |sum, item| binary("+", &sum, item, meter))?
        }
        "zip" => {
            let lists = arguments.rest();
            let lists = lists.iter().map(|object| iterate(object, meter)).collect::<Result<Vec<_>>>()?;
            let length = lists.iter().map(Vec::len).min().unwrap_or(0);
            meter.spend(length)?;
            let row = |n: usize| {
                let row: Vec<Object> = lists.iter().map(|list| list[n].clone()).collect();
                Ok(Object::Tuple(Items::new(row, 0, meter)?))
            };
            list((0..length).map(row).collect::<Result<Vec<_>>>()?, meter)?
        }
        other => return Err(Problem::python(other)),
    })
}

pub(super) fn extreme(name: &str, items: Vec<Object>, meter: &Meter) -> Result<Object> {
    let wanted = if name.contains("max") { Ordering::Greater } else { Ordering::Less };
    let mut items = items.into_iter();
    let mut best = items.next().ok_or_else(|| Problem::new(format!("{name} expects at least one value")))?;
    for item in items {
        if order(&item, &best, meter)? == Some(wanted) {
            best = item;
        }
    }
    Ok(best)
}

pub(super) fn absolute(x: &Object, meter: &Meter) -> Result<Object> {
    match x {
        Object::Complex(z) => Ok(Object::Float(z.norm())),
        Object::Array(items) => map(items, meter, |item| absolute(item, meter)),
        x => match x.as_int() {
            Some(n) if n < 0 => unary("-", &Object::Int(n), meter),
            Some(n) => Ok(Object::Int(n)),
            None => Ok(Object::Float(float("abs", x)?.abs())),
        },
    }
}

fn number(text: &str) -> Result<f64> {
    let trimmed = text.trim().replace('_', "");
    trimmed.parse().map_err(|_| Problem::new(format!("expected a number, got {:?}", shown(text))))
}

fn complex(arguments: &mut Arguments<'_>, meter: &Meter) -> Result<Object> {
    let part = |object: Option<Object>| match object {
        None => Ok(C64::new(0.0, 0.0)),
        Some(Object::Text(_)) => Err(Problem::python("complex() of text")),
        Some(object) => {
            let wrong = || Problem::new(format!("complex expects a number, got {}", object.describe()));
            object.as_complex().ok_or_else(wrong)
        }
    };
    let first = arguments.optional("real");
    if let Some(Object::Array(items)) = &first {
        return map(items, meter, |item| Ok(Object::Complex(part(Some(item.clone()))?)));
    }
    let (re, im) = (part(first)?, part(arguments.optional("imag"))?);
    Ok(Object::Complex(re + im * C64::new(0.0, 1.0)))
}

fn int(arguments: &mut Arguments<'_>, meter: &Meter) -> Result<Object> {
    let object = arguments.optional("x").unwrap_or(Object::Int(0));
    let base = arguments.optional("base");
    if let Object::Array(items) = &object {
        return map(items, meter, |item| whole(float("int", item)?.trunc()));
    }
    let Object::Text(text) = &object else {
        return match object.as_int() {
            Some(n) => Ok(Object::Int(n)),
            None => whole(float("int", &object)?.trunc()),
        };
    };
    let base = base.map_or(Some(10), |base| base.as_int());
    let base = base.and_then(|base| u32::try_from(base).ok()).filter(|base| (2..=36).contains(base));
    let base = base.ok_or_else(|| Problem::new("int expects a base from 2 to 36"))?;
    let digits = text.trim().replace('_', "").to_ascii_lowercase();
    let prefix = match base {
        16 => "0x",
        8 => "0o",
        2 => "0b",
        _ => "",
    };
    let digits = digits.strip_prefix(prefix).unwrap_or(&digits);
    let wrong = |_| Problem::new(format!("expected a whole number, got {:?}", shown(text)));
    i128::from_str_radix(digits, base).map(Object::Int).map_err(wrong)
}

pub(super) fn range(arguments: &mut Arguments<'_>, meter: &Meter) -> Result<Object> {
    let first = arguments.int("stop")?;
    let (start, stop) = match arguments.given.len() {
        0 => (0, first),
        _ => (first, arguments.int("stop")?),
    };
    let step = if arguments.given.len() > 0 { arguments.int("step")? } else { 1 };
    if step == 0 {
        return Err(Problem::new("the step of range is not 0"));
    }
    let far = || Problem::new("range expects numbers of at most 64 bits");
    for n in [start, stop, step] {
        i64::try_from(n).map_err(|_| far())?;
    }
    let length = if step > 0 { (stop - start + step - 1) / step } else { (stop - start + step + 1) / step };
    let length = usize::try_from(length.max(0)).unwrap_or(usize::MAX);
    meter.spend(length)?;
    list((0..length as i128).map(|n| Object::Int(start + n * step)).collect(), meter)
}

fn math(name: &str, arguments: &mut Arguments<'_>, meter: &Meter) -> Result<Object> {
    Ok(match name {
        "atan2" => Object::Float(arguments.float("y")?.atan2(arguments.float("x")?)),
        "copysign" => Object::Float(arguments.float("x")?.copysign(arguments.float("y")?)),
        "fmod" => Object::Float(arguments.float("x")? % arguments.float("y")?),
        "hypot" => Object::Float(arguments.float("x")?.hypot(arguments.float("y")?)),
        "pow" => {
            let (x, y) = (arguments.float("x")?, arguments.float("y")?);
            binary("**", &Object::Float(x), &Object::Float(y), meter)?
        }
        "gcd" => {
            let (mut a, mut b) = (arguments.int("a")?, arguments.int("b")?);
            while b != 0 {
                (a, b) = (b, a.checked_rem(b).unwrap_or(0));
            }
            absolute(&Object::Int(a), meter)?
        }
        "factorial" => {
            let n = arguments.int("n")?;
            if !(0..=33).contains(&n) {
                return Err(Problem::new("factorial expects a number from 0 to 33"));
            }
            Object::Int((1..=n).product())
        }
        "isclose" => {
            let (a, b) = (arguments.float("a")?, arguments.float("b")?);
            Object::Bool((a - b).abs() <= 1e-9 * a.abs().max(b.abs()))
        }
        "fsum" | "prod" => {
            let (sign, start) =
                if name == "fsum" { ("+", Object::Float(0.0)) } else { ("*", Object::Int(1)) };
            let items = arguments.items("values", meter)?;
            items.iter().try_fold(start, |sum, item| binary(sign, &sum, item, meter))?
        }
        "floor" | "ceil" | "trunc" => {
            let x = arguments.required("x")?;
            match (x.as_int(), name) {
                (Some(n), _) => Object::Int(n),
                (None, "floor") => whole(float(name, &x)?.floor())?,
                (None, "ceil") => whole(float(name, &x)?.ceil())?,
                (None, _) => whole(float(name, &x)?.trunc())?,
            }
        }
        "log" if arguments.given.len() > 1 => {
            let (x, base) = (arguments.float("x")?, arguments.float("base")?);
            Object::Float(in_domain(name, x, x.ln())? / in_domain(name, base, base.ln())?)
        }
        _ => {
            let x = arguments.float("x")?;
            Object::Float(in_domain(name, x, real(name)?(x))?)
        }
    })
}

pub(super) fn real(name: &str) -> Result<Real> {
    let found = REAL.iter().find(|(known, _)| *known == name);
    found.map(|(_, function)| *function).ok_or_else(|| Problem::python(name))
}

fn in_domain(name: &str, x: f64, y: f64) -> Result<f64> {
    match y.is_nan() && !x.is_nan() || y.is_infinite() && x.is_finite() {
        true => Err(Problem::new(format!("{name} has no value at {x}"))),
        false => Ok(y),
    }
}

fn cmath(name: &str, arguments: &mut Arguments<'_>, meter: &Meter) -> Result<Object> {
    if name == "rect" {
        return Ok(Object::Complex(C64::from_polar(arguments.float("r")?, arguments.float("phi")?)));
    }
    let x = arguments.required("z")?;
    let wrong = || Problem::new(format!("cmath.{name} expects a number, got {}", x.describe()));
    let z = x.as_complex().ok_or_else(wrong)?;
    match name {
        "phase" => Ok(Object::Float(z.arg())),
        "polar" => {
            Ok(Object::Tuple(Items::new([Object::Float(z.norm()), Object::Float(z.arg())], 0, meter)?))
        }
        _ => complex_function(name, z),
    }
}

pub(super) fn complex_function(name: &str, z: C64) -> Result<Object> {
    let function = COMPLEX.iter().find(|(known, _)| *known == name);
    let wrong = || Problem::new(format!("{name} expects a real number, got a complex one"));
    Ok(Object::Complex(function.ok_or_else(wrong)?.1(z)))
}

/// Whether two values are equal, for methods.
pub(super) fn same(a: &Object, b: &Object, meter: &Meter) -> Result<bool> {
    compare("==", a, b, meter)
}
