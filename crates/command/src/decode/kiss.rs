//! Where `superhet decode` gives frames of packet radio to other programs.

use clap::Args;

use super::kinds::Kind;
use crate::chain::Chain;
use superhet_terminal::usage::Usage;

/// A server of frames.
#[derive(Args, Debug)]
pub struct Kiss {
    /// Of ax25, ax25-9600 and ax25-bpsk, give frames to the programs that connect here by KISS over TCP, as PORT of this machine alone or HOST:PORT
    #[arg(long = "kiss", value_name = "[HOST:]PORT", value_parser = address)]
    address: Option<(String, u16)>,
}

/// A host and a port, or a port of this machine.
fn address(text: &str) -> Result<(String, u16), String> {
    let (host, port) = text.rsplit_once(':').unwrap_or(("127.0.0.1", text));
    let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    match port.parse() {
        Ok(port) if !host.is_empty() => Ok((host.to_owned(), port)),
        _ => Err("expected PORT or HOST:PORT, as 8001 or 0.0.0.0:8001".to_owned()),
    }
}

impl Kiss {
    /// Whether there is one.
    pub fn is_wanted(&self) -> bool {
        self.address.is_some()
    }

    /// Whether frames of this receiver are those of packet radio.
    pub fn check(&self, kind: &Kind) -> Result<(), Usage> {
        if self.address.is_none() || kind.name.starts_with("ax25") {
            return Ok(());
        }
        Err(Usage(format!("--kiss is for ax25, ax25-9600 and ax25-bpsk, not for {}", kind.name)))
    }

    /// Adds its blocks behind an output of a graph.
    pub fn add(&self, chain: &mut Chain, output: &str) -> anyhow::Result<()> {
        let Some((host, port)) = &self.address else { return Ok(()) };
        chain.go_on_at(output);
        chain.add("kiss_encode", &[])?;
        let at = [
            ("kind", "tcp_server".into()),
            ("host", host.as_str().into()),
            ("port", i64::from(*port).into()),
        ];
        chain.add("socket_pdu", &at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_a_port_with_or_without_a_host() {
        let of = |text: &str| address(text).ok();
        assert_eq!(of("8001"), Some(("127.0.0.1".to_owned(), 8001)));
        assert_eq!(of("0.0.0.0:8001"), Some(("0.0.0.0".to_owned(), 8001)));
        assert_eq!(of("[::1]:8001"), Some(("::1".to_owned(), 8001)));
        for wrong in ["", "x", ":8001", "host:", "65536"] {
            assert_eq!(of(wrong), None, "{wrong}");
        }
    }
}
