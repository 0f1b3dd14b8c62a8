//! Asks the linker to keep one of several functions whose code is the same, where it can.
//!
//! Blocks of several item types are compiled for each, and much of that is the same code. Not every linker knows the option, so a
//! program of one line is linked with it first. Only releases are linked so.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const ONE_OF_THE_SAME: &str = "-Wl,--icf=all";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    if variable("PROFILE") != "release" || variable("CARGO_CFG_TARGET_OS") != "linux" {
        return;
    }
    if links(&PathBuf::from(variable("OUT_DIR")), &variable("TARGET")) {
        println!("cargo::rustc-link-arg-bins={ONE_OF_THE_SAME}");
    }
}

/// Whether a program can be linked with the option, by the compiler, linker and flags of this build.
fn links(folder: &Path, target: &str) -> bool {
    let source = folder.join("linked.rs");
    if std::fs::write(&source, "fn main() {}\n").is_err() {
        return false;
    }
    let mut compiler = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    let flags = std::env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    compiler.args(flags.split('\x1f').filter(|flag| !flag.is_empty()));
    if let Ok(linker) = std::env::var("RUSTC_LINKER") {
        compiler.arg(format!("-Clinker={linker}"));
    }
    compiler.args(["--target", target, "--crate-type", "bin"]).arg(format!("-Clink-arg={ONE_OF_THE_SAME}"));
    compiler.arg("-o").arg(folder.join("linked")).arg(&source);
    compiler.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}
