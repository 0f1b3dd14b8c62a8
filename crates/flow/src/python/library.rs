//! Modules: what is known by a name with a point in it.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use superhet_runtime::catalog::Function;

use super::evaluate::Meter;
use super::functions;
use super::object::Object;
use super::{Problem, Result};
use crate::error::{near, shown};
use crate::values;

/// The functions that expressions may call besides those of Python, from the lists of the libraries.
#[derive(Clone, Debug, Default)]
pub struct Library {
    functions: BTreeMap<&'static str, Function>,
}

impl Library {
    /// The functions of all `lists`. Of those that have one name the first is found.
    pub fn new<'a>(lists: impl IntoIterator<Item = &'a [Function]>) -> Self {
        let mut functions = BTreeMap::new();
        for function in lists.into_iter().flatten() {
            functions.entry(function.name).or_insert(*function);
        }
        Library { functions }
    }

    /// The function of that name, `firdes.low_pass`.
    pub fn get(&self, name: &str) -> Option<&Function> {
        self.functions.get(name)
    }

    /// All functions, by name.
    pub fn functions(&self) -> impl Iterator<Item = &Function> {
        self.functions.values()
    }
}

/// Builtins that reach outside of an expression, or make what this does not have.
pub(super) const NEEDS_PYTHON: &[&str] = &[
    "compile",
    "dir",
    "eval",
    "exec",
    "format",
    "getattr",
    "globals",
    "hasattr",
    "input",
    "locals",
    "map",
    "filter",
    "object",
    "open",
    "os",
    "print",
    "random",
    "scipy",
    "set",
    "setattr",
    "super",
    "sys",
    "time",
    "type",
    "vars",
    "isinstance",
    "bytes",
    "bytearray",
    "iter",
    "next",
    "divmod",
    "chr",
    "ord",
    "hex",
    "oct",
    "bin",
    "self",
];

/// Modules that names lead into without being asked for.
const MODULES: &[&str] = &[
    "analog", "audio", "blocks", "channels", "cmath", "digital", "fec", "fft", "filter", "firdes", "gr",
    "gnuradio", "math", "network", "numpy", "optfir", "pdu", "pmt", "trellis", "vocoder", "window",
    "wavelet", "zeromq",
];

/// The numbers that GNU Radio's modules have names for, `module.NAME`.
static CONSTANTS: LazyLock<BTreeMap<String, i64>> = LazyLock::new(|| {
    let table: toml::Table = toml::from_str(include_str!("../gnuradio/constants.toml")).unwrap_or_default();
    let names = table.iter().flat_map(|(module, names)| {
        let names = names.as_table().into_iter().flatten();
        names.filter_map(move |(name, n)| Some((format!("{module}.{name}"), n.as_integer()?)))
    });
    names.collect()
});

/// All of [`CONSTANTS`].
pub(crate) fn constants() -> &'static BTreeMap<String, i64> {
    &CONSTANTS
}

/// GNU Radio's names of functions that the library has by others.
const ALIASES: &[(&str, &str)] = &[
    ("digital.constellation_bpsk", "constellation.bpsk"),
    ("digital.constellation_qpsk", "constellation.qpsk"),
    ("digital.constellation_dqpsk", "constellation.dqpsk"),
    ("digital.constellation_8psk", "constellation.psk8"),
    ("digital.constellation_8psk_natural", "constellation.psk8_natural"),
    ("digital.constellation_16qam", "constellation.qam16"),
    ("digital.constellation_calcdist", "constellation.points"),
    ("digital.psk_constellation", "constellation.psk"),
    ("digital.qam_constellation", "constellation.qam"),
];

/// What a name stands for that is no variable.
pub(super) fn global(name: &str) -> Option<Object> {
    match name {
        "np" => Some(Object::Module("numpy".into())),
        _ if MODULES.contains(&name) => Some(Object::Module(name.into())),
        _ if functions::BUILTINS.contains(&name) => Some(Object::Function(name.into())),
        _ => None,
    }
}

