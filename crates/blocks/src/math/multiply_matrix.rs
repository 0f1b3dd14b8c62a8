//! A matrix times several streams.

use superhet_runtime::catalog::{Choice, Kind, Params, Reads};
use superhet_runtime::{BlockError, C32, In, Item, Out, Value, declare, tag::TagPolicy};

use crate::error::{Error, check};
use crate::item::{FromNumber, ToValue, from_values};
use crate::lockstep::{Lockstep, Many, Names, check_ports, room};

/// A matrix times several streams: `y_i[n] = Σ_j matrix[i][j] · x_j[n]`.
///
/// There is an input for each column and an output for each row.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in0`, `in1`, … | `C32` or `f32` | any |
/// | out `out0`, `out1`, … | the same | that of the inputs, times that of `matrix` |
/// | in `set` | messages | new values of `matrix` |
///
/// | parameter | range |
/// |---|---|
/// | `matrix` | 1 to 64 rows of 1 to 64 numbers, a list of lists; can be changed while the block runs, but for its size |
/// | `tags` | where the tags of an input go, see [`MatrixTags`] |
///
/// ```
/// use superhet_blocks::{math::MultiplyMatrix, sinks::VectorSink, sources::VectorSource};
/// use superhet_runtime::Graph;
///
/// let mut graph = Graph::new();
/// let a = graph.add("a", VectorSource::new(vec![1.0f32, 2.0], false)?);
/// let b = graph.add("b", VectorSource::new(vec![10.0f32, 20.0], false)?);
/// let matrix = graph.add("matrix", MultiplyMatrix::new(vec![vec![1.0f32, 0.5]])?);
/// let sink = VectorSink::<f32>::new();
/// let items = sink.items();
/// let sink = graph.add("sink", sink);
/// graph.connect(a.output, matrix.input[0]);
/// graph.connect(b.output, matrix.input[1]);
/// graph.connect(matrix.output[0], sink.input);
/// graph.run()?;
/// assert_eq!(items.take(), [6.0, 12.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct MultiplyMatrix<T> {
    matrix: Vec<Vec<T>>,
    tags: MatrixTags,
}

/// To which outputs of a [`MultiplyMatrix`] the tags of an input go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Choice)]
pub enum MatrixTags {
    /// To none.
    None,
    /// To all.
    #[default]
    All,
    /// To the one with the input's number; there must be as many outputs as inputs.
    OneToOne,
    /// To those whose row has a coefficient for the input that is not 0.
    Matrix,
}

#[declare(
    category = "math",
    summary = "A matrix times several streams.",
    items(C32, f32),
    constructor = with_tags,
    ports(
        input("in0", "item", "for the first column; an input for each"),
        input("in1", "item", "for the second"),
        output("out0", "item", "of the first row; an output for each"),
        output("out1", "item", "of the second"),
        set_port("new values of matrix, of the same size")
    )
)]
impl<T: Coefficient> MultiplyMatrix<T> {
    /// The matrix, row by row.
    ///
    /// # Errors
    /// [`Error::Empty`] or [`Error::OutOfRange`] where it has no rows or columns, or too many; [`Error::WrongKind`] where
    /// its rows are not equally long.
    #[allow(clippy::new_ret_no_self, reason = "the block is what has as many ports")]
    pub fn new(matrix: Vec<Vec<T>>) -> Result<Many<Self>, Error> {
        MultiplyMatrix::with_tags(matrix, MatrixTags::All)
    }

    /// As [`new`](Self::new), with tags that go where `tags` says.
    ///
    /// # Errors
    /// As for `new`, and [`Error::OutOfRange`] for [`MatrixTags::OneToOne`] of a matrix that is not square.
    pub fn with_tags(
        /// The matrix: a list of its rows, each a list of numbers.
        #[param(live, by = Rows, set = set_matrix)]
        matrix: Vec<Vec<T>>,
        /// Where the tags of an input go; with matrix, to each output whose row has a coefficient for it that is not 0.
        #[param(default = "all")]
        tags: MatrixTags,
    ) -> Result<Many<Self>, Error> {
        let columns = columns(&matrix)?;
        let rows = matrix.len();
        check_ports("matrix", rows)?;
        check_ports("matrix", columns)?;
        let fits = tags != MatrixTags::OneToOne || rows == columns;
        check(fits, "matrix", "as many rows as columns for tags from one to one", rows as f64)?;
        let function = MultiplyMatrix { matrix, tags };
        Ok(Many::new(function, (columns, Names::Numbered), (rows, Names::Numbered)))
    }

