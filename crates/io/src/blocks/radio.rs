//! A radio, wherever it is.

use std::path::Path;

use superhet_runtime::catalog::{Entry, Kind, Params, optional, output, required, set_port};
use superhet_runtime::{AnyBlock, BlockError, Tuned, gap::OnGap};

use super::item::known;
use super::paced::{Paced, Plays};
use super::rtl_tcp_settings::{
    AGC, BIAS_TEE, DIRECT_SAMPLING, GAIN, OFFSET_TUNING, ON_GAP, PPM, RECONNECT, RtlTcpSettings,
};
use super::rtl_tcp_source::make;
use super::soapy_source::SoapyRadio;
use super::{
    FileSource, FileSourceSettings, Gain, LinkSource, LinkSourceSettings, SigmfSource, SoapySettings,
    SpyServerSettings, SpyServerSource, WavSource,
};
use crate::C32;
use crate::connecting::address;
use crate::error::Error;
use crate::format::SampleFormat;
use crate::link::Token;
use crate::name::NameHints;
use crate::sigmf::Recording;
use crate::tls::Authority;
use crate::uri::{FileUri, RadioUri};
use crate::wav::WavReader;

/// The most of any radio; of those behind servers it is less.
const MOST_OF_ANY_HZ: f64 = 1e12;
/// The name of the block in errors about its settings.
const NAME: &str = "radio";

/// How files and the command line find a radio by its URI.
///
/// | URI | radio |
/// |---|---|
/// | `rtl_tcp://HOST[:PORT]` | [`RtlTcpSource`](super::RtlTcpSource) |
/// | `spyserver://HOST[:PORT]` | [`SpyServerSource`] |
/// | `soapy:ARGUMENTS[?antenna=NAME&bandwidth=BANDWIDTH&channel=NUMBER]` | [`SoapySource`](super::SoapySource) |
/// | `rtlsdr:[INDEX or SERIAL]` | an RTL-SDR at the USB, with the feature `rtlsdr` |
/// | `tcp://HOST:PORT[?token=FILE]`, `tls://HOST:PORT?authority=FILE[&token=FILE]`, `shm://NAME[?token=FILE]` | [`LinkSource`] |
/// | what [`add_scheme`](crate::add_scheme) has added | of another crate |
/// | `file:PATH[?rate=…&freq=…&format=…&throttle&repeat]` | a recording: [`FileSource`], [`WavSource`] or [`SigmfSource`] |
pub const ENTRY: Entry = Entry {
    name: NAME,
    category: "sources",
    summary: "Samples of a radio, wherever it is: rtl_tcp://HOST, spyserver://HOST, soapy:driver=NAME, rtlsdr:0, a link as tcp://HOST:PORT or shm://NAME, or a recording as file:PATH?throttle.",
    params: &[
        required(
            "uri",
            Kind::Text,
            "",
            "Where it is: rtl_tcp://HOST[:PORT], spyserver://HOST[:PORT], soapy:ARGUMENTS, rtlsdr:[INDEX|SERIAL], tcp://HOST:PORT, tls://HOST:PORT?authority=FILE, shm://NAME, or file:PATH[?rate=RATE&freq=FREQUENCY&format=FORMAT&throttle&repeat].",
        ),
        optional(
            "frequency_hz",
            Kind::Float(0.0, MOST_OF_ANY_HZ),
            "Hz",
            "0",
            "The centre frequency; 0: 100 MHz of a radio behind a server, as its driver has it of one of SoapySDR, that of a recording.",
        ),
        optional(
            "rate_hz",
            Kind::Float(0.0, MOST_OF_ANY_HZ),
            "Hz",
            "0",
            "Samples a second; 0: 2.048 MHz of rtl_tcp, the most of a SpyServer, as its driver has it of a radio of SoapySDR, those of a recording.",
        ),
        GAIN,
        PPM,
        AGC,
        BIAS_TEE,
        DIRECT_SAMPLING,
        OFFSET_TUNING,
        RECONNECT,
        ON_GAP,
    ],
    ports: &[
        output("out", "C32", "the samples, full scale = 1.0"),
        set_port(
            "new values of frequency_hz, rate_hz, gain_db, ppm, agc, bias_tee, direct_sampling, offset_tuning",
        ),
    ],
    make: |params| match RadioUri::parse(params.text("uri"))? {
        RadioUri::RtlTcp { host, port } => {
            let mut settings = RtlTcpSettings::of(params)?;
            let default = RtlTcpSettings::default();
            settings.rate_hz = known(settings.rate_hz).unwrap_or(default.rate_hz);
            settings.frequency_hz = known(settings.frequency_hz).unwrap_or(default.frequency_hz);
            make(&host, port, settings, false)
        }
        RadioUri::SpyServer { host, port } => {
            let tuner = RtlTcpSettings::of(params)?;
            if tuner.gain != Gain::Auto {
                let problem =
                    "gain_db: the gains of a SpyServer are steps, expected auto; spyserver_source has them";
                return Err(problem.into());
            }
            let default = SpyServerSettings::default();
            let settings = SpyServerSettings {
                frequency_hz: known(tuner.frequency_hz).unwrap_or(default.frequency_hz),
                rate_hz: known(tuner.rate_hz),
                reconnect: tuner.reconnect,
                on_gap: tuner.on_gap,
                ..default
            };
            Ok(AnyBlock::new(Tuned::new(SpyServerSource::new(&host, port, settings)?)))
        }
        RadioUri::RtlSdr(which) => {
            let mut settings = RtlTcpSettings::of(params)?;
            let default = RtlTcpSettings::default();
            settings.rate_hz = known(settings.rate_hz).unwrap_or(default.rate_hz);
            settings.frequency_hz = known(settings.frequency_hz).unwrap_or(default.frequency_hz);
            at_usb(&which, settings)
        }
        RadioUri::Soapy(soapy) => {
            let tuner = RtlTcpSettings::of(params)?;
            let settings = SoapySettings {
                channels: vec![soapy.channel],
                frequency_hz: known(tuner.frequency_hz),
                rate_hz: known(tuner.rate_hz),
                bandwidth_hz: soapy.bandwidth_hz,
                gain: tuner.gain,
                ppm: tuner.ppm.into(),
                antenna: soapy.antenna,
                reconnect: tuner.reconnect,
                on_gap: tuner.on_gap,
                ..SoapySettings::default()
            };
            Ok(AnyBlock::new(Tuned::new(SoapyRadio::new(&soapy.arguments, settings, tuner)?)))
        }
        RadioUri::File(file) => play(&file, params),
        RadioUri::Link { host, port, token_file, authority_file } => {
            let authority = authority_file.as_deref().map(Authority::from_file).transpose()?;
            let scheme = if authority.is_some() { "tls" } else { "tcp" };
            let place = format!("{scheme}://{}", address(&host, port));
            link(&place, token_file.as_deref(), authority, params)
        }
        RadioUri::SharedLink { name, token_file } => {
            link(&format!("shm://{name}"), token_file.as_deref(), None, params)
        }
        RadioUri::Other { scheme, rest } => (scheme.make)(&rest, params),
    },
};

