//! What is said before a stream: challenge, hello, welcome or refusal.

use super::frame::{FrameKind, Header};
use super::token::{NONCE, Token};
use super::{item_name, token};

/// The longest name of a reader, in bytes.
pub(crate) const LONGEST_NAME: usize = 64;
/// The next index of a reader that has nothing yet.
pub(crate) const NOTHING: u64 = u64::MAX;

/// What a reader says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hello {
    pub name: String,
    pub item: u8,
    /// The stream of which it has something, 0 if there is none; and the index that it wants next.
    pub stream: u64,
    pub next: u64,
    pub nonce: [u8; NONCE],
}

impl Hello {
    /// As a frame, in answer to a challenge.
    pub fn frame(&self, challenge: &[u8; NONCE], token: &Token) -> Vec<u8> {
        let proof = token.prove(&self.parts(challenge, &self.fixed()));
        let header = Header {
            item: self.item,
            stream: self.stream,
            first: self.next,
            ..Header::new(FrameKind::Hello)
        };
        header.frame(&[&self.nonce[..], &proof, self.name.as_bytes()].concat())
    }

    fn fixed(&self) -> [u8; 17] {
        let mut bytes = [self.item; 17];
        bytes[..8].copy_from_slice(&self.stream.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.next.to_le_bytes());
        bytes
    }

    fn parts<'a>(&'a self, challenge: &'a [u8; NONCE], fixed: &'a [u8; 17]) -> [&'a [u8]; 5] {
        [b"superhet link reader", challenge, &self.nonce, fixed, self.name.as_bytes()]
    }

    /// Reads one.
    pub fn parse(
        header: &Header,
        body: &[u8],
        challenge: &[u8; NONCE],
        token: &Token,
    ) -> Result<Self, String> {
        let cut = || "its hello is too short".to_owned();
        let (nonce, rest) = body.split_first_chunk::<NONCE>().ok_or_else(cut)?;
        let (proof, name) = rest.split_first_chunk::<NONCE>().ok_or_else(cut)?;
        let name = std::str::from_utf8(name).ok().filter(|name| is_name(name));
        let name = name.ok_or_else(|| "its name is none".to_owned())?.to_owned();
        let (item, stream, next) = (header.item, header.stream, header.first);
        let hello = Hello { name, item, stream, next, nonce: *nonce };
        if !token.is_proven(proof, &hello.parts(challenge, &hello.fixed())) {
            return Err("it does not have the token".to_owned());
        }
        Ok(hello)
    }
}

/// Whether a reader can have this name.
pub(crate) fn is_name(name: &str) -> bool {
    (1..=LONGEST_NAME).contains(&name.len()) && !name.chars().any(char::is_control)
}

/// The challenge as a frame.
pub(crate) fn challenge(nonce: &[u8; NONCE]) -> Vec<u8> {
    Header::new(FrameKind::Challenge).frame(nonce)
}

/// A refusal as a frame.
pub(crate) fn refusal(why: &str) -> Vec<u8> {
    Header::new(FrameKind::Refusal).frame(why.as_bytes())
}

/// What a sink says to a reader that it lets in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Welcome {
    pub item: u8,
    pub stream: u64,
    /// The index of what comes first.
    pub first: u64,
    /// What the reader's name has acknowledged, also before this reader; [`NOTHING`] where nobody had the name.
    pub acknowledged: u64,
}

impl Welcome {
    /// As a frame, in answer to a hello.
    pub fn frame(&self, hello: &Hello, challenge: &[u8; NONCE], token: &Token) -> Vec<u8> {
        let acknowledged = self.acknowledged.to_le_bytes();
        let proof = token.prove(&self.parts(&hello.nonce, challenge, &self.fixed(), &acknowledged));
        let header = Header {
            item: self.item,
            stream: self.stream,
            first: self.first,
            ..Header::new(FrameKind::Welcome)
        };
        header.frame(&[&proof[..], &acknowledged].concat())
    }