    fn set_matrix(&mut self, matrix: Vec<Vec<T>>) -> Result<(), BlockError> {
        let size = |matrix: &[Vec<T>]| Ok::<_, Error>((matrix.len(), columns(matrix)?));
        let (got, wanted) = (size(&matrix)?, size(&self.matrix)?);
        if got != wanted {
            return Err(format!("matrix: expected {wanted:?} rows and columns as before, got {got:?}").into());
        }
        self.matrix = matrix;
        Ok(())
    }
}

/// How many columns the matrix has.
fn columns<T>(matrix: &[Vec<T>]) -> Result<usize, Error> {
    let columns = matrix.first().map_or(0, Vec::len);
    if columns == 0 {
        return Err(Error::Empty {
            parameter: "matrix",
            wanted: "at least one row with at least one number",
        });
    }
    match matrix.iter().position(|row| row.len() != columns) {
        Some(place) => Err(Error::Element {
            parameter: "matrix",
            place,
            wanted: "a row as long as the first",
            got: format!("{} numbers, not {columns}", matrix[place].len()),
        }),
        None => Ok(columns),
    }
}

/// What a matrix is made of.
pub trait Coefficient: Item + FromNumber + PartialEq {
    /// `y[n] += k · x[n]`.
    fn add_scaled(y: &mut [Self], x: &[Self], k: Self);
    /// The value that says the number.
    fn said(self) -> Value;
}

macro_rules! coefficient {
    ($($item:ty),+) => {$(
        impl Coefficient for $item {
            fn add_scaled(y: &mut [$item], x: &[$item], k: $item) {
                y.iter_mut().zip(x).for_each(|(y, &x)| *y += x * k);
            }
            fn said(self) -> Value {
                self.to_value()
            }
        }
    )+};
}

coefficient!(f32, C32);

/// The matrix that a parameter says: a list of lists.
fn matrix_of<T: FromNumber>(value: &Value) -> Result<Vec<Vec<T>>, Error> {
    let wrong = || Error::WrongKind {
        parameter: "matrix",
        wanted: "a list of lists of numbers",
        got: value.to_string(),
    };
    value.as_list().ok_or_else(wrong)?.iter().map(|row| from_values("matrix", row)).collect()
}

#[declare]
impl<T: Coefficient> Lockstep for MultiplyMatrix<T> {
    type In = T;
    type Out = T;

    fn tags(&self) -> TagPolicy {
        match self.tags {
            MatrixTags::None => TagPolicy::None,
            MatrixTags::OneToOne => TagPolicy::OneToOne,
            MatrixTags::All | MatrixTags::Matrix => TagPolicy::AllToAll,
        }
    }
    fn tag_passes(&self, input: usize, output: usize) -> bool {
        self.tags != MatrixTags::Matrix || self.matrix[output][input] != T::zeroed()
    }

    fn turn(&mut self, inputs: &[In<T>], outputs: &mut [Out<T>], turns: usize) {
        for (row, output) in self.matrix.iter().zip(outputs) {
            let Some(y) = room(output, turns) else { continue };
            y.fill(T::zeroed());
            for (&k, input) in row.iter().zip(inputs) {
                T::add_scaled(y, &input.peek()[..turns], k);
            }
        }
    }
}

/// Reads and says matrices as lists of rows.
enum Rows {}

impl<T: Coefficient> Reads<Vec<Vec<T>>> for Rows {
    const KIND: Kind = Kind::Value;

