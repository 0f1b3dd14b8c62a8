//! Kernels: one computation in the languages of several drivers.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use superhet_runtime::Item;

/// The languages of kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// CUDA C, compiled when it is loaded, or PTX.
    Cuda,
    /// WebGPU's shading language.
    Wgsl,
    /// OpenCL C 1.2.
    OpenCl,
    /// A function of the host, for simulated devices and such that only copy.
    Host,
}

impl Language {
    /// The language's name.
    pub fn name(self) -> &'static str {
        match self {
            Language::Cuda => "CUDA",
            Language::Wgsl => "WGSL",
            Language::OpenCl => "OpenCL",
            Language::Host => "host",
        }
    }
}

/// One computation as kernels in several languages; a driver takes the one it knows.
///
/// Every kernel is run by `threads` threads, or some more. Each computes its number, and does nothing if that is `threads`
/// or more. Its arguments, in this order:
///
/// | language | threads | inputs, then outputs | constants |
/// |---|---|---|---|
/// | CUDA | `unsigned threads` | pointers to the first item | one `unsigned`, `int` or `float` each |
/// | OpenCL | `uint threads` | `__global` pointer and `uint` first item, each | one `uint`, `int` or `float` each |
/// | WGSL | `call[0]` | bindings 0, 1, … of group 0; first item of binding `i` in `call[1 + i]` | the words of `call` after those |
/// | host | `call.threads` | `call.inputs`, `call.outputs` | `call.constants` |
///
/// In WGSL, `call` is the last binding: `var<storage, read> call: array<u32>`; a float constant is read by
/// `bitcast<f32>`. Workgroups have 64 threads in one dimension, numbered over `x` and then `y`.
/// `crates/device/src/blocks` has examples in all languages.
#[derive(Clone)]
pub struct Source {
    /// The name of the kernel's function.
    pub entry: Cow<'static, str>,
    /// CUDA C or PTX.
    pub cuda: Option<Cow<'static, str>>,
    /// WGSL.
    pub wgsl: Option<Cow<'static, str>>,
    /// OpenCL C.
    pub opencl: Option<Cow<'static, str>>,
    /// A function of the host.
    pub host: Option<HostKernel>,
}

/// A kernel that the host computes.
pub type HostKernel = Arc<dyn Fn(HostCall<'_>) + Send + Sync>;

/// The arguments of a kernel that the host computes.
#[derive(Debug)]
pub struct HostCall<'a> {
    /// The bytes of each input's items.
    pub inputs: &'a [&'a [u8]],
    /// The bytes of each output's items.
    pub outputs: &'a mut [&'a mut [u8]],
    /// The constants: 32-bit words.
    pub constants: &'a [u8],
    /// How many threads the kernel was to have.
    pub threads: usize,
}

impl HostCall<'_> {
    /// The host's kernel of one input and one output, from a function of their items; of the constants it knows what it
    /// has captured.
    ///
    /// The input has the history before the new items, as that of a pure block.
    pub fn map<A: Item, B: Item>(
        function: impl Fn(&[A], &mut [B]) + Send + Sync + 'static,
    ) -> impl Fn(HostCall<'_>) + Send + Sync + 'static {
        move |call| {
            let ([x, ..], [y, ..]) = (call.inputs, call.outputs) else { return };
            function(bytemuck::cast_slice(x), bytemuck::cast_slice_mut(y));
        }
    }
}

impl Source {
    /// A kernel whose function is called `entry`, in no language yet.
    pub fn new(entry: impl Into<Cow<'static, str>>) -> Self {
        Source { entry: entry.into(), cuda: None, wgsl: None, opencl: None, host: None }
    }

    /// Adds CUDA C, or PTX.
    #[must_use]
    pub fn cuda(self, text: impl Into<Cow<'static, str>>) -> Self {
        Source { cuda: Some(text.into()), ..self }
    }

    /// Adds WGSL.
    #[must_use]
    pub fn wgsl(self, text: impl Into<Cow<'static, str>>) -> Self {
        Source { wgsl: Some(text.into()), ..self }
    }

    /// Adds OpenCL C.
    #[must_use]
    pub fn opencl(self, text: impl Into<Cow<'static, str>>) -> Self {
        Source { opencl: Some(text.into()), ..self }
    }

    /// Adds a function of the host.
    #[must_use]
    pub fn host(self, function: impl Fn(HostCall<'_>) + Send + Sync + 'static) -> Self {
        Source { host: Some(Arc::new(function)), ..self }
    }

    /// The languages that the kernel is there in.
    pub fn languages(&self) -> Vec<Language> {
        let all = [
            (self.cuda.is_some(), Language::Cuda),
            (self.wgsl.is_some(), Language::Wgsl),
            (self.opencl.is_some(), Language::OpenCl),
            (self.host.is_some(), Language::Host),
        ];
        all.into_iter().filter(|(there, _)| *there).map(|(_, language)| language).collect()
    }

    /// The sentence for a driver that does not find its language here.
    pub fn not_in(&self, language: Language) -> String {
        let there: Vec<_> = self.languages().into_iter().map(Language::name).collect();
        let there = if there.is_empty() { "no language".to_owned() } else { there.join(", ") };
        format!("the kernel {} has no text in {}, only in {there}", self.entry, language.name())
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").field("entry", &self.entry).field("languages", &self.languages()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_driver_without_its_language_hears_which_there_are() {
        let source = Source::new("saxpy").wgsl("").host(|_| {});
        assert_eq!(
            source.not_in(Language::OpenCl),
            "the kernel saxpy has no text in OpenCL, only in WGSL, host"
        );
    }
}
