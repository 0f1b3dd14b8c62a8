//! What the blocks for OFDM share: which carriers there are, and lists of lists as parameters.

use superhet_runtime::{C32, Value};

use crate::error::{Error, check};
use crate::item::from_values;

/// The most carriers, used or not.
pub(super) const MOST_CARRIERS: usize = 1 << 16;

/// The key of the tag that says by how many carriers the frequency is off.
pub(super) const CARRIER_OFFSET: &str = "ofdm_sync_carr_offset";
/// The key of the tag that says the channel of each carrier.
pub(super) const CHANNEL_TAPS: &str = "ofdm_sync_chan_taps";

/// That `parameter` says how many carriers there are.
pub(super) fn check_carriers(fft_length: usize) -> Result<(), Error> {
    check(
        (2..=MOST_CARRIERS).contains(&fft_length),
        "fft_length",
        "a whole number from 2 to 65536",
        fft_length as f64,
    )
}

/// The lists that a list of them says; one list of numbers stands for itself alone.
fn lists(parameter: &'static str, value: &Value) -> Result<Vec<Value>, Error> {
    let wrong =
        || Error::WrongKind { parameter, wanted: "a list of lists of numbers", got: value.to_string() };
    let list = value.as_list().ok_or_else(wrong)?;
    // A pair of numbers may be a complex number as well: only what holds lists is a list of them.
    let holds_lists = list.iter().any(|inner| inner.as_list().is_some());
    Ok(if holds_lists || list.is_empty() { list.to_vec() } else { vec![value.clone()] })
}

/// Carriers by their numbers, for one symbol after another, as places in a symbol: of `shifted` ones the carrier 0 is in the middle.
pub(super) fn carriers(
    parameter: &'static str,
    value: &Value,
    fft_length: usize,
    shifted: bool,
) -> Result<Vec<Vec<usize>>, Error> {
    let place = |(place, &carrier): (usize, &i32)| {
        let half = (fft_length / 2) as i32;
        if carrier < -half || carrier >= fft_length as i32 {
            let wanted = "a carrier from −fft_length / 2 to fft_length − 1";
            return Err(Error::Element { parameter, place, wanted, got: carrier.to_string() });
        }
        let shift = if shifted { half } else { 0 };
        Ok((carrier + shift).rem_euclid(fft_length as i32) as usize)
    };
    let symbol = |list: &Value| {
        let numbers = from_values::<i32>(parameter, list)?;
        numbers.iter().enumerate().map(place).collect::<Result<Vec<_>, _>>()
    };
    lists(parameter, value)?.iter().map(symbol).collect()
}

/// Complex numbers for one symbol after another.
pub(super) fn symbols(parameter: &'static str, value: &Value) -> Result<Vec<Vec<C32>>, Error> {
    lists(parameter, value)?.iter().map(|list| from_values::<C32>(parameter, list)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carriers_are_places_with_the_carrier_0_first_or_in_the_middle() {
        let value: Value =
            vec![Value::from(vec![Value::from(1), Value::from(-1)]), vec![Value::from(7)].into()].into();
        assert_eq!(carriers("c", &value, 8, false).unwrap(), [vec![1, 7], vec![7]]);
        assert_eq!(carriers("c", &value, 8, true).unwrap(), [vec![5, 3], vec![3]]);
        assert!(carriers("c", &vec![Value::from(8)].into(), 8, true).is_err());
        assert!(carriers("c", &Value::Null, 8, true).is_err());
        assert_eq!(carriers("c", &vec![Value::from(2)].into(), 8, false).unwrap(), [vec![2]]);
    }
}
