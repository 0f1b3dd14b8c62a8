//! Where a broker is: `mqtt://[USER[:PASSWORD]@]HOST[:PORT]`, `nats://…`, and the same encrypted.

use std::fmt;
use std::path::Path;

use crate::connecting::{address, host_and_port};
use crate::error::Error;
use crate::tls::Authority;

/// A broker, and who this client is there.
#[derive(Clone)]
pub(crate) struct Place {
    pub host: String,
    pub port: u16,
    pub user: String,
    pub password: String,
    pub authority: Option<Authority>,
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

/// A kind of broker: the scheme, the scheme with encryption, and the port of each.
#[derive(Debug)]
pub(crate) struct Kind {
    pub plain: (&'static str, u16),
    pub secure: (&'static str, u16),
}

/// The longest password in a file, in bytes.
const MOST_PASSWORD: u64 = 1 << 12;

impl Place {
    /// Reads a URI. A password in a file goes before one in the URI.
    pub fn parse(
        block: &'static str,
        kind: &Kind,
        text: &str,
        password_file: &str,
        authority: Option<Authority>,
    ) -> Result<Self, Error> {
        let (plain, secure) = (kind.plain.0, kind.secure.0);
        let wrong = |expected: String| Error::Setting {
            path: block.into(),
            parameter: "address",
            // Without the password.
            got: format!("{:?}", text.rsplit_once('@').map_or(text, |(_, place)| place)),
            expected,
        };
        let (scheme, rest) = text.split_once("://").unwrap_or(("", text));
        let is_secure = scheme == secure;
        if !is_secure && scheme != plain {
            return Err(wrong(format!("{plain}://[USER[:PASSWORD]@]HOST[:PORT], or {secure}://…")));
        }
        if is_secure != authority.is_some() {
            return Err(wrong(match is_secure {
                true => format!("an authority_file for {secure}://"),
                false => format!("{secure}://… with an authority_file"),
            }));
        }
        let (login, place) = rest.rsplit_once('@').unwrap_or(("", rest));
        let (user, password) = login.split_once(':').unwrap_or((login, ""));
        let place = place.strip_suffix('/').unwrap_or(place);
        let port = if is_secure { kind.secure.1 } else { kind.plain.1 };
        let found = Some(place).filter(|place| !place.is_empty());
        let found = found.and_then(|place| host_and_port(place, "127.0.0.1", port));
        let (host, port) = found.ok_or_else(|| wrong(format!("{scheme}://[USER[:PASSWORD]@]HOST[:PORT]")))?;
        let password = match password_file {
            "" => password.to_owned(),
            path => read_password(Path::new(path))?,
        };
        Ok(Place { host, port, user: user.to_owned(), password, authority })
    }

    /// As messages have it.
    pub fn name(&self) -> String {
        address(&self.host, self.port)
    }
}

fn read_password(path: &Path) -> Result<String, Error> {
    use std::io::Read;
    let mut text = String::new();
    let read =
        std::fs::File::open(path).and_then(|file| file.take(MOST_PASSWORD + 1).read_to_string(&mut text));
    let n = read.map_err(|source| Error::io(path, "read", source))? as u64;
    let password = text.trim_end_matches(['\r', '\n']);
    if n > MOST_PASSWORD || password.is_empty() {
        return Err(Error::Setting {
            path: path.to_owned(),
            parameter: "password",
            got: format!("{n} bytes"),
            expected: format!("1 to {MOST_PASSWORD} bytes"),
        });
    }
    Ok(password.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIND: Kind = Kind { plain: ("mqtt", 1883), secure: ("mqtts", 8883) };

    fn parse(text: &str) -> Result<Place, String> {
        Place::parse("mqtt_sink", &KIND, text, "", None).map_err(|error| error.to_string())
    }

    #[test]
    fn a_broker_is_found_by_its_uri() {
        for (text, name, user, password) in [
            ("mqtt://home", "home:1883", "", ""),
            ("mqtt://home:5/", "home:5", "", ""),
            ("mqtt://me@[::1]", "[::1]:1883", "me", ""),
            ("mqtt://me:p:a@s@home:5", "home:5", "me", "p:a@s"),
        ] {
            let place = parse(text).unwrap();
            assert_eq!((&*place.name(), &*place.user, &*place.password), (name, user, password), "{text}");
        }
    }

    #[test]
    fn what_is_none_says_what_was_expected_and_no_password() {
        for (text, problem) in [
            ("home", "address is \"home\", expected mqtt://[USER[:PASSWORD]@]HOST[:PORT], or mqtts://"),
            ("nats://home", "expected mqtt://"),
            ("mqtt://", "expected mqtt://["),
            ("mqtt://me:secret@", "address is \"\", expected mqtt://["),
            ("mqtt://me:secret@home:x", "address is \"home:x\""),
            ("mqtts://home", "expected an authority_file for mqtts://"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(problem) && !error.contains("secret"), "{text}: {error}");
        }
    }

    #[test]
    fn a_password_may_be_in_a_file() {
        let path = std::env::temp_dir().join(format!("superhet-password-{}", std::process::id()));
        std::fs::write(&path, "two words\r\n").unwrap();
        let file = path.to_str().unwrap();
        let place = Place::parse("mqtt_sink", &KIND, "mqtt://me:other@home", file, None).unwrap();
        assert_eq!(place.password, "two words");
        assert_eq!(format!("{place:?}"), "home:1883", "it is never shown");
        std::fs::write(&path, "\n").unwrap();
        assert!(Place::parse("mqtt_sink", &KIND, "mqtt://home", file, None).is_err());
        std::fs::remove_file(&path).unwrap();
    }
}