/// A link in the place of a radio.
fn link(
    place: &str,
    token_file: Option<&Path>,
    authority: Option<Authority>,
    params: &Params,
) -> Result<AnyBlock, BlockError> {
    let settings = LinkSourceSettings {
        token: token_file.map_or(Ok(Token::default()), Token::from_file)?,
        authority,
        reconnect: params.flag("reconnect"),
        on_gap: OnGap::of_word(params.text("on_gap")),
        ..LinkSourceSettings::default()
    };
    let source = LinkSource::<C32>::new(place, settings)?;
    Ok(AnyBlock::new(Tuned::new(Paced::new(source, None))))
}

/// An RTL-SDR at this machine's USB.
#[cfg(feature = "rtlsdr")]
fn at_usb(which: &str, settings: RtlTcpSettings) -> Result<AnyBlock, BlockError> {
    Ok(AnyBlock::new(Tuned::new(super::rtl_usb_source::RtlUsbSource::new(which, settings)?)))
}

#[cfg(not(feature = "rtlsdr"))]
fn at_usb(which: &str, _: RtlTcpSettings) -> Result<AnyBlock, BlockError> {
    let problem = "this build drives no USB: build it with the feature rtlsdr, or use soapy:driver=rtlsdr or rtl_tcp://HOST";
    Err(Error::Radio { address: format!("rtlsdr:{which}"), problem: problem.to_owned() }.into())
}

