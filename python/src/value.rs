//! The values of tags, messages and parameters, in Python and back.

use std::sync::Arc;

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyComplex, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use superhet_runtime::{C32, C64, Packet, Value, packet::AnyPacket, value::Vector};

use crate::item::{NumpyItem, of_item};

/// How deep lists and maps may lie within each other.
const DEEPEST: usize = 128;

/// A tag in Python: index, key, value, source.
pub type PythonTag<'py> = (u64, String, Bound<'py, PyAny>, String);

/// The value that a Python object is.
///
/// `None`, `bool`, `int`, `float`, `complex`, `str`, `bytes`, `list`, `tuple`, `dict`, numpy's numbers and arrays of one
/// dimension, `superhet.Packet`, and whatever has a method `__superhet_pmt__` that gives the bytes of a PMT.
///
/// # Errors
/// For anything else, and for what lies too deep.
pub fn to_value(object: &Bound<'_, PyAny>) -> PyResult<Value> {
    deeper(object, 0)
}

fn deeper(object: &Bound<'_, PyAny>, depth: usize) -> PyResult<Value> {
    if depth > DEEPEST {
        return Err(PyValueError::new_err(format!("values lie more than {DEEPEST} deep within each other")));
    }
    let all = |items: Bound<'_, PyAny>| -> PyResult<Arc<[Value]>> {
        items.try_iter()?.map(|item| deeper(&item?, depth + 1)).collect()
    };
    if object.is_none() {
        return Ok(Value::Null);
    }
    if let Ok(flag) = object.cast::<PyBool>() {
        return Ok(Value::Bool(flag.is_true()));
    }
    if object.is_instance_of::<PyInt>() {
        return match (object.extract::<i64>(), object.extract::<u64>()) {
            (Ok(n), _) => Ok(Value::Int(n)),
            (_, Ok(n)) => Ok(Value::Uint(n)),
            _ => Err(PyOverflowError::new_err(format!("{object} has more than 64 bits"))),
        };
    }
    if let Ok(number) = object.cast::<PyFloat>() {
        return Ok(Value::Float(number.value()));
    }
    if let Ok(number) = object.cast::<PyComplex>() {
        return Ok(Value::Complex(C64::new(number.real(), number.imag())));
    }
    if let Ok(text) = object.cast::<PyString>() {
        return Ok(text.to_str()?.into());
    }
    if let Ok(bytes) = object.cast::<PyBytes>() {
        return Ok(Value::Bytes(bytes.as_bytes().into()));
    }
    if object.is_instance_of::<PyList>() {
        return Ok(Value::List(all(object.clone())?));
    }
    if object.is_instance_of::<PyTuple>() {
        return Ok(Value::Tuple(all(object.clone())?));
    }
    if let Ok(dict) = object.cast::<PyDict>() {
        return map(dict, depth);
    }
    if object.hasattr("__superhet_pmt__")? {
        return value_of_pmt(&object.call_method0("__superhet_pmt__")?);
    }
    if object.hasattr("dtype")? {
        return of_numpy(object);
    }
    if object.hasattr("__superhet_packet__")? {
        let (items, meta) = object.call_method0("__superhet_packet__")?.extract()?;
        return packet(&items, &meta, depth);
    }
    let class = object.get_type();
    Err(PyTypeError::new_err(format!("a {} is no value of a tag, a message or a parameter", class.name()?)))
}

fn map(dict: &Bound<'_, PyDict>, depth: usize) -> PyResult<Value> {
    let pairs: Vec<(Value, Value)> = dict
        .iter()
        .map(|(key, value)| Ok((deeper(&key, depth + 1)?, deeper(&value, depth + 1)?)))
        .collect::<PyResult<_>>()?;
    if pairs.iter().all(|(key, _)| matches!(key, Value::Text(_))) {
        let named = pairs.into_iter().filter_map(|(key, value)| match key {
            Value::Text(name) => Some((name, value)),
            _ => None,
        });
        return Ok(Value::map(named));
    }
    Ok(Value::Dict(pairs.into()))
}

