//! Devices that the processor simulates.
//! Each program of tests links the whole library, so that all files of tests are modules of one program.

mod blocks;
mod conformance;
mod region;