    fn fixed(&self) -> [u8; 16] {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&self.stream.to_le_bytes());
        bytes[8..].copy_from_slice(&self.first.to_le_bytes());
        bytes
    }

    fn parts<'a>(
        &self,
        nonce: &'a [u8; NONCE],
        challenge: &'a [u8; NONCE],
        fixed: &'a [u8; 16],
        acknowledged: &'a [u8; 8],
    ) -> [&'a [u8]; 5] {
        [b"superhet link sink", nonce, challenge, fixed, acknowledged]
    }

    /// Reads the answer to a hello.
    pub fn parse(
        header: &Header,
        body: &[u8],
        hello: &Hello,
        challenge: &[u8; NONCE],
        token: &Token,
    ) -> Result<Self, String> {
        let (proof, rest) = body.split_first_chunk().ok_or("its welcome is too short")?;
        let acknowledged = rest.first_chunk().ok_or("its welcome is too short")?;
        let welcome = Welcome {
            item: header.item,
            stream: header.stream,
            first: header.first,
            acknowledged: u64::from_le_bytes(*acknowledged),
        };
        let fixed = welcome.fixed();
        if !token.is_proven(proof, &welcome.parts(&hello.nonce, challenge, &fixed, acknowledged)) {
            return Err("it does not have the token".to_owned());
        }
        if welcome.item != hello.item {
            let (got, expected) = (item_name(welcome.item), item_name(hello.item));
            return Err(format!("it has {got}, expected {expected}"));
        }
        Ok(welcome)
    }
}

/// A name for a reader that was given none.
pub(crate) fn random_name() -> std::io::Result<String> {
    Ok(token::nonce()?.iter().take(8).map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::super::frame::Frames;
    use super::*;

    const CHALLENGE: [u8; NONCE] = [7; NONCE];

    fn hello() -> Hello {
        Hello { name: "decoder".to_owned(), item: 1, stream: 5, next: 77, nonce: [9; NONCE] }
    }

    fn read(frame: &[u8]) -> (Header, Vec<u8>) {
        let mut frames = Frames::of_words(100);
        frames.feed(frame);
        let (header, body) = frames.next().unwrap().unwrap();
        (header, frames.bytes(body).to_vec())
    }

    #[test]
    fn both_sides_prove_that_they_have_the_token() {
        let (token, other) = (Token::from_text("a"), Token::from_text("b"));
        let (header, body) = read(&hello().frame(&CHALLENGE, &token));
        assert_eq!(Hello::parse(&header, &body, &CHALLENGE, &token), Ok(hello()));
        let refused = Err("it does not have the token".to_owned());
        assert_eq!(Hello::parse(&header, &body, &CHALLENGE, &other), refused);
        assert_eq!(
            Hello::parse(&header, &body, &[8; NONCE], &token),
            refused,
            "an answer to another challenge"
        );
        let moved = Header { first: 78, ..header };
        assert_eq!(
            Hello::parse(&moved, &body, &CHALLENGE, &token),
            refused,
            "what it says is proven with it"
        );

        let welcome = Welcome { item: 1, stream: 6, first: 3, acknowledged: 2 };
        let (header, body) = read(&welcome.frame(&hello(), &CHALLENGE, &token));
        assert_eq!(Welcome::parse(&header, &body, &hello(), &CHALLENGE, &token), Ok(welcome));
        assert!(Welcome::parse(&header, &body, &hello(), &CHALLENGE, &other).is_err());
        let wanted = Hello { item: 0, ..hello() };
        let (header, body) = read(&welcome.frame(&wanted, &CHALLENGE, &token));
        let problem = Welcome::parse(&header, &body, &wanted, &CHALLENGE, &token).unwrap_err();
        assert_eq!(problem, "it has C32, expected messages");
    }

    #[test]
    fn names_are_short_and_printable() {
        for (name, is_one) in [("a", true), ("", false), ("a\x1b[31m", false), (&*"x".repeat(65), false)] {
            assert_eq!(is_name(name), is_one, "{name:?}");
        }
        assert!(is_name(&random_name().unwrap()));
        assert_ne!(random_name().unwrap(), random_name().unwrap());
    }
}
