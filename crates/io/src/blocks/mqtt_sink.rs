//! Messages for a broker of MQTT.

use superhet_runtime::catalog::{Entry, Kind, Params, input, optional, output, required};
use superhet_runtime::{AnyBlock, Block, BlockError, Context, MsgIn, MsgOut, Step, Value, Work};

use super::brokers::{Desk, PASSWORD_FILE, QUEUE, Writer};
use super::links::{AUTHORITY_FILE, RECONNECT, authority};
use crate::broker::Post;
use crate::broker::courier::Courier;
use crate::broker::home_assistant::Discovery;
use crate::broker::mqtt::{KIND, Mqtt};
use crate::broker::place::Place;
use crate::broker::topic::{MQTT, Topic};
use crate::error::Error;
use crate::link::handshake::random_name;
use crate::tls::Authority;

/// Publishes messages at a broker of MQTT 3.1.1, each as JSON.
///
/// The topic is made of what the message says: an entry of the message or of its `fields` in braces. `{device}` is what tells one
/// sender from another, `id`, `icao`, `mmsi` and the like, with its `channel`. A part for which a message has nothing is left out.
///
/// With quality of service 1 the broker answers each message, with 0 it is asked now and then whether it is there. Either way what it has
/// not taken is sent again on a new connection. So nothing is lost with a connection, and a message may come twice. A connection that
/// breaks is tried again after 100 ms, then after twice as long each time, up to 5 s. While nobody is connected up to `queue` messages
/// wait. Then the oldest is dropped for each that comes. Each counts as a dropped packet.
///
/// `BASE/status`, where `BASE` is the topic up to its first entry, says `online`, and `offline` when the connection ends or breaks; the
/// broker keeps it.
///
/// With `home_assistant`, a prefix such as `homeassistant`, devices appear in Home Assistant by themselves: temperatures, humidity, wind,
/// rain, pressure, batteries and contacts in the fields of the receiver `ism`, by its discovery by MQTT.
///
/// When no more messages come, the broker has 10 s for what it has not taken, from the last thing that it has. When the graph is asked to
/// stop, it has 300 ms.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | messages | any value, as JSON |
/// | out `events` | messages | maps: `event` is `connected` or `lost`, `dropped` how many messages were dropped so far |
///
/// # Errors
/// At run time: [`Error::Socket`] where the broker refuses this client, or, without `reconnect`, cannot be reached or goes.
///
/// # Source
/// MQTT Version 3.1.1, OASIS standard, 29 October 2014. Home Assistant, "MQTT", "MQTT Discovery".
///
/// ```
/// use superhet_io::blocks::{MqttSettings, MqttSink};
///
/// MqttSink::new("mqtt://127.0.0.1", MqttSettings::default())?;
/// let wrong = MqttSettings { topic: "superhet/#".to_owned(), ..MqttSettings::default() };
/// assert!(MqttSink::new("mqtt://127.0.0.1", wrong).unwrap_err().to_string().contains("the character '#'"));
/// # Ok::<(), superhet_io::Error>(())
/// ```
#[derive(Debug, Block)]
pub struct MqttSink {
    #[port("in")]
    input: MsgIn,
    #[port("events")]
    events: MsgOut,
    desk: Desk<Mqtt>,
    pen: Pen,
}

/// The settings of a sink of MQTT.
///
/// | setting | means | default |
/// |---|---|---|
/// | `topic` | the topic of a message | `superhet/{protocol}/{device}` |
/// | `is_answered` | quality of service 1, else 0 | yes |
/// | `retain` | the broker keeps the last message of each topic for those who come later | no |
/// | `client` | the name of this client, of which a broker lets in one; empty: a random one | empty |
/// | `password_file` | a file with the password, empty: that of the address | empty |
/// | `home_assistant` | the prefix of Home Assistant's discovery, empty: no discovery | empty |
/// | `authority` | who has to have signed the certificate at `mqtts://` | none |
/// | `queue` | messages that wait for a broker that is away | 1000 |
/// | `reconnect` | it connects again, for ever; otherwise the end of a connection is an error | yes |
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the table says it")]
pub struct MqttSettings {
    pub topic: String,
    pub is_answered: bool,
    pub retain: bool,
    pub client: String,
    pub password_file: String,
    pub home_assistant: String,
    pub authority: Option<Authority>,
    pub queue: usize,
    pub reconnect: bool,
}

/// The topic of a message, where nothing else is said.
const TOPIC: &str = "superhet/{protocol}/{device}";
/// The longest name of a client that every broker takes is 23; most take more.
const LONGEST_CLIENT: usize = 128;

impl Default for MqttSettings {
    fn default() -> Self {
        MqttSettings {
            topic: TOPIC.to_owned(),
            is_answered: true,
            retain: false,
            client: String::new(),
            password_file: String::new(),
            home_assistant: String::new(),
            authority: None,
            queue: 1000,
            reconnect: true,
        }
    }
}

/// What makes posts of messages.
#[derive(Debug)]
struct Pen {
    topic: Topic,
    status: String,
    retain: bool,
    discovery: Option<Discovery>,
}

impl Pen {
    fn status(&self, text: &str) -> Post {
        Post { topic: self.status.clone(), body: text.as_bytes().to_vec(), retain: true }
    }
}

impl Writer for Pen {
    fn posts(&mut self, message: &Value) -> Vec<Post> {
        let post = self.topic.post(message, self.retain);
        let mut posts = self.discovery.as_mut().map_or(Vec::new(), |one| one.before(message, &post.topic));
        posts.push(post);
        posts
    }

