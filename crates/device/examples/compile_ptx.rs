//! Compiles CUDA C to PTX, beside the text: `cargo run -p superhet-device --features cuda --example compile_ptx -- *.cu`.
//!
//! The kernels of the library are committed as PTX, so that nobody needs NVRTC to run them. With `--check`, nothing is
//! written, and what differs from the PTX beside it is an error; the compiler's version is part of the PTX.

use std::error::Error;
use std::fs;
use std::path::Path;

use superhet_device::cuda::compile_ptx;

fn main() -> Result<(), Box<dyn Error>> {
    let (flags, files): (Vec<_>, Vec<_>) = std::env::args().skip(1).partition(|word| word.starts_with("--"));
    let check = match flags.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => false,
        ["--check"] => true,
        _ => {
            return Err(format!(
                "{} is unknown; only --check and files ending in .cu are taken",
                flags.join(" ")
            )
            .into());
        }
    };
    if files.is_empty() {
        return Err("no file is named; give one or more files ending in .cu".into());
    }
    for file in &files {
        let path = Path::new(file);
        if path.extension().is_none_or(|extension| extension != "cu") {
            return Err(format!("{file} does not end in .cu").into());
        }
        let text = fs::read_to_string(path).map_err(|error| format!("{file}: {error}"))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let ptx = compile_ptx(&text, &name)?;
        let target = path.with_extension("ptx");
        if !check {
            fs::write(&target, &ptx).map_err(|error| format!("{}: {error}", target.display()))?;
        } else if fs::read_to_string(&target).ok().as_ref() != Some(&ptx) {
            return Err(format!("{} is not what {file} compiles to", target.display()).into());
        }
        println!("{}", target.display());
    }
    Ok(())
}
