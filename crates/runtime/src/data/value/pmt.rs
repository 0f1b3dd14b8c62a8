//! Values as the bytes of GNU Radio's polymorphic types (PMTs), and back.
//!
//! A tag byte, then what belongs to it; everything is big endian:
//!
//! | tag | PMT | bytes after the tag | value |
//! |---|---|---|---|
//! | 00, 01 | true, false | | `Bool` |
//! | 02 | symbol | length u16, text | `Text`; where it is not UTF-8, `Bytes` |
//! | 03 | whole number | i32 | `Int` |
//! | 04 | real number | f64 | `Float` |
//! | 05 | complex number | f64, f64 | `Complex` |
//! | 06 | null: also the empty list and the empty dictionary | | `Null` |
//! | 07 | pair | first, second | `Pairs`; one that ends in null is a list |
//! | 08 | vector | count u32, values | `List` |
//! | 09 | dictionary | its first entry, a pair; the rest, a dictionary or null | `Map`, or `Dict` |
//! | 0a | uniform vector | type u8, count u32, number of padding bytes u8, padding, numbers | `Bytes`, `Vector` |
//! | 0b | unsigned whole number | u64 | `Uint` |
//! | 0c | tuple | count u32, values | `Tuple` |
//! | 0d | whole number | i64 | `Int` |
//!
//! `List` is the vector and not the list, as in GNU Radio's own `to_pmt` of a Python list. Source: the bytes that
//! GNU Radio 3.10.5 writes and takes; `data/wire/gnuradio_pmt.txt` has some, `bench/peers/gnuradio_pmt.py` compares more.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Map, Pairs, Value, Vector};
use crate::data::{C64, PmtError};

const TRUE: u8 = 0x00;
const FALSE: u8 = 0x01;
const SYMBOL: u8 = 0x02;
const INT32: u8 = 0x03;
const DOUBLE: u8 = 0x04;
const COMPLEX: u8 = 0x05;
const NULL: u8 = 0x06;
const PAIR: u8 = 0x07;
const VECTOR: u8 = 0x08;
const DICT: u8 = 0x09;
const UNIFORM_VECTOR: u8 = 0x0a;
const UINT64: u8 = 0x0b;
const TUPLE: u8 = 0x0c;
const INT64: u8 = 0x0d;

/// The type of a uniform vector that holds bytes; those of the others are in [`Vector`].
const U8: u8 = 0;

/// How deep values may lie within each other. GNU Radio has no such limit and overflows its stack.
const MAX_DEPTH: usize = 128;

/// The memory that the values of a PMT may always take, and how many bytes more for each byte of the PMT.
const BUDGET: usize = 1 << 24;
const BUDGET_PER_BYTE: usize = 8;

// Bytes spent of the budget: the memory that each value takes while it is made, with the buffers that it is moved through.
/// Memory of its own, beside what lies in it.
const ALLOCATION: usize = 32;
/// A value in a list: once while its fellows are read, once in the list.
const IN_LIST: usize = 2 * size_of::<Value>();
/// A value in a chain of pairs, whose length is not known before its end.
const IN_CHAIN: usize = 3 * size_of::<Value>();
/// A dictionary, and each of its entries, of which a tree has room for several at once.
const DICTIONARY: usize = 512;
const ENTRY: usize = 256;

