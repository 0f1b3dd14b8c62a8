//! The program `superhet`.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(superhet_command::main(std::env::args_os().skip(1).collect(), None))
}
