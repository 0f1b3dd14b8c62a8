//! How a node is spoken to: lines of JSON over TCP, after each side has proven that it has the token.
//!
//! ```text
//!  node ── {"superhet_node": 1, "challenge": …} ──> deploy
//!       <─ {"nonce": …, "proof": …} ───────────────
//!       ── {"proof": …} or {"error": …} ──────────>
//!       <─ {"do": "status"} … ─────────────────────
//!       ── {…} or {"error": …} ───────────────────>
//! ```

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use serde_json::{Value as Json, json};
use superhet::io::link::{NONCE, Token, nonce};
use superhet::io::tls::{Authority, Certificate, Wire as Socket};

/// The version of what is said.
const VERSION: u64 = 1;
/// The longest line before the other side has proven itself, and afterwards: a graph file may have 4 MiB.
const MOST_WORDS: u64 = 1 << 10;
const MOST_LINE: u64 = 1 << 24;
/// How long the other side has for each line of the handshake, and for a reply.
const HANDSHAKE: Duration = Duration::from_secs(5);
const REPLY: Duration = Duration::from_secs(30);

/// A connection.
#[derive(Debug)]
pub struct Wire {
    stream: BufReader<Socket>,
    most: u64,
}

impl Wire {
    fn new(stream: Socket) -> anyhow::Result<Self> {
        stream.socket().set_nodelay(true)?;
        stream.socket().set_read_timeout(Some(HANDSHAKE))?;
        stream.socket().set_write_timeout(Some(HANDSHAKE))?;
        Ok(Wire { stream: BufReader::new(stream), most: MOST_WORDS })
    }

    /// The node's side of a handshake, encrypted where it shows a certificate.
    pub fn accept(
        stream: TcpStream,
        certificate: Option<&Certificate>,
        token: &Token,
    ) -> anyhow::Result<Self> {
        let mut wire = Wire::new(Socket::accept(stream, certificate)?)?;
        let challenge = nonce()?;
        wire.write(&json!({ "superhet_node": VERSION, "challenge": hex(&challenge) }))?;
        let hello = wire.read()?.context("it has closed the connection")?;
        let (nonce, proof) = (bytes(&hello["nonce"])?, bytes(&hello["proof"])?);
        if !token.is_proven(&proof, &[b"superhet node client", &challenge, &nonce]) {
            wire.write(&json!({ "error": "the token is another one" }))?;
            bail!("it does not have the token");
        }
        wire.write(&json!({ "proof": hex(&token.prove(&[b"superhet node", &nonce, &challenge])) }))?;
        // Whoever has the token may be silent, and send graphs.
        wire.stream.get_ref().socket().set_read_timeout(None)?;
        wire.most = MOST_LINE;
        Ok(wire)
    }

    /// The other side of it, which has connected to `host`; encrypted where it believes somebody.
    pub fn greet(
        stream: TcpStream,
        host: &str,
        authority: Option<&Authority>,
        token: &Token,
    ) -> anyhow::Result<Self> {
        let mut wire = Wire::new(Socket::connect(stream, host.trim_matches(['[', ']']), authority)?)?;
        let silent = match authority {
            None => "it says nothing; authority_file is needed where it has a certificate",
            Some(_) => "it says nothing, or nothing that is encrypted for us",
        };
        let greeting = wire.read().context(silent)?.context(silent)?;
        ensure!(greeting["superhet_node"] == VERSION, "no node of this version: it says {greeting}");
        let (challenge, nonce) = (bytes(&greeting["challenge"])?, nonce()?);
        let proof = token.prove(&[b"superhet node client", &challenge, &nonce]);
        wire.write(&json!({ "nonce": hex(&nonce), "proof": hex(&proof) }))?;
        let answer = wire.read()?.context("it has closed the connection")?;
        if let Some(error) = answer["error"].as_str() {
            bail!("{error}");
        }
        let proof = bytes(&answer["proof"])?;
        ensure!(
            token.is_proven(&proof, &[b"superhet node", &nonce, &challenge]),
            "it does not have the token"
        );
        wire.stream.get_ref().socket().set_read_timeout(Some(REPLY))?;
        wire.most = MOST_LINE;
        Ok(wire)
    }

    /// The next line; `None` where the other side has closed the connection.
    pub fn read(&mut self) -> anyhow::Result<Option<Json>> {
        let mut line = Vec::new();
        let n = self.stream.by_ref().take(self.most).read_until(b'\n', &mut line)?;
        if n == 0 {
            return Ok(None);
        }
        ensure!(line.ends_with(b"\n"), "a line has {n} bytes and no end, expected at most {}", self.most);
        Ok(Some(serde_json::from_slice(&line).context("a line is no JSON")?))
    }

    /// Writes a line.
    pub fn write(&mut self, json: &Json) -> anyhow::Result<()> {
        let stream = self.stream.get_mut();
        stream.write_all(format!("{json}\n").as_bytes())?;
        Ok(stream.flush()?)
    }

    /// Asks for something, and gives the reply.
    pub fn ask(&mut self, request: &Json) -> anyhow::Result<Json> {
        self.write(request)?;
        self.read()?.context("the node has closed the connection")
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes(json: &Json) -> anyhow::Result<[u8; NONCE]> {
    let text = json.as_str().filter(|text| text.len() == 2 * NONCE && text.is_ascii());
    let text = text.with_context(|| format!("expected {NONCE} bytes in hex"))?;
    let mut bytes = [0; NONCE];
    for (place, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * place..2 * place + 2], 16)?;
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    fn meet(node: &str, client: &str) -> (anyhow::Result<Wire>, anyhow::Result<Wire>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let client = Token::from_text(client);
        let greet = move || Wire::greet(TcpStream::connect(address).unwrap(), "127.0.0.1", None, &client);
        let other = std::thread::spawn(greet);
        let node = Wire::accept(listener.accept().unwrap().0, None, &Token::from_text(node));
        (node, other.join().unwrap())
    }

    #[test]
    fn both_sides_have_the_token_or_nothing_is_said() {
        let (node, client) = meet("a", "a");
        let (mut node, mut client) = (node.unwrap(), client.unwrap());
        let thread = std::thread::spawn(move || {
            let request = node.read().unwrap().unwrap();
            node.write(&json!({ "got": request })).unwrap();
            assert!(node.read().unwrap().is_none());
        });
        assert_eq!(client.ask(&json!([1])).unwrap(), json!({ "got": [1] }));
        drop(client);
        thread.join().unwrap();
        let (node, client) = meet("a", "b");
        assert_eq!(node.unwrap_err().to_string(), "it does not have the token");
        assert_eq!(client.unwrap_err().to_string(), "the token is another one");
    }

    #[test]
    fn a_stranger_is_not_listened_to_for_long() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut rude = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        rude.write_all(&[b'x'; 5000]).unwrap();
        let error =
            Wire::accept(listener.accept().unwrap().0, None, &Token::from_text("a")).unwrap_err().to_string();
        assert!(error.contains("expected at most 1024"), "{error}");
    }
}
