//! Models of what happens to a signal on its way.

pub mod channel_model;

pub use channel_model::ChannelModel;
