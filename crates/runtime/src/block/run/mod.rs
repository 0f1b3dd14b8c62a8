//! How a lane runs a block, by its level.

mod body;
mod general;
mod passing;
mod regular;
mod sides;
mod tag_path;
mod tap;

pub(super) use body::{PureBody, SyncBody};
pub(super) use general::General;
pub(super) use passing::Passing;
pub(super) use regular::Regular;
pub(super) use tap::TapBody;
