//! derive(Block): the ports of a general block.

#![forbid(unsafe_code)]

mod expand;
mod parse;

use proc_macro::TokenStream;

/// Makes a port of every field marked `#[port]`.
///
/// A field is `In<T>`, `Out<T>`, `MsgIn`, `MsgOut`, or a `Vec` of one of them. The name that users see is the field's,
/// or the one given: `#[port("in")]`. The ports of a `Vec` get the numbers 0, 1, … behind the name.
///
/// `#[block(crate = path)]` on the struct names the runtime where it is not called `superhet_runtime`.
#[proc_macro_derive(Block, attributes(port, block))]
pub fn derive_block(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    match parse::parse(&input) {
        Ok(block) => expand::expand(&block).into(),
        Err(error) => error.to_compile_error().into(),
    }
}
