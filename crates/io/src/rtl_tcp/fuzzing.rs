//! Doors for the fuzz targets, see [`crate::fuzzing`].

use super::Greeting;
use super::command::{Command, Commands};

/// What a server makes of the bytes of a client that come in these pieces: each command as it would be sent, in words, or what is
/// wrong with it.
pub fn rtl_tcp_commands<'a>(
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Vec<Result<([u8; 5], String), String>> {
    let (mut commands, mut heard) = (Commands::default(), Vec::new());
    for piece in pieces {
        commands.feed(piece, |bytes| {
            let command = Command::parse(bytes, Greeting::R820T);
            heard.push(command.map(|command| (command.bytes(), command.to_string())));
        });
    }
    heard
}
