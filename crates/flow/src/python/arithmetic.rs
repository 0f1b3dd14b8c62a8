//! Operators.

use std::cmp::Ordering;

use superhet_runtime::C64;

use super::evaluate::Meter;
use super::items::Items;
use super::object::Object;
use super::{Problem, Result};

/// The largest power of a whole number that is worked out exactly.
const LARGEST_POWER: i128 = 127;

fn too_large() -> Problem {
    Problem::new("expected a whole number of at most 127 bits")
}

fn zero() -> Problem {
    Problem::new("division by zero")
}

pub(super) fn unary(sign: &str, x: &Object, meter: &Meter) -> Result<Object> {
    if let Object::Array(items) = x {
        meter.spend(items.len())?;
        let paid = items.len();
        let items: Result<Vec<Object>> = items.iter().map(|x| unary(sign, x, meter)).collect();
        return Ok(Object::Array(Items::new(items?, paid, meter)?));
    }
    if let Object::Raw(_, error) = x {
        return Err(Problem::from_cause(error));
    }
    match (sign, x) {
        ("not", x) => x.truth().map(|truth| Object::Bool(!truth)),
        ("-", Object::Float(x)) => Ok(Object::Float(-x)),
        ("-", Object::Complex(z)) => Ok(Object::Complex(-z)),
        ("+", Object::Float(_) | Object::Complex(_)) => Ok(x.clone()),
        (_, number) => {
            let n = number.as_int().ok_or_else(|| expected_number(sign, number))?;
            Ok(Object::Int(match sign {
                "-" => n.checked_neg().ok_or_else(too_large)?,
                "~" => !n,
                _ => n,
            }))
        }
    }
}

fn expected_number(sign: &str, x: &Object) -> Problem {
    match x {
        Object::Raw(_, error) => Problem::from_cause(error),
        _ => Problem::new(format!("`{sign}` expects a number, got {}", x.describe())),
    }
}

pub(super) fn binary(sign: &str, a: &Object, b: &Object, meter: &Meter) -> Result<Object> {
    if matches!(a, Object::Array(_)) || matches!(b, Object::Array(_)) {
        return elementwise(sign, a, b, meter);
    }
    match (sign, a, b) {
        ("+", Object::Text(a), Object::Text(b)) => {
            meter.spend(a.len().saturating_add(b.len()))?;
            return Ok(Object::text(format!("{a}{b}")));
        }
        ("+", Object::List(a), Object::List(b)) => return Ok(Object::List(joined(a, b, meter)?)),
        ("+", Object::Tuple(a), Object::Tuple(b)) => return Ok(Object::Tuple(joined(a, b, meter)?)),
        ("*", sequence @ (Object::Text(_) | Object::List(_) | Object::Tuple(_)), n)
        | ("*", n, sequence @ (Object::Text(_) | Object::List(_) | Object::Tuple(_))) => {
            let n = n.as_int().ok_or_else(|| expected_number(sign, n))?;
            return repeated(sequence, n, meter);
        }
        ("%", Object::Text(_), _) => return Err(Problem::python("formatting text with %")),
        ("@", ..) => return Err(Problem::python("`@`")),
        _ => {}
    }
    if let (Some(a), Some(b)) = (a.as_int(), b.as_int()) {
        return whole(sign, a, b);
    }
    let number = |x: &Object| x.as_complex().ok_or_else(|| expected_number(sign, x));
    let (za, zb) = (number(a)?, number(b)?);
    match (a.as_float(), b.as_float()) {
        (Some(a), Some(b)) => real(sign, a, b),
        _ => complex(sign, za, zb),
    }
}

fn joined(a: &[Object], b: &[Object], meter: &Meter) -> Result<Items> {
    let length = a.len().saturating_add(b.len());
    meter.spend(length)?;
    Items::new([a, b].concat(), length, meter)
}

fn repeated(sequence: &Object, n: i128, meter: &Meter) -> Result<Object> {
    let n = usize::try_from(n.max(0)).unwrap_or(usize::MAX);
    let length = sequence.items().map_or_else(|| sequence.as_text().map_or(0, str::len), <[Object]>::len);
    let paid = length.saturating_mul(n);
    meter.spend(paid)?;
    // Of an empty list as many as one likes are still empty.
    let n = if length == 0 { 0 } else { n };
    Ok(match sequence {
        Object::Text(text) => Object::text(text.repeat(n)),
        Object::Tuple(items) => Object::Tuple(Items::new(times(items, n), paid, meter)?),
        other => Object::List(Items::new(times(other.items().unwrap_or_default(), n), paid, meter)?),
    })
}

/// `items`, `n` times in a row.
pub(super) fn times(items: &[Object], n: usize) -> Vec<Object> {
    std::iter::repeat_n(items, n).flatten().cloned().collect()
}

