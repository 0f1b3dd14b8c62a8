//! Data on the carriers of OFDM symbols.

use superhet_runtime::{AnyBlock, BlockError, C32, Packet, Tag, Value, declare, packet::PacketBlock};

use crate::digital::ofdm::carriers::{MOST_CARRIERS, carriers, check_carriers, symbols};
use crate::error::{Error, check};

/// Puts the items of each packet on the carriers of OFDM symbols, with pilots, behind sync words: what an inverse FFT makes a
/// signal of.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | packets of data |
/// | out `out` | `C32` | packets of whole symbols, `fft_length` items each |
///
/// Symbol `k` of a packet has data on `occupied_carriers[k]` and the pilots `pilot_symbols[k]` on `pilot_carriers[k]`, each list
/// from its beginning on again when it ends, for itself; all else is 0. Sync words come first as they are. Carrier 0 is in the
/// middle of a symbol where `output_is_shifted` says so, else first. Tags move to the symbol of their item.
///
/// ```
/// use superhet_blocks::digital::OfdmCarrierAllocator;
/// use superhet_runtime::{C32, Packet, packet::PacketBlock};
///
/// let mut allocator = OfdmCarrierAllocator::new(4, vec![vec![1, 3]], vec![], vec![], vec![])?;
/// let symbols = allocator.packet(Packet::from_items(&[C32::ONE, C32::I]))?.unwrap();
/// assert_eq!(symbols.items(), [C32::ZERO, C32::ONE, C32::ZERO, C32::I]);
/// # Ok::<(), superhet_runtime::BlockError>(())
/// ```
#[derive(Clone, Debug)]
pub struct OfdmCarrierAllocator {
    fft_length: usize,
    occupied: Vec<Vec<usize>>,
    pilots: Vec<Vec<usize>>,
    pilot_symbols: Vec<Vec<C32>>,
    sync: Vec<C32>,
}

impl OfdmCarrierAllocator {
    /// An allocator, with carriers as places in a symbol.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless there is at least one carrier for data in each list, pilots and their symbols fit
    /// together, no place lies beyond a symbol or is used twice, and sync words are as long as a symbol.
    pub fn new(
        fft_length: usize,
        occupied: Vec<Vec<usize>>,
        pilots: Vec<Vec<usize>>,
        pilot_symbols: Vec<Vec<C32>>,
        sync_words: Vec<Vec<C32>>,
    ) -> Result<Self, Error> {
        check_carriers(fft_length)?;
        check_places("occupied_carriers", &occupied, fft_length)?;
        check(!occupied.is_empty(), "occupied_carriers", "at least one list", 0)?;
        check(
            occupied.iter().all(|list| !list.is_empty()),
            "occupied_carriers",
            "a carrier in each list",
            0,
        )?;
        check_places("pilot_carriers", &pilots, fft_length)?;
        check_pilots(&pilots, &pilot_symbols)?;
        let all = |k: usize| {
            occupied[k % occupied.len()]
                .iter()
                .chain(pilots.get(k % pilots.len().max(1)).into_iter().flatten())
        };
        for k in 0..(occupied.len() * pilots.len().max(1)).min(1 << 12) {
            let mut places: Vec<usize> = all(k).copied().collect();
            let used = places.len();
            places.sort_unstable();
            places.dedup();
            check(
                places.len() == used,
                "pilot_carriers",
                "carriers that are not used already, in symbol",
                k as f64,
            )?;
        }
        if let Some(word) = sync_words.iter().find(|word| word.len() != fft_length) {
            check(false, "sync_words", "as many items as fft_length in each", word.len() as f64)?;
        }
        Ok(OfdmCarrierAllocator { fft_length, occupied, pilots, pilot_symbols, sync: sync_words.concat() })
    }
}

/// That places lie in a symbol.
pub(super) fn check_places(
    parameter: &'static str,
    lists: &[Vec<usize>],
    fft_length: usize,
) -> Result<(), Error> {
    let largest = lists.iter().flatten().max().copied().unwrap_or(0);
    check(largest < fft_length, parameter, "places below fft_length", largest as f64)
}

/// That there is a pilot symbol for each place of the pilots, in every symbol: lists of both take turns, each on its own.
pub(super) fn check_pilots(pilots: &[Vec<usize>], symbols: &[Vec<C32>]) -> Result<(), Error> {
    let wanted = "symbols where there are pilot_carriers, and only there";
    check(pilots.is_empty() == symbols.is_empty(), "pilot_symbols", wanted, symbols.len() as f64)?;
    // Lists whose numbers have no common divisor all meet each other.
    let common =
        (1..=pilots.len()).rfind(|n| pilots.len().is_multiple_of(*n) && symbols.len().is_multiple_of(*n));
    for turn in 0..common.unwrap_or(0) {
        let step = common.unwrap_or(1);
        let count = pilots[turn].len();
        let fit = pilots.iter().skip(turn).step_by(step).all(|places| places.len() == count)
            && symbols.iter().skip(turn).step_by(step).all(|pilots| pilots.len() == count);
        check(fit, "pilot_symbols", "a symbol for each of pilot_carriers, in symbol", turn as f64)?;
    }
    Ok(())
}

impl PacketBlock for OfdmCarrierAllocator {
    type In = C32;
    type Out = C32;

