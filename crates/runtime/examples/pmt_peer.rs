//! The half of `bench/peers/gnuradio_pmt.py` that is ours: writes random values as PMTs, and reads PMTs.
//!
//! ```text
//! pmt_peer write COUNT SEED     a PMT a line, in hex
//! pmt_peer read                 for each line of hex: what we write for the value that it is, and the value as JSON;
//!                               or the word error and why
//! ```

use std::io::{BufRead, Write, stdin, stdout};

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use superhet_runtime::{Value, error::PmtError};

#[path = "../tests/common/values.rs"]
mod values;

type Error = Box<dyn std::error::Error>;

fn main() -> Result<(), Error> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["write", count, seed] => write(count.parse()?, seed.parse()?),
        ["read"] => read(),
        _ => Err("usage: pmt_peer write COUNT SEED | pmt_peer read".into()),
    }
}

fn write(count: usize, seed: u64) -> Result<(), Error> {
    let mut long_seed = [0; 32];
    long_seed[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &long_seed);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let values = values::value(0);
    let mut out = stdout().lock();
    for _ in 0..count {
        let value = values.new_tree(&mut runner).map_err(|reason| reason.to_string())?.current();
        writeln!(out, "{}", hex(&value.to_pmt()?))?;
    }
    Ok(())
}

fn read() -> Result<(), Error> {
    let mut out = stdout().lock();
    for line in stdin().lock().lines() {
        let again = |value: Value| -> Result<_, PmtError> { Ok((value.to_pmt()?, value)) };
        match Value::from_pmt(&bytes(&line?)?).and_then(again) {
            Ok((pmt, value)) => writeln!(out, "{} {value}", hex(&pmt))?,
            Err(error) => writeln!(out, "error {error}")?,
        }
    }
    Ok(())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes(hex: &str) -> Result<Vec<u8>, Error> {
    let byte = |at| Ok(u8::from_str_radix(hex.get(at..at + 2).ok_or("half a byte")?, 16)?);
    (0..hex.len()).step_by(2).map(byte).collect()
}
