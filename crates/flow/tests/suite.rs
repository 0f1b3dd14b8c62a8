//! Graph files, flowgraphs of GNU Radio Companion and the registry.
//! Each program of tests links the whole library, so that all files of tests are modules of one program.

mod common;
mod devices;
mod files;
mod grc;
mod hostile;
mod registry;
