//! NATS, the part of a client that publishes: lines of text, as the documentation of the protocol of its clients has them
//! (docs.nats.io, "Client Protocol").

use std::collections::VecDeque;

use serde_json::{Value as Json, json};

use super::place::{Kind, Place};
use super::{Post, Protocol, Said, Trouble};

/// `nats://`, and `tls://` as others write it, too.
pub(crate) const KIND: Kind = Kind { plain: ("nats", 4222), secure: ("tls", 4222) };

/// The longest line of a server that is no INFO, and the longest of all.
const MOST_LINE: usize = 1 << 19;
/// The most characters of a reason that are told.
const MOST_WHY: usize = 200;
/// What a server takes that does not say.
const MOST_PAYLOAD: usize = 1 << 20;

/// A client that publishes.
#[derive(Debug)]
pub(crate) struct Nats {
    user: String,
    password: String,
    is_secure: bool,
    most_bytes: usize,
    has_begun: bool,
    is_in: bool,
    /// The numbers up to which the server was asked.
    asked: VecDeque<u64>,
}

impl Nats {
    pub fn new(place: &Place) -> Self {
        Nats {
            user: place.user.clone(),
            password: place.password.clone(),
            is_secure: false,
            most_bytes: MOST_PAYLOAD,
            has_begun: false,
            is_in: false,
            asked: VecDeque::new(),
        }
    }

    fn connect(&mut self, out: &mut Vec<u8>) {
        let mut options = json!({
            "verbose": false, "pedantic": false, "name": "superhet", "lang": "rust",
            "version": env!("CARGO_PKG_VERSION"), "protocol": 1, "tls_required": self.is_secure,
        });
        let login = match (&*self.user, &*self.password) {
            ("", "") => &[][..],
            // A name alone, or a password alone, is a token.
            (token, "") | ("", token) => &[("auth_token", token)],
            (user, password) => &[("user", user), ("pass", password)],
        };
        for (key, value) in login {
            options[*key] = Json::from(*value);
        }
        out.extend(format!("CONNECT {options}\r\nPING\r\n").as_bytes());
        self.has_begun = true;
    }

    fn info(&mut self, text: &str, out: &mut Vec<u8>) -> Result<Said, Trouble> {
        let info: Json = serde_json::from_str(text)
            .map_err(|error| Trouble::Garbled(format!("an INFO that is no JSON: {error}")))?;
        if let Some(most) = info["max_payload"].as_u64() {
            self.most_bytes = usize::try_from(most).unwrap_or(usize::MAX);
        }
        if self.has_begun {
            // It tells of other servers now and then.
            return Ok(Said::Nothing);
        }
        if self.is_secure {
            return Ok(Said::Secure);
        }
        if info["tls_required"] == true {
            return Err(Trouble::Refused(
                "it wants an encrypted connection: tls://… with an authority_file".to_owned(),
            ));
        }
        self.connect(out);
        Ok(Said::Nothing)
    }

    fn heard(&mut self, line: &str, out: &mut Vec<u8>) -> Result<Said, Trouble> {
        let (word, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
        match &*word.to_ascii_uppercase() {
            "INFO" => self.info(rest.trim(), out),
            "PING" => {
                out.extend(b"PONG\r\n");
                Ok(Said::Nothing)
            }
            "PONG" if !self.is_in => {
                self.is_in = true;
                Ok(Said::Welcome)
            }
            "PONG" => Ok(Said::TakenTo(self.asked.pop_front().unwrap_or(0))),
            "+OK" => Ok(Said::Nothing),
            "-ERR" => {
                // It may go to a terminal.
                let shown = |c: char| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c };
                let why: String = rest.trim().trim_matches('\'').chars().take(MOST_WHY).map(shown).collect();
                let lower = why.to_ascii_lowercase();
                let is_final = ["authorization", "authentication", "permissions"].iter();
                match is_final.clone().any(|word| lower.starts_with(word)) {
                    true => Err(Trouble::Refused(why)),
                    false => Err(Trouble::Garbled(why)),
                }
            }
            _ => Err(Trouble::Garbled(format!("{:?}", line.chars().take(40).collect::<String>()))),
        }
    }
}

/// Whether these may be the first bytes of a server: its INFO, or an error.
fn is_greeting(bytes: &[u8]) -> bool {
    let first = bytes.get(..5).unwrap_or(bytes);
    [b"INFO ", b"-ERR "]
        .iter()
        .any(|word| word.get(..first.len()).is_some_and(|word| word.eq_ignore_ascii_case(first)))
}

impl Protocol for Nats {
    /// A server greets in plain text.
    const SECURE_AT_ONCE: bool = false;

    fn begin(&mut self, is_secure: bool, _: &mut Vec<u8>) {
        (self.is_secure, self.has_begun, self.is_in) = (is_secure, false, false);
        self.asked.clear();
    }

