//! A secret that both ends of a link know, and how each shows the other that it does without saying it.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::error::Error;

/// Bytes of a number that is used once, and of a proof.
pub const NONCE: usize = 32;
/// Bytes of a block of SHA-256.
const BLOCK: usize = 64;
/// The longest token, and the shortest.
const MOST: usize = 1024;
const LEAST: usize = 16;

/// A secret that both ends know; without one, everybody is let in.
///
/// It never goes over the network. Each side sends a random number, and proves with HMAC-SHA-256 (RFC 2104) of both that it has the
/// token. What is sent afterwards is neither secret nor protected against those who can change packets on their way.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Token(Vec<u8>);

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_empty() { "no token" } else { "a token" })
    }
}

impl Token {
    /// The token in a file, without white space around it: 16 to 1024 bytes.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Setting`] where it is too short or too long.
    pub fn from_file(path: &Path) -> Result<Self, Error> {
        let mut bytes = Vec::new();
        let read = File::open(path).and_then(|file| file.take(MOST as u64 + 1).read_to_end(&mut bytes));
        read.map_err(|source| Error::io(path, "read", source))?;
        let token = bytes.trim_ascii();
        if !(LEAST..=MOST).contains(&token.len()) {
            return Err(Error::Setting {
                path: path.to_owned(),
                parameter: "token",
                got: format!("{} bytes", token.len()),
                expected: format!("{LEAST} to {MOST} bytes"),
            });
        }
        Ok(Token(token.to_vec()))
    }

    /// This text, as a program that has made a token says it.
    pub fn from_text(text: &str) -> Self {
        Token(text.as_bytes().to_vec())
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The proof that this token is known: HMAC-SHA-256 of the parts, one behind the other.
    pub fn prove(&self, parts: &[&[u8]]) -> [u8; NONCE] {
        let mut key = [0; BLOCK];
        match self.0.len() {
            0..=BLOCK => key.iter_mut().zip(&self.0).for_each(|(to, from)| *to = *from),
            _ => key.iter_mut().zip(Sha256::digest(&self.0)).for_each(|(to, from)| *to = from),
        }
        let mut inner = Sha256::new_with_prefix(key.map(|byte| byte ^ 0x36));
        parts.iter().for_each(|part| inner.update(part));
        let mut outer = Sha256::new_with_prefix(key.map(|byte| byte ^ 0x5c));
        outer.update(inner.finalize());
        outer.finalize().into()
    }

    /// Whether this is the proof. It takes as long wherever it is wrong.
    pub fn is_proven(&self, proof: &[u8; NONCE], parts: &[&[u8]]) -> bool {
        let wanted = self.prove(parts);
        wanted.iter().zip(proof).fold(0, |wrong, (a, b)| wrong | (a ^ b)) == 0
    }
}

/// A number that nobody can guess.
///
/// # Errors
/// Where the system gives none.
pub fn nonce() -> io::Result<[u8; NONCE]> {
    let mut bytes = [0; NONCE];
    let n = rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty())?;
    if n < NONCE {
        return Err(io::ErrorKind::Interrupted.into());
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn proofs_are_those_of_rfc_4231() {
        let proof = Token::from_text("Jefe").prove(&[b"what do ya want ", b"for nothing?"]);
        assert_eq!(hex(&proof), "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
        let token = Token(vec![0xaa; 131]);
        let proof = token.prove(&[b"Test Using Larger Than Block-Size Key - Hash Key First"]);
        assert_eq!(hex(&proof), "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
        assert!(token.is_proven(&proof, &[b"Test Using Larger Than Block-Size Key - Hash Key First"]));
        assert!(!token.is_proven(&proof, &[b"Test"]));
    }

    #[test]
    fn a_token_is_read_without_white_space_and_never_shown() {
        let path = std::env::temp_dir().join(format!("superhet-token-{}", std::process::id()));
        std::fs::write(&path, " 0123456789abcdef\n").unwrap();
        let token = Token::from_file(&path).unwrap();
        assert_eq!(token, Token::from_text("0123456789abcdef"));
        assert_eq!(format!("{token:?}"), "a token");
        std::fs::write(&path, "short\n").unwrap();
        let error = Token::from_file(&path).unwrap_err().to_string();
        assert!(error.ends_with("token is 5 bytes, expected 16 to 1024 bytes"), "{error}");
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn numbers_are_used_once() {
        assert_ne!(nonce().unwrap(), nonce().unwrap());
    }
}