    fn begin_again(&mut self) {
        if let Some(discovery) = &mut self.discovery {
            discovery.begin_again();
        }
    }
}

/// The name of the block in errors about its settings.
const NAME: &str = "mqtt_sink";

impl MqttSink {
    /// Will connect to `mqtt://[USER[:PASSWORD]@]HOST[:PORT]`, or `mqtts://…`, when the graph runs.
    ///
    /// # Errors
    /// [`Error::Setting`] where the address, the topic, the client's name or the prefix is none; [`Error::Io`] where a file cannot be read.
    pub fn new(address: &str, settings: MqttSettings) -> Result<Self, Error> {
        let wrong = |parameter, got: String, expected: &str| Error::Setting {
            path: NAME.into(),
            parameter,
            got,
            expected: expected.to_owned(),
        };
        let place = Place::parse(NAME, &KIND, address, &settings.password_file, settings.authority)?;
        let topic = Topic::parse(&settings.topic, MQTT).map_err(|problem| {
            wrong("topic", problem, "text with entries in braces, as superhet/{protocol}")
        })?;
        let prefix = &*settings.home_assistant;
        let is_prefix = |c: char| c.is_ascii_alphanumeric() || "_-/".contains(c);
        if !prefix.chars().all(is_prefix) || prefix.starts_with('/') || prefix.ends_with('/') {
            let expected = "a prefix, as homeassistant, or nothing";
            return Err(wrong("home_assistant", format!("{prefix:?}"), expected));
        }
        if !prefix.is_empty() && !topic.names_devices() {
            let expected = "one with {device}, since home_assistant shows each device for itself";
            return Err(wrong("topic", format!("{:?}", settings.topic), expected));
        }
        let client = match &*settings.client {
            "" => {
                let failed =
                    |source| Error::Socket { address: place.name(), action: "name a client of", source };
                format!("superhet-{}", random_name().map_err(failed)?.get(..8).unwrap_or_default())
            }
            name => name.to_owned(),
        };
        if client.len() > LONGEST_CLIENT || client.chars().any(char::is_control) {
            let expected = format!("1 to {LONGEST_CLIENT} bytes without control characters");
            return Err(wrong("client", format!("{client:?}"), &expected));
        }
        let status = format!("{}/status", topic.base());
        let discovery = Some(prefix).filter(|prefix| !prefix.is_empty());
        let discovery = discovery.map(|prefix| Discovery::new(prefix, &status));
        let pen = Pen { topic, status, retain: settings.retain, discovery };
        let mqtt = Mqtt::new(&place, client, settings.is_answered, pen.status("offline"));
        let status = (pen.status("online"), pen.status("offline"));
        let courier = Courier::new(place, mqtt, Some(status), settings.queue, settings.reconnect);
        Ok(MqttSink { input: MsgIn::new(), events: MsgOut::new(), desk: Desk::new(courier), pen })
    }
}

impl Work for MqttSink {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        self.desk.work(&mut self.input, &mut self.events, &mut self.pen, context)
    }

    fn finish(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        self.desk.finish(&mut self.events, &mut self.pen, context)
    }

    fn blocking(&self) -> bool {
        true
    }
}

fn settings(params: &Params) -> Result<MqttSettings, Error> {
    Ok(MqttSettings {
        topic: params.text("topic").to_owned(),
        is_answered: params.count("qos") > 0,
        retain: params.flag("retain"),
        client: params.text("client").to_owned(),
        password_file: params.text("password_file").to_owned(),
        home_assistant: params.text("home_assistant").to_owned(),
        authority: authority(params)?,
        queue: params.count("queue"),
        reconnect: params.flag("reconnect"),
    })
}

/// How files and the command line find [`MqttSink`].
pub const ENTRY: Entry = Entry {
    name: NAME,
    category: "packets",
    summary: "Messages for a broker of MQTT, as JSON; Home Assistant finds the devices in them by itself.",
    params: &[
        required(
            "address",
            Kind::Text,
            "",
            "Where the broker is: mqtt://[USER[:PASSWORD]@]HOST[:PORT], or mqtts://… with authority_file.",
        ),
        optional(
            "topic",
            Kind::Text,
            "",
            "\"superhet/{protocol}/{device}\"",
            "The topic, with entries of the message in braces; {device} is the id, icao, mmsi and so on, and the channel.",
        ),
        optional(
            "qos",
            Kind::Integer(0, 1),
            "",
            "1",
            "Quality of service: 1: the broker answers each message; 0: it does not.",
        ),
        optional(
            "retain",
            Kind::Bool,
            "",
            "false",
            "Whether the broker keeps the last message of each topic.",
        ),
        optional(
            "home_assistant",
            Kind::Text,
            "",
            "\"\"",
            "The prefix of Home Assistant's discovery, as homeassistant; empty: it is told nothing.",
        ),
        optional("client", Kind::Text, "", "\"\"", "The name of this client; empty: a random one."),
        PASSWORD_FILE,
        AUTHORITY_FILE,
        QUEUE,
        RECONNECT,
    ],
    ports: &[
        input("in", "messages", "what is to be published"),
        output("events", "messages", "that the broker is connected, or lost"),
    ],
    make: |params| Ok(AnyBlock::new(MqttSink::new(params.text("address"), settings(params)?)?)),
};
