//! A stream over Zenoh in the place of a radio: `zenoh://KEY`.

use superhet_io::blocks::parts::Paced;
use superhet_io::link::Policy;
use superhet_io::{C32, Error, Scheme};
use superhet_runtime::catalog::Params;
use superhet_runtime::{AnyBlock, BlockError, Tuned, gap::OnGap};

use crate::place::Place;
use crate::source::ZenohSource;
use crate::tap::SourceSettings;

/// What [`superhet_io::add_scheme`] takes.
pub const SCHEME: Scheme = Scheme {
    name: "zenoh",
    form: FORM,
    what: "the samples of a zenoh_sink in another process; its key, and where the session listens, connects to and looks for others",
    make,
};

const FORM: &str = "zenoh://KEY[?connect=ENDPOINTS&listen=ENDPOINTS&interface=NAME&config=FILE&policy=drop]";

fn make(rest: &str, params: &Params) -> Result<AnyBlock, BlockError> {
    let (place, policy) = read(rest).map_err(|problem| {
        let problem = format!("{problem}, expected {FORM}");
        Error::Radio { address: format!("zenoh:{rest}"), problem }
    })?;
    let on_gap = OnGap::of_word(params.text("on_gap"));
    let settings = SourceSettings { policy, on_gap, ..SourceSettings::default() };
    let source = ZenohSource::<C32>::new(place, settings)?;
    Ok(AnyBlock::new(Tuned::new(Paced::new(source, None))))
}

/// The place and the policy that stand behind `zenoh:`.
fn read(rest: &str) -> Result<(Place, Policy), String> {
    let (key, query) = rest.split_once('?').unwrap_or((rest, ""));
    let key = key.strip_prefix("//").ok_or("// is missing")?;
    let (mut place, mut policy) = (Place::new(key), Policy::Block);
    for word in query.split('&').filter(|word| !word.is_empty()) {
        match word.split_once('=') {
            Some(("connect", text)) => place.connect = text.to_owned(),
            Some(("listen", text)) => place.listen = text.to_owned(),
            Some(("interface", text)) => place.interface = text.to_owned(),
            Some(("config", text)) => place.config_file = Some(text.into()),
            Some(("policy", text)) if Policy::WORDS.contains(&text) => policy = Policy::of_word(text),
            _ => return Err(format!("got {word:?}")),
        }
    }
    Ok((place, policy))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_behind_the_scheme_says_where_the_stream_is() {
        assert_eq!(read("//a/b").unwrap(), (Place::new("a/b"), Policy::Block));
        let (place, policy) = read("//a?connect=tcp/radio:7447&interface=eth0&policy=drop").unwrap();
        let expected =
            Place { connect: "tcp/radio:7447".to_owned(), interface: "eth0".to_owned(), ..Place::new("a") };
        assert_eq!((place, policy), (expected, Policy::Drop));
        for wrong in ["a", "//a?connect", "//a?policy=maybe", "//a?x=1"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
