//! Messages for a server of NATS.

use superhet_runtime::catalog::{Entry, Kind, Params, input, optional, output, required};
use superhet_runtime::{AnyBlock, Block, BlockError, Context, MsgIn, MsgOut, Step, Value, Work};

use super::brokers::{Desk, PASSWORD_FILE, QUEUE, Writer};
use super::links::{AUTHORITY_FILE, RECONNECT, authority};
use crate::broker::Post;
use crate::broker::courier::Courier;
use crate::broker::nats::{KIND, Nats};
use crate::broker::place::Place;
use crate::broker::topic::{NATS, Topic};
use crate::error::Error;
use crate::tls::Authority;

/// Publishes messages at a server of NATS, each as JSON.
///
/// The subject is made of what the message says, as the topic of [`MqttSink`](super::MqttSink) is. The server is asked for an answer behind
/// what it was sent; what lies before that it has taken. The rest is sent again on a new connection. So nothing is lost with a connection,
/// and a message may come twice. Everything else is as at [`MqttSink`](super::MqttSink): how connections are tried again, what waits, what is
/// dropped and counted, and how it ends.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | messages | any value, as JSON |
/// | out `events` | messages | maps: `event` is `connected` or `lost`, `dropped` how many messages were dropped so far |
///
/// # Errors
/// At run time: [`Error::Socket`] where the server refuses this client or a subject, or, without `reconnect`, cannot be reached or goes.
///
/// # Source
/// NATS documentation, "Client Protocol" and "Subject-Based Messaging".
///
/// ```
/// use superhet_io::blocks::{NatsSettings, NatsSink};
///
/// NatsSink::new("nats://127.0.0.1", NatsSettings::default())?;
/// assert!(NatsSink::new("mqtt://127.0.0.1", NatsSettings::default()).is_err());
/// # Ok::<(), superhet_io::Error>(())
/// ```
#[derive(Debug, Block)]
pub struct NatsSink {
    #[port("in")]
    input: MsgIn,
    #[port("events")]
    events: MsgOut,
    desk: Desk<Nats>,
    pen: Pen,
}

/// The settings of a sink of NATS.
///
/// | setting | means | default |
/// |---|---|---|
/// | `subject` | the subject of a message | `superhet.{protocol}.{device}` |
/// | `password_file` | a file with the password, or the token; empty: that of the address | empty |
/// | `authority` | who has to have signed the certificate at `tls://` | none |
/// | `queue` | messages that wait for a server that is away | 1000 |
/// | `reconnect` | it connects again, for ever; otherwise the end of a connection is an error | yes |
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the table says it")]
pub struct NatsSettings {
    pub subject: String,
    pub password_file: String,
    pub authority: Option<Authority>,
    pub queue: usize,
    pub reconnect: bool,
}

impl Default for NatsSettings {
    fn default() -> Self {
        NatsSettings {
            subject: "superhet.{protocol}.{device}".to_owned(),
            password_file: String::new(),
            authority: None,
            queue: 1000,
            reconnect: true,
        }
    }
}

/// What makes posts of messages.
#[derive(Debug)]
struct Pen(Topic);

impl Writer for Pen {
    fn posts(&mut self, message: &Value) -> Vec<Post> {
        vec![self.0.post(message, false)]
    }
}

/// The name of the block in errors about its settings.
const NAME: &str = "nats_sink";

impl NatsSink {
    /// Will connect to `nats://[USER:PASSWORD@]HOST[:PORT]`, `nats://TOKEN@HOST[:PORT]`, or `tls://…`, when the graph runs.
    ///
    /// # Errors
    /// [`Error::Setting`] where the address or the subject is none; [`Error::Io`] where a file cannot be read.
    pub fn new(address: &str, settings: NatsSettings) -> Result<Self, Error> {
        let place = Place::parse(NAME, &KIND, address, &settings.password_file, settings.authority)?;
        let subject = Topic::parse(&settings.subject, NATS).map_err(|got| Error::Setting {
            path: NAME.into(),
            parameter: "subject",
            got,
            expected: "text with entries in braces, as superhet.{protocol}".to_owned(),
        })?;
        let nats = Nats::new(&place);
        let desk = Desk::new(Courier::new(place, nats, None, settings.queue, settings.reconnect));
        Ok(NatsSink { input: MsgIn::new(), events: MsgOut::new(), desk, pen: Pen(subject) })
    }
}

impl Work for NatsSink {
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

fn settings(params: &Params) -> Result<NatsSettings, Error> {
    Ok(NatsSettings {
        subject: params.text("subject").to_owned(),
        password_file: params.text("password_file").to_owned(),
        authority: authority(params)?,
        queue: params.count("queue"),
        reconnect: params.flag("reconnect"),
    })
}

/// How files and the command line find [`NatsSink`].
pub const ENTRY: Entry = Entry {
    name: NAME,
    category: "packets",
    summary: "Messages for a server of NATS, as JSON.",
    params: &[
        required(
            "address",
            Kind::Text,
            "",
            "Where the server is: nats://[USER:PASSWORD@]HOST[:PORT], nats://TOKEN@HOST[:PORT], or tls://… with authority_file.",
        ),
        optional(
            "subject",
            Kind::Text,
            "",
            "\"superhet.{protocol}.{device}\"",
            "The subject, with entries of the message in braces; {device} is the id, icao, mmsi and so on, and the channel.",
        ),
        PASSWORD_FILE,
        AUTHORITY_FILE,
        QUEUE,
        RECONNECT,
    ],
    ports: &[
        input("in", "messages", "what is to be published"),
        output("events", "messages", "that the server is connected, or lost"),
    ],
    make: |params| Ok(AnyBlock::new(NatsSink::new(params.text("address"), settings(params)?)?)),
};