impl Value {
    /// The bytes of the PMT that GNU Radio would write for this value.
    ///
    /// | value | PMT |
    /// |---|---|
    /// | `Null` | null |
    /// | `Bool`, `Float`, `Complex`, `Text` (a symbol) | the same |
    /// | `Int` | a whole number, of 32 bits where it fits |
    /// | `Uint` | an unsigned whole number |
    /// | `Bytes`, `Vector` | a uniform vector |
    /// | `List` | a vector |
    /// | `Tuple` | a tuple; GNU Radio writes an empty one, but does not read it |
    /// | `Pairs` | pairs; a list where they end in `Null` |
    /// | `Packet` | a pair of the metadata and the items as a uniform vector (pairs of integers flattened), as PDUs are; tags are left out |
    /// | `Map` | a dictionary in the order of the names; null where it is empty |
    /// | `Dict` | a dictionary in the order given; null where it is empty |
    ///
    /// [`Value::from_pmt`] gives the value back, except that an empty map or dictionary comes back as `Null`, and a
    /// `Dict` that could be a `Map` as one. A symbol of more than 1024 bytes is written, but GNU Radio 3.10 does not
    /// read it.
    ///
    /// # Errors
    /// [`PmtError::TooLong`]: text beyond 65,535 bytes, a list or vector beyond 2³² − 1 items. [`PmtError::TooDeep`]:
    /// more than 128 values within each other.
    ///
    /// ```
    /// use superhet_runtime::Value;
    /// let tune = Value::map([("freq", 1)]);
    /// assert_eq!(tune.to_pmt()?, b"\x09\x07\x02\x00\x04freq\x03\x00\x00\x00\x01\x06");
    /// # Ok::<(), superhet_runtime::error::PmtError>(())
    /// ```
    pub fn to_pmt(&self) -> Result<Vec<u8>, PmtError> {
        let mut bytes = Vec::new();
        write(self, 0, &mut bytes)?;
        Ok(bytes)
    }

    /// The value of a PMT, which takes up all of `bytes`: everything that GNU Radio writes, in the form of the table
    /// at [`Value::to_pmt`].
    ///
    /// [`Value::to_pmt`] gives the same bytes again, with exceptions that do not change the meaning. The entries of a map
    /// are then in the order of their names. A symbol that is not UTF-8 is a vector of bytes. Forms that GNU Radio reads
    /// but never writes (a small number in 64 bits, other padding) are replaced by its own. A dictionary is a `Dict` where
    /// keys are not text or come twice.
    ///
    /// # Errors
    /// The first thing that does not fit, where it is, and what was expected; [`PmtError::Truncated`] where more bytes
    /// could mend it. Values within each other are read to a depth of 128. Memory is allocated for values that are there,
    /// not for a length that is only claimed; [`PmtError::TooLarge`] where the values would take more memory than 16 MiB
    /// and 8 bytes for each byte of the PMT. Very many small values can do that: a null is one byte in a PMT and 24 in a
    /// list here.
    ///
    /// ```
    /// use superhet_runtime::{Value, error::PmtError};
    /// assert_eq!(Value::from_pmt(b"\x02\x00\x05hello")?, "hello".into());
    /// let error = Value::from_pmt(b"\x02\x00\x05hell").unwrap_err();
    /// assert_eq!(error.to_string(), "byte 3 of the PMT: expected the text of a symbol, 5 bytes, got 4");
    /// # Ok::<(), PmtError>(())
    /// ```
    pub fn from_pmt(bytes: &[u8]) -> Result<Self, PmtError> {
        Value::from_pmt_within(bytes, budget_for(bytes))
    }

    /// As [`Value::from_pmt`], of a PMT whose values take at most `budget` bytes of memory: for bytes of strangers.
    ///
    /// # Errors
    /// As [`Value::from_pmt`]; [`PmtError::TooLarge`] where the budget does not suffice.
    ///
    /// ```
    /// use superhet_runtime::Value;
    /// let nulls = b"\x08\x00\x00\x00\x03\x06\x06\x06";
    /// assert!(Value::from_pmt_within(nulls, 1000).is_ok());
    /// let error = Value::from_pmt_within(nulls, 100).unwrap_err();
    /// assert_eq!(error.to_string(), "byte 5 of the PMT: its values take more than the 100 bytes of memory that they may");
    /// ```
    pub fn from_pmt_within(bytes: &[u8], budget: usize) -> Result<Self, PmtError> {
        let mut left = budget;
        match Value::from_pmt_prefix_within(bytes, &mut left)? {
            (value, used) if used == bytes.len() => Ok(value),
            (_, used) => Err(PmtError::Trailing { offset: used, left: bytes.len().saturating_sub(used) }),
        }
    }

