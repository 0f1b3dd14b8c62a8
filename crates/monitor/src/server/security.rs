//! Who may ask for what: names of hosts, origins, tokens and roles.

use std::net::{IpAddr, SocketAddr};

use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};

use crate::error::{MonitorError, Refusal};
use crate::options::Options;

/// What a viewer may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    View,
    Control,
}

impl Role {
    /// As the interface says it.
    pub fn name(self) -> &'static str {
        match self {
            Role::View => "view",
            Role::Control => "control",
        }
    }
}

/// What is asked of whoever comes.
#[derive(Debug)]
pub(crate) struct Gate {
    listens: SocketAddr,
    hosts: Vec<String>,
    /// The secrets of the two roles, where others can reach the dashboard.
    tokens: Option<Tokens>,
}

#[derive(Debug)]
pub(crate) struct Tokens {
    pub view: String,
    pub control: String,
}

/// The prefix of the WebSocket's subprotocol that carries a token.
pub(crate) const TOKEN_PROTOCOL: &str = "superhet.token.";

/// What every answer says: the page loads nothing from elsewhere and is shown in no other page.
pub(crate) const HEADERS: [(HeaderName, HeaderValue); 5] = [
    (
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(
            "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
        ),
    ),
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin")),
];

impl Gate {
    /// For a server that listens at `listens`.
    pub fn new(options: &Options, listens: SocketAddr) -> Result<Self, MonitorError> {
        let tokens = match options.is_local() {
            true => None,
            false => Some(Tokens { view: token()?, control: token()? }),
        };
        Ok(Gate { listens, hosts: options.hosts.clone(), tokens })
    }

    /// The tokens, where they are asked for.
    pub fn tokens(&self) -> Option<&Tokens> {
        self.tokens.as_ref()
    }

    /// Lets pass what comes by a known name and from a page of this server, or from no page.
    pub fn expect_own(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let mut hosts = headers.get_all(header::HOST).iter();
        let host = hosts.next().and_then(|host| host.to_str().ok()).filter(|_| hosts.next().is_none());
        let Some(host) = host.filter(|host| self.knows(host)) else {
            let host = host.unwrap_or("none, or several");
            let sentence =
                format!("the host {host} is not one of this dashboard; --dashboard-host allows a name");
            return Err(Refusal { status: 421, sentence });
        };
        let Some(origin) = headers.get(header::ORIGIN) else { return Ok(()) };
        let is_own = |origin: &str| {
            let rest = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
            rest.is_some_and(|rest| rest.eq_ignore_ascii_case(host))
        };
        match origin.to_str() {
            Ok(origin) if is_own(origin) => Ok(()),
            _ => Err(Refusal::forbidden("pages of other origins may not use this dashboard")),
        }
    }

    /// Whether a `Host` header names this server.
    fn knows(&self, host: &str) -> bool {
        let name = match host.rsplit_once(':') {
            Some((name, port)) if !port.is_empty() && port.bytes().all(|c| c.is_ascii_digit()) => name,
            _ => host,
        };
        let literal = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
        match literal.parse::<IpAddr>() {
            // No name leads here without being known, whatever a resolver says: an address is one that somebody has typed.
            Ok(ip) => ip.is_loopback() || ip == self.listens.ip() || self.listens.ip().is_unspecified(),
            Err(_) => {
                let name = name.to_ascii_lowercase();
                name == "localhost" || self.hosts.contains(&name)
            }
        }
    }

    /// The role of whoever sends these headers.
    pub fn role(&self, headers: &HeaderMap) -> Result<Role, Refusal> {
        let Some(tokens) = &self.tokens else { return Ok(Role::Control) };
        let bearer = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let bearer = bearer.and_then(|value| value.strip_prefix("Bearer "));
        let given = bearer.or_else(|| protocol(headers)?.strip_prefix(TOKEN_PROTOCOL));
        match given {
            Some(given) if is_same(given, &tokens.control) => Ok(Role::Control),
            Some(given) if is_same(given, &tokens.view) => Ok(Role::View),
            Some(_) => Err(Refusal { status: 401, sentence: "the token is another one".to_owned() }),
            None => {
                let sentence = "a token is asked for: `Authorization: Bearer TOKEN`, as the address that was printed has it";
                Err(Refusal { status: 401, sentence: sentence.to_owned() })
            }
        }
    }
}

/// What changes something needs the role `control`; taps are views.
pub(crate) fn expect_allowed(role: Role, method: &Method, path: &str) -> Result<(), Refusal> {
    let reads = *method == Method::GET || *method == Method::HEAD;
    let is_tap = path == "/api/taps" || path.starts_with("/api/taps/");
    match role == Role::Control || reads || is_tap {
        true => Ok(()),
        false => Err(Refusal::forbidden("the token is for looking only")),
    }
}

