//! Streams of vectors, which are flat streams of their items, one vector after another; and several streams as one.

pub mod block_interleaver;
pub mod convolutional_interleaver;
pub mod deinterleave;
pub mod interleave;
pub mod patterned_interleaver;
pub mod schedule;
pub mod stream_demux;
pub mod stream_mux;
pub mod stream_to_vector;
pub mod vector_insert;

pub use block_interleaver::{BitInterleaver, BlockInterleaver};
pub use convolutional_interleaver::ConvolutionalInterleaver;
pub use deinterleave::Deinterleave;
pub use interleave::Interleave;
pub use schedule::{StreamDemux, StreamMux};
pub use stream_to_vector::StreamToVector;
pub use vector_insert::VectorInsert;
