//! What is asked for: kinds of receivers, each with or without a frequency, and what is set for them.

use superhet_flow::Set;

use super::Kind;
use crate::quantity;
use superhet_terminal::usage::Usage;

/// A kind of receiver, at one frequency or wherever its channels are.
#[derive(Clone, Debug)]
pub struct Request {
    pub kind: Kind,
    pub frequency_hz: Option<f64>,
}

impl Request {
    /// Reads `KIND[@FREQUENCY],…`.
    ///
    /// # Errors
    /// What is no kind, or no frequency, or is there twice.
    pub fn read(text: &str) -> Result<Vec<Request>, Usage> {
        let mut requests: Vec<Request> = Vec::new();
        for word in text.split(',') {
            let (name, frequency) = match word.split_once('@') {
                Some((name, frequency)) => (name, Some(frequency)),
                None => (word, None),
            };
            let kind = Kind::find(name.trim())?;
            let read = |text: &str| {
                quantity::frequency(text.trim()).map_err(|problem| Usage(format!("{word}: {problem}")))
            };
            let frequency_hz = frequency.map(read).transpose()?;
            let is_there =
                |other: &Request| other.kind.name == kind.name && other.frequency_hz == frequency_hz;
            if requests.iter().any(is_there) {
                return Err(Usage(format!("{word} is asked for twice")));
            }
            requests.push(Request { kind, frequency_hz });
        }
        Ok(requests)
    }
}

/// What `--set KIND.NAME=VALUE` says, for all receivers of a kind.
#[derive(Debug)]
pub struct KindSets(Vec<(&'static str, String)>);

impl KindSets {
    /// Reads it.
    ///
    /// # Errors
    /// One that does not begin with a kind that is asked for.
    pub fn read(sets: &[Set], requests: &[Request]) -> Result<Self, Usage> {
        let read = |set: &Set| {
            let text = set.to_string();
            let of = |request: &Request| {
                let name = request.kind.name;
                Some((name, text.strip_prefix(name)?.strip_prefix('.')?.to_owned()))
            };
            requests.iter().find_map(of).ok_or_else(|| {
                let name = requests.first().map_or("ism", |request| request.kind.name);
                Usage(format!("--set {text}: of several receivers, say which, as in --set {name}.{text}"))
            })
        };
        Ok(KindSets(sets.iter().map(read).collect::<Result<_, _>>()?))
    }

    /// As they are for a receiver of that kind alone.
    pub fn of_kind(&self, kind: &str) -> Vec<Set> {
        self.texts(kind).filter_map(|text| text.parse().ok()).collect()
    }

    /// As they are for a receiver of that kind that is the part `name` of a graph.
    pub fn of_receiver<'a>(&'a self, kind: &'a str, name: &'a str) -> impl Iterator<Item = Set> + 'a {
        self.texts(kind).filter_map(move |text| {
            // A variable of the part, or a parameter of a block in it.
            let target = text.split_once('=').map_or(text, |(target, _)| target);
            let sign = if target.contains('.') { '/' } else { '.' };
            format!("{name}{sign}{text}").parse().ok()
        })
    }

    fn texts<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a str> + 'a {
        self.0.iter().filter(move |(name, _)| *name == kind).map(|(_, text)| text.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_and_frequencies_are_read() {
        let requests = Request::read("ism,ax25@144.8M, ax25-9600@437.5M,ax25").unwrap();
        let got: Vec<_> = requests.iter().map(|request| (request.kind.name, request.frequency_hz)).collect();
        let wanted = [("ism", None), ("ax25", Some(144.8e6)), ("ax25-9600", Some(437.5e6)), ("ax25", None)];
        assert_eq!(got, wanted);
        for (wrong, word) in
            [("ism,", "no receiver \"\""), ("ais@x", "a frequency"), ("ais,ism,ais", "twice"), ("a", "ais")]
        {
            let problem = Request::read(wrong).unwrap_err().to_string();
            assert!(problem.contains(word), "{problem}");
        }
    }

    #[test]
    fn what_is_set_for_a_kind_reaches_its_receivers() {
        let requests = Request::read("ism,ft8").unwrap();
        let read = |texts: &[&str]| {
            let sets: Vec<Set> = texts.iter().map(|text| text.parse().unwrap()).collect();
            KindSets::read(&sets, &requests)
        };
        let sets = read(&["ism.snr_db=3", "ft8.decode.min_frequency_hz=300"]).unwrap();
        let words = |sets: Vec<Set>| sets.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(words(sets.of_kind("ism")), ["snr_db=3"]);
        assert_eq!(words(sets.of_receiver("ism", "receiver1").collect()), ["receiver1.snr_db=3"]);
        let of = sets.of_receiver("ft8", "receiver2").collect();
        assert_eq!(words(of), ["receiver2/decode.min_frequency_hz=300"]);
        assert!(read(&["snr_db=3"]).is_err() && read(&["ais.a_hz=1"]).is_err());
    }
}
