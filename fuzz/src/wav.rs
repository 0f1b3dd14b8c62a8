//! WAV files.

use std::path::Path;

use superhet::io::wav::{WavHeader, WavReader, WavWriter};
use superhet::io::{C32, Error, Shape};

use crate::files::with_folder;
use crate::{assert_harmless, memory};

/// Samples of one byte are numbers of four, and a list grows by doubling.
const TIMES: usize = 32;

/// Reads a file as it should be and as it is; samples are the same after they were written.
pub fn run(data: &[u8]) {
    with_folder(|folder| {
        let path = folder.write("x.wav", data);
        let strict = memory::within(data, TIMES, || read_all(&path, false));
        let lenient = memory::within(data, TIMES, || read_all(&path, true));
        let (header, samples) = match strict {
            Ok(read) => read,
            Err(error) => {
                assert_harmless(&error);
                return;
            }
        };
        assert!(header.frames.saturating_mul(header.frame_bytes() as u64) <= data.len() as u64);
        assert!(
            lenient.is_ok_and(|(again, _)| again == header),
            "a good file is another when read leniently"
        );
        let path = folder.path("again.wav");
        if write_all(&path, &header, &samples).is_ok() {
            match read_all(&path, false) {
                Ok((again, same)) => {
                    assert_eq!((again.sample_rate_hz, again.frames), (header.sample_rate_hz, header.frames));
                    let equal = |(a, b): (&f32, &f32)| a == b || (a.is_nan() && b.is_nan());
                    assert!(samples.iter().zip(&same).all(equal), "{samples:?} became {same:?}");
                }
                // A file without samples says nothing.
                Err(error) => assert!(samples.is_empty(), "what was written cannot be read: {error}"),
            }
        }
    });
}

fn read_all(path: &Path, lenient: bool) -> Result<(WavHeader, Vec<f32>), Error> {
    let mut reader = if lenient { WavReader::open_lenient(path)? } else { WavReader::open(path)? };
    reader.problems().iter().for_each(|problem| assert_harmless(problem));
    let header = reader.header().clone();
    let (mut samples, mut frames) = (Vec::new(), 0);
    loop {
        let n = match header.shape() {
            Shape::Real => {
                let mut some = [0.0; 64];
                let n = reader.read_f32(&mut some)?;
                samples.extend_from_slice(&some[..n]);
                n
            }
            Shape::Complex => {
                let mut some = [C32::default(); 64];
                let n = reader.read_c32(&mut some)?;
                samples.extend(some[..n].iter().flat_map(|sample| [sample.re, sample.im]));
                n
            }
        };
        frames += n as u64;
        if n == 0 {
            assert_eq!(frames, header.frames);
            return Ok((header, samples));
        }
    }
}

fn write_all(path: &Path, header: &WavHeader, samples: &[f32]) -> Result<u64, Error> {
    let mut writer = WavWriter::create(path, header.sample_rate_hz, header.shape(), header.encoding)?;
    match header.shape() {
        Shape::Real => writer.write_f32(samples)?,
        Shape::Complex => {
            let pairs = samples.chunks_exact(2).map(|pair| C32::new(pair[0], pair[1]));
            writer.write_c32(&pairs.collect::<Vec<_>>())?;
        }
    }
    writer.finish()
}
