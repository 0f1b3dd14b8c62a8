//! OFDM: carriers, prefixes, channel estimates.

pub(crate) mod carriers;
pub mod ofdm_carrier_allocator;
pub mod ofdm_chanest;
pub mod ofdm_cyclic_prefixer;
pub mod ofdm_equalizer;
pub mod ofdm_frame_equalizer;
pub mod ofdm_serializer;
pub mod ofdm_sync_sc;

pub use ofdm_carrier_allocator::OfdmCarrierAllocator;
pub use ofdm_chanest::OfdmChanest;
pub use ofdm_cyclic_prefixer::{OfdmCyclicPrefixer, OfdmCyclicPrefixerOfPackets};
pub use ofdm_equalizer::{Decisions, OfdmEqualizer};
pub use ofdm_frame_equalizer::{FixedFrames, OfdmFrameEqualizer};
pub use ofdm_serializer::OfdmSerializer;
pub use ofdm_sync_sc::OfdmSyncSc;
