//! Blocks that read files into a graph and write what it gives.
//!
//! | block | reads or writes | items |
//! |---|---|---|
//! | [`FileSource`] | raw samples: a file, a pipe, a device, stdin | as stored, or scaled to `C32` or `f32` |
//! | [`FileSink`] | the same, to stdout | the same |
//! | [`WavSource`], [`WavSink`] | WAV | `f32` (mono), `C32` (two channels) |
//! | [`SigmfSource`], [`SigmfSink`] | SigMF recordings, their captures and annotations as tags | as stored, or scaled |
//! | [`SigmfAnnotator`] | SigMF metadata for a file that exists | messages |
//! | [`PcapSource`], [`PcapSink`] | PCAP | packets of bytes |
//! | [`SocketPdu`] | UDP and TCP sockets | packets of bytes |
//! | [`UdpSource`], [`UdpSink`] | samples in UDP datagrams, as GNU Radio's | as sent, or scaled |
//! | [`TcpSink`] | samples to a TCP connection | as sent, or scaled |
//! | [`RtlTcpSource`], [`RtlTcpSink`] | a radio behind an rtl_tcp server; a stream for the clients of one | `C32`, or as sent |
//! | [`SpyServerSource`] | a radio behind a SpyServer | `C32` |
//! | [`SoapySource`], [`SoapySink`] | radios that modules of SoapySDR drive | `C32` |
//! | [`AudioSource`], [`AudioSink`] | sound cards | `f32` |
//! | [`Vita49Source`], [`Vita49Sink`] | samples in packets of VITA 49.2 and DIFI | `C32` |
//! | `radio` | a radio by its [URI](crate::RadioUri) | `C32` |
//! | [`LinkSink`], [`LinkSource`] | streams between processes, with tags and gaps: [`link`](crate::link) | as sent |
//! | [`LinkMsgSink`], [`LinkMsgSource`] | messages and packets between processes | messages |
//! | [`MqttSink`], [`NatsSink`] | messages to brokers of MQTT and NATS, as JSON | messages |
//! | [`ZmqPubSink`], [`ZmqPushSink`], [`ZmqRepSink`] | samples to sockets of ZeroMQ, as GNU Radio's | as sent |
//! | [`ZmqSubSource`], [`ZmqPullSource`], [`ZmqReqSource`] | samples out of them | as sent |
//! | [`ZmqPubMsgSink`], [`ZmqPushMsgSink`], [`ZmqRepMsgSink`] | messages to sockets of ZeroMQ, as GNU Radio's | messages |
//! | [`ZmqSubMsgSource`], [`ZmqPullMsgSource`], [`ZmqReqMsgSource`] | messages out of them | messages |
//!
//! Tags, as sources give and sinks take them:
//!
//! | key | value | says |
//! |---|---|---|
//! | `rx_rate` | number, Hz | samples per second from here on |
//! | `rx_freq` | number, Hz | centre frequency from here on |
//! | `rx_time` | text, `YYYY-MM-DDTHH:MM:SS.sZ`, or seconds and their fraction | when this sample was received |
//! | `gap`, `gap_filled` | number of samples | what is missing, or zeros in its place; see [`gap`](superhet_runtime::gap) |
//! | `annotation` | map | what was found here; see [`SigmfSink`] |
//!
//! Making a block checks everything that can be checked without harm. Files are created with the first samples, so checking
//! a graph never empties a file. A file that a block reads or writes can be written by no other block of the process at the
//! same time ([`Error::InUse`](crate::Error::InUse)). Sources read regular files wherever the plan puts them. A pipe or
//! device may stay silent for ever. So its block has a thread of its own, checks every 50 ms whether the graph is to stop,
//! and opens a named pipe without waiting for the other side.
//!
//! Sockets treat every peer as a stranger: nothing proves who it is. Data of the wrong shape is dropped and ends nothing.
//! Blocks that receive count it as a dropped packet in their metrics, and log it once a second at most. The number of peers
//! and their memory are limited. A crowd costs honest peers a connection at worst, never the service
//! (`tests/hostile_peers.rs`). Well-formed data is believed, whoever sends it. So keep unwanted peers away: sockets listen
//! at 127.0.0.1 unless another address is given.

