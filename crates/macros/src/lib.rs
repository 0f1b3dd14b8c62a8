//! derive(Block): the ports of a general block. declare: the parameters of any block.

#![forbid(unsafe_code)]

mod declare;
mod expand;
mod manifest;
mod parse;

use proc_macro::TokenStream;

/// Makes a port of every field marked `#[port]`.
///
/// A field is `In<T>`, `Out<T>`, `MsgIn`, `MsgOut`, or a `Vec` of one of them. The name that users see is the field's,
/// or the one given: `#[port("in")]`. The ports of a `Vec` get the numbers 0, 1, … behind the name.
///
/// The runtime is found under whatever name the crate's manifest gives it, itself or as a part of `superhet`.
/// `#[block(crate = path)]` on the struct names another.
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
    match runtime_or(runtime).and_then(|runtime| parse::parse(&input, runtime)) {
        Ok(block) => expand::expand(&block).into(),
        Err(error) => error.to_compile_error().into(),
    }
}

/// The path of the runtime as the manifest of the crate says it, or this one.
fn runtime_or(path: &str) -> syn::Result<syn::Path> {
    syn::parse_str(manifest::runtime().as_deref().unwrap_or(path))
}

/// Declares the parameters of a block by the arguments of its constructor.
///
/// | before | it makes |
/// |---|---|
/// | the `impl` with `fn new` | the entry of the catalogue, a table of the parameters in the documentation of `new`, a typed name for each that is live (`Amp::GAIN`), and what changes and tells it |
/// | the `impl` of `Pure`, `SyncBlock`, `Tunable` or another trait of the same methods, without brackets | the trait's parameters, and the methods that set and get them |
/// | a function that returns a block, or an `AnyBlock`, bare or in a `Result` | the entry, named after the function: where the parameters are not what `new` takes |
/// | a struct without fields | the entry of a block without parameters |
///
/// The entry is public where the runtime has the feature `catalog`, which comes with graph files (`graphs` of `superhet`). Without it
/// the crate of the block alone sees it, and it is not compiled while nothing there uses it.
///
/// | in `#[declare(…)]` | means | where it is missing |
/// |---|---|---|
/// | `summary = "…"`, `category = "…"` | those of the entry | there is no entry |
/// | `ports(input("in", "f32", "x"), …)` | the ports; that for new values of parameters comes by itself | |
/// | `name = "…"` | the block's name in files | that of the type: `SlowAmp` is `slow_amp` |
/// | `items(f32, "cu8" = [u8; 2], …)`, `items(any)` | for which items there is the block, `default_item` or the first by default; `item_doc` says what they mean | it is not generic |
/// | `through = Tuned::new` | what is made of the block that the constructor gives | the block is added as it is |
/// | `constructor = of` | the function that makes it | `new` |
/// | `order("a", "b")` | the parameters that come first in the catalogue | they come as the arguments do |
/// | `params(…)`, `make = …`, `entry = …` | parameters that are no arguments; how the block is made; the name of the constant | |
///
/// Each argument has its documentation and `#[param(…)]`, where that is needed:
///
/// | in `#[param(…)]` | means |
/// |---|---|
/// | `live`, `untold` | it can be changed while the block runs; its value is not told |
/// | `unit = "…"` | its unit |
/// | `range = 0.0..=1.0`, `kind = …` | what it may be |
/// | `default = 1.0`, `json = "[1, 2]"` | its default |
/// | `by = …`, `type = …` | the type that reads it, in the place of `catalog::Plain`; the type that is read, where the argument's is `impl Into<…>` |
/// | `name = "…"`, `also = "…"` | the parameter's name, where it is not the argument's; another that is understood while the block runs |
/// | `formerly = "…"` | a name that it had before, which is understood for one version, with a warning; may be there several times |
/// | `set = method` | what takes a new value. Without it the field of the argument's name is set. Where `new` can fail, it is asked first, with the fields of all arguments |
/// | `any` | every value of its kind fits: the field is set, without asking `new` |
/// | `check = function`, `at = mean.alpha`, `get = method` | what a new value must pass, in the place of `new`; where it lies, if not in a field of that name; what tells it |
/// | `group` | it stands for all fields of a struct with `derive(Parameters)` |
/// | `imag = "…"` | there is a second parameter, the imaginary part, with this documentation |
#[proc_macro_attribute]
pub fn declare(settings: TokenStream, item: TokenStream) -> TokenStream {
    let settings = syn::parse_macro_input!(settings as declare::Block);
    let item = syn::parse_macro_input!(item as syn::Item);
    let code = runtime_or("::superhet_runtime").and_then(|runtime| match item {
        syn::Item::Struct(item) => declare::declare_unit(&settings, &item, &runtime),
        syn::Item::Impl(item) if item.trait_.is_some() => declare::take_over(item, &runtime),
        syn::Item::Impl(item) => declare::declare(&settings, item, &runtime),
        syn::Item::Fn(item) => declare::declare_function(&settings, item, &runtime),
        other => Err(syn::Error::new_spanned(
            other,
            "`#[declare]` stands before the `impl` with `fn new`, the `impl` of a block's trait, a function that makes a block, or a \
             struct without fields",
        )),
    });
    code.unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Makes a [choice](https://docs.rs/superhet-runtime/latest/superhet_runtime/catalog/trait.Choice.html) of an enum without fields: each
/// variant is a word, its name in lower case with `_` between words, or that of `#[word("…")]`.
#[proc_macro_derive(Choice, attributes(word))]
pub fn derive_choice(input: TokenStream) -> TokenStream {
    of_struct(input, declare::choice)
}

/// Declares the parameters of a block by the fields of a struct, which then is an argument with `#[param(group)]`. A field has its
/// documentation and `#[param(…)]` as an argument has; see `declare`.
#[proc_macro_derive(Parameters, attributes(param))]
pub fn derive_parameters(input: TokenStream) -> TokenStream {
    of_struct(input, declare::parameters)
}

fn of_struct(
    input: TokenStream,
    code: fn(&syn::DeriveInput, &syn::Path) -> syn::Result<proc_macro2::TokenStream>,
) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    let code = runtime_or("::superhet_runtime").and_then(|runtime| code(&input, &runtime));
    code.unwrap_or_else(|error| error.to_compile_error()).into()
}
