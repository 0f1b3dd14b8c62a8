//! Low-density parity-check codes: the matrix, and the encoder that follows from it.

use super::alist::{MOST, Sparse};
use crate::error::{Error, check};

/// The most bits of a matrix, for the elimination that makes an encoder of it.
const MOST_PLACES: usize = 1 << 26;
/// The most iterations of a decoder.
pub const MOST_ITERATIONS: usize = 10_000;

/// How blocks are decoded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Decoding {
    /// Belief propagation, check after check, with the exact sums of products.
    SumProduct,
    /// The same with the least of all, 0.75 times, instead of the sum.
    MinSum,
    /// Hard bits: those that most checks speak against are flipped.
    BitFlip,
}

/// A low-density parity-check code: blocks whose bits at the ones of each row of a matrix have an even sum.
///
/// Which bits of a block are the information follows from the matrix as in GNU Radio: row by row, the first column with a
/// one becomes that of a parity bit, and changes places with the next of the first columns; those that remain are the
/// information, in the order in which they then are. Where the first columns are independent, it is the last.
///
/// # Source
/// R. G. Gallager, "Low-density parity-check codes", 1963; D. J. C. MacKay, "Good error-correcting codes based on very
/// sparse matrices", IEEE Trans. Inf. Theory 45(2), 1999.
///
/// ```
/// use superhet_blocks::fec::{Code, FecEncoder, Ldpc, code::alist};
/// use superhet_runtime::harness;
///
/// // Two checks of three bits each: x0 + x1 + x2 and x1 + x2 + x3 are even.
/// let file = "4 2\n2 3\n1 2 2 1\n3 3\n1 0\n1 2\n1 2\n2 0\n1 2 3\n2 3 4\n";
/// let code = Ldpc::new(&alist::parse("example.alist", file)?)?;
/// assert_eq!(code.sizes(), [2, 4]);
/// let sent: Vec<u8> = harness::run(FecEncoder::new(Code::Ldpc(code.clone().into())), &[1u8, 0]);
/// assert!(code.has(&sent));
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Ldpc {
    block_bits: usize,
    /// The places of the information in a block.
    info: Vec<u32>,
    /// The places of the parity bits.
    parity: Vec<u32>,
    /// For each parity bit, the information that it is the sum of, 64 bits a word.
    sums: Vec<u64>,
    /// Where the places of each check begin.
    pub(super) starts: Vec<u32>,
    /// The places of all checks.
    pub(super) places: Vec<u32>,
    pub(super) decoding: Decoding,
    pub(super) most_iterations: usize,
    /// The log-likelihood ratio of a soft bit of 1.
    pub(super) scale: f32,
}

/// Rows of bits, 64 a word.
struct Packed {
    words: usize,
    bits: Vec<u64>,
}

impl Packed {
    fn new(rows: usize, columns: usize) -> Self {
        let words = columns.div_ceil(64);
        Packed { words, bits: vec![0; rows * words] }
    }

    fn set(&mut self, row: usize, column: usize) {
        self.bits[row * self.words + column / 64] |= 1 << (column % 64);
    }

    fn has(&self, row: usize, column: usize) -> bool {
        self.bits[row * self.words + column / 64] >> (column % 64) & 1 == 1
    }

    /// Adds a row to all others that have a one in the column.
    fn clear(&mut self, row: usize, column: usize) {
        let (before, rest) = self.bits.split_at_mut(row * self.words);
        let (row, after) = rest.split_at_mut(self.words);
        for other in before.chunks_exact_mut(self.words).chain(after.chunks_exact_mut(self.words)) {
            if other[column / 64] >> (column % 64) & 1 == 1 {
                other.iter_mut().zip(&*row).for_each(|(other, word)| *other ^= word);
            }
        }
    }
}

impl Ldpc {
    /// The code of a parity-check matrix.
    ///
    /// # Errors
    /// [`Error::WrongKind`] where the matrix has more than 65536 columns or rows, more than 2²⁶ places, or leaves no
    /// information; [`Error::Element`] where a row's columns are not in order, or beyond the matrix.
    pub fn new(matrix: &Sparse) -> Result<Self, Error> {
        check_size(matrix)?;
        let (columns, rows) = (matrix.columns, matrix.rows.len());
        let mut packed = Packed::new(rows, columns);
        for (row, ones) in matrix.rows.iter().enumerate() {
            ones.iter().for_each(|column| packed.set(row, *column));
        }
        let mut order: Vec<usize> = (0..columns).collect();
        let mut pivots = Vec::new();
        for row in 0..rows {
            let first = pivots.len();
            // A row without ones is the sum of others.
            let Some(place) = (first..columns).find(|place| packed.has(row, order[*place])) else { continue };
            order.swap(first, place);
            packed.clear(row, order[first]);
            pivots.push(row);
        }
        let (parity, info) = order.split_at(pivots.len());
        if info.is_empty() {
            return Err(no_matrix("fewer independent rows than columns", format!("{rows} of both")));
        }
        let mut sums = Packed::new(pivots.len(), info.len());
        for (sum, row) in pivots.iter().enumerate() {
            let ones = info.iter().enumerate().filter(|(_, column)| packed.has(*row, **column));
            ones.for_each(|(place, _)| sums.set(sum, place));
        }
        Ok(Ldpc::of(matrix, info, parity, sums))
    }