mod annotation;
mod audio_settings;
mod audio_sink;
mod audio_source;
mod behind;
mod brokers;
pub(crate) mod clients;
mod datagrams;
mod file_sink;
mod file_source;
pub(crate) mod fuzzing;
mod in_use;
mod item;
pub(crate) mod link;
mod link_msg_sink;
mod link_msg_source;
mod link_sink;
mod link_source;
mod links;
mod mqtt_sink;
mod nats_sink;
mod paced;
mod pcap_sink;
mod pcap_source;
mod radio;
mod rtl_tcp_settings;
mod rtl_tcp_sink;
mod rtl_tcp_source;
#[cfg(feature = "rtlsdr")]
pub(crate) mod rtl_usb_source;
mod sigmf_annotator;
mod sigmf_sink;
mod sigmf_source;
mod soapy_settings;
mod soapy_sink;
mod soapy_source;
mod socket_pdu;
mod source;
mod spyserver_source;
mod tcp_sink;
mod udp_sink;
mod udp_source;
mod vita49_sink;
mod vita49_source;
mod waiting;
mod wav_channels_sink;
mod wav_channels_source;
mod wav_sink;
mod wav_source;
pub(crate) mod zmq;
mod zmq_pub_msg_sink;
mod zmq_pub_sink;
mod zmq_pull_msg_source;
mod zmq_pull_source;
mod zmq_push_msg_sink;
mod zmq_push_sink;
mod zmq_rep_msg_sink;
mod zmq_rep_sink;
mod zmq_req_msg_source;
mod zmq_req_source;
mod zmq_sub_msg_source;
mod zmq_sub_source;

pub use audio_settings::AudioSettings;
pub use audio_sink::{AudioSink, AudioSinkPorts};
pub use audio_source::{AudioSource, AudioSourcePorts};
pub use datagrams::UdpHeader;
pub use file_sink::{FileSink, FileSinkPorts, FileSinkSettings};
pub use file_source::{FileSource, FileSourcePorts, FileSourceSettings};
pub use item::FileItem;
pub use link_msg_sink::{LinkMsgSink, LinkMsgSinkPorts};
pub use link_msg_source::{LinkMsgSource, LinkMsgSourcePorts};
pub use link_sink::{LinkSink, LinkSinkPorts};
pub use link_source::{LinkSource, LinkSourcePorts};
pub use links::{LinkSinkSettings, LinkSourceSettings};
pub use mqtt_sink::{MqttSettings, MqttSink, MqttSinkPorts};
pub use nats_sink::{NatsSettings, NatsSink, NatsSinkPorts};
pub use pcap_sink::{PcapSink, PcapSinkPorts};
pub use pcap_source::{PcapSource, PcapSourcePorts};
pub use rtl_tcp_settings::{Gain, RtlTcpSettings};
pub use rtl_tcp_sink::{RtlTcpSink, RtlTcpSinkPorts, RtlTcpSinkSettings};
pub use rtl_tcp_source::{RtlTcpSource, RtlTcpSourcePorts};
pub use sigmf_annotator::{SigmfAnnotator, SigmfAnnotatorPorts};
pub use sigmf_sink::{SigmfSink, SigmfSinkPorts};
pub use sigmf_source::{SigmfSource, SigmfSourcePorts};
pub use soapy_settings::SoapySettings;
pub use soapy_sink::{SoapySink, SoapySinkPorts};
pub use soapy_source::{SoapySource, SoapySourcePorts};
pub use socket_pdu::{PEER_TIMEOUT, SocketKind, SocketPdu, SocketPduPorts};
pub use spyserver_source::{SpyServerSettings, SpyServerSource, SpyServerSourcePorts};
pub use tcp_sink::{TcpMode, TcpSink, TcpSinkPorts};
pub use udp_sink::{UdpSink, UdpSinkPorts};
pub use udp_source::{UdpSettings, UdpSource, UdpSourcePorts};
pub use vita49_sink::{Vita49Sink, Vita49SinkPorts, Vita49SinkSettings};
pub use vita49_source::{Vita49Settings, Vita49Source, Vita49SourcePorts};
pub use wav_channels_sink::{WavChannelsSettings, WavChannelsSink, WavChannelsSinkPorts};
pub use wav_channels_source::{WavChannelsSource, WavChannelsSourcePorts};
pub use wav_sink::{WavSink, WavSinkPorts};
pub use wav_source::{WavItem, WavSource, WavSourcePorts};
pub use zmq::ZmqSettings;
pub use zmq_pub_msg_sink::{ZmqPubMsgSink, ZmqPubMsgSinkPorts};
pub use zmq_pub_sink::{ZmqPubSink, ZmqPubSinkPorts};
pub use zmq_pull_msg_source::{ZmqPullMsgSource, ZmqPullMsgSourcePorts};
pub use zmq_pull_source::{ZmqPullSource, ZmqPullSourcePorts};
pub use zmq_push_msg_sink::{ZmqPushMsgSink, ZmqPushMsgSinkPorts};
pub use zmq_push_sink::{ZmqPushSink, ZmqPushSinkPorts};
pub use zmq_rep_msg_sink::{ZmqRepMsgSink, ZmqRepMsgSinkPorts};
pub use zmq_rep_sink::{ZmqRepSink, ZmqRepSinkPorts};
pub use zmq_req_msg_source::{ZmqReqMsgSource, ZmqReqMsgSourcePorts};
pub use zmq_req_source::{ZmqReqSource, ZmqReqSourcePorts};
pub use zmq_sub_msg_source::{ZmqSubMsgSource, ZmqSubMsgSourcePorts};
pub use zmq_sub_source::{ZmqSubSource, ZmqSubSourcePorts};

