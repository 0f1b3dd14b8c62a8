//! How fast is a WAV file read by our own reader, and through `hound`?
//!
//! `cargo bench -p superhet-io --bench wav -- [--test]` writes 8 Mi frames of 16-bit IQ, which then lie in the page cache, and prints
//! the best of five rates for each reader in millions of frames a second; `--test` reads a short file once.

use std::hint::black_box;
use std::time::Instant;

use superhet_io::wav::{WavEncoding, WavReader, WavWriter};
use superhet_io::{C32, Shape};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let is_test = std::env::args().any(|argument| argument == "--test");
    let (frames, repeats) = if is_test { (1 << 10, 1) } else { (8 << 20, 5) };
    let path = std::env::temp_dir().join(format!("superhet-bench-{}.wav", std::process::id()));
    let mut writer = WavWriter::create(&path, 2_000_000, Shape::Complex, WavEncoding::S16)?;
    let part: Vec<C32> = (0..1024).map(|n| C32::from_polar(0.5, n as f32)).collect();
    for _ in 0..frames / part.len() {
        writer.write_c32(&part)?;
    }
    writer.finish()?;

    let mut buffer = vec![C32::default(); 4096];
    report("WavReader", frames, repeats, || {
        let mut reader = WavReader::open(&path)?;
        while reader.read_c32(&mut buffer)? > 0 {
            black_box(&buffer);
        }
        Ok(())
    })?;
    report("hound", frames, repeats, || {
        let mut reader = hound::WavReader::open(&path)?;
        let mut samples = reader.samples::<i16>();
        while let (Some(i), Some(q)) = (samples.next(), samples.next()) {
            black_box(C32::new(f32::from(i?) / 32768.0, f32::from(q?) / 32768.0));
        }
        Ok(())
    })?;
    std::fs::remove_file(path)?;
    Ok(())
}

fn report(
    name: &str,
    frames: usize,
    repeats: usize,
    mut read: impl FnMut() -> Result<(), Box<dyn std::error::Error>>,
) -> Result<(), Box<dyn std::error::Error>> {
    let mut best = f64::INFINITY;
    for _ in 0..repeats {
        let start = Instant::now();
        read()?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    println!("{name:<10} {:>8.1} Mframes/s", frames as f64 / best / 1e6);
    Ok(())
}
