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
    derive(input, "::superhet_runtime")
}

/// The same for programs that know the crate `superhet` alone, whose prelude has it as `Block`.
#[proc_macro_derive(FacadeBlock, attributes(port, block))]
pub fn derive_facade_block(input: TokenStream) -> TokenStream {
    derive(input, "::superhet::runtime")
}

fn derive(input: TokenStream, runtime: &str) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    match syn::parse_str(runtime).and_then(|runtime| parse::parse(&input, runtime)) {
        Ok(block) => expand::expand(&block).into(),
        Err(error) => error.to_compile_error().into(),
    }
}
