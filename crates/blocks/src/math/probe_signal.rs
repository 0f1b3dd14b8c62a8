//! Shows the last item of a stream.

use superhet_runtime::{BlockError, C32, In, Item, Out, Ratio, Value, declare};

use crate::error::{Error, check};
use crate::item::ToValue;
use crate::lockstep::{Lockstep, Many, Names};

/// Takes a stream, and shows its last item, or the last whole vector, as a parameter.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32`, `f32`, `i32`, `i16` or `u8` | any |
/// | in `set` | messages | requests for `level` |
///
/// | parameter | unit | range |
/// |---|---|---|
/// | `length` | items | 1 to 65 536: of a vector; 1 shows items |
/// | `level` | | to be read: the last item, or the last vector as a list; 0 before there was one |
///
/// ```
/// use superhet_blocks::{math::ProbeSignal, sources::VectorSource};
/// use superhet_runtime::{Graph, Options, Single, Value};
///
/// let mut graph = Graph::new();
/// let source = graph.add("source", VectorSource::new(vec![1i32, 2, 3], false)?);
/// let probe = graph.add("probe", ProbeSignal::<i32>::new(1)?);
/// graph.connect(source.output, probe.input[0]);
/// let mut running = graph.check()?.start(&Single, &Options::default())?;
/// running.wait_for(std::time::Duration::from_secs(10)).unwrap()?;
/// assert_eq!(running.get("probe.level")?, Value::from(3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ProbeSignal<T> {
    /// The last vector.
    level: Vec<T>,
}

/// Items that a probe shows.
pub trait ProbeItem: Item {
    /// The value that says the item.
    fn said(self) -> Value;
}

macro_rules! probe_items {
    ($($item:ty),+) => {$(
        impl ProbeItem for $item {
            fn said(self) -> Value {
                self.to_value()
            }
        }
    )+};
}

probe_items!(C32, f32, i32, i16, u8);

/// The longest vector.
const MOST: usize = 1 << 16;

#[declare(
    category = "math",
    summary = "Shows the last item of a stream, or its last vector, as a parameter.",
    items(C32, f32, i32, i16, u8),
    ports(input("in", "item", "x"), set_port("requests for level"))
)]
impl<T: ProbeItem> ProbeSignal<T> {
    /// Shows vectors of `length` items; with 1, items.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless `length` is from 1 to 65 536: each answer has all of them.
    #[allow(clippy::new_ret_no_self, reason = "the block is what has the port")]
    pub fn new(
        /// The length of a vector; 1 shows items.
        #[param(unit = "items", range = 1..=MOST, default = 1)]
        length: usize,
    ) -> Result<Many<Self>, Error> {
        check((1..=MOST).contains(&length), "length", "a whole number from 1 to 65536", length as f64)?;
        let probe = ProbeSignal { level: vec![T::zeroed(); length] };
        Ok(Many::new(probe, (1, Names::Single), (0, Names::Numbered)))
    }
}

impl<T: ProbeItem> Lockstep for ProbeSignal<T> {
    type In = T;
    type Out = u8;
    const PARAMETERS: &'static [&'static str] = &["level"];
    const MEASURES: bool = true;

    fn ratio(&self) -> Ratio {
        Ratio::decimate(self.level.len())
    }
    fn set_parameter(&mut self, name: &str, _: &Value) -> Result<(), BlockError> {
        Err(read_only(name))
    }
    fn parameter(&self, _: &str) -> Option<Value> {
        Some(match &self.level[..] {
            [level] => level.said(),
            level => level.iter().map(|x| x.said()).collect::<Vec<_>>().into(),
        })
    }

    fn turn(&mut self, inputs: &[In<T>], _: &mut [Out<u8>], turns: usize) {
        let length = self.level.len();
        for input in inputs {
            self.level.copy_from_slice(&input.peek()[(turns - 1) * length..turns * length]);
        }
    }
}

/// The error for a parameter that is measured.
pub(crate) fn read_only(name: &str) -> BlockError {
    format!("{name} is measured: it can be read, not set").into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use superhet_runtime::harness::VecSource;
    use superhet_runtime::{Graph, Single};

    #[test]
    fn the_last_whole_vector_is_shown_wherever_the_stream_is_cut() {
        for options in crate::testing::cuts() {
            let mut graph = Graph::new();
            graph.add("source", VecSource::new((0..1001).collect::<Vec<i32>>()));
            graph.add("probe", ProbeSignal::<i32>::new(2).unwrap());
            graph.connect_names("source", "probe.in");
            let mut running = graph.check().unwrap().start(&Single, &options).unwrap();
            running.wait_for(std::time::Duration::from_secs(10)).unwrap().unwrap();
            assert_eq!(running.get("probe.level").unwrap().to_string(), "[998,999]");
        }
    }

    #[test]
    fn a_level_cannot_be_set() {
        let mut probe = ProbeSignal { level: vec![0u8] };
        let error = probe.set_parameter("level", &1.into()).unwrap_err().to_string();
        assert_eq!(error, "level is measured: it can be read, not set");
    }
}
