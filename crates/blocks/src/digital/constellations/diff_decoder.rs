//! Differential decoding.

use superhet_runtime::{Pure, Shape, declare};

use crate::digital::constellations::diff_encoder::{Code, Coding};
use crate::error::Error;

/// Differential decoding: `y[n] = (x[n] − x[n − 1]) mod modulus`, or for NRZI `y[n] = (x[n] = x[n − 1])`, with
/// `x[−1] = 0`.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `u8` | symbols; of NRZI the lowest bit |
/// | out `out` | `u8` | symbols below `modulus` |
///
/// ```
/// use superhet_blocks::digital::{Coding, DiffDecoder};
/// use superhet_runtime::harness;
///
/// let decoder = DiffDecoder::new(4, Coding::Differential)?;
/// assert_eq!(harness::run(decoder, &[0, 1, 3, 2, 1]), [0, 1, 2, 3, 3]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct DiffDecoder(Code);

#[declare(
    category = "digital",
    summary = "Differential decoding: y[n] = (x[n] − x[n − 1]) mod modulus.",
    ports(input("in", "u8", "symbols"), output("out", "u8", "symbols, decoded"))
)]
impl DiffDecoder {
    /// Decodes symbols of an alphabet.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless `modulus` is 2 to 256, and 2 for NRZI.
    pub fn new(
        /// How many symbols the alphabet has.
        #[param(range = 2..=256, default = 2)]
        modulus: u32,
        /// Whether a symbol is the difference to the one before, or of bits a 0 is a change (NRZI).
        #[param(default = "differential")]
        coding: Coding,
    ) -> Result<Self, Error> {
        Ok(DiffDecoder(Code::new(modulus, coding)?))
    }
}

impl Pure for DiffDecoder {
    type In = u8;
    type Out = u8;

    fn shape(&self) -> Shape {
        Shape { history: 1, ..Shape::default() }
    }

    fn map(&self, x: &[u8], y: &mut [u8]) {
        let modulus = self.0.modulus as i32;
        let pairs = y.iter_mut().zip(x.iter().zip(&x[1..]));
        match self.0.coding {
            // Bytes wrap at a multiple of a power of two, and all of them go at once.
            Coding::Differential if self.0.modulus.is_power_of_two() => {
                let mask = (modulus - 1) as u8;
                pairs.for_each(|(y, (before, x))| *y = x.wrapping_sub(*before) & mask);
            }
            Coding::Differential => {
                pairs.for_each(|(y, (before, x))| {
                    *y = (i32::from(*x) - i32::from(*before)).rem_euclid(modulus) as u8
                });
            }
            Coding::Nrzi => pairs.for_each(|(y, (before, x))| *y = !(before ^ x) & 1),
        }
    }
}
