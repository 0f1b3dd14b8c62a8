//! Makes a table of the page's files, which become part of the program.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn main() {
    let dist = Path::new(&std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets this")).join("dist");
    println!("cargo::rerun-if-changed={}", dist.display());
    let mut files = Vec::new();
    collect(&dist, &mut files);
    files.sort();
    let mut table = String::from("&[\n");
    for file in files {
        let name = file.strip_prefix(&dist).expect("it was found there").to_string_lossy().replace('\\', "/");
        let _ = writeln!(table, "    (\"/{}\", include_bytes!({:?})),", name.escape_default(), file);
    }
    table.push_str("]\n");
    let out = PathBuf::from(std::env::var("OUT_DIR").expect("cargo sets this")).join("page.rs");
    std::fs::write(out, table).expect("the build folder can be written");
}

/// All files below a folder; none, where there is no page.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    println!("cargo::rerun-if-changed={}", folder.display());
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => collect(&path, files),
            false => files.push(path),
        }
    }
}
