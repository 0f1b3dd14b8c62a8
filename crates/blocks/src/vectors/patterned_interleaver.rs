//! Several streams as one, by a pattern.

use superhet_runtime::catalog::{Entry, Kind, input, optional, output, required};

use super::schedule::StreamMux;
use crate::filters::fir_filter::TO_ONE;
use crate::item::{ANY_ITEM, block_of_item, counts_of};

/// How files and the command line find [`StreamMux`] by a pattern.
pub const ENTRY: Entry = Entry {
    name: "patterned_interleaver",
    category: "vectors",
    summary: "Several streams as one, an item of each as a pattern says.",
    params: &[
        ANY_ITEM,
        required("pattern", Kind::Numbers, "", "The numbers of the inputs, from 0, one for each vector."),
        optional("length", TO_ONE, "items", "1", "The length of a vector."),
    ],
    ports: &[
        input("in0", "item", "input 0"),
        input("in1", "item", "input 1; as many as the pattern names"),
        output(
            "out",
            "item",
            "items in the order of the pattern: as many as the pattern says, until an input that is next has ended",
        ),
    ],
    make: |params| {
        let pattern = counts_of("pattern", &params.numbers("pattern"))?;
        Ok(block_of_item!(params, T => StreamMux::<T>::patterned(&pattern, params.count("length"))?))
    },
};
