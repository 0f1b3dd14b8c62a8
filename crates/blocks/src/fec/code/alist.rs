//! Files of sparse matrices in MacKay's alist format.
//!
//! Lines of whole numbers: the columns and the rows; the most ones in a column, and in a row; how many ones each column
//! has; how many each row has; for each column the rows of its ones, counted from 1, filled up with zeros; for each row the
//! columns of its ones.
//!
//! # Source
//! D. J. C. MacKay, <https://www.inference.org.uk/mackay/codes/alist.html>.

use std::io::Read;

use crate::error::Error;

/// The most columns, and the most rows.
pub const MOST: usize = 1 << 16;
/// The most ones.
const MOST_ONES: usize = 1 << 20;
/// The longest file, in bytes.
const LONGEST: u64 = 1 << 25;

/// A sparse matrix of zeros and ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sparse {
    /// How many columns there are.
    pub columns: usize,
    /// For each row, the columns of its ones, from 0 on, in order.
    pub rows: Vec<Vec<usize>>,
}

/// Reads a file.
///
/// # Errors
/// [`Error::Read`] where it cannot be read, [`Error::NoMatrix`] with the line that is not as it should be.
pub fn read(path: &str) -> Result<Sparse, Error> {
    let failed = |error| Error::Read { path: path.to_owned(), error };
    let file = std::fs::File::open(path).map_err(failed)?;
    let mut text = String::new();
    file.take(LONGEST + 1).read_to_string(&mut text).map_err(failed)?;
    if text.len() as u64 > LONGEST {
        let (wanted, got) = ("at most 33554432 bytes".to_owned(), "a longer file".to_owned());
        return Err(Error::NoMatrix { place: path.to_owned(), wanted, got });
    }
    parse(path, &text)
}

/// The lines of a file, and where one is.
struct Lines<'a> {
    path: &'a str,
    lines: std::str::Lines<'a>,
    line: usize,
}

impl Lines<'_> {
    fn error<T>(&self, wanted: String, got: impl Into<String>) -> Result<T, Error> {
        let mut got: String = got.into();
        if let Some((end, _)) = got.char_indices().nth(60) {
            got.truncate(end);
            got.push('…');
        }
        Err(Error::NoMatrix { place: format!("{}:{}", self.path, self.line), wanted, got })
    }

    /// The numbers of the next line, each at most `most`.
    fn numbers(&mut self, what: &str, most: usize) -> Result<Vec<usize>, Error> {
        self.line += 1;
        let Some(line) = self.lines.next() else {
            return self.error(what.to_owned(), "the end of the file");
        };
        let mut numbers = Vec::new();
        for word in line.split_whitespace() {
            match word.parse() {
                Ok(number) if number <= most => numbers.push(number),
                _ => return self.error(format!("{what}, each a whole number from 0 to {most}"), word),
            }
        }
        Ok(numbers)
    }

    /// Two numbers, each 1 to `most`.
    fn two(&mut self, what: &str, most: usize) -> Result<[usize; 2], Error> {
        match self.numbers(what, most)?[..] {
            [a, b] if a > 0 && b > 0 => Ok([a, b]),
            ref numbers => {
                self.error(format!("{what}: two numbers from 1 to {most}"), format!("{numbers:?}"))
            }
        }
    }

    /// `count` numbers.
    fn counts(&mut self, what: &str, count: usize, most: usize) -> Result<Vec<usize>, Error> {
        let numbers = self.numbers(what, most)?;
        if numbers.len() != count {
            return self.error(format!("{what}: {count} numbers"), format!("{} numbers", numbers.len()));
        }
        Ok(numbers)
    }

    /// For each of `counts`, so many places below `most`, in order.
    fn lists(&mut self, what: &str, counts: &[usize], most: usize) -> Result<Vec<Vec<usize>>, Error> {
        let mut lists = Vec::with_capacity(counts.len());
        for (index, &count) in counts.iter().enumerate() {
            let what = format!("the ones of {what} {}", index + 1);
            let mut list = self.numbers(&what, most)?;
            list.retain(|number| *number > 0);
            list.iter_mut().for_each(|number| *number -= 1);
            list.sort_unstable();
            if list.len() != count {
                return self.error(format!("{what}: {count} numbers"), format!("{} numbers", list.len()));
            }
            if list.windows(2).any(|pair| pair[0] == pair[1]) {
                return self.error(format!("{what}: each but once"), "one that comes twice");
            }
            lists.push(list);
        }
        Ok(lists)
    }
}

