//! Filters, and the design of their taps.

pub mod channelizer;
pub mod dc_blocker;
pub mod design;
pub mod fft_filter;
pub mod filter_delay;
pub mod fir_filter;
pub mod firdes;
pub mod freq_xlating_fft_filter;
pub mod freq_xlating_fir_filter;
pub mod hilbert;
pub mod iir_filter;
pub mod interp_fir_filter;
pub mod low_pass_filter;
pub mod rational_resampler;
mod resampled;
pub mod single_pole_iir_filter;
pub mod window;

pub use channelizer::Channelizer;
pub use dc_blocker::DcBlocker;
pub use fft_filter::{FftFilter, RealFftFilter};
pub use filter_delay::FilterDelay;
pub use fir_filter::{FirFilter, Tap, ToShort};
pub use firdes::LowPass;
pub use freq_xlating_fft_filter::FreqXlatingFftFilter;
pub use freq_xlating_fir_filter::FreqXlatingFirFilter;
pub use hilbert::Hilbert;
pub use iir_filter::{Filtered, IirFilter, IirTap};
pub use interp_fir_filter::InterpFirFilter;
pub use low_pass_filter::LowPassFilter;
pub use rational_resampler::{RationalResampler, resampler_taps};
pub use resampled::{Resampled, ResampledPorts, Resampler};
pub use single_pole_iir_filter::SinglePoleIirFilter;
pub use window::Window;
