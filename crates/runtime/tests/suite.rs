//! What users and the house rely on. Each program of tests links the whole library, so that most files are modules of one program.

#![forbid(unsafe_code)]

mod api;
mod common;
mod house;
mod new_partitions;
mod packets;
mod paths;
mod pmt;
mod requests;
mod rewiring;
mod right_programs;
mod taps;
mod unsafe_files;
mod wrong_programs;
