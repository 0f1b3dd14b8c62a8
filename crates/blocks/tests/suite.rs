//! The library's blocks.
//! Each program of tests links the whole library, so that all files of tests are modules of one program.

mod adsb;
mod adsb_receiver;
mod adsb_sensitivity;
mod adsb_signal;
mod catalogue;
mod clocks;
mod hostile;
mod parameters;
mod usual;
