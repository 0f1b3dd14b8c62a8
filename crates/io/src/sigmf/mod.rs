//! SigMF recordings: samples in one file, what is known about them as JSON in another.
//!
//! | file | holds |
//! |---|---|
//! | `X.sigmf-data` | the samples, nothing else |
//! | `X.sigmf-meta` | [`Meta`]: what holds for all, captures, annotations |
//! | `X.sigmf` | both in a tar archive |
//! | any other, named by `core:dataset` | samples of another program, with headers to skip |
//!
//! A *sample* is one instant: with `core:num_channels` = C it is C numbers or C pairs of numbers. All indices
//! are in samples, counted from `core:offset`.
//!
//! [`Recording`] reads, [`RecordingWriter`] writes, and [`write_meta`] describes data that exist already. [`Meta`] keeps
//! fields that it does not know, so that reading and writing again loses nothing.
//!
//! **Source**: SigMF specification 1.2.5, <https://github.com/sigmf/SigMF>.
//!
//! # Example
//!
//! ```
//! use superhet_io::{C32, SampleFormat};
//! use superhet_io::sigmf::{Annotation, Recording, RecordingWriter};
//!
//! # let dir = std::env::temp_dir().join(format!("superhet-doc-sigmf-{}", std::process::id()));
//! # std::fs::create_dir_all(&dir).unwrap();
//! let mut writer = RecordingWriter::create(dir.join("beep"), SampleFormat::CF32, Some(48_000.0))?;
//! writer.write_c32(&[C32::new(0.5, 0.0); 100])?;
//! writer.annotate(Annotation::new(10, 20).with_label("beep"));
//! writer.finish()?;
//!
//! let recording = Recording::open(dir.join("beep.sigmf-meta"))?;
//! assert_eq!(recording.samples(), 100);
//! assert_eq!(recording.meta().annotations[0].label.as_deref(), Some("beep"));
//! assert!(recording.verify_sha512()?);
//! let mut iq = [C32::default(); 128];
//! assert_eq!(recording.reader()?.read_c32(&mut iq)?, 100);
//! # std::fs::remove_dir_all(&dir).unwrap();
//! # Ok::<(), superhet_io::Error>(())
//! ```

mod check;
pub mod datetime;
mod edit;
mod layout;
mod meta;
mod problem;
mod reader;
mod schema;
mod tar;
mod writer;

pub use layout::Segment;
pub use meta::{Annotation, Capture, Extension, Geolocation, Global, Meta, VERSION};
pub use problem::Problem;
pub use reader::{Recording, SegmentBytes};
pub use writer::{RecordingWriter, write_meta};
pub(crate) use writer::{cut_annotations, write_meta_at};
