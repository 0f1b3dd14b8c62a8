//! Cyclic prefixes before OFDM symbols.

use superhet_runtime::{
    AnyBlock, BlockError, C32, Packet, Ratio, Shape, SyncBlock, Tag, declare, packet::PacketBlock,
};

use crate::digital::ofdm::carriers::{MOST_CARRIERS, check_carriers};
use crate::error::{Error, check};

/// Puts the end of each OFDM symbol before it, and lets neighbours overlap softly.
///
/// With a roll-off of `r`, the first `r − 1` items of a prefix rise by `½ (1 − cos(π i / r))`, and what falls in turn of the
/// symbol before, continued from its beginning, is added to them. In packets each begins from 0, and the last symbol falls behind it,
/// by `r − 1` items; a stream without packets runs on.
///
/// | port | item | unit | per step |
/// |---|---|---|---|
/// | in `in` | `C32` | a signal: what an inverse FFT gives | `fft_length` |
/// | out `out` | `C32` | that of `in` | `fft_length + cp_length` |
///
/// | parameter | range |
/// |---|---|
/// | `cp_length` | 0 to `fft_length` items |
/// | `rolloff_length` | 0 for none, or 1 to `cp_length` − 1 |
///
/// ```
/// use superhet_blocks::digital::OfdmCyclicPrefixer;
/// use superhet_runtime::{C32, harness};
///
/// let x: Vec<C32> = [1.0, 2.0, 3.0, 4.0].map(|x| C32::new(x, 0.0)).to_vec();
/// let y: Vec<C32> = harness::run(OfdmCyclicPrefixer::new(4, 2, 0)?, &x);
/// assert_eq!(y[..2], x[2..]);
/// assert_eq!(y[2..], x);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct OfdmCyclicPrefixer {
    fft_length: usize,
    cp_length: usize,
    /// The rise; the fall is it backwards.
    rise: Vec<f32>,
    /// What falls of the last symbol.
    fall: Vec<C32>,
}

impl OfdmCyclicPrefixer {
    /// Prefixes of `cp_length` items.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where a parameter is.
    pub fn new(fft_length: usize, cp_length: usize, rolloff_length: usize) -> Result<Self, Error> {
        check_carriers(fft_length)?;
        check(cp_length <= fft_length, "cp_length", "at most fft_length", cp_length as f64)?;
        let fits = rolloff_length == 0 || rolloff_length < cp_length;
        check(fits, "rolloff_length", "0, or less than cp_length", rolloff_length as f64)?;
        let angle = |i: usize| std::f64::consts::PI * i as f64 / rolloff_length as f64;
        let rise: Vec<f32> = (1..rolloff_length).map(|i| (0.5 * (1.0 - angle(i).cos())) as f32).collect();
        Ok(OfdmCyclicPrefixer { fft_length, cp_length, fall: vec![C32::ZERO; rise.len()], rise })
    }

    fn symbol(&mut self, x: &[C32], y: &mut [C32]) {
        y[..self.cp_length].copy_from_slice(&x[self.fft_length - self.cp_length..]);
        y[self.cp_length..].copy_from_slice(x);
        for ((y, rise), fall) in y.iter_mut().zip(&self.rise).zip(&self.fall) {
            *y = *y * rise + fall;
        }
        for ((fall, rise), x) in self.fall.iter_mut().zip(self.rise.iter().rev()).zip(x) {
            *fall = x * rise;
        }
    }
}

impl SyncBlock for OfdmCyclicPrefixer {
    type In = C32;
    type Out = C32;

    fn shape(&self) -> Shape {
        Shape {
            ratio: Ratio { interpolation: self.fft_length + self.cp_length, decimation: self.fft_length },
            ..Shape::default()
        }
    }

    fn process(&mut self, x: &[C32], y: &mut [C32]) {
        for (y, x) in
            y.chunks_exact_mut(self.fft_length + self.cp_length).zip(x.chunks_exact(self.fft_length))
        {
            self.symbol(x, y);
        }
    }
}

/// An [`OfdmCyclicPrefixer`] for packets.
///
/// # Errors
/// At run time: a packet that is no whole symbols.
#[derive(Clone, Debug)]
pub struct OfdmCyclicPrefixerOfPackets(pub OfdmCyclicPrefixer);