    /// The value of the PMT at the start of `bytes`, and how many bytes it takes up; others may follow.
    ///
    /// # Errors
    /// As [`Value::from_pmt`], except for what follows.
    pub fn from_pmt_prefix(bytes: &[u8]) -> Result<(Self, usize), PmtError> {
        Value::from_pmt_prefix_within(bytes, &mut budget_for(bytes))
    }

    /// As [`Value::from_pmt_prefix`], of one of several PMTs that share a budget: what its values take is taken off `budget`.
    ///
    /// # Errors
    /// As [`Value::from_pmt_within`], except for what follows.
    pub fn from_pmt_prefix_within(bytes: &[u8], budget: &mut usize) -> Result<(Self, usize), PmtError> {
        let mut reader = Reader { bytes, offset: 0, budget: *budget, left: *budget };
        let value = reader.value(0)?;
        *budget = reader.left;
        Ok((value, reader.offset))
    }
}

fn budget_for(bytes: &[u8]) -> usize {
    bytes.len().saturating_mul(BUDGET_PER_BYTE).saturating_add(BUDGET)
}

fn write(value: &Value, depth: usize, bytes: &mut Vec<u8>) -> Result<(), PmtError> {
    if depth > MAX_DEPTH {
        return Err(PmtError::TooDeep { offset: bytes.len(), limit: MAX_DEPTH });
    }
    let inner = depth + 1;
    match value {
        Value::Null => bytes.push(NULL),
        Value::Bool(true) => bytes.push(TRUE),
        Value::Bool(false) => bytes.push(FALSE),
        Value::Int(n) => match i32::try_from(*n) {
            Ok(n) => put(bytes, INT32, n.to_be_bytes()),
            Err(_) => put(bytes, INT64, n.to_be_bytes()),
        },
        Value::Uint(n) => put(bytes, UINT64, n.to_be_bytes()),
        Value::Float(x) => put(bytes, DOUBLE, x.to_be_bytes()),
        Value::Complex(z) => {
            put(bytes, COMPLEX, z.re.to_be_bytes());
            bytes.extend_from_slice(&z.im.to_be_bytes());
        }
        Value::Text(text) => write_symbol(text, bytes)?,
        Value::Bytes(items) => {
            write_uniform_vector(U8, items.len(), bytes)?;
            bytes.extend_from_slice(items);
        }
        Value::Vector(vector) => {
            write_uniform_vector(vector.code(), vector.len(), bytes)?;
            vector.put(bytes);
        }
        Value::List(values) => write_all(VECTOR, "a list", values, inner, bytes)?,
        Value::Tuple(values) => write_all(TUPLE, "a tuple", values, inner, bytes)?,
        Value::Packet(packet) => {
            let items = packet.to_vector().unwrap_or_else(|| packet.bytes().to_vec().into());
            bytes.push(PAIR);
            write(&packet.meta(), inner, bytes)?;
            write(&items, inner, bytes)?;
        }
        Value::Pairs(pairs) => {
            for item in pairs.items() {
                bytes.push(PAIR);
                write(item, inner, bytes)?;
            }
            write(pairs.end(), inner, bytes)?;
        }
        Value::Map(map) => {
            for (name, value) in map.iter() {
                bytes.extend([DICT, PAIR]);
                write_symbol(name, bytes)?;
                write(value, inner, bytes)?;
            }
            bytes.push(NULL);
        }
        Value::Request(request) => write(request.message(), inner, bytes)?,
        Value::Dict(entries) => {
            for (key, value) in entries.iter() {
                bytes.extend([DICT, PAIR]);
                write(key, inner, bytes)?;
                write(value, inner, bytes)?;
            }
            bytes.push(NULL);
        }
    }
    Ok(())
}

fn put<const N: usize>(bytes: &mut Vec<u8>, tag: u8, number: [u8; N]) {
    bytes.push(tag);
    bytes.extend(number);
}

