//! Bytes as a table says.

use superhet_runtime::{AnyBlock, BlockError, C64, InPlace, Pure, Value, declare, no_parameter};

use crate::error::{Error, check};
use crate::item::{from_numbers, from_values};

/// Bytes as a table says: `y[n] = map[x[n]]`; one that the table does not have stays as it is.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `u8` | any |
/// | out `out` | `u8` | any |
/// | in `set` | messages | new values of `map` |
///
/// | parameter | range |
/// |---|---|
/// | `map` | at most 256 numbers from 0 to 255; can be changed while the block runs |
///
/// ```
/// use superhet_blocks::digital::Map;
/// use superhet_runtime::harness;
///
/// let map = Map::new(&[3, 2, 1, 0])?;
/// assert_eq!(harness::run(map, &[0, 3, 4]), [3, 0, 4]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Map {
    table: [u8; 256],
    given: usize,
}

impl Map {
    /// Maps bytes by this table.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where it has more than 256 entries.
    pub fn new(map: &[u8]) -> Result<Self, Error> {
        check(map.len() <= 256, "map", "at most 256 of them", map.len() as f64)?;
        let mut table = std::array::from_fn(|place| place as u8);
        table[..map.len()].copy_from_slice(map);
        Ok(Map { table, given: map.len() })
    }
}

impl Pure for Map {
    type In = u8;
    type Out = u8;
    const IN_PLACE: Option<InPlace<Self>> =
        Some(|block, x| x.iter_mut().for_each(|x| *x = block.table[usize::from(*x)]));
    const PARAMETERS: &'static [&'static str] = &["map"];

    fn with_parameter(&self, name: &str, value: &Value) -> Result<Self, BlockError> {
        match name {
            "map" => Ok(Map::new(&from_values::<u8>("map", value)?)?),
            _ => Err(no_parameter(name, Self::PARAMETERS)),
        }
    }
    fn parameter(&self, name: &str) -> Option<Value> {
        let list = || self.table[..self.given].iter().map(|x| Value::from(i64::from(*x))).collect::<Vec<_>>();
        (name == "map").then(|| list().into())
    }
    fn map(&self, x: &[u8], y: &mut [u8]) {
        for (y, x) in y.iter_mut().zip(x) {
            *y = self.table[usize::from(*x)];
        }
    }
}

#[declare(
    name = "map",
    category = "digital",
    summary = "Bytes as a table says; what it does not have stays as it is.",
    ports(input("in", "u8", "any"), output("out", "u8", "as mapped"), set_port("new values of map"))
)]
fn map_block(
    /// What 0, 1, … become: at most 256 numbers from 0 to 255.
    map: Vec<C64>,
) -> Result<AnyBlock, BlockError> {
    Ok(AnyBlock::new(Map::new(&from_numbers::<u8>("map", &map)?)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use superhet_runtime::harness;

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        let x: Vec<u8> = (0..1000).map(|n| (n * 7 % 256) as u8).collect();
        harness::assert_cut_invariant(|| Map::new(&[9, 8, 7]).unwrap(), &x);
    }

    #[test]
    fn the_table_can_be_changed_and_holds_bytes_only() {
        let map = Map::new(&[]).unwrap().with_parameter("map", &vec![5u8].into()).unwrap();
        assert_eq!(harness::run(map.clone(), &[0, 1]), [5, 1]);
        assert!(map.with_parameter("map", &vec![256i32].into()).is_err());
        assert!(Map::new(&[0; 257]).is_err());
    }
}
