//! Finite fields GF(2^m).

use crate::error::{Error, check};

/// The field GF(2^m) with 2 to 10 bits, by a primitive polynomial.
///
/// ```
/// use superhet_blocks::fec::Field;
/// let field = Field::new(8, 0x11d)?;
/// assert_eq!(field.multiply(0x80, 2), 0x1d);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Field {
    /// The powers of the primitive element, twice over.
    powers: Vec<u16>,
    /// The exponent of each element but 0.
    exponents: Vec<u16>,
}

impl Field {
    /// With elements of so many bits, and this primitive polynomial, the highest power first.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless there are 2 to 10 bits, and the polynomial is primitive and of this degree.
    pub fn new(bits: u32, polynomial: u32) -> Result<Self, Error> {
        check((2..=10).contains(&bits), "symbol_bits", "a whole number from 2 to 10", bits)?;
        let order = (1usize << bits) - 1;
        let (mut powers, mut exponents) = (Vec::with_capacity(2 * order), vec![u16::MAX; order + 1]);
        let mut power = 1u32;
        for exponent in 0..order {
            let is_new = power >> bits == 0 && power != 0 && exponents[power as usize] == u16::MAX;
            check(
                is_new,
                "field_polynomial",
                "a primitive polynomial of the degree symbol_bits",
                polynomial,
            )?;
            exponents[power as usize] = exponent as u16;
            powers.push(power as u16);
            power <<= 1;
            if power >> bits != 0 {
                power ^= polynomial;
            }
        }
        powers.extend_from_within(..);
        Ok(Field { powers, exponents })
    }

    /// How many elements there are but 0.
    pub fn order(&self) -> usize {
        self.powers.len() / 2
    }

    /// The primitive element to this power.
    #[inline(always)]
    pub fn power(&self, exponent: usize) -> u16 {
        self.powers[exponent % self.order()]
    }

    /// The exponent of an element; of no meaning for 0.
    #[inline(always)]
    pub fn exponent(&self, element: u16) -> usize {
        self.exponents[usize::from(element)].into()
    }

    /// `a · b`.
    #[inline(always)]
    pub fn multiply(&self, a: u16, b: u16) -> u16 {
        if a == 0 || b == 0 { 0 } else { self.powers[self.exponent(a) + self.exponent(b)] }
    }

    /// `a / b`; 0 where `b` is.
    #[inline(always)]
    pub fn divide(&self, a: u16, b: u16) -> u16 {
        if a == 0 || b == 0 { 0 } else { self.powers[self.exponent(a) + self.order() - self.exponent(b)] }
    }

    /// A polynomial, the lowest power first, at an element.
    pub fn evaluate(&self, polynomial: &[u16], at: u16) -> u16 {
        polynomial.iter().rev().fold(0, |sum, coefficient| self.multiply(sum, at) ^ coefficient)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_has_an_inverse() {
        for (bits, polynomial) in [(2, 0x7), (3, 0xb), (4, 0x13), (8, 0x187), (10, 0x409)] {
            let field = Field::new(bits, polynomial).unwrap();
            for element in 1..=field.order() as u16 {
                assert_eq!(field.multiply(element, field.divide(1, element)), 1);
                assert_eq!(field.power(field.exponent(element)), element);
            }
            assert_eq!((field.multiply(0, 3), field.divide(0, 3), field.divide(3, 0)), (0, 0, 0));
        }
    }

    #[test]
    fn what_is_no_primitive_polynomial_is_refused() {
        // Of the wrong degree, not primitive, with the factor x.
        for (bits, polynomial) in [(8, 0x1d), (8, 0x11b), (4, 0x1f), (4, 0x12), (1, 3), (11, 0x805), (4, 0)] {
            assert!(Field::new(bits, polynomial).is_err(), "{bits} {polynomial:#x}");
        }
    }
}