fn elementwise(sign: &str, a: &Object, b: &Object, meter: &Meter) -> Result<Object> {
    let items = match (a.items(), b.items()) {
        (Some(a), Some(b)) if a.len() == b.len() => {
            meter.spend(a.len())?;
            a.iter().zip(b).map(|(a, b)| binary(sign, a, b, meter)).collect::<Result<Vec<_>>>()?
        }
        (Some([a]), Some(_)) => return with_each(sign, Left(a), b, meter),
        (Some(_), Some([b])) => return with_each(sign, Right(b), a, meter),
        (Some(a), Some(b)) => {
            let problem =
                format!("`{sign}` expects arrays of the same length, got {} and {}", a.len(), b.len());
            return Err(Problem::new(problem));
        }
        (Some(_), None) => return with_each(sign, Right(b), a, meter),
        (None, Some(_)) => return with_each(sign, Left(a), b, meter),
        (None, None) => return binary(sign, a, b, meter),
    };
    array(items, meter)
}

/// The operand that is the same for each element, and its side.
enum Side<'a> {
    Left(&'a Object),
    Right(&'a Object),
}
use Side::{Left, Right};

fn with_each(sign: &str, one: Side<'_>, each: &Object, meter: &Meter) -> Result<Object> {
    let each = each.items().unwrap_or_default();
    meter.spend(each.len())?;
    let value = |item| match one {
        Left(one) => binary(sign, one, item, meter),
        Right(one) => binary(sign, item, one, meter),
    };
    array(each.iter().map(value).collect::<Result<Vec<_>>>()?, meter)
}

/// An array of numbers, a meter unit of each of which has been spent.
fn array(items: Vec<Object>, meter: &Meter) -> Result<Object> {
    if items.iter().any(|item| item.items().is_some()) {
        return Err(Problem::python("an array with several axes"));
    }
    let paid = items.len();
    Ok(Object::Array(Items::new(items, paid, meter)?))
}

fn whole(sign: &str, a: i128, b: i128) -> Result<Object> {
    let shift = || match u32::try_from(b) {
        Ok(shift) => Ok(shift),
        Err(_) if b < 0 => Err(Problem::new(format!("`{sign}` expects a count from 0 on, got {b}"))),
        Err(_) if sign == ">>" => Ok(u32::MAX),
        Err(_) => Err(too_large()),
    };
    let result = match sign {
        "+" => a.checked_add(b),
        "-" => a.checked_sub(b),
        "*" => a.checked_mul(b),
        "/" if b == 0 => return Err(zero()),
        "/" => return Ok(Object::Float(a as f64 / b as f64)),
        "//" | "%" if b == 0 => return Err(zero()),
        "//" => a.checked_div(b).map(|q| if a % b != 0 && (a < 0) != (b < 0) { q - 1 } else { q }),
        "%" => a.checked_rem(b).map(|r| if r != 0 && (r < 0) != (b < 0) { r + b } else { r }),
        "**" if b < 0 => return real(sign, a as f64, b as f64),
        "**" if b == 0 => Some(1),
        "**" if matches!(a, -1..=1) => Some(if b % 2 == 0 { a * a } else { a }),
        "**" if b > LARGEST_POWER => None,
        "**" => a.checked_pow(b as u32),
        "&" => Some(a & b),
        "|" => Some(a | b),
        "^" => Some(a ^ b),
        "<<" => {
            let shift = shift()?;
            a.checked_shl(shift).filter(|y| shift < 127 && y >> shift == a)
        }
        ">>" => Some(a >> shift()?.min(127)),
        _ => None,
    };
    result.map(Object::Int).ok_or_else(too_large)
}

fn real(sign: &str, a: f64, b: f64) -> Result<Object> {
    Ok(Object::Float(match sign {
        "+" => a + b,
        "-" => a - b,
        "*" => a * b,
        "/" | "//" | "%" if b == 0.0 => return Err(zero()),
        "/" => a / b,
        "//" => {
            let remainder = modulo(a, b);
            ((a - remainder) / b).round()
        }
        "%" => modulo(a, b),
        "**" if a == 0.0 && b < 0.0 => return Err(zero()),
        "**" if a < 0.0 && b.fract() != 0.0 && b.is_finite() => {
            return complex(sign, C64::new(a, 0.0), C64::new(b, 0.0));
        }
        "**" => match a.powf(b) {
            y if y.is_infinite() && a.is_finite() && b.is_finite() => {
                return Err(Problem::new("the result is too large"));
            }
            y => y,
        },
        _ => return Err(Problem::new(format!("`{sign}` expects whole numbers, got {a} and {b}"))),
    }))
}

/// The remainder with the sign of the divisor.
fn modulo(a: f64, b: f64) -> f64 {
    let r = a % b;
    if r != 0.0 && (r < 0.0) != (b < 0.0) { r + b } else { r }
}

fn complex(sign: &str, a: C64, b: C64) -> Result<Object> {
    Ok(Object::Complex(match sign {
        "+" => a + b,
        "-" => a - b,
        "*" => a * b,
        "/" if b == C64::new(0.0, 0.0) => return Err(zero()),
        "/" => a / b,
        "**" if b == C64::new(0.0, 0.0) => C64::new(1.0, 0.0),
        "**" if a == C64::new(0.0, 0.0) => match b.im == 0.0 && b.re > 0.0 {
            true => a,
            false => return Err(zero()),
        },
        "**" if b.im == 0.0 && b.re.fract() == 0.0 && b.re.abs() <= 100.0 => a.powi(b.re as i32),
        "**" => a.powc(b),
        _ => return Err(Problem::new(format!("`{sign}` expects real numbers, got complex ones"))),
    }))
}

/// Whether two values are equal, as `==` has it.
pub(super) fn equal(a: &Object, b: &Object, meter: &Meter) -> Result<bool> {
    if let (Some(a), Some(b)) = (a.as_int(), b.as_int()) {
        return Ok(a == b);
    }
    if let (Some(a), Some(b)) = (a.as_complex(), b.as_complex()) {
        return Ok(a == b);
    }
    if let (Some(a), Some(b)) = (a.as_text(), b.as_text()) {
        meter.spend(a.len().min(b.len()))?;
        return Ok(a == b);
    }
    Ok(match (a, b) {
        (Object::None, Object::None) => true,
        (Object::List(a), Object::List(b)) | (Object::Tuple(a), Object::Tuple(b)) => {
            if a.len() != b.len() {
                return Ok(false);
            }
            meter.spend(a.len())?;
            for (a, b) in a.iter().zip(b.iter()) {
                if !equal(a, b, meter)? {
                    return Ok(false);
                }
            }
            true
        }
        (Object::Dict(a), Object::Dict(b)) => {
            if a.len() != b.len() {
                return Ok(false);
            }
            for (key, value) in a.iter() {
                meter.spend(b.len())?;
                match find(b, key, meter)? {
                    Some(place) if equal(value, &b[place].1, meter)? => {}
                    _ => return Ok(false),
                }
            }
            true
        }
        (Object::Module(a), Object::Module(b)) | (Object::Function(a), Object::Function(b)) => a == b,
        (Object::Value(a), Object::Value(b)) => {
            meter.spend(a.size().min(b.size()))?;
            **a == **b
        }
        _ => false,
    })
}

/// The place of the pair with that key.
pub(super) fn find(pairs: &[(Object, Object)], key: &Object, meter: &Meter) -> Result<Option<usize>> {
    for (place, (known, _)) in pairs.iter().enumerate() {
        if equal(known, key, meter)? {
            return Ok(Some(place));
        }
    }
    Ok(None)
}

/// The order of two values; `None` of numbers that have none.
pub(super) fn order(a: &Object, b: &Object, meter: &Meter) -> Result<Option<Ordering>> {
    if let (Some(a), Some(b)) = (a.as_int(), b.as_int()) {
        return Ok(Some(a.cmp(&b)));
    }
    if let (Some(a), Some(b)) = (a.as_float(), b.as_float()) {
        return Ok(a.partial_cmp(&b));
    }
    match (a, b) {
        (Object::Text(a), Object::Text(b)) => {
            meter.spend(a.len().min(b.len()))?;
            Ok(Some(a.cmp(b)))
        }
        (Object::List(a), Object::List(b)) | (Object::Tuple(a), Object::Tuple(b)) => {
            meter.spend(a.len().min(b.len()))?;
            for (a, b) in a.iter().zip(b.iter()) {
                match order(a, b, meter)? {
                    Some(Ordering::Equal) => {}
                    other => return Ok(other),
                }
            }
            Ok(Some(a.len().cmp(&b.len())))
        }
        _ => match [a, b].into_iter().find(|x| matches!(x, Object::Raw(..))) {
            Some(raw) => Err(expected_number("<", raw)),
            None => Err(Problem::new(format!("{} and {} have no order", a.describe(), b.describe()))),
        },
    }
}

pub(super) fn compare(sign: &str, a: &Object, b: &Object, meter: &Meter) -> Result<bool> {
    let ordered = |test: fn(Ordering) -> bool| Ok(order(a, b, meter)?.is_some_and(test));
    if matches!(a, Object::Array(_)) || matches!(b, Object::Array(_)) && !sign.ends_with("in") {
        return Err(Problem::python("a comparison of arrays"));
    }
    match sign {
        "==" | "is" => equal(a, b, meter),
        "!=" | "is not" => equal(a, b, meter).map(|equal| !equal),
        "<" => ordered(Ordering::is_lt),
        "<=" => ordered(Ordering::is_le),
        ">" => ordered(Ordering::is_gt),
        ">=" => ordered(Ordering::is_ge),
        _ => {
            let found = match b {
                Object::Text(text) => {
                    let part = a.as_text().ok_or_else(|| {
                        Problem::new(format!("`in` of text expects text, got {}", a.describe()))
                    })?;
                    meter.spend(text.len())?;
                    text.contains(part)
                }
                Object::Dict(pairs) => {
                    meter.spend(pairs.len())?;
                    find(pairs, a, meter)?.is_some()
                }
                other => match other.items() {
                    Some(items) => {
                        meter.spend(items.len())?;
                        let mut found = false;
                        for item in items {
                            found = found || equal(item, a, meter)?;
                        }
                        found
                    }
                    None => return Err(Problem::new(format!("`in` expects a list, got {}", b.describe()))),
                },
            };
            Ok(found == (sign == "in"))
        }
    }
}
