//! Digital modulation: symbols and constellations, scrambling, framing, synchronisation, OFDM.

pub mod codes;
pub mod constellations;
pub mod framing;
pub mod ofdm;
pub mod sync;

pub use codes::{
    AdditiveScrambler, AppendCrc, CheckCrc, Crc, Crc32, CrcSettings, Descrambler, GlfsrSource, Lfsr,
    Scrambler,
};
pub use constellations::constellation_encoder;
pub use constellations::{
    BinarySlicer, ChunksToSymbols, Coding, Constellation, ConstellationDecoder, ConstellationSoftDecoder,
    DiffDecoder, DiffEncoder, DiffPhasor, Estimator, Map, MeasEvm, MpskSnrEst, Normalization,
    ProbeMpskSnrEst, SnrEstimate, TaggedChunksToSymbols,
};
pub use framing::{
    AccessCode, Ao40Deframer, Ax25Decode, BitItem, BurstLayout, BurstShaper, Checked, CorrelateAccessCode,
    CorrelateAccessCodeTag, CorrelateAccessCodeTs, GomspaceDeframer, GomspaceFormat, HdlcDeframer,
    HdlcFramer, HeaderFields, HeaderPayloadDemux, Layout, Length, OfdmFrames, PacketHeader,
    PacketHeaderGenerator, PacketHeaderParser, RemoveMarkers, SameDecoder, SyncWordToPacket, Whitening,
};
pub use ofdm::{
    Decisions, FixedFrames, OfdmCarrierAllocator, OfdmChanest, OfdmCyclicPrefixer,
    OfdmCyclicPrefixerOfPackets, OfdmEqualizer, OfdmFrameEqualizer, OfdmSerializer, OfdmSyncSc,
};
pub use sync::{
    Adaptation, Bank, Clock, ClockRecoveryMm, ConstellationReceiver, CostasLoop, Detector, FllBandEdge,
    Interpolator, LinearEqualizer, Loop, PfbClockSync, Sample, SymbolSync, Tracked, Tracker,
};