    fn packet(&mut self, x: Packet<C32>) -> Result<Option<Packet<C32>>, BlockError> {
        let (mut items, mut starts) = (self.sync.clone(), Vec::new());
        let (mut left, mut symbol) = (x.items(), 0);
        while !left.is_empty() {
            starts.push(x.len() - left.len());
            let first = items.len();
            items.resize(first + self.fft_length, C32::ZERO);
            let places = &self.occupied[symbol % self.occupied.len()];
            let n = places.len().min(left.len());
            for (place, item) in places.iter().zip(&left[..n]) {
                items[first + place] = *item;
            }
            if !self.pilots.is_empty() {
                let (places, pilots) = (&self.pilots, &self.pilot_symbols);
                let (places, pilots) = (&places[symbol % places.len()], &pilots[symbol % pilots.len()]);
                for (place, pilot) in places.iter().zip(pilots) {
                    items[first + place] = *pilot;
                }
            }
            (left, symbol) = (&left[n..], symbol + 1);
        }
        let mut y = x.with_meta(items.len());
        y.items_mut().copy_from_slice(&items);
        for tag in x.tags() {
            let symbol = starts.partition_point(|start| *start as u64 <= tag.index).saturating_sub(1);
            let index = (self.sync.len() + symbol * self.fft_length) as u64;
            y.put_tag(Tag { index, ..tag.clone() });
        }
        Ok(Some(y))
    }
}

#[declare(
    category = "digital",
    summary = "Puts the items of each packet on the carriers of OFDM symbols, with pilots, behind sync words.",
    ports(
        input("in", "C32", "packets of data in a stream"),
        output("out", "C32", "packets of symbols in a stream")
    )
)]
fn ofdm_carrier_allocator(
    /// How many carriers a symbol has.
    #[param(formerly = "fft_len", unit = "carriers", range = 2..=MOST_CARRIERS)]
    fft_length: usize,
    /// For one symbol after another, and then from the first on: the numbers of the carriers with data, negative below 0.
    occupied_carriers: &Value,
    /// For one symbol after another: the numbers of the carriers with pilots.
    #[param(json = "[]")]
    pilot_carriers: &Value,
    /// For one symbol after another: the pilots on these.
    #[param(json = "[]")]
    pilot_symbols: &Value,
    /// Whole symbols that come before each packet, as they are.
    #[param(json = "[]")]
    sync_words: &Value,
    /// The key of the tag on the first item of each packet that says how many items it has.
    #[param(default = "packet_len")]
    length_tag: &str,
    /// Whether carrier 0 is in the middle of a symbol.
    #[param(default = true)]
    output_is_shifted: bool,
) -> Result<AnyBlock, BlockError> {
    let places = |name, value| carriers(name, value, fft_length, output_is_shifted);
    let occupied = places("occupied_carriers", occupied_carriers)?;
    let pilots = places("pilot_carriers", pilot_carriers)?;
    let pilot_symbols = symbols("pilot_symbols", pilot_symbols)?;
    let sync = symbols("sync_words", sync_words)?;
    let allocator = OfdmCarrierAllocator::new(fft_length, occupied, pilots, pilot_symbols, sync)?;
    Ok(AnyBlock::new(allocator.tagged(length_tag)))
}

/// A list of lists of whole numbers, for tests.
#[cfg(test)]
pub(super) fn nested(lists: &[&[i64]]) -> superhet_runtime::Value {
    use superhet_runtime::Value;
    lists
        .iter()
        .map(|list| list.iter().map(|n| Value::from(*n)).collect::<Vec<_>>().into())
        .collect::<Vec<Value>>()
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use superhet_runtime::Value;

    #[test]
    fn the_symbols_are_those_of_gnu_radio() {
        let real = |numbers: &[i32]| numbers.iter().map(|n| C32::new(*n as f32, 0.0)).collect::<Vec<_>>();
        for (shifted, sync, wanted) in [
            (
                true,
                vec![real(&[100; 8])],
                [[100; 8], [0, 9, 0, 3, 0, 1, 2, 0], [0, 0, 4, 0, 0, 7, 0, 5], [0, 9, 0, 0, 0, 6, 0, 0]]
                    .concat(),
            ),
            (
                false,
                vec![],
                [[0, 1, 2, 0, 0, 9, 0, 3], [0, 7, 0, 5, 0, 0, 4, 0], [0, 6, 0, 0, 0, 9, 0, 0]].concat(),
            ),
        ] {
            let places = |lists: &[&[i64]]| carriers("c", &nested(lists), 8, shifted).unwrap();
            let pilots = vec![real(&[9]), real(&[7])];
            let (occupied, at) = (places(&[&[1, 2, -1], &[-2, 3]]), places(&[&[-3], &[1]]));
            let before = sync.len() as u64 * 8;
            let mut allocator = OfdmCarrierAllocator::new(8, occupied, at, pilots, sync).unwrap();
            let mut packet = Packet::from_items(&real(&[1, 2, 3, 4, 5, 6]));
            packet.put_tag(Tag { index: 3, key: "y".into(), value: Value::Null, source: "s".into() });
            let y = allocator.packet(packet).unwrap().unwrap();
            assert_eq!(y.items(), real(&wanted));
            assert_eq!(y.tags()[0].index, before + 8);
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let new = OfdmCarrierAllocator::new;
        assert!(new(4, vec![vec![4]], vec![], vec![], vec![]).is_err());
        assert!(new(4, vec![], vec![], vec![], vec![]).is_err());
        assert!(new(4, vec![vec![]], vec![], vec![], vec![]).is_err());
        assert!(new(4, vec![vec![1]], vec![vec![1]], vec![vec![C32::ONE]], vec![]).is_err());
        assert!(new(4, vec![vec![1]], vec![vec![2]], vec![], vec![]).is_err());
        assert!(new(4, vec![vec![1]], vec![], vec![], vec![vec![C32::ONE; 3]]).is_err());
    }
}
