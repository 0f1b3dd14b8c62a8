//! `superhet serve`: a recording, as if it came from a radio, for other programs.

use clap::Args;
use superhet::io::blocks::{RtlTcpSink, RtlTcpSinkSettings};
use superhet::io::{C32, SampleFormat, Shape, rtl_tcp};
use superhet_runtime::{AnyBlock, Value};

use crate::chain::Chain;
use crate::drive::drive;
use crate::recording::{Items, RecordingArgs};
use superhet_terminal::say;
use superhet_terminal::settings::Settings;
use superhet_terminal::usage::Usage;

/// `superhet serve`
#[derive(Args, Debug)]
pub struct Serve {
    #[command(flatten)]
    recording: RecordingArgs,
    /// Serve it as rtl_tcp does, at this address. Without a host it is 127.0.0.1, which programs on this machine alone reach;
    /// 0.0.0.0 is every address of IPv4. Port 0 is one that is free
    #[arg(
        long,
        value_name = "HOST:PORT",
        num_args = 0..=1,
        default_value = "127.0.0.1:1234",
        default_missing_value = "127.0.0.1:1234",
        value_parser = parse_place
    )]
    rtl_tcp: (String, u16),
    /// Begin again at the end, for ever; without it, the first client gets the recording from its beginning, and its end is the end
    #[arg(long)]
    repeat: bool,
    #[command(flatten)]
    settings: Settings,
}

fn parse_place(text: &str) -> Result<(String, u16), String> {
    rtl_tcp::place(text).ok_or_else(|| "expected HOST:PORT, [HOST]:PORT, HOST or PORT".to_owned())
}

impl Serve {
    /// Serves.
    pub fn run(self) -> anyhow::Result<()> {
        self.settings.check()?;
        let recording = self.recording.open()?;
        let rate_hz = recording.known_rate()?;
        if recording.shape == Shape::Real {
            let problem = "rtl_tcp carries complex samples (cu8, cs16, …), not real ones";
            return Err(Usage(format!("{}: {problem}", recording.name())).into());
        }
        // What is stored as it is to be sent stays as it is.
        let is_alike = recording.format() == Some(SampleFormat::CU8);
        let items = if is_alike { Items::Stored } else { Items::Float };
        let mut chain = Chain::new();
        if self.repeat {
            recording.repeated(&mut chain, items)?;
        } else {
            recording.source(&mut chain, items, 0, None)?;
        }
        let item: Value = chain.item()?.into();
        chain.add("throttle", &[("item", item), ("rate_hz", rate_hz.into())])?;
        let settings =
            RtlTcpSinkSettings { rate_hz: Some(rate_hz), center_hz: recording.center_hz, wait: true };
        let (host, port) = &self.rtl_tcp;
        let (address, sink) = if is_alike {
            let sink = RtlTcpSink::<[u8; 2]>::new(host, *port, settings)?.open()?;
            (sink.local_addr(), AnyBlock::new(sink))
        } else {
            let sink = RtlTcpSink::<C32>::new(host, *port, settings)?.open()?;
            (sink.local_addr(), AnyBlock::new(sink))
        };
        chain.add_block("rtl_tcp_sink", sink);
        let graph = chain.check()?;
        if let Some(address) = address {
            let name = recording.name();
            say::line(format_args!("{name} is at rtl_tcp://{address}, {rate_hz} samples a second"));
        }
        Ok(drive(graph, &self.settings, true)?.whole()?)
    }
}
