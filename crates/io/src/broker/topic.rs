//! The topic of a message: text with entries of the message in it, as `superhet/{protocol}/{device}`.

use superhet_runtime::Value;

use super::Post;

/// How a broker writes topics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Style {
    /// What stands between the parts of a topic.
    pub between: char,
    /// What may not be in a part that a message has said, besides `between`, white space and control characters.
    pub reserved: &'static str,
}

/// MQTT (section 4.7), and NATS ("Subject-Based Messaging").
pub(crate) const MQTT: Style = Style { between: '/', reserved: "+#" };
pub(crate) const NATS: Style = Style { between: '.', reserved: "*>" };

/// The longest value that a message puts into a topic, in characters; and the longest pattern, in bytes.
const LONGEST_VALUE: usize = 64;
const LONGEST: usize = 1024;
/// What tells one sender from another, in the fields of our receivers.
const NAMES: [&str; 7] = ["id", "icao", "mmsi", "address", "device", "source", "callsign"];

/// Topics of messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Topic {
    parts: Vec<Part>,
    style: Style,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    /// An entry of the message, or of its fields.
    Entry(String),
}

impl Topic {
    /// Reads a pattern; what is wrong with one.
    pub fn parse(pattern: &str, style: Style) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut rest = pattern;
        let wrong = |what: &str| format!("{what} in {pattern:?}");
        while let Some((text, behind)) = rest.split_once('{') {
            let (entry, behind) = behind.split_once('}').ok_or_else(|| wrong("a { without its }"))?;
            if entry.is_empty() || entry.contains('{') {
                return Err(wrong("a { } without the name of an entry"));
            }
            parts.extend((!text.is_empty()).then(|| Part::Text(text.to_owned())));
            parts.push(Part::Entry(entry.to_owned()));
            rest = behind;
        }
        parts.extend((!rest.is_empty()).then(|| Part::Text(rest.to_owned())));
        for part in &parts {
            let Part::Text(text) = part else { continue };
            let bad = |c: char| c == '}' || c.is_whitespace() || c.is_control() || style.reserved.contains(c);
            if let Some(c) = text.chars().find(|c| bad(*c)) {
                return Err(wrong(&format!("the character {c:?}")));
            }
        }
        let is_text =
            matches!(parts.first(), Some(Part::Text(text)) if !text.starts_with(['$', style.between]));
        if pattern.len() > LONGEST || !is_text {
            return Err(format!("{pattern:?} does not begin with a word, or has more than {LONGEST} bytes"));
        }
        Ok(Topic { parts, style })
    }

    /// The text before the first entry, without what stands between parts.
    pub fn base(&self) -> &str {
        match self.parts.first() {
            Some(Part::Text(text)) => {
                let whole = self.parts.len() == 1 || text.ends_with(self.style.between);
                let cut =
                    text.rfind(self.style.between).map_or(&**text, |end| text.get(..end).unwrap_or(text));
                if whole { text.trim_end_matches(self.style.between) } else { cut }
            }
            _ => "",
        }
    }

    /// Whether each sender has a topic of its own.
    pub fn names_devices(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Entry(name) if name == "device"))
    }

    /// The topic of a message. A part for which it has no entry is left out.
    pub fn of(&self, message: &Value) -> String {
        let mut text = String::new();
        for part in &self.parts {
            match part {
                Part::Text(fixed) => text.push_str(fixed),
                Part::Entry(name) => text.push_str(&self.clean(&entry(message, name).unwrap_or_default())),
            }
        }
        let parts: Vec<&str> = text.split(self.style.between).filter(|part| !part.is_empty()).collect();
        parts.join(&self.style.between.to_string())
    }

    /// A value as a part of a topic.
    fn clean(&self, text: &str) -> String {
        let is_bad = |c: char| {
            c == self.style.between || c.is_whitespace() || c.is_control() || self.style.reserved.contains(c)
        };
        text.chars().take(LONGEST_VALUE).map(|c| if is_bad(c) { '_' } else { c }).collect()
    }

    /// A message as a post.
    pub fn post(&self, message: &Value, retain: bool) -> Post {
        Post { topic: self.of(message), body: message.to_string().into_bytes(), retain }
    }
}

/// What tells one sender of a receiver's messages from another, and its channel where it has one.
pub(crate) fn device(message: &Value) -> Option<String> {
    let fields = message.get("fields")?;
    let name = NAMES.iter().find_map(|name| fields.get(name)).map(plain).filter(|name| !name.is_empty());
    let channel = fields.get("channel").map(plain).filter(|channel| !channel.is_empty());
    match (name, channel) {
        (Some(name), Some(channel)) => Some(format!("{name}-{channel}")),
        (name, channel) => name.or(channel),
    }
}

fn entry(message: &Value, name: &str) -> Option<String> {
    if name == "device" {
        return device(message);
    }
    message.get(name).or_else(|| message.get("fields")?.get(name)).map(plain)
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message() -> Value {
        let fields = Value::map([("id", Value::from(7)), ("channel", 2.into()), ("name", "a/b +c".into())]);
        Value::map([("protocol", Value::from("X-1")), ("fields", fields)])
    }

    #[test]
    fn a_topic_has_what_the_message_says() {
        let topic = |pattern: &str, style| Topic::parse(pattern, style).unwrap().of(&message());
        assert_eq!(topic("superhet/{protocol}/{device}", MQTT), "superhet/X-1/7-2");
        assert_eq!(topic("superhet.{protocol}.{device}", NATS), "superhet.X-1.7-2");
        assert_eq!(topic("a/{nothing}/{name}", MQTT), "a/a_b__c");
        assert_eq!(topic("a/x{id}", MQTT), "a/x7");
        assert_eq!(topic("fixed", NATS), "fixed");
        assert_eq!(Topic::parse("a/b/{x}", MQTT).unwrap().base(), "a/b");
        assert_eq!(Topic::parse("a/b/c{x}", MQTT).unwrap().base(), "a/b");
        assert_eq!(Topic::parse("a/b", MQTT).unwrap().base(), "a/b");
    }

    #[test]
    fn a_pattern_that_is_none_says_why() {
        for (pattern, problem) in [
            ("a/{b", "a { without its }"),
            ("a/{}", "without the name of an entry"),
            ("a/b}", "the character '}'"),
            ("a/+", "the character '+'"),
            ("a b", "the character ' '"),
            ("", "does not begin with a word"),
            ("{id}", "does not begin with a word"),
            ("$SYS/x", "does not begin with a word"),
        ] {
            let error = Topic::parse(pattern, MQTT).unwrap_err();
            assert!(error.contains(problem), "{pattern:?}: {error}");
        }
        assert!(Topic::parse("a.>", NATS).is_err());
    }
}