    fn hear(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Result<(usize, Said), Trouble> {
        let end = bytes.iter().position(|byte| *byte == b'\n');
        // Something else is known by its first bytes.
        let is_wrong = end.unwrap_or(bytes.len()) > MOST_LINE || (!self.has_begun && !is_greeting(bytes));
        if is_wrong {
            return Err(Trouble::Garbled("what is no line of NATS".to_owned()));
        }
        let Some(end) = end else { return Ok((0, Said::Part)) };
        let line = bytes.get(..end).unwrap_or_default();
        let line =
            std::str::from_utf8(line).map_err(|_| Trouble::Garbled("a line that is no text".to_owned()))?;
        let said = self.heard(line.trim_end(), out)?;
        Ok((end.saturating_add(1), said))
    }

    fn is_secured(&mut self, out: &mut Vec<u8>) {
        self.connect(out);
    }

    fn post(&mut self, _: u64, post: &Post, _: bool, out: &mut Vec<u8>) {
        out.extend(format!("PUB {} {}\r\n", post.topic, post.body.len()).as_bytes());
        out.extend_from_slice(&post.body);
        out.extend(b"\r\n");
    }

    fn say(&mut self, post: &Post, out: &mut Vec<u8>) {
        self.post(0, post, false, out);
    }

    fn ask(&mut self, number: u64, out: &mut Vec<u8>) {
        self.asked.push_back(number);
        out.extend(b"PING\r\n");
    }

    fn asks(&self) -> bool {
        true
    }

    fn most_on_way(&self) -> usize {
        usize::MAX
    }

    fn most_bytes(&self) -> usize {
        self.most_bytes
    }

    fn end(&mut self, _: &mut Vec<u8>) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nats(login: &str) -> Nats {
        Nats::new(&Place::parse("nats_sink", &KIND, &format!("nats://{login}host"), "", None).unwrap())
    }

    fn connect(login: &str) -> Json {
        let (mut nats, mut out) = (nats(login), Vec::new());
        nats.begin(false, &mut out);
        assert_eq!(nats.hear(b"INFO {\"max_payload\":1000}\r\n", &mut out).unwrap().1, Said::Nothing);
        assert_eq!(nats.most_bytes(), 1000);
        let text = String::from_utf8(out).unwrap();
        let options = text.strip_prefix("CONNECT ").unwrap().strip_suffix("\r\nPING\r\n").unwrap();
        serde_json::from_str(options).unwrap()
    }

    #[test]
    fn a_client_says_who_it_is() {
        let options = connect("");
        assert_eq!((&options["verbose"], &options["tls_required"]), (&json!(false), &json!(false)));
        assert!(options.get("user").is_none() && options.get("auth_token").is_none());
        let options = connect("me:secret@");
        assert_eq!((&options["user"], &options["pass"]), (&json!("me"), &json!("secret")));
        assert_eq!(connect("word@")["auth_token"], "word");
    }

    #[test]
    fn an_answer_says_that_what_was_posted_before_has_come() {
        let (mut nats, mut out) = (nats(""), Vec::new());
        nats.begin(false, &mut out);
        nats.hear(b"INFO {}\r\n", &mut out).unwrap();
        assert_eq!(nats.hear(b"PONG\r\n", &mut out), Ok((6, Said::Welcome)));
        out.clear();
        let post = Post { topic: "a.b".to_owned(), body: b"x\r\ny".to_vec(), retain: false };
        nats.post(7, &post, false, &mut out);
        nats.ask(7, &mut out);
        assert_eq!(out, b"PUB a.b 4\r\nx\r\ny\r\nPING\r\n");
        assert_eq!(nats.hear(b"PON", &mut out), Ok((0, Said::Part)));
        assert_eq!(nats.hear(b"pong\r\n", &mut out), Ok((6, Said::TakenTo(7))));
        out.clear();
        assert_eq!(nats.hear(b"PING\r\nPO", &mut out), Ok((6, Said::Nothing)));
        assert_eq!(out, b"PONG\r\n");
    }

    #[test]
    fn a_connection_goes_on_encrypted_after_the_greeting() {
        let (mut nats, mut out) = (nats(""), Vec::new());
        nats.begin(true, &mut out);
        assert_eq!(nats.hear(b"INFO {}\r\n", &mut out), Ok((9, Said::Secure)));
        assert!(out.is_empty());
        nats.is_secured(&mut out);
        assert!(String::from_utf8(out).unwrap().contains("\"tls_required\":true"));
    }

    #[test]
    fn what_a_server_refuses_is_said_and_nonsense_ends_the_connection() {
        let (mut nats, mut out) = (nats(""), Vec::new());
        nats.begin(false, &mut out);
        let refused = nats.hear(b"-ERR 'Authorization Violation'\r\n", &mut out);
        assert_eq!(refused, Err(Trouble::Refused("Authorization Violation".to_owned())));
        let wanted = nats.hear(b"INFO {\"tls_required\":true}\r\n", &mut out);
        assert!(matches!(wanted, Err(Trouble::Refused(_))));
        for wrong in [
            &b"HTTP/1.1 400 Bad Request"[..],
            b"H",
            b"PING\r\n",
            b"\xff\xff\n",
            b"INFO x\r\n",
            b"-ERR 'Slow Consumer'\r\n",
        ] {
            assert!(matches!(nats.hear(wrong, &mut out), Err(Trouble::Garbled(_))), "{wrong:?}");
        }
        let said = nats.hear(b"-ERR 'a\x1b[2Jb'\r\n", &mut out);
        assert_eq!(said, Err(Trouble::Garbled("a\u{fffd}[2Jb".to_owned())));
    }
}
