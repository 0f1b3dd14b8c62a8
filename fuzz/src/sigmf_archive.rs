//! SigMF archives: a tar file with metadata and data.

use superhet::io::sigmf::Recording;
use superhet::io::{C32, Error, Shape};

use crate::files::with_folder;
use crate::{assert_harmless, memory};

/// Metadata are the most of it, see `sigmf_meta`.
const TIMES: usize = 256;

/// Opens an archive and reads its samples; with the checksums of its first headers made right, besides.
pub fn run(data: &[u8]) {
    open(data);
    let mut right = data.to_vec();
    for header in right.chunks_exact_mut(512).take(8) {
        header[148..156].fill(b' ');
        let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
        header[148..155].copy_from_slice(format!("{:06o}\0", sum & 0o777_777).as_bytes());
    }
    open(&right);
}

fn open(data: &[u8]) {
    with_folder(|folder| {
        let path = folder.write("x.sigmf", data);
        let read = memory::within(data, TIMES, || {
            let recording = Recording::open_lenient(&path)?;
            recording.problems().iter().for_each(|problem| assert_harmless(problem));
            let _ = recording.verify_sha512();
            read_all(&recording, data.len() as u64)
        });
        if let Err(error) = read {
            assert_harmless(&error);
        }
    });
}

/// Reads all samples; there are no more than the archive has bytes.
fn read_all(recording: &Recording, most: u64) -> Result<(), Error> {
    let mut reader = recording.reader()?;
    assert!(recording.samples() <= most, "{} samples of {most} bytes", recording.samples());
    loop {
        let n = match recording.format().shape() {
            Shape::Real => reader.read_f32(&mut [0.0; 64])?,
            Shape::Complex => reader.read_c32(&mut [C32::default(); 64])?,
        };
        if n == 0 {
            assert_eq!(reader.position_samples(), recording.samples() * recording.channels());
            return Ok(());
        }
    }
}
