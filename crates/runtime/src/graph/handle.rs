//! What a graph gives for a block that was added.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

use crate::data::{Declared, Parameter};
use crate::stream::refs::BlockId;

/// A block of type `B` in a graph: its ports by name, for connecting, and its parameters.
pub struct Handle<P, B = ()> {
    id: BlockId,
    name: Arc<str>,
    ports: P,
    of: PhantomData<fn() -> B>,
}

impl<P, B> Handle<P, B> {
    pub(crate) fn new(id: BlockId, name: Arc<str>, ports: P) -> Self {
        Handle { id, name, ports, of: PhantomData }
    }

    /// Which block of the graph this is.
    pub fn id(&self) -> BlockId {
        self.id
    }

    /// Its name in the graph.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A parameter of this block, to be set while the graph runs: only those that blocks of its type declare, and only to
    /// values of their types.
    ///
    /// ```
    /// use superhet_runtime::{Graph, Options, Pure, Single, harness::VecSource, parameter::Declared};
    /// # use superhet_runtime::{BlockError, Value};
    ///
    /// struct Amp { gain: f32 }
    /// impl Amp {
    ///     const GAIN: Declared<Amp, f32> = Declared::new("gain");
    /// }
    /// # impl Pure for Amp {
    /// #     type In = f32;
    /// #     type Out = f32;
    /// #     const PARAMETERS: &'static [&'static str] = &["gain"];
    /// #     fn with_parameter(&self, _: &str, value: &Value) -> Result<Self, BlockError> {
    /// #         Ok(Amp { gain: value.as_f64().ok_or("expected a number")? as f32 })
    /// #     }
    /// #     fn parameter(&self, _: &str) -> Option<Value> { Some(self.gain.into()) }
    /// #     fn map(&self, x: &[f32], y: &mut [f32]) { for (y, x) in y.iter_mut().zip(x) { *y = self.gain * x; } }
    /// # }
    ///
    /// let mut graph = Graph::new();
    /// let source = graph.add("source", VecSource::new(vec![1.0f32]));
    /// let amp = graph.add("amp", Amp { gain: 1.0 });
    /// let items = graph.collect(amp.output);
    /// graph.connect(source.output, amp.input);
    /// let mut graph = graph.check()?;
    /// graph.set_at(amp.parameter(Amp::GAIN), 3.0, 0)?;
    /// graph.start(&Single, &Options::default())?.wait()?;
    /// assert_eq!(items.take(), [3.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// A value of another type does not compile, nor does another block's parameter:
    ///
    /// ```compile_fail
    /// # use superhet_runtime::{RunningGraph, parameter::{Declared, Parameter}};
    /// fn louder(running: &RunningGraph, gain: Parameter<f32>) {
    ///     running.set(gain, "loud").unwrap();
    /// }
    /// ```
    pub fn parameter<T>(&self, declared: Declared<B, T>) -> Parameter<T> {
        Parameter::new(format!("{}.{}", self.name, declared.name()))
    }
}

impl<P, B> Deref for Handle<P, B> {
    type Target = P;
    fn deref(&self) -> &P {
        &self.ports
    }
}

impl<P: Clone, B> Clone for Handle<P, B> {
    fn clone(&self) -> Self {
        Handle::new(self.id, self.name.clone(), self.ports.clone())
    }
}

impl<P: fmt::Debug, B> fmt::Debug for Handle<P, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle").field("name", &self.name).field("ports", &self.ports).finish_non_exhaustive()
    }
}