    /// The code of a generator matrix `[I P]`, whose rows are sums of which every block consists.
    ///
    /// # Errors
    /// As of [`new`](Self::new), and [`Error::WrongKind`] where its first columns are not those of the identity.
    pub fn of_generator(matrix: &Sparse) -> Result<Self, Error> {
        check_size(matrix)?;
        let (columns, rows) = (matrix.columns, matrix.rows.len());
        let wanted = "a generator matrix [I P]: the identity first, and more columns than rows";
        if rows >= columns {
            return Err(no_matrix(wanted, format!("{rows} rows and {columns} columns")));
        }
        let mut checks = Sparse { columns, rows: vec![Vec::new(); columns - rows] };
        let mut sums = Packed::new(columns - rows, rows);
        for (row, ones) in matrix.rows.iter().enumerate() {
            if ones.iter().filter(|column| **column < rows).ne([&row]) {
                return Err(no_matrix(wanted, format!("another row {}", row + 1)));
            }
            for column in &ones[1..] {
                checks.rows[column - rows].push(row);
                sums.set(column - rows, row);
            }
        }
        checks.rows.iter_mut().enumerate().for_each(|(place, row)| row.push(rows + place));
        let order: Vec<usize> = (0..columns).collect();
        let (info, parity) = order.split_at(rows);
        Ok(Ldpc::of(&checks, info, parity, sums))
    }

    fn of(checks: &Sparse, info: &[usize], parity: &[usize], sums: Packed) -> Self {
        let short = |places: &[usize]| places.iter().map(|place| *place as u32).collect::<Vec<_>>();
        let mut starts = vec![0];
        let mut places = Vec::new();
        for row in checks.rows.iter().filter(|row| !row.is_empty()) {
            places.extend(short(row));
            starts.push(places.len() as u32);
        }
        Ldpc {
            block_bits: checks.columns,
            info: short(info),
            parity: short(parity),
            sums: sums.bits,
            starts,
            places,
            decoding: Decoding::SumProduct,
            most_iterations: 50,
            scale: 8.0,
        }
    }

    /// Decoded so, in so many iterations at most, where soft bits have noise of the standard deviation `sigma`, which
    /// [`Decoding::SumProduct`] alone needs to know.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless there are 1 to 10000 iterations, and `sigma` is 0.001 to 1000.
    pub fn decoded(mut self, decoding: Decoding, most_iterations: usize, sigma: f64) -> Result<Self, Error> {
        let fits = (1..=MOST_ITERATIONS).contains(&most_iterations);
        let wanted = "a whole number from 1 to 10000";
        check(fits, "max_iterations", wanted, most_iterations as f64)?;
        check((1e-3..=1e3).contains(&sigma), "sigma", "a number from 0.001 to 1000", sigma)?;
        self.decoding = decoding;
        self.most_iterations = most_iterations;
        self.scale = (2.0 / (sigma * sigma)) as f32;
        Ok(self)
    }

    /// How many bits are encoded at once, and how many of them come.
    pub fn sizes(&self) -> [usize; 2] {
        [self.info.len(), self.block_bits]
    }

    /// The places that each check sums.
    pub(super) fn checks(&self) -> impl Iterator<Item = &[u32]> {
        self.starts.windows(2).map(|pair| &self.places[pair[0] as usize..pair[1] as usize])
    }

    /// Whether a block, a bit each byte, satisfies all checks.
    pub fn has(&self, block: &[u8]) -> bool {
        self.checks().all(|places| places.iter().fold(0, |sum, place| sum ^ block[*place as usize]) & 1 == 0)
    }

    /// The information of a block.
    pub(super) fn info(&self, block: &[u8], bits: &mut [u8]) {
        bits.iter_mut().zip(&self.info).for_each(|(bit, place)| *bit = block[*place as usize]);
    }

    /// Encodes a block; `words` is memory that is kept.
    pub(super) fn encode(&self, x: &[u8], y: &mut [u8], words: &mut Vec<u64>) {
        words.clear();
        words.extend(x.chunks(64).map(|bits| {
            bits.iter().enumerate().fold(0, |word, (place, bit)| word | u64::from(bit & 1) << place)
        }));
        x.iter().zip(&self.info).for_each(|(bit, place)| y[*place as usize] = bit & 1);
        for (sum, place) in self.sums.chunks_exact(words.len()).zip(&self.parity) {
            let both = sum.iter().zip(&*words).fold(0, |all, (sum, word)| all ^ sum & word);
            y[*place as usize] = (both.count_ones() & 1) as u8;
        }
    }
}

fn no_matrix(wanted: &'static str, got: String) -> Error {
    Error::WrongKind { parameter: "matrix", wanted, got }
}

