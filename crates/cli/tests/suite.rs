//! The command as its users run it.
//! Each program of tests links the whole library, so that all files of tests are modules of one program.

mod adsb;
mod bad_input;
mod bands;
mod bench;
mod cluster;
mod common;
#[cfg(feature = "dashboard")]
mod dashboard;
mod documents;
mod faults;
mod gnuradio;
mod gnuradio_blocks;
mod gnuradio_sockets;
mod guides;
mod lines;
mod measure;
mod meters;
mod names;
mod packets;
mod pictures;
mod profile;
mod radios;
mod receivers;
mod record_replay;
mod recordings;
mod run;
mod ships;
mod soapy;
mod sound;
mod stations;
mod stop;
mod supply_chain;
mod wifi;
mod workflows;
