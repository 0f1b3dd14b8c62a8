//! Filters, and the design of their taps.

pub mod channelizer;
pub mod design;
pub mod fft_filter;
pub mod fir_filter;
pub mod firdes;
pub mod low_pass_filter;
pub mod window;

pub use channelizer::Channelizer;
pub use fft_filter::FftFilter;
pub use fir_filter::{FirFilter, Tap};
pub use firdes::LowPass;
pub use low_pass_filter::LowPassFilter;
pub use window::Window;