/// Reads the text of a file.
///
/// # Errors
/// [`Error::NoMatrix`] with the line that is not as it should be.
pub fn parse(path: &str, text: &str) -> Result<Sparse, Error> {
    let mut lines = Lines { path, lines: text.lines(), line: 0 };
    let [columns, rows] = lines.two("the columns and the rows", MOST)?;
    let [in_column, in_row] = lines.two("the most ones in a column and in a row", MOST)?;
    let of_columns = lines.counts("the ones of the columns", columns, in_column)?;
    let ones: usize = of_columns.iter().sum();
    if ones > MOST_ONES {
        return lines.error(format!("at most {MOST_ONES} ones"), format!("{ones}"));
    }
    let of_rows = lines.counts("the ones of the rows", rows, in_row)?;
    if of_rows.iter().sum::<usize>() != ones {
        return lines.error(
            format!("the ones of the rows: {ones} in all, as in the columns"),
            format!("{}", of_rows.iter().sum::<usize>()),
        );
    }
    let by_column = lines.lists("column", &of_columns, rows)?;
    let mut wanted = vec![Vec::new(); rows];
    for (column, list) in by_column.iter().enumerate() {
        list.iter().for_each(|row| wanted[*row].push(column));
    }
    let begin = lines.line;
    let by_row = lines.lists("row", &of_rows, columns)?;
    if let Some(row) = (0..rows).find(|row| by_row[*row] != wanted[*row]) {
        lines.line = begin + row + 1;
        return lines
            .error(format!("the ones of row {}, as the columns say them", row + 1), "others".to_owned());
    }
    Ok(Sparse { columns, rows: wanted })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The text of a matrix.
    pub fn written(matrix: &Sparse) -> String {
        let mut columns = vec![Vec::new(); matrix.columns];
        for (row, ones) in matrix.rows.iter().enumerate() {
            ones.iter().for_each(|column| columns[*column].push(row));
        }
        let line = |numbers: &mut dyn Iterator<Item = usize>| {
            numbers.map(|number| number.to_string()).collect::<Vec<_>>().join(" ") + "\n"
        };
        let most = |lists: &[Vec<usize>]| lists.iter().map(Vec::len).max().unwrap_or(0);
        let both = [&columns, &matrix.rows];
        let mut text = format!("{} {}\n", matrix.columns, matrix.rows.len());
        text += &line(&mut both.iter().map(|lists| most(lists)));
        both.iter().for_each(|lists| text += &line(&mut lists.iter().map(Vec::len)));
        for lists in both {
            for list in lists {
                let filling = vec![0; most(lists) - list.len()];
                text += &line(&mut list.iter().map(|place| place + 1).chain(filling));
            }
        }
        text
    }

    /// `j × k` blocks of the size `p`: turned identities, as in array codes; each column has `j` ones, each row `k`.
    pub fn array(p: usize, j: usize, k: usize) -> Sparse {
        let row = |a: usize, i: usize| (0..k).map(|b| b * p + (i + a * b) % p).collect();
        Sparse { columns: k * p, rows: (0..j * p).map(|n| row(n / p, n % p)).collect() }
    }

    #[test]
    fn what_is_written_is_read() {
        let irregular = Sparse { columns: 4, rows: vec![vec![0, 1, 3], vec![1], vec![0, 3]] };
        for matrix in [array(5, 2, 4), irregular] {
            assert_eq!(parse("x", &written(&matrix)).unwrap(), matrix);
        }
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let good = "3 2\n2 2\n1 2 1\n2 2\n1 0\n1 2\n2 0\n1 2\n2 3\n";
        assert_eq!(parse("f", good).unwrap().rows, [[0, 1], [1, 2]]);
        for (text, wanted) in [
            ("", "f:1: the end of the file: expected the columns and the rows"),
            ("3\n", "f:1: [3]: expected the columns and the rows: two numbers from 1 to 65536"),
            ("0 2\n", "f:1: [0, 2]"),
            ("3 99999999\n", "f:1: 99999999: expected"),
            ("3 -2\n", "f:1: -2: expected"),
            ("3 2\n2 x\n", "f:2: x: expected"),
            ("3 2\n2 2\n1 2\n", "f:3: 2 numbers: expected the ones of the columns: 3 numbers"),
            ("3 2\n2 2\n1 3 1\n", "f:3: 3: expected"),
            ("3 2\n2 2\n1 2 1\n2 1\n", "f:4: 3: expected the ones of the rows: 4 in all"),
            ("3 2\n2 2\n1 2 1\n2 2\n1 0\n1 1\n", "f:6: one that comes twice"),
            ("3 2\n2 2\n1 2 1\n2 2\n1 0\n1 3\n", "f:6: 3: expected the ones of column 2"),
            ("3 2\n2 2\n1 2 1\n2 2\n1 0\n1\n", "f:6: 1 numbers: expected the ones of column 2: 2 numbers"),
            ("3 2\n2 2\n1 2 1\n2 2\n1 0\n1 2\n2 0\n1 2\n", "f:9: the end of the file"),
            ("3 2\n2 2\n1 2 1\n2 2\n1 0\n1 2\n2 0\n1 2\n1 3\n", "f:9: others: expected the ones of row 2"),
        ] {
            let error = parse("f", text).unwrap_err().to_string();
            assert!(error.starts_with(wanted), "{error}\n{wanted}");
        }
        let long = format!("3 {}\n", "ü".repeat(1000));
        assert!(parse("f", &long).unwrap_err().to_string().chars().count() < 200);
        assert!(read("/no/such/folder/x.alist").is_err());
    }
}
