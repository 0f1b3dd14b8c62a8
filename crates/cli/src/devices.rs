//! `superhet devices`: which radios there can be, and which answer.

use std::time::Duration;

use clap::Args;
use superhet::io::{SCHEMES, rtl_tcp};

use crate::say;

/// `superhet devices`
#[derive(Args, Debug)]
pub struct Devices {
    /// Ask also at these places whether there is an rtl_tcp server
    #[arg(value_name = "HOST[:PORT]", value_parser = parse_place)]
    places: Vec<(String, u16)>,
    /// Print one JSON object a line for each radio that answers, and nothing else on stdout
    #[arg(long)]
    json: bool,
}

/// How long a server has for its answer.
const TIMEOUT: Duration = Duration::from_secs(1);

fn parse_place(text: &str) -> Result<(String, u16), String> {
    let place = text.strip_prefix("rtl_tcp://").unwrap_or(text);
    rtl_tcp::place(place).ok_or_else(|| "expected HOST[:PORT] or [HOST]:PORT".to_owned())
}

impl Devices {
    /// Lists them.
    pub fn run(self) -> anyhow::Result<()> {
        let mut text = String::new();
        if !self.json {
            text += "what --from and the block radio take:\n";
            for (scheme, what) in SCHEMES {
                text += &format!("  {scheme}\n      {what}\n");
            }
            text += "what answers:\n";
        }
        let here = rtl_tcp::place("").into_iter();
        for (host, port) in here.chain(self.places) {
            let uri = if host.contains(':') {
                format!("rtl_tcp://[{host}]:{port}")
            } else {
                format!("rtl_tcp://{host}:{port}")
            };
            let found = rtl_tcp::probe(&host, port, TIMEOUT);
            match (found, self.json) {
                (Ok(radio), true) => {
                    let json =
                        serde_json::json!({ "uri": uri, "tuner": radio.tuner_name(), "gains": radio.gains });
                    text += &format!("{json}\n");
                }
                (Ok(radio), false) => text += &format!("  {uri}  {radio}\n"),
                (Err(error), false) => text += &format!("  {uri}  nothing: {error}\n"),
                (Err(error), true) => say::line(format_args!("{error}")),
            }
        }
        say::result(&text)
    }
}