/// `module.name`.
pub(super) fn member(library: &Library, module: &str, name: &str) -> Result<Object> {
    let module = if module == "gnuradio" { "" } else { module };
    // Some modules can be reached by several ways, and constants used to be elsewhere.
    let path = match (module, name) {
        ("", name) => name.to_owned(),
        ("filter" | "fft", "firdes" | "window" | "optfir") => name.to_owned(),
        ("firdes", name) if name.starts_with("WIN_") => format!("window.{name}"),
        ("window", "win_type") => "window".to_owned(),
        ("numpy", "float_" | "float32" | "float64" | "double" | "single") => "float".to_owned(),
        ("numpy", "complex_" | "complex64" | "complex128") => "complex".to_owned(),
        ("numpy", name) if is_integer_type(name) => "int".to_owned(),
        ("math", name) => format!("math.{name}"),
        (module, name) => format!("{module}.{name}"),
    };
    let alias = ALIASES.iter().find(|(theirs, _)| *theirs == path).and_then(|(_, ours)| library.get(ours));
    if let Some(function) = library.get(&path).or(alias) {
        return Ok(Object::Function(function.name.into()));
    }
    if let Some(n) = CONSTANTS.get(&path) {
        let name = path.rsplit_once('.').map_or(path.as_str(), |(_, name)| name);
        return Ok(Object::Constant(name.into(), *n));
    }
    // The type of an enumeration leads to the same names: `digital.ted_type.TED_GARDNER`.
    if (name.ends_with("_t") || name.ends_with("_type")) && MODULES.contains(&module) {
        return Ok(Object::Module(module.into()));
    }
    if let Some(object) = functions::constant(&path) {
        return Ok(object);
    }
    if functions::exists(&path) {
        return Ok(Object::Function(path.into()));
    }
    let prefix = format!("{path}.");
    let is_module = |known: &&str| known.starts_with(&prefix);
    let mut paths = CONSTANTS.keys().map(String::as_str).chain(library.functions.keys().copied());
    if MODULES.contains(&path.as_str()) || paths.any(|known| is_module(&known)) {
        return Ok(Object::Module(path.into()));
    }
    let prefix = format!("{module}.");
    let known = library.functions.keys().filter_map(|known| known.strip_prefix(&prefix));
    let near = near(name, known);
    Err(Problem::python(format!("{}{near}:", shown(&path))))
}

fn is_integer_type(name: &str) -> bool {
    let digits = name.trim_start_matches('u').strip_prefix("int");
    digits.is_some_and(|digits| matches!(digits, "8" | "16" | "32" | "64" | "_" | "c"))
}

/// Calls a function of the library.
pub(super) fn call(
    function: &Function,
    arguments: Vec<Object>,
    named: Vec<(String, Object)>,
    meter: &Meter,
) -> Result<Object> {
    let name = function.name;
    if arguments.len() > function.params.len() {
        let most = function.params.len();
        return Err(Problem::new(format!(
            "{name} expects at most {most} arguments, got {}",
            arguments.len()
        )));
    }
    let positional = function.params.iter().map(|param| param.name.to_owned()).zip(arguments);
    let mut given = BTreeMap::new();
    for (argument, object) in positional.chain(named) {
        // The value is made of the object.
        meter.spend(object.size())?;
        let kind = function.params.iter().find(|param| param.name == argument).map(|param| param.kind);
        let value = match kind {
            Some(kind) => object.to_parameter(kind),
            None => object.to_value(),
        };
        let value = value.map_err(|problem| Problem::new(format!("{name}: {argument}: {problem}")))?;
        if given.insert(argument.clone(), value).is_some() {
            return Err(Problem::new(format!("{name}: {argument} is given twice")));
        }
    }
    // Lengths are numbers: what a function would make of them is not known before it is called.
    meter.spend(1000)?;
    let value = function.call(&given).map_err(|errors| {
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        Problem::new(format!("{name}: {}", errors.join("; ")))
    })?;
    meter.spend(values::size(&value))?;
    Ok(Object::from_value(&value))
}

/// The module that an import statement names, if it is one of those that are known.
pub(crate) fn module(path: &str) -> Option<Arc<str>> {
    let path = path.strip_prefix("gnuradio.").unwrap_or(path);
    let path = match path {
        "filter.firdes" => "firdes",
        "filter.optfir" => "optfir",
        "fft.window" | "filter.window" => "window",
        path => path,
    };
    MODULES.contains(&path).then(|| path.into())
}
