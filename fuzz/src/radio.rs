//! What others say to radios and of them: commands of rtl_tcp, cut anywhere, messages of a SpyServer, and URIs.

use superhet::io::RadioUri;
use superhet::io::fuzzing::{rtl_tcp_commands, spyserver};

use crate::assert_harmless;
use crate::draw::Draw;

/// Draws where commands are cut; the same bytes are also read as messages and as a URI.
pub fn run(data: &[u8]) {
    let mut draw = Draw::new(data);
    let length = draw.below(9) + 1;
    let whole = rtl_tcp_commands([data]);
    assert_eq!(rtl_tcp_commands(data.chunks(length)), whole, "it depends on where commands are cut");
    assert_eq!(whole.len(), data.len() / 5);
    for command in whole {
        match command {
            Ok((bytes, words)) => assert_eq!(rtl_tcp_commands([&bytes[..]]), [Ok((bytes, words))]),
            Err(problem) => assert_harmless(&problem),
        }
    }
    match spyserver(data) {
        Ok((samples, rest)) => assert!(samples + rest <= data.len(), "more came than was there"),
        Err(problem) => assert_harmless(&problem),
    }
    let text = String::from_utf8_lossy(data);
    if let Err(error) = RadioUri::parse(&text) {
        // The text itself is that of whoever asked.
        assert!(error.to_string().contains("expected") || text.contains("format"), "{error}");
    }
}