/// A recording in the place of a radio.
fn play(uri: &FileUri, params: &Params) -> Result<AnyBlock, BlockError> {
    let path = &uri.path;
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let said = |rate_hz: Option<f64>| uri.rate_hz.or(rate_hz).or(known(params.float("rate_hz")));
    if uri.repeat && matches!(&*extension, "wav" | "sigmf" | "sigmf-meta" | "sigmf-data") {
        let (got, expected) = (extension, "raw samples: others are not repeated".to_owned());
        return Err(Error::Setting { path: path.clone(), parameter: "repeat", got, expected }.into());
    }
    match &*extension {
        "sigmf" | "sigmf-meta" | "sigmf-data" => {
            let recording = Recording::open(path)?;
            let rate_hz = said(recording.sample_rate_hz());
            paced(SigmfSource::<C32>::new(&recording)?, uri, rate_hz)
        }
        "wav" if uri.format.is_none() => {
            let reader = WavReader::open(path)?;
            let rate_hz = said(Some(f64::from(reader.header().sample_rate_hz)));
            paced(WavSource::<C32>::new(reader)?, uri, rate_hz)
        }
        _ => {
            let hints = NameHints::from_path(path);
            let format = uri.format.map_or_else(|| SampleFormat::from_path(path), Ok)?;
            let rate_hz = said(hints.sample_rate_hz);
            let settings = FileSourceSettings {
                repeat: uri.repeat,
                rate_hz,
                center_hz: uri.center_hz.or(hints.center_hz).or(known(params.float("frequency_hz"))),
                ..FileSourceSettings::default()
            };
            paced(FileSource::<C32>::open_with(path, format, settings)?, uri, rate_hz)
        }
    }
}

fn paced<B: Plays + 'static>(source: B, uri: &FileUri, rate_hz: Option<f64>) -> Result<AnyBlock, BlockError> {
    if uri.throttle && rate_hz.is_none() {
        let (got, expected) =
            ("not known".to_owned(), "a rate to throttle to, as in ?rate=2e6&throttle".to_owned());
        return Err(Error::Setting { path: uri.path.clone(), parameter: "rate", got, expected }.into());
    }
    Ok(AnyBlock::new(Tuned::new(Paced::new(source, rate_hz.filter(|_| uri.throttle)))))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use superhet_runtime::Value;

    use super::*;

    fn build(params: &[(&str, Value)]) -> Result<AnyBlock, String> {
        let given: BTreeMap<String, Value> =
            params.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        ENTRY.build(&given).map_err(|errors| errors.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn a_radio_is_found_by_its_scheme() {
        let folder = std::env::temp_dir().join(format!("superhet-radio-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("x.cu8");
        std::fs::write(&path, [0; 8]).unwrap();
        let file = format!("file:{}", path.display());
        assert!(build(&[("uri", file.as_str().into())]).is_ok());
        assert!(build(&[("uri", format!("{file}?throttle").into()), ("rate_hz", 1e3.into())]).is_ok());
        assert!(build(&[("uri", "rtl_tcp://127.0.0.1".into()), ("gain_db", 20.into())]).is_ok());
        assert!(build(&[("uri", "spyserver://127.0.0.1".into())]).is_ok());
        let usb = build(&[("uri", "rtlsdr:0".into())]).map(|_| ());
        assert_eq!(usb.is_ok(), cfg!(feature = "rtlsdr"), "{usb:?}");
        assert!(build(&[("uri", "soapy:driver=x?channel=1".into()), ("bias_tee", true.into())]).is_ok());
        assert!(build(&[("uri", "tcp://127.0.0.1:5".into())]).is_ok());
        assert!(build(&[("uri", "shm://radio".into())]).is_ok());
        let steps = build(&[("uri", "spyserver://127.0.0.1".into()), ("gain_db", 20.into())]);
        assert!(steps.map(|_| ()).unwrap_err().contains("gain_db: the gains of a SpyServer are steps"));
        for (uri, problem) in [
            (format!("{file}?throttle"), "expected a rate to throttle to"),
            (format!("file:{}?repeat", folder.join("x.wav").display()), "expected raw samples"),
            (
                "pigeon:coo".to_owned(),
                "expected rtl_tcp://HOST[:PORT] or spyserver://HOST[:PORT] or soapy:ARGUMENTS",
            ),
            ("file:/nowhere/x.cu8".to_owned(), "cannot open"),
        ] {
            let error = build(&[("uri", uri.as_str().into())]).map(|_| ()).unwrap_err();
            assert!(error.contains(problem), "{error}");
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
