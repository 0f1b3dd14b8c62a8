//! What streams and messages carry: items, values, tags, packets, and the errors that name them.
//!
//! The ground floor: nothing here knows a stream, a block or a graph.

pub(crate) mod base;
pub(crate) mod bytes;
pub(crate) mod conversion;
pub(crate) mod error;
pub(crate) mod item;
pub(crate) mod keys;
pub(crate) mod message_type;
pub(crate) mod names;
pub(crate) mod packet;
pub(crate) mod parameter;
pub(crate) mod ratio;
pub(crate) mod request;
pub(crate) mod tag;
pub(crate) mod tag_policy;
pub(crate) mod value;

pub(crate) use base::Base;
pub use base::map_index;
pub use conversion::Conversion;
pub use error::{
    BlockError, ChannelClosed, CheckError, ConnectError, GapError, MessageError, PmtError, ReconfigureError,
    RunError,
};
pub use item::{C32, C64, Complex, Item, ItemType};
pub use message_type::MessageType;
pub use names::{nearest, no_parameter, suggestion, warn_of_former_name};
pub use parameter::{Declared, FromValue, Parameter, ParameterName, ParameterPath};
pub use ratio::Ratio;
pub(crate) use tag::NO_TAG;
pub use tag::TagQueue;
pub use tag_policy::TagPolicy;
pub use value::{Map, Pairs, Tag, Text, Value, Vector};
