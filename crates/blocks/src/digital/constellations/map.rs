//! Bytes as a table says.
//!
//! A table that changes few bytes is a comparison and a choice for each of them, of many items at once; else each item is looked up.

use superhet_kernels::{Machine, Routine, run_routine};
use superhet_runtime::{AnyBlock, BlockError, C64, InPlace, Pure, Value, declare, parameter::no_parameter};

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
    /// The bytes that change, and what they become, where these are few.
    changes: Option<Vec<(u8, u8)>>,
}

/// The most changes that are taken one after the other.
const FEW: usize = 16;

/// Comparisons with each of a few bytes, in place.
struct Changes<'a> {
    x: &'a mut [u8],
    changes: &'a [(u8, u8)],
}

impl Routine for Changes<'_> {
    type Output = ();

    #[inline(always)]
    fn run<M: Machine>(self) {
        const GROUP: usize = 64;
        let (groups, rest) = self.x.as_chunks_mut::<GROUP>();
        for group in groups {
            let mut y = *group;
            for &(from, to) in self.changes {
                for lane in 0..GROUP {
                    y[lane] = if group[lane] == from { to } else { y[lane] };
                }
            }
            *group = y;
        }
        for x in rest {
            *x = self.changes.iter().find(|(from, _)| from == x).map_or(*x, |(_, to)| *to);
        }
    }
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
        let changes = (0..=255u8).zip(table).filter(|(from, to)| from != to);
        let changes: Vec<(u8, u8)> = changes.collect();
        let changes = (changes.len() <= FEW).then_some(changes);
        Ok(Map { table, given: map.len(), changes })
    }

    fn change(&self, x: &mut [u8]) {
        match &self.changes {
            Some(changes) => run_routine(Changes { x, changes }),
            None => x.iter_mut().for_each(|x| *x = self.table[usize::from(*x)]),
        }
    }
}

impl Pure for Map {
    type In = u8;
    type Out = u8;
    const IN_PLACE: Option<InPlace<Self>> = Some(Map::change);
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
        y.copy_from_slice(x);
        self.change(y);
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
    fn many_changes_and_few_give_what_the_table_says() {
        let x: Vec<u8> = (0..1000u32).map(|n| (n * n % 256) as u8).collect();
        for given in [0usize, 1, 4, 16, 17, 40, 256] {
            let table: Vec<u8> = (0..given).map(|place| (place * 5 + 3) as u8).collect();
            let wanted: Vec<u8> = x.iter().map(|x| *table.get(usize::from(*x)).unwrap_or(x)).collect();
            assert_eq!(harness::run(Map::new(&table).unwrap(), &x), wanted, "{given}");
        }
    }

    #[test]
    fn the_table_can_be_changed_and_holds_bytes_only() {
        let map = Map::new(&[]).unwrap().with_parameter("map", &vec![5u8].into()).unwrap();
        assert_eq!(harness::run(map.clone(), &[0, 1]), [5, 1]);
        assert!(map.with_parameter("map", &vec![256i32].into()).is_err());
        assert!(Map::new(&[0; 257]).is_err());
    }
}
