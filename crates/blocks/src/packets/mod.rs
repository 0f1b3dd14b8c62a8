//! Packets: in streams, where a tag on the first item of each says its length, and as messages (GNU Radio's PDUs).
//!
//! Blocks that turn packets into packets have two entries: `crc32_append` for streams, `crc32_append_pdu` for messages.
//! In streams the length tag has the key that the parameter `length_tag` says.

pub mod add_system_time;
pub mod crc;
pub mod crc16_append;
pub mod crc16_check;
pub mod crc32_append;
pub mod crc32_check;
pub mod kiss_encode;
pub mod of;
pub mod pdu;
pub mod pdu_filter;
pub mod pdu_remove;
pub mod pdu_set;
pub mod pdu_split;
pub mod pdu_to_stream;
pub mod pdu_to_tagged_stream;
pub mod random_pdu;
pub mod receiver_message;
pub mod stream_to_tagged_stream;
pub mod tagged_stream_align;
pub mod tagged_stream_multiply_length;
pub mod tagged_stream_mux;
pub mod tagged_stream_to_pdu;
pub mod tags_to_pdu;
pub mod take_skip_to_pdu;
pub mod time_delta;

pub use add_system_time::AddSystemTime;
pub use crc::{Algorithm, ByteOrder, Checksum, CrcAppend, CrcCheck, WhenBad};
pub use kiss_encode::KissEncode;
pub use of::PacketsOf;
pub use pdu::{Pdu, Pdus};
pub use pdu_filter::PduFilter;
pub use pdu_remove::PduRemove;
pub use pdu_set::PduSet;
pub use pdu_split::PduSplit;
pub use pdu_to_stream::PduToStream;
pub use random_pdu::RandomPdu;
pub use receiver_message::ReceiverMessage;
pub use stream_to_tagged_stream::StreamToTaggedStream;
pub use tagged_stream_align::TaggedStreamAlign;
pub use tagged_stream_multiply_length::TaggedStreamMultiplyLength;
pub use tagged_stream_mux::TaggedStreamMux;
pub use tagged_stream_to_pdu::TaggedStreamToPdu;
pub use tags_to_pdu::{BetweenTags, TagsToPdu};
pub use take_skip_to_pdu::TakeSkipToPdu;
pub use time_delta::TimeDelta;

use superhet_runtime::catalog::Kind;

/// The parameter `packet_len` and the longest packet, in items.
pub(crate) const PACKET_LENGTH: Kind = Kind::Integer(1, 1 << 24);
