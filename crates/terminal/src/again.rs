//! The command, called again with other arguments.

use std::ffi::OsString;
use std::io;
use std::process::Command;
use std::sync::OnceLock;

/// How the command is called: the program, and the arguments that stand before those of the command.
static PROGRAM: OnceLock<Vec<OsString>> = OnceLock::new();

/// Says how the command is called where that is not the program of the process alone: `python -m superhet`. Only the first word holds.
pub fn is_called(program: Vec<OsString>) {
    PROGRAM.get_or_init(|| program);
}

/// This command, to be called again with other arguments.
///
/// # Errors
/// Where the system does not know the program of the process.
pub fn again() -> io::Result<Command> {
    let itself = || std::env::current_exe().map(|program| vec![program.into_os_string()]);
    let program = PROGRAM.get().cloned().map_or_else(itself, Ok)?;
    let mut words = program.into_iter();
    let mut command = Command::new(words.next().unwrap_or_default());
    command.args(words);
    Ok(command)
}
