//! The program `superhet`.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    superhet_command::end(superhet_command::main(std::env::args_os().skip(1).collect(), None))
}