impl PacketBlock for OfdmCyclicPrefixerOfPackets {
    type In = C32;
    type Out = C32;

    fn ratio(&self) -> Ratio {
        self.0.shape().ratio
    }

    fn packet(&mut self, x: Packet<C32>) -> Result<Option<Packet<C32>>, BlockError> {
        let block = &mut self.0;
        let (n, long) = (block.fft_length, block.fft_length + block.cp_length);
        if !x.len().is_multiple_of(n) {
            return Err(format!("a packet of {} items: expected whole symbols of {n}", x.len()).into());
        }
        block.fall.fill(C32::ZERO);
        let end = x.len() / n * long;
        let mut y = x.with_meta(end + block.fall.len());
        let (symbols, rest) = y.items_mut().split_at_mut(end);
        block.process(x.items(), symbols);
        rest.copy_from_slice(&block.fall);
        for tag in x.tags() {
            y.put_tag(Tag { index: tag.index / n as u64 * long as u64, ..tag.clone() });
        }
        Ok(Some(y))
    }
}

#[declare(
    category = "digital",
    summary = "Puts the end of each OFDM symbol before it.",
    ports(
        input("in", "C32", "symbols"),
        output(
            "out",
            "C32",
            "symbols with prefixes: ⌊n / fft_length⌋ · (fft_length + cp_length) items for n",
        )
    )
)]
fn ofdm_cyclic_prefixer(
    /// How many carriers a symbol has.
    #[param(formerly = "fft_len", unit = "carriers", range = 2..=MOST_CARRIERS)]
    fft_length: usize,
    /// How long the prefix is, at most fft_length.
    #[param(formerly = "cp_len", unit = "items", range = 0..=MOST_CARRIERS)]
    cp_length: usize,
    /// How softly symbols overlap: 0, or less than cp_length.
    #[param(formerly = "rolloff_len", unit = "items", range = 0..=MOST_CARRIERS, default = 0)]
    rolloff_length: usize,
    /// The key of the tag that says how long packets are; empty for a stream without.
    #[param(default = "")]
    length_tag: &str,
) -> Result<AnyBlock, BlockError> {
    let prefixer = OfdmCyclicPrefixer::new(fft_length, cp_length, rolloff_length)?;
    Ok(match length_tag {
        "" => AnyBlock::new(prefixer),
        key => AnyBlock::new(OfdmCyclicPrefixerOfPackets(prefixer).tagged(key)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::complex_noise;
    use superhet_runtime::harness;

    fn real(numbers: &[f32]) -> Vec<C32> {
        numbers.iter().map(|n| C32::new(*n, 0.0)).collect()
    }

    fn close(a: &[C32], b: &[f32]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a.re - b).abs() < 1e-5 && a.im == 0.0)
    }

    #[test]
    fn the_items_are_those_of_gnu_radio() {
        let x = real(&(1..19).map(|n| n as f32).collect::<Vec<_>>());
        let y: Vec<C32> = harness::run(OfdmCyclicPrefixer::new(6, 4, 3).unwrap(), &x);
        let wanted = [
            [0.75, 3.0, 5.0, 6.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
            [3.0, 8.0, 11.0, 12.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0],
            [9.0, 14.0, 17.0, 18.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0],
        ]
        .concat();
        assert!(close(&y, &wanted), "{y:?}");
        let mut packets = OfdmCyclicPrefixerOfPackets(OfdmCyclicPrefixer::new(6, 4, 3).unwrap());
        for _ in 0..2 {
            let y = packets.packet(Packet::from_items(&x[..12])).unwrap().unwrap();
            assert!(close(y.items(), &[&wanted[..20], &[5.25, 2.0]].concat()), "{y:?}");
        }
        assert!(packets.packet(Packet::from_items(&x[..7])).is_err());
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(|| OfdmCyclicPrefixer::new(16, 4, 3).unwrap(), &complex_noise(1600));
    }

    #[test]
    fn lengths_that_do_not_fit_are_refused() {
        assert!(OfdmCyclicPrefixer::new(16, 17, 0).is_err() && OfdmCyclicPrefixer::new(16, 4, 4).is_err());
    }
}