/// The subprotocol that has a token.
pub(crate) fn protocol(headers: &HeaderMap) -> Option<&str> {
    let lists =
        headers.get_all(header::SEC_WEBSOCKET_PROTOCOL).iter().filter_map(|value| value.to_str().ok());
    lists.flat_map(|list| list.split(',')).map(str::trim).find(|word| word.starts_with(TOKEN_PROTOCOL))
}

/// 128 random bits as hexadecimal digits.
fn token() -> Result<String, MonitorError> {
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| MonitorError::System(std::io::Error::other(error)))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Compares secrets in a time that does not tell how much of them is right.
fn is_same(given: &str, secret: &str) -> bool {
    let difference = given.bytes().zip(secret.bytes()).fold(0, |all, (a, b)| all | (a ^ b));
    given.len() == secret.len() && difference == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(address: &str) -> Gate {
        let address: SocketAddr = address.parse().unwrap();
        Gate::new(&Options::default().at(address).host("radio.lan"), address).unwrap()
    }

    fn headers(pairs: &[(HeaderName, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.clone(), HeaderValue::from_str(value).unwrap())).collect()
    }

    #[test]
    fn only_known_hosts_are_answered() {
        let local = gate("127.0.0.1:80");
        for host in ["localhost", "LOCALHOST:8123", "127.0.0.1:8123", "[::1]:80", "[::1]", "radio.lan:1"] {
            assert_eq!(local.expect_own(&headers(&[(header::HOST, host)])), Ok(()), "{host}");
        }
        for host in ["evil.example", "localhost.evil.example:80", "10.0.0.1", "", "radio.lan.:x", "[::2]"] {
            let refused = local.expect_own(&headers(&[(header::HOST, host)])).unwrap_err();
            assert_eq!(refused.status, 421, "{host}");
        }
        assert_eq!(local.expect_own(&HeaderMap::new()).unwrap_err().status, 421);
        let twice = [(header::HOST, "localhost"), (header::HOST, "evil.example")];
        let mut both = HeaderMap::new();
        twice.iter().for_each(|(name, value)| _ = both.append(name, HeaderValue::from_static(value)));
        assert_eq!(local.expect_own(&both).unwrap_err().status, 421);
        assert!(gate("0.0.0.0:80").expect_own(&headers(&[(header::HOST, "192.0.2.7:80")])).is_ok());
        assert!(gate("192.0.2.7:80").expect_own(&headers(&[(header::HOST, "192.0.2.8:80")])).is_err());
    }

    #[test]
    fn an_origin_must_be_that_of_the_host() {
        let gate = gate("127.0.0.1:80");
        let with = |origin: &str| {
            gate.expect_own(&headers(&[(header::HOST, "localhost:8123"), (header::ORIGIN, origin)]))
        };
        assert_eq!(with("http://localhost:8123"), Ok(()));
        for origin in ["http://evil.example", "null", "http://localhost:8124", "ftp://localhost:8123", ""] {
            assert_eq!(with(origin).unwrap_err().status, 403, "{origin}");
        }
    }

    #[test]
    fn off_loopback_a_token_says_the_role() {
        let gate = gate("192.0.2.7:80");
        let tokens = gate.tokens().unwrap();
        assert!(tokens.view.len() == 32 && tokens.view != tokens.control);
        let bearer =
            |token: &str| gate.role(&headers(&[(header::AUTHORIZATION, &format!("Bearer {token}"))]));
        assert_eq!(bearer(&tokens.view), Ok(Role::View));
        assert_eq!(bearer(&tokens.control), Ok(Role::Control));
        assert_eq!(bearer("").unwrap_err().status, 401);
        assert_eq!(bearer(&tokens.view[..31]).unwrap_err().status, 401);
        assert_eq!(gate.role(&HeaderMap::new()).unwrap_err().status, 401);
        let protocols = format!("chat, {TOKEN_PROTOCOL}{}", tokens.view);
        assert_eq!(gate.role(&headers(&[(header::SEC_WEBSOCKET_PROTOCOL, &protocols)])), Ok(Role::View));
    }

    #[test]
    fn who_only_looks_changes_nothing() {
        let may = |method: Method, path: &str| expect_allowed(Role::View, &method, path).is_ok();
        assert!(may(Method::GET, "/api/graphs") && may(Method::POST, "/api/taps"));
        assert!(may(Method::DELETE, "/api/taps/3"));
        for path in ["set", "stop", "start", "replace", "record"] {
            assert!(!may(Method::POST, &format!("/api/graphs/1/{path}")), "{path}");
            assert!(expect_allowed(Role::Control, &Method::POST, path).is_ok());
        }
        assert!(!may(Method::DELETE, "/api/records/1") && !may(Method::POST, "/api/tapsx"));
    }
}
