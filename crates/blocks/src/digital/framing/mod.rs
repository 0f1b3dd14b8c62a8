//! Where packets begin and end: access codes, HDLC, headers, bursts.

pub mod access_code;
pub mod ax25_decode;
pub mod burst_shaper;
pub mod correlate_access_code;
pub mod correlate_access_code_tag;
pub mod correlate_access_code_ts;
pub mod gomspace_deframer;
mod gomspace_frame;
pub(crate) mod hdlc;
pub mod hdlc_deframer;
pub mod hdlc_framer;
pub mod header_payload_demux;
pub mod packet_header;
pub mod packet_headergenerator;
pub mod packet_headerparser;
pub mod same_decoder;
pub mod sync_word_to_packet;
pub mod whitening;

pub use access_code::{AccessCode, BitItem};
pub use ax25_decode::Ax25Decode;
pub use burst_shaper::BurstShaper;
pub use correlate_access_code::CorrelateAccessCode;
pub use correlate_access_code_tag::CorrelateAccessCodeTag;
pub use correlate_access_code_ts::CorrelateAccessCodeTs;
pub use gomspace_deframer::GomspaceDeframer;
pub use gomspace_frame::GomspaceFormat;
pub use hdlc_deframer::HdlcDeframer;
pub use hdlc_framer::HdlcFramer;
pub use header_payload_demux::{BurstLayout, HeaderPayloadDemux};
pub use packet_header::{HeaderFields, OfdmFrames, PacketHeader};
pub use packet_headergenerator::PacketHeaderGenerator;
pub use packet_headerparser::PacketHeaderParser;
pub use same_decoder::SameDecoder;
pub use sync_word_to_packet::{Checked, Layout, Length, SyncWordToPacket};
pub use whitening::Whitening;