fn write_symbol(text: &str, bytes: &mut Vec<u8>) -> Result<(), PmtError> {
    let limit = u64::from(u16::MAX);
    let length = u16::try_from(text.len());
    let length = length.map_err(|_| PmtError::TooLong { what: "text", length: text.len(), limit })?;
    put(bytes, SYMBOL, length.to_be_bytes());
    bytes.extend_from_slice(text.as_bytes());
    Ok(())
}

fn count(what: &'static str, length: usize) -> Result<[u8; 4], PmtError> {
    let limit = u64::from(u32::MAX);
    u32::try_from(length).map(u32::to_be_bytes).map_err(|_| PmtError::TooLong { what, length, limit })
}

fn write_uniform_vector(code: u8, length: usize, bytes: &mut Vec<u8>) -> Result<(), PmtError> {
    let length = count("a vector", length)?;
    bytes.extend([UNIFORM_VECTOR, code]);
    bytes.extend(length);
    // One byte of padding, as GNU Radio writes it.
    bytes.extend([1, 0]);
    Ok(())
}

fn write_all(
    tag: u8,
    what: &'static str,
    values: &[Value],
    depth: usize,
    bytes: &mut Vec<u8>,
) -> Result<(), PmtError> {
    put(bytes, tag, count(what, values.len())?);
    values.iter().try_for_each(|value| write(value, depth, bytes))
}

