//! One stream as several, some items for each in turn.

use superhet_runtime::catalog::{Entry, Kind, input, optional, output, required};

use super::schedule::StreamDemux;
use crate::filters::fir_filter::TO_ONE;
use crate::item::{ANY_ITEM, block_of_item, counts_of};

/// How files and the command line find [`StreamDemux`].
pub const ENTRY: Entry = Entry {
    name: "stream_demux",
    category: "vectors",
    summary: "One stream as several: some items for each in turn.",
    params: &[
        ANY_ITEM,
        required("lengths", Kind::Numbers, "", "How many items for each output in a turn."),
        optional(
            "length",
            TO_ONE,
            "items",
            "1",
            "The length of a vector: items of each are counted in these.",
        ),
    ],
    ports: &[
        input("in", "item", "x"),
        output("out0", "item", "what comes first: as many as the lengths say"),
        output("out1", "item", "what comes next; an output for each length"),
    ],
    make: |params| {
        let lengths = counts_of("lengths", &params.numbers("lengths"))?;
        Ok(block_of_item!(params, T => StreamDemux::<T>::of_vectors(&lengths, params.count("length"))?))
    },
};
