//! What the bits of a frame say.

use superhet_runtime::Value;

use super::bits::{Ranges, length, number, put, taken};

/// A field of a frame.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub name: String,
    pub at: Ranges,
    pub form: Form,
    /// Whether the lowest bit comes first.
    pub low_first: bool,
    /// Whether each bit is sent as its opposite.
    pub invert: bool,
    /// A bit that is set where the number is negative.
    pub sign: Option<usize>,
    /// The value is the number times `scale` plus `plus`, with so many decimals.
    pub scale: f64,
    pub plus: f64,
    pub decimals: u32,
    /// Texts for numbers, in their order; numbers beyond are wrong.
    pub values: Vec<String>,
    /// The values that are possible.
    pub least: f64,
    pub most: f64,
    /// A number that stands for nothing.
    pub absent: Option<u64>,
}

/// How a number is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Unsigned,
    /// Two's complement.
    Signed,
    /// A decimal digit in every four bits.
    Bcd,
    /// Hexadecimal digits, as text.
    Hex,
    /// Two bits each: 00 is 0, 11 is 1, 01 is F; as text.
    Trits,
}

impl Field {
    /// What it says: nothing, where its number stands for that.
    ///
    /// # Errors
    /// Where no device says this.
    pub fn value(&self, bits: &[u8]) -> Result<Option<Value>, ()> {
        let mut taken = taken(bits, &self.at);
        if self.low_first {
            taken.reverse();
        }
        if self.invert {
            taken.iter_mut().for_each(|bit| *bit ^= 1);
        }
        let raw = taken.iter().fold(0u64, |number, bit| number << 1 | u64::from(*bit));
        if self.absent == Some(raw) {
            return Ok(None);
        }
        let magnitude = match self.form {
            Form::Unsigned => raw as f64,
            Form::Signed => {
                let unused = 64 - taken.len() as u32;
                ((raw << unused) as i64 >> unused) as f64
            }
            Form::Bcd => {
                let digits = taken.chunks(4).map(|digit| digit.iter().fold(0u8, |n, bit| n << 1 | bit));
                let decimal = |sum: Option<f64>, digit: u8| {
                    sum.filter(|_| digit < 10).map(|sum| sum * 10.0 + f64::from(digit))
                };
                digits.fold(Some(0.0), decimal).ok_or(())?
            }
            Form::Hex => return Ok(Some(format!("{raw:0width$x}", width = taken.len().div_ceil(4)).into())),
            Form::Trits => {
                let trit = |pair: &[u8]| match pair {
                    [0, 0] => Ok('0'),
                    [1, 1] => Ok('1'),
                    [0, 1] => Ok('F'),
                    _ => Err(()),
                };
                let text: String = taken.chunks(2).map(trit).collect::<Result<_, _>>()?;
                return Ok(Some(text.into()));
            }
        };
        if !self.values.is_empty() {
            let text = self.values.get(magnitude as usize).filter(|text| !text.is_empty()).ok_or(())?;
            return Ok(Some(text.parse::<i64>().map_or_else(|_| text.as_str().into(), Value::from)));
        }
        let is_negative = self.sign.is_some_and(|bit| bits[bit] == 1);
        let signed = if is_negative { -magnitude } else { magnitude };
        let value = self.scaled(signed);
        if !(self.least..=self.most).contains(&value) {
            return Err(());
        }
        Ok(Some(if self.decimals == 0 { Value::from(value as i64) } else { value.into() }))
    }

    fn scaled(&self, number: f64) -> f64 {
        let places = 10f64.powi(self.decimals as i32);
        // Adding 0 makes 0 of −0.
        ((number * self.scale + self.plus) * places).round() / places + 0.0
    }

    /// Puts a value where it belongs; none stands for nothing.
    pub fn put(&self, bits: &mut [u8], value: Option<&Value>) -> Option<()> {
        let width = length(&self.at);
        let raw = match (value, self.form) {
            (None, _) => self.absent?,
            (Some(value), _) if !self.values.is_empty() => {
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                self.values.iter().position(|known| *known == text)? as u64
            }
            (Some(value), Form::Hex) => u64::from_str_radix(value.as_str()?, 16).ok()?,
            (Some(value), Form::Trits) => value.as_str()?.chars().try_fold(0, |raw, trit| {
                let pair = match trit {
                    '0' => 0,
                    '1' => 3,
                    'F' => 1,
                    _ => return None,
                };
                Some(raw << 2 | pair)
            })?,
            (Some(value), form) => {
                let number = ((value.as_f64()? - self.plus) / self.scale).round();
                if let Some(sign) = self.sign {
                    bits[sign] = u8::from(number < 0.0);
                }
                match form {
                    Form::Signed => number as i64 as u64 & (u64::MAX >> (64 - width)),
                    Form::Bcd => {
                        let digits = format!("{:0width$.0}", number.abs(), width = width / 4);
                        digits.bytes().fold(0, |raw, digit| raw << 4 | u64::from(digit - b'0'))
                    }
                    _ => number.abs() as u64,
                }
            }
        };
        let raw = if self.invert { !raw & (u64::MAX >> (64 - width)) } else { raw };
        let raw = if self.low_first { raw.reverse_bits() >> (64 - width) } else { raw };
        put(bits, &self.at, raw);
        (number(bits, &self.at) == raw).then_some(())
    }
}