/// Where reading is: `offset` bytes of `bytes` have been read.
struct Reader<'a> {
    bytes: &'a [u8],
    offset: usize,
    /// Bytes of memory that the values may take, and those that are left.
    budget: usize,
    left: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, needed: u64, expected: &'static str) -> Result<&'a [u8], PmtError> {
        let left = self.bytes.get(self.offset..).unwrap_or_default();
        match usize::try_from(needed).ok().and_then(|needed| left.get(..needed)) {
            Some(taken) => {
                self.offset += taken.len();
                Ok(taken)
            }
            None => Err(PmtError::Truncated { offset: self.offset, expected, needed, left: left.len() }),
        }
    }

    fn array<const N: usize>(&mut self, expected: &'static str) -> Result<[u8; N], PmtError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N as u64, expected)?);
        Ok(array)
    }

    /// Takes memory off the budget, before it is used.
    fn spend(&mut self, bytes: usize) -> Result<(), PmtError> {
        match self.left.checked_sub(bytes) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(PmtError::TooLarge { offset: self.offset, budget: self.budget }),
        }
    }

    fn byte(&mut self, expected: &'static str) -> Result<u8, PmtError> {
        self.array::<1>(expected).map(|[byte]| byte)
    }

    fn count(&mut self) -> Result<u32, PmtError> {
        self.array("a count").map(u32::from_be_bytes)
    }

    fn float(&mut self) -> Result<f64, PmtError> {
        self.array("a real number").map(f64::from_be_bytes)
    }

    /// Whether the next tag is this one; then it is read.
    fn next_is(&mut self, tag: u8) -> bool {
        let is = self.bytes.get(self.offset) == Some(&tag);
        self.offset += usize::from(is);
        is
    }

    fn unexpected<T>(&self, expected: &'static str, got: u8) -> Result<T, PmtError> {
        Err(PmtError::Unexpected { offset: self.offset.saturating_sub(1), expected, got })
    }

    fn value(&mut self, depth: usize) -> Result<Value, PmtError> {
        if depth > MAX_DEPTH {
            return Err(PmtError::TooDeep { offset: self.offset, limit: MAX_DEPTH });
        }
        let inner = depth + 1;
        Ok(match self.byte("a value")? {
            TRUE => Value::Bool(true),
            FALSE => Value::Bool(false),
            SYMBOL => self.symbol()?,
            INT32 => Value::Int(i32::from_be_bytes(self.array("a whole number")?).into()),
            INT64 => Value::Int(i64::from_be_bytes(self.array("a whole number")?)),
            UINT64 => Value::Uint(u64::from_be_bytes(self.array("a whole number")?)),
            DOUBLE => Value::Float(self.float()?),
            COMPLEX => Value::Complex(C64::new(self.float()?, self.float()?)),
            NULL => Value::Null,
            PAIR => self.pairs(inner)?,
            VECTOR => Value::List(self.values(inner)?),
            TUPLE => Value::Tuple(self.values(inner)?),
            DICT => self.dictionary(inner)?,
            UNIFORM_VECTOR => self.uniform_vector()?,
            tag => return self.unexpected("the tag of a value, 00 to 0d", tag),
        })
    }

    fn symbol(&mut self) -> Result<Value, PmtError> {
        let length = u16::from_be_bytes(self.array("the length of a symbol")?);
        let bytes = self.take(length.into(), "the text of a symbol")?;
        self.spend(bytes.len() + ALLOCATION)?;
        Ok(match std::str::from_utf8(bytes) {
            Ok(text) => text.into(),
            Err(_) => Value::Bytes(bytes.into()),
        })
    }

    fn values(&mut self, depth: usize) -> Result<Arc<[Value]>, PmtError> {
        let count = self.count()?;
        let left = self.bytes.len().saturating_sub(self.offset);
        // Each value takes a byte at least.
        if u64::from(count) > left as u64 {
            let needed = count.into();
            return Err(PmtError::Truncated { offset: self.offset, expected: "values", needed, left });
        }
        let room = usize::try_from(count).unwrap_or(usize::MAX);
        self.spend(room.saturating_mul(IN_LIST).saturating_add(ALLOCATION))?;
        let mut values = Vec::with_capacity(room);
        for _ in 0..count {
            values.push(self.value(depth)?);
        }
        Ok(values.into())
    }

    fn pairs(&mut self, depth: usize) -> Result<Value, PmtError> {
        self.spend(2 * IN_CHAIN + ALLOCATION)?;
        let mut chain = vec![self.value(depth)?];
        while self.next_is(PAIR) {
            self.spend(IN_CHAIN)?;
            chain.push(self.value(depth)?);
        }
        chain.push(self.value(depth)?);
        Ok(Value::Pairs(Pairs(chain.into())))
    }

    fn dictionary(&mut self, depth: usize) -> Result<Value, PmtError> {
        self.spend(DICTIONARY)?;
        let mut entries = Vec::new();
        loop {
            self.spend(ENTRY)?;
            match self.byte("an entry of a dictionary")? {
                PAIR => entries.push((self.value(depth)?, self.value(depth)?)),
                tag => return self.unexpected("an entry of a dictionary, a pair (07)", tag),
            }
            match self.byte("the rest of a dictionary")? {
                DICT => {}
                NULL => break,
                tag => return self.unexpected("the rest of a dictionary (09), or its end (06)", tag),
            }
        }
        let mut names = BTreeSet::new();
        if !entries.iter().all(|(key, _)| key.as_str().is_some_and(|name| names.insert(name))) {
            return Ok(Value::Dict(entries.into()));
        }
        let named = entries.into_iter().filter_map(|(key, value)| match key {
            Value::Text(name) => Some((name, value)),
            _ => None,
        });
        Ok(Value::Map(Arc::new(named.collect::<Map>())))
    }

    fn uniform_vector(&mut self) -> Result<Value, PmtError> {
        let code = self.byte("the type of a vector")?;
        let size = match code {
            U8 => 1,
            code => match Vector::size(code) {
                Some(size) => size as u64,
                None => return self.unexpected("the type of a vector, 00 to 0b", code),
            },
        };
        let count = self.count()?;
        let padding = self.byte("the number of padding bytes")?;
        self.take(padding.into(), "padding")?;
        let bytes = self.take(u64::from(count) * size, "the numbers of a vector")?;
        self.spend(bytes.len().saturating_add(ALLOCATION))?;
        Ok(Vector::get(code, bytes).map_or_else(|| Value::Bytes(bytes.into()), Value::Vector))
    }
}
