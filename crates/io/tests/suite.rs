//! Files, sockets and the blocks that use them.
//! Each program of tests links the whole library, so that all files of tests are modules of one program.

mod blocks;
mod brokers;
mod common;
#[path = "common/keep.rs"]
mod keep;
mod links;
mod packets;
mod properties;
#[path = "common/proxy.rs"]
mod proxy;
mod rtl_tcp;
mod sigmf;
mod spyserver;
mod strangers;
mod udp;
mod vita49;
mod zmq;
#[path = "common/zmtp.rs"]
mod zmtp;
