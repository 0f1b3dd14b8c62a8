//! What the commands of superhet share: the options of a run, words for people, progress, letters of drawings.
#![forbid(unsafe_code)]

pub mod again;
pub mod letters;
pub mod progress;
pub mod say;
pub mod settings;
pub mod usage;