    fn read(params: &Params, name: &'static str) -> Result<Vec<Vec<T>>, BlockError> {
        Rows::change(name, params.value(name))
    }
    fn change(_: &'static str, value: &Value) -> Result<Vec<Vec<T>>, BlockError> {
        Ok(matrix_of(value)?)
    }
    fn say(matrix: &Vec<Vec<T>>) -> Value {
        let row = |row: &Vec<T>| Value::from(row.iter().map(|x| x.said()).collect::<Vec<_>>());
        matrix.iter().map(row).collect::<Vec<_>>().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{TagSink, Tagged, cuts, named, noise, run_many};
    use superhet_runtime::Graph;

    #[test]
    fn values_are_right_wherever_the_streams_are_cut() {
        let inputs = [noise(500), noise(700)[200..].to_vec()];
        for options in cuts() {
            let block =
                MultiplyMatrix::new(vec![vec![1.0f32, 2.0], vec![3.0, 4.0], vec![0.0, -1.0]]).unwrap();
            let y: Vec<Vec<f32>> = run_many(block, &inputs, &["out0", "out1", "out2"], &options);
            let row =
                |a: f32, b: f32| (0..500).map(|n| inputs[0][n] * a + inputs[1][n] * b).collect::<Vec<_>>();
            assert_eq!(y, [row(1.0, 2.0), row(3.0, 4.0), row(0.0, -1.0)]);
        }
    }

    #[test]
    fn an_output_that_nobody_needs_may_stay_unconnected() {
        let block = MultiplyMatrix::new(vec![vec![1.0f32], vec![2.0]]).unwrap();
        let y: Vec<Vec<f32>> = run_many(block, &[vec![1.0f32, 3.0]], &["out1"], &Default::default());
        assert_eq!(y, [[2.0, 6.0]]);
    }

    #[test]
    fn what_is_no_matrix_is_refused() {
        assert!(MultiplyMatrix::<f32>::new(vec![]).is_err());
        let error = MultiplyMatrix::new(vec![vec![1f32, 2.0], vec![3.0]]).unwrap_err().to_string();
        assert_eq!(error, "matrix[1] = 1 numbers, not 2: expected a row as long as the first");
        let mut matrix = MultiplyMatrix { matrix: vec![vec![1f32, 2.0]], tags: MatrixTags::All };
        assert!(matrix.set_parameter("matrix", &vec![Value::from(vec![1f32])].into()).is_err());
        assert!(matrix.set_parameter("matrix", &vec![Value::from(vec![3f32, 4.0])].into()).is_ok());
        assert_eq!(matrix.matrix, [[3.0, 4.0]]);
    }

    /// Where the tags `a`, of the first input, and `b` come out of the two rows.
    fn tags(policy: &str) -> [Vec<String>; 2] {
        let row = |row: [f32; 2]| Value::from(row.to_vec());
        let matrix = vec![row([1.0, 0.0]), row([0.5, 2.0])];
        let given = [("item", "f32".into()), ("matrix", matrix.into()), ("tags", policy.into())];
        let given = given.map(|(name, value): (&str, Value)| (name.to_owned(), value)).into();
        let mut graph = Graph::new();
        graph.add_any("block", ENTRY.build(&given).unwrap());
        for (place, key) in ["a", "b"].into_iter().enumerate() {
            graph.add(key, Tagged::new(vec![1f32; 5], vec![(place as u64 + 1, key, Value::Null)]));
            graph.connect_names(key, &format!("block.in{place}"));
        }
        let seen = [0, 1].map(|place| {
            let sink = TagSink::<f32>::new();
            let seen = sink.seen.clone();
            graph.add(format!("sink{place}"), sink);
            graph.connect_names(&format!("block.out{place}"), &format!("sink{place}"));
            seen
        });
        graph.run().unwrap();
        seen.map(|seen| {
            let tags = named(std::mem::take(&mut seen.lock().unwrap().0));
            tags.into_iter().map(|(index, key, _)| format!("{key}{index}")).collect()
        })
    }

    #[test]
    fn tags_go_where_the_policy_says() {
        assert_eq!(tags("none"), [vec![], Vec::<String>::new()]);
        assert_eq!(tags("all"), [["a1", "b2"], ["a1", "b2"]]);
        assert_eq!(tags("one_to_one"), [["a1"], ["b2"]]);
        assert_eq!(tags("matrix"), [vec!["a1"], vec!["a1", "b2"]]);
        assert!(MultiplyMatrix::with_tags(vec![vec![1f32, 2.0]], MatrixTags::OneToOne).is_err());
    }
}
