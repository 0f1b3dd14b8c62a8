//! Doors for the fuzz targets to what reads the bytes of peers and has no other way in. No part of the interface.

pub use crate::blocks::fuzzing::{tags_header, udp_header};
pub use crate::broker::fuzzing::{Answers, BROKERS, broker};
pub use crate::link::fuzzing::link;
pub use crate::rtl_tcp::fuzzing::rtl_tcp_commands;
pub use crate::spyserver::fuzzing::spyserver;
pub use crate::vita49::fuzzing::vita49;
pub use crate::zmtp::fuzzing::{Heard, ROLES, zmtp};