/// The name of the item type of a numpy array, or of a number of numpy's.
pub fn item_of_numpy(array: &Bound<'_, PyAny>) -> PyResult<&'static str> {
    let dtype: String = array.getattr("dtype")?.getattr("str")?.extract()?;
    let same = |wanted: &str| {
        wanted.trim_start_matches(['<', '|', '=']) == dtype.trim_start_matches(['<', '|', '='])
    };
    macro_rules! find {
        ($($type:ty = $name:literal),+) => { $(if same(<$type>::DTYPE) { return Ok($name); })+ };
    }
    find!(
        C32 = "C32",
        C64 = "C64",
        f32 = "f32",
        f64 = "f64",
        i8 = "i8",
        i16 = "i16",
        i32 = "i32",
        i64 = "i64"
    );
    find!(u8 = "u8", u16 = "u16", u32 = "u32", u64 = "u64");
    Err(PyTypeError::new_err(format!("no item type has numpy's type {dtype}")))
}

/// The items of a numpy array as bytes, in C's order.
fn bytes_of(array: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    Ok(array.call_method0("tobytes")?.cast::<PyBytes>()?.as_bytes().to_vec())
}

fn of_numpy(array: &Bound<'_, PyAny>) -> PyResult<Value> {
    let dimensions: usize = array.getattr("ndim")?.extract()?;
    if dimensions == 0 {
        return deeper(&array.call_method0("item")?, 0);
    }
    if dimensions != 1 {
        return Err(PyValueError::new_err(format!("expected an array of one dimension, got {dimensions}")));
    }
    let (item, bytes) = (item_of_numpy(array)?, bytes_of(array)?);
    macro_rules! vectors {
        ($($name:literal = $kind:ident),+) => {
            match item {
                $($name => Value::Vector(Vector::$kind(bytemuck::pod_collect_to_vec(&bytes).into())),)+
                _ => Value::Bytes(bytes.into()),
            }
        };
    }
    Ok(vectors!(
        "C32" = C32,
        "C64" = C64,
        "f32" = F32,
        "f64" = F64,
        "i8" = I8,
        "i16" = I16,
        "i32" = I32,
        "i64" = I64,
        "u16" = U16,
        "u32" = U32,
        "u64" = U64
    ))
}

fn packet(items: &Bound<'_, PyAny>, meta: &Bound<'_, PyDict>, depth: usize) -> PyResult<Value> {
    let bytes = bytes_of(items)?;
    let mut packet: AnyPacket = of_item!(item_of_numpy(items)?, T => {
        Packet::<T>::from_items(&bytemuck::pod_collect_to_vec(&bytes)).into()
    })?;
    for (key, value) in meta.iter() {
        packet.set(key.extract::<String>()?, deeper(&value, depth + 1)?);
    }
    Ok(packet.into())
}

/// The Python object that a value is. Vectors and the items of packets are numpy arrays that cannot be written to.
pub fn from_value<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    let all = |items: &[Value]| items.iter().map(|item| from_value(py, item)).collect::<PyResult<Vec<_>>>();
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(flag) => PyBool::new(py, *flag).to_owned().into_any(),
        Value::Int(n) => n.into_pyobject(py)?.into_any(),
        Value::Uint(n) => n.into_pyobject(py)?.into_any(),
        Value::Float(x) => PyFloat::new(py, *x).into_any(),
        Value::Complex(z) => PyComplex::from_doubles(py, z.re, z.im).into_any(),
        Value::Text(text) => PyString::new(py, text).into_any(),
        Value::Bytes(bytes) => PyBytes::new(py, bytes).into_any(),
        Value::Vector(vector) => from_vector(py, vector)?,
        Value::List(items) => PyList::new(py, all(items)?)?.into_any(),
        Value::Tuple(items) => PyTuple::new(py, all(items)?)?.into_any(),
        Value::Map(map) => {
            let dict = PyDict::new(py);
            for (key, value) in map.iter() {
                dict.set_item(&**key, from_value(py, value)?)?;
            }
            dict.into_any()
        }
        Value::Dict(pairs) => {
            let dict = PyDict::new(py);
            for (key, value) in pairs.iter() {
                dict.set_item(from_value(py, key)?, from_value(py, value)?)?;
            }
            dict.into_any()
        }
        Value::Pairs(pairs) => {
            let (items, end) = (all(pairs.items())?, from_value(py, pairs.end())?);
            let class = py.import("superhet._values")?.getattr("Pairs")?;
            class.call1((items, end))?
        }
        Value::Packet(packet) => from_packet(py, packet)?,
        Value::Request(request) => from_value(py, request.message())?,
        other => PyString::new(py, &other.to_string()).into_any(),
    })
}

/// A numpy array of items of the type `dtype`, over its own bytes.
fn array<'py>(py: Python<'py>, bytes: &[u8], dtype: &str, is_pair: bool) -> PyResult<Bound<'py, PyAny>> {
    let array = py.import("numpy")?.call_method1("frombuffer", (PyBytes::new(py, bytes), dtype))?;
    if is_pair { array.call_method1("reshape", (-1, 2)) } else { Ok(array) }
}

fn from_vector<'py>(py: Python<'py>, vector: &Vector) -> PyResult<Bound<'py, PyAny>> {
    macro_rules! vectors {
        ($($kind:ident: $type:ty),+) => {
            match vector {
                $(Vector::$kind(items) => array(py, bytemuck::cast_slice(items), <$type>::DTYPE, false),)+
            }
        };
    }
    vectors!(
        C32: C32, C64: C64, F32: f32, F64: f64, I8: i8, I16: i16, I32: i32, I64: i64, U16: u16, U32: u32, U64: u64
    )
}

fn from_packet<'py>(py: Python<'py>, packet: &AnyPacket) -> PyResult<Bound<'py, PyAny>> {
    let items = of_item!(packet.item().name(), T => array(py, packet.bytes(), T::DTYPE, T::IS_PAIR)?)?;
    let meta = from_value(py, &packet.meta())?;
    py.import("superhet._values")?.getattr("Packet")?.call1((items, meta))
}

/// The bytes of the PMT that a value is.
pub fn pmt_of<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    let bytes = value.to_pmt().map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(PyBytes::new(py, &bytes).into_any())
}

/// The value whose PMT a bytes object holds.
pub fn value_of_pmt(bytes: &Bound<'_, PyAny>) -> PyResult<Value> {
    let bytes = bytes.cast::<PyBytes>()?;
    Value::from_pmt(bytes.as_bytes()).map_err(|error| PyValueError::new_err(error.to_string()))
}