/// Pieces of blocks, for those of other crates that do the same over something else.
pub mod parts {
    pub use super::behind::Behind;
    pub use super::paced::{Paced, Plays};
    pub use super::rtl_tcp_settings::ON_GAP;
    pub use super::zmq::{ITEM, block_of_item};
}

use superhet_runtime::catalog::Entry;

superhet_runtime::catalogued! {
    /// Every block of this crate, by name.
    static ENTRIES: &[Entry] = &[
        file_source::ENTRY,
        file_sink::ENTRY,
        wav_source::ENTRY,
        wav_sink::ENTRY,
        wav_channels_source::ENTRY,
        wav_channels_sink::ENTRY,
        sigmf_source::ENTRY,
        sigmf_sink::ENTRY,
        sigmf_annotator::ENTRY,
        pcap_source::ENTRY,
        pcap_sink::ENTRY,
        socket_pdu::ENTRY,
        udp_source::ENTRY,
        udp_sink::ENTRY,
        tcp_sink::ENTRY,
        radio::ENTRY,
        rtl_tcp_source::ENTRY,
        rtl_tcp_sink::ENTRY,
        spyserver_source::ENTRY,
        soapy_source::ENTRY,
        soapy_sink::ENTRY,
        audio_source::ENTRY,
        audio_sink::ENTRY,
        vita49_source::ENTRY,
        vita49_sink::ENTRY,
        link_sink::ENTRY,
        link_source::ENTRY,
        link_msg_sink::ENTRY,
        link_msg_source::ENTRY,
        mqtt_sink::ENTRY,
        nats_sink::ENTRY,
        zmq_pub_sink::ENTRY,
        zmq_sub_source::ENTRY,
        zmq_push_sink::ENTRY,
        zmq_pull_source::ENTRY,
        zmq_rep_sink::ENTRY,
        zmq_req_source::ENTRY,
        zmq_pub_msg_sink::ENTRY,
        zmq_sub_msg_source::ENTRY,
        zmq_push_msg_sink::ENTRY,
        zmq_pull_msg_source::ENTRY,
        zmq_rep_msg_sink::ENTRY,
        zmq_req_msg_source::ENTRY,
    ];
}
