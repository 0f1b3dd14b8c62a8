//! Where `superhet decode` publishes messages, besides printing them.

use std::path::PathBuf;

use clap::Args;
use superhet_runtime::Value;

use crate::chain::Chain;

/// Message brokers.
#[derive(Args, Debug)]
#[command(next_help_heading = "Brokers")]
pub struct Brokers {
    /// Publish each message as JSON at a broker of MQTT: mqtt://[USER@]HOST[:PORT], or mqtts://… with --authority
    #[arg(long, value_name = "URI")]
    mqtt: Option<String>,
    /// The topic of a message at MQTT, with entries of it in braces [default: superhet/{protocol}/{device}]
    #[arg(long, value_name = "TOPIC", requires = "mqtt")]
    mqtt_topic: Option<String>,
    /// Have Home Assistant find the devices by itself, by its discovery by MQTT
    #[arg(long, value_name = "PREFIX", requires = "mqtt", num_args = 0..=1, default_missing_value = "homeassistant")]
    home_assistant: Option<String>,
    /// Publish each message as JSON at a server of NATS: nats://[USER@]HOST[:PORT], or tls://… with --authority
    #[arg(long, value_name = "URI")]
    nats: Option<String>,
    /// The subject of a message at NATS, with entries of it in braces [default: superhet.{protocol}.{device}]
    #[arg(long, value_name = "SUBJECT", requires = "nats")]
    nats_subject: Option<String>,
    /// A file with the password for the user of the brokers
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
    /// Encrypt, and believe brokers whose certificates those in this file have signed (PEM)
    #[arg(long, value_name = "FILE")]
    authority: Option<PathBuf>,
}

impl Brokers {
    /// Adds their blocks behind an output of a graph. One that `stays` tries again and again to connect; the end of a recording
    /// waits for nobody who is not there.
    pub fn add(&self, chain: &mut Chain, output: &str, stays: bool) -> anyhow::Result<()> {
        let path = |path: &Option<PathBuf>| path.as_ref().map(|path| Value::from(path.display().to_string()));
        let text = |text: &Option<String>| text.as_deref().map(Value::from);
        let mut add = |kind: &str, uri: &str, own: &[(&'static str, Option<Value>)]| {
            let shared = [
                ("address", Some(Value::from(uri))),
                ("password_file", path(&self.password_file)),
                ("authority_file", path(&self.authority)),
                ("reconnect", Some(stays.into())),
            ];
            let all = shared.iter().chain(own).filter_map(|(name, value)| Some((*name, value.clone()?)));
            chain.go_on_at(output);
            chain.add(kind, &all.collect::<Vec<_>>())
        };
        if let Some(uri) = &self.mqtt {
            let own = [("topic", text(&self.mqtt_topic)), ("home_assistant", text(&self.home_assistant))];
            add("mqtt_sink", uri, &own)?;
        }
        if let Some(uri) = &self.nats {
            add("nats_sink", uri, &[("subject", text(&self.nats_subject))])?;
        }
        Ok(())
    }
}
