//! Several streams as one, some items of each in turn.

use superhet_runtime::catalog::{Entry, Kind, input, optional, output, required};

use super::schedule::StreamMux;
use crate::filters::fir_filter::TO_ONE;
use crate::item::{ANY_ITEM, block_of_item, counts_of};

/// How files and the command line find [`StreamMux`].
pub const ENTRY: Entry = Entry {
    name: "stream_mux",
    category: "vectors",
    summary: "Several streams as one: some items of each in turn.",
    params: &[
        ANY_ITEM,
        required("lengths", Kind::Numbers, "", "How many items of each input in a turn."),
        optional(
            "length",
            TO_ONE,
            "items",
            "1",
            "The length of a vector: items of each are counted in these.",
        ),
    ],
    ports: &[
        input("in0", "item", "what comes first"),
        input("in1", "item", "what comes next; an input for each length"),
        output(
            "out",
            "item",
            "all in turn: as many as the lengths say, until an input that is next has ended",
        ),
    ],
    make: |params| {
        let lengths = counts_of("lengths", &params.numbers("lengths"))?;
        Ok(block_of_item!(params, T => StreamMux::<T>::of_vectors(&lengths, params.count("length"))?))
    },
};
