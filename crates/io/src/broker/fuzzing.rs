//! Doors for the fuzz targets, see [`crate::fuzzing`].

use super::mqtt::{self, Mqtt};
use super::nats::{self, Nats};
use super::place::Place;
use super::{Post, Protocol, Said, Trouble};

/// The kinds of brokers that [`broker`] knows by number.
pub const BROKERS: usize = 4;

/// What a client has heard from a broker.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Answers {
    /// What was said, in words.
    pub said: Vec<String>,
    /// Why nothing more was read.
    pub trouble: Option<String>,
    /// What this side has sent.
    pub sent: Vec<u8>,
}

/// What a client with some posts on their way hears when a broker sends these pieces, one after the other: of MQTT without and with
/// answers to each post, of NATS in plain text and encrypted.
///
/// # Panics
/// If a protocol reads more than there is, or something and nothing at once.
pub fn broker<'a>(kind: usize, pieces: impl IntoIterator<Item = &'a [u8]>) -> Answers {
    let place = |kind, text| Place::parse("fuzzing", kind, text, "", None).ok();
    let will = Post { topic: "t".to_owned(), body: Vec::new(), retain: true };
    match kind % BROKERS {
        kind @ (0 | 1) => place(&mqtt::KIND, "mqtt://u:p@host")
            .map(|place| hear(Mqtt::new(&place, "c".to_owned(), kind == 1, will), false, pieces)),
        kind => place(&nats::KIND, "nats://u:p@host").map(|place| hear(Nats::new(&place), kind == 3, pieces)),
    }
    .unwrap_or_default()
}

fn hear<'a>(
    mut protocol: impl Protocol,
    is_secure: bool,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Answers {
    let (mut answers, mut received) = (Answers::default(), Vec::new());
    protocol.begin(is_secure, &mut answers.sent);
    for number in 1..4 {
        let post = Post { topic: format!("t/{number}"), body: vec![b'x'; 3], retain: number == 2 };
        protocol.post(number, &post, false, &mut answers.sent);
        protocol.ask(number, &mut answers.sent);
    }
    for piece in pieces {
        received.extend_from_slice(piece);
        loop {
            let (used, said) = match protocol.hear(&received, &mut answers.sent) {
                Ok(heard) => heard,
                Err(Trouble::Garbled(what) | Trouble::Refused(what)) => {
                    answers.trouble = Some(what);
                    return answers;
                }
            };
            assert!(used <= received.len() && (used == 0) == (said == Said::Part), "{used} {said:?}");
            received.drain(..used);
            match said {
                Said::Part => break,
                Said::Secure => protocol.is_secured(&mut answers.sent),
                _ => {}
            }
            answers.said.push(format!("{said:?}"));
        }
    }
    answers
}