/// That a matrix can be worked with.
fn check_size(matrix: &Sparse) -> Result<(), Error> {
    let (columns, rows) = (matrix.columns, matrix.rows.len());
    let fits = (1..=MOST).contains(&columns) && (1..=MOST).contains(&rows) && columns * rows <= MOST_PLACES;
    if !fits {
        let wanted = "1 to 65536 rows and columns, and at most 67108864 places";
        return Err(no_matrix(wanted, format!("{rows} rows and {columns} columns")));
    }
    for (place, ones) in matrix.rows.iter().enumerate() {
        let in_order = ones.windows(2).all(|pair| pair[0] < pair[1]);
        if !in_order || ones.last().is_some_and(|column| *column >= columns) {
            return Err(Error::Element {
                parameter: "rows",
                place,
                wanted: "columns of the matrix, in order, each but once",
                got: format!("{ones:?}"),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::alist::tests::array;
    use super::*;
    use crate::testing::noise;

    fn bits(text: &str) -> Vec<u8> {
        text.bytes().map(|byte| byte - b'0').collect()
    }

    fn encoded(code: &Ldpc, x: &[u8]) -> Vec<u8> {
        let mut y = vec![7; code.sizes()[1]];
        code.encode(x, &mut y, &mut Vec::new());
        y
    }

    #[test]
    fn blocks_are_those_of_gnu_radio() {
        // Not all rows are independent.
        let code = Ldpc::new(&array(7, 3, 6)).unwrap();
        assert_eq!(code.sizes(), [23, 42]);
        let y = encoded(&code, &bits("10110010111001010011010"));
        assert_eq!(y, bits("111111111001010000000110010111001010011010"));

        // Not all of the first columns are independent.
        let rows = vec![
            vec![0, 3, 8, 9, 11, 12],
            vec![0, 3, 7, 8, 11],
            vec![1, 2, 5, 6, 7, 9, 10, 12, 13],
            vec![0, 4, 5, 9, 10],
            vec![4, 5, 6, 7, 9, 11],
            vec![0, 3, 5, 6, 9, 12],
        ];
        let code = Ldpc::new(&Sparse { columns: 14, rows }).unwrap();
        assert_eq!(encoded(&code, &bits("10110010")), bits("10100010110010"));
    }

    #[test]
    fn all_blocks_satisfy_all_checks_and_hold_their_bits() {
        for (p, j, k) in [(5, 2, 4), (7, 3, 6), (31, 3, 5), (67, 4, 9)] {
            let code = Ldpc::new(&array(p, j, k)).unwrap();
            let [info, block] = code.sizes();
            assert!(block == p * k && info >= p * (k - j), "{info} {block}");
            for draw in noise(10 * info).chunks(info) {
                let x: Vec<u8> = draw.iter().map(|x| u8::from(*x > 0.0)).collect();
                let mut y = encoded(&code, &x);
                assert!(code.has(&y));
                let mut back = vec![7; info];
                code.info(&y, &mut back);
                assert_eq!(back, x);
                y[p] ^= 1;
                assert!(!code.has(&y));
            }
        }
    }

    #[test]
    fn a_generator_says_the_blocks_itself() {
        let rows = vec![vec![0, 4, 5], vec![1, 5, 6], vec![2, 4, 5, 6], vec![3, 4, 6]];
        let code = Ldpc::of_generator(&Sparse { columns: 7, rows }).unwrap();
        for n in 0..16u8 {
            let x: Vec<u8> = (0..4).map(|place| n >> place & 1).collect();
            let y = encoded(&code, &x);
            assert_eq!(y[..4], x);
            assert_eq!(y[4..], [x[0] ^ x[2] ^ x[3], x[0] ^ x[1] ^ x[2], x[1] ^ x[2] ^ x[3]]);
            assert!(code.has(&y));
        }
    }

    #[test]
    fn what_is_no_code_is_refused() {
        let new = |columns, rows| Ldpc::new(&Sparse { columns, rows });
        assert!(new(0, vec![vec![]]).is_err() && new(3, vec![]).is_err());
        assert!(new(2, vec![vec![0], vec![1]]).is_err(), "no information");
        assert!(new(3, vec![vec![3]]).is_err() && new(3, vec![vec![1, 1]]).is_err());
        assert!(new(1 << 16, vec![vec![]; 1 << 11]).is_err(), "too many places");
        let generator = |columns, rows| Ldpc::of_generator(&Sparse { columns, rows });
        assert!(generator(2, vec![vec![0], vec![1]]).is_err());
        assert!(generator(3, vec![vec![0], vec![0, 2]]).is_err());
        assert!(generator(3, vec![vec![0, 1], vec![1, 2]]).is_err());
        let code = new(3, vec![vec![0, 1, 2]]).unwrap();
        for (iterations, sigma) in [(0, 0.5), (10_001, 0.5), (50, 0.0), (50, f64::NAN), (50, f64::INFINITY)] {
            assert!(code.clone().decoded(Decoding::MinSum, iterations, sigma).is_err());
        }
    }
}
