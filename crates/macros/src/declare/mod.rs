//! What a constructor says about its block's parameters.

mod parse;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::spanned::Spanned;
use syn::{Error, Ident, ImplItem, ItemImpl, LitStr, Type};

pub use parse::Block;
use parse::{Argument, argument};

/// The code of `#[declare(…)] pub struct Block;`: a block without parameters, which needs no constructor.
pub fn declare_unit(
    block: &Block,
    item: &syn::ItemStruct,
    runtime: &syn::Path,
) -> Result<TokenStream, Error> {
    if !matches!(item.fields, syn::Fields::Unit) {
        let message =
            "a struct with fields has a constructor: put `#[declare(…)]` before the `impl` with `fn new`";
        return Err(Error::new(item.ident.span(), message));
    }
    let ident = &item.ident;
    let make = quote!(|_| ::std::result::Result::Ok(#runtime::AnyBlock::new(#ident)));
    let entry = entry(block, ident, Vec::new(), Vec::new(), &make, runtime)?;
    Ok(quote!(#item #entry))
}

/// The code of `#[declare(…)] impl Block { pub fn new(…) … }`.
pub fn declare(block: &Block, mut item: ItemImpl, runtime: &syn::Path) -> Result<TokenStream, Error> {
    let (arguments, fallible) = constructor(&mut item, runtime)?;
    let entry = match block.summary.is_some() {
        true => entry_of(block, &item, &arguments, fallible, runtime)?,
        false => TokenStream::new(),
    };
    if arguments.iter().any(|argument| argument.is_live) {
        for part in live(&arguments, fallible, runtime) {
            item.items.push(syn::parse2(part)?);
        }
    }
    Ok(quote!(#item #entry))
}

/// The code of `#[declare] impl Pure for Block` or `SyncBlock`: what changes and tells the parameters.
pub fn take_over(mut item: ItemImpl, runtime: &syn::Path) -> Result<TokenStream, Error> {
    let level =
        item.trait_.as_ref().and_then(|(_, path, _)| path.segments.last()).map(|last| last.ident.to_string());
    let set = match level.as_deref() {
        Some("Pure") => quote! {
            fn with_parameter(
                &self,
                name: &str,
                value: &#runtime::Value,
            ) -> ::std::result::Result<Self, #runtime::BlockError> {
                let mut changed = ::std::clone::Clone::clone(self);
                changed.set_declared(name, value)?;
                ::std::result::Result::Ok(changed)
            }
        },
        Some("SyncBlock") => quote! {
            fn set_parameter(
                &mut self,
                name: &str,
                value: &#runtime::Value,
            ) -> ::std::result::Result<(), #runtime::BlockError> {
                self.set_declared(name, value)
            }
        },
        _ => {
            return Err(Error::new(
                item.span(),
                "`#[declare]` alone stands before `impl Pure` or `impl SyncBlock`",
            ));
        }
    };
    for part in [
        quote!(
            const PARAMETERS: &'static [&'static str] = Self::DECLARED;
        ),
        set,
        quote!(fn parameter(&self, name: &str) -> ::std::option::Option<#runtime::Value> { self.declared(name) }),
    ] {
        item.items.push(syn::parse2(part)?);
    }
    Ok(quote!(#item))
}

/// The arguments of `new`, which loses their attributes, and whether it can fail.
fn constructor(item: &mut ItemImpl, runtime: &syn::Path) -> Result<(Vec<Argument>, bool), Error> {
    let span = item.self_ty.span();
    let new = item.items.iter_mut().find_map(|part| match part {
        ImplItem::Fn(function) if function.sig.ident == "new" => Some(function),
        _ => None,
    });
    let new = new.ok_or_else(|| Error::new(span, "a declaration is made of the arguments of `fn new`"))?;
    let mut arguments = Vec::new();
    for input in &mut new.sig.inputs {
        let syn::FnArg::Typed(typed) = input else {
            return Err(Error::new(input.span(), "a constructor has no `self`"));
        };
        let syn::Pat::Ident(pattern) = &*typed.pat else {
            return Err(Error::new(typed.pat.span(), "an argument that is declared has a name"));
        };
        arguments.push(argument(pattern.ident.clone(), (*typed.ty).clone(), &typed.attrs, runtime)?);
        typed.attrs.clear();
    }
    let table = table(&arguments);
    if !table.is_empty() {
        new.attrs.extend(table.iter().map(|line| -> syn::Attribute { syn::parse_quote!(#[doc = #line]) }));
    }
    let fallible = match &new.sig.output {
        syn::ReturnType::Type(_, ty) => {
            matches!(&**ty, Type::Path(path) if path.path.segments.last().is_some_and(|s| s.ident == "Result"))
        }
        syn::ReturnType::Default => false,
    };
    Ok((arguments, fallible))
}

/// The table of the parameters in the documentation of `new`.
fn table(arguments: &[Argument]) -> Vec<String> {
    if arguments.is_empty() {
        return Vec::new();
    }
    let mut lines =
        vec![String::new(), "| parameter | unit | default | |".into(), "|---|---|---|---|".into()];
    lines.extend(arguments.iter().map(|argument| {
        let Argument { ident, unit, doc, default, is_live, .. } = argument;
        let default = default.as_ref().map(|json| format!("`{json}`")).unwrap_or_default();
        let live = if *is_live { " It can be changed while the block runs." } else { "" };
        format!("| `{ident}` | {unit} | {default} | {}{live} |", doc.replace('|', "\\|"))
    }));
    lines
}

/// Who reads and says an argument.
fn by(argument: &Argument, runtime: &syn::Path) -> TokenStream {
    let ty = &argument.ty;
    match &argument.by {
        Some(by) => quote!(<#by as #runtime::catalog::Reads<#ty>>),
        None => quote!(<#runtime::catalog::Plain as #runtime::catalog::Reads<#ty>>),
    }
}

/// The name of a block: that of its type in lower case, with `_` between words.
fn snake(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}

/// `a, b and c`.
fn listed(names: &[String]) -> String {
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => names.concat(),
    }
}

/// The entry of a block that `new` makes.
fn entry_of(
    block: &Block,
    item: &ItemImpl,
    arguments: &[Argument],
    fallible: bool,
    runtime: &syn::Path,
) -> Result<TokenStream, Error> {
    let self_ty = &item.self_ty;
    let Type::Path(path) = &**self_ty else { return Err(Error::new(self_ty.span(), "a block is a struct")) };
    let Some(ident) = path.path.segments.last().map(|segment| &segment.ident) else {
        return Err(Error::new(self_ty.span(), "a block has a name"));
    };
    let generic = item.generics.type_params().next().map(|parameter| &parameter.ident);
    let params = params(block, arguments, generic, runtime);
    let live: Vec<String> = arguments.iter().filter(|a| a.is_live).map(|a| a.ident.to_string()).collect();
    let make = match &block.make {
        Some(make) => quote!(#make),
        None => make(block, self_ty, generic, arguments, fallible, runtime)?,
    };
    entry(block, ident, params, live, &make, runtime)
}

/// The entry with these parameters, of which these can be changed.
fn entry(
    block: &Block,
    ident: &Ident,
    params: Vec<TokenStream>,
    live: Vec<String>,
    make: &TokenStream,
    runtime: &syn::Path,
) -> Result<TokenStream, Error> {
    let (Some(category), Some(summary)) = (&block.category, &block.summary) else {
        return Err(Error::new(ident.span(), "an entry has a category and a summary"));
    };
    let name = block.name.as_ref().map_or_else(|| snake(&ident.to_string()), LitStr::value);
    let catalog = quote!(#runtime::catalog);
    let mut ports: Vec<TokenStream> = block.ports.iter().map(|port| quote!(#catalog::#port)).collect();
    if !live.is_empty() {
        let doc = format!("new values of {}", listed(&live));
        ports.push(quote!(#catalog::set_port(#doc)));
    }
    let doc = format!("How files and the command line find [`{ident}`].");
    let entry = block.entry.clone().unwrap_or_else(|| format_ident!("ENTRY"));
    Ok(quote! {
        #[doc = #doc]
        pub const #entry: #catalog::Entry = #catalog::Entry {
            name: #name,
            category: #category,
            summary: #summary,
            params: &[#(#params),*],
            ports: &[#(#ports),*],
            make: #make,
        };
    })
}

/// The parameters in the catalogue: that of the items, those that are no arguments, the arguments.
fn params(
    block: &Block,
    arguments: &[Argument],
    generic: Option<&Ident>,
    runtime: &syn::Path,
) -> Vec<TokenStream> {
    let catalog = quote!(#runtime::catalog);
    let mut params = Vec::new();
    if let Some((first, _)) = block.items.first() {
        let names = block.items.iter().map(|(name, _)| name);
        let default = block.default_item.as_ref().map_or_else(|| first.clone(), LitStr::value);
        let default = format!("{default:?}");
        params.push(quote! {
            #catalog::optional("item", #catalog::Kind::Choice(&[#(#names),*]), "", #default, "The type of the items.")
        });
    }
    params.extend(block.params.iter().map(|param| quote!(#param)));
    for argument in arguments {
        let Argument { ident, unit, doc, .. } = argument;
        let (name, reads) = (ident.to_string(), by(argument, runtime));
        // Whatever the items are, the kind is one.
        let item = generic.zip(block.items.first()).map(|(generic, (_, ty))| quote!(type #generic = #ty;));
        let kind = argument.kind.clone().unwrap_or_else(|| quote!({ #item #reads::KIND }));
        params.push(match &argument.default {
            Some(json) => quote!(#catalog::optional(#name, #kind, #unit, #json, #doc)),
            None => quote!(#catalog::required(#name, #kind, #unit, #doc)),
        });
        if let Some(doc) = &argument.imag {
            let name = format!("{name}_imag");
            params.push(quote!(#catalog::optional(#name, #catalog::ANY_FLOAT, #unit, "0.0", #doc)));
        }
    }
    params
}

/// What makes the block out of parameters.
fn make(
    block: &Block,
    self_ty: &Type,
    generic: Option<&Ident>,
    arguments: &[Argument],
    fallible: bool,
    runtime: &syn::Path,
) -> Result<TokenStream, Error> {
    let reads = arguments.iter().map(|argument| {
        let (reads, name) = (by(argument, runtime), argument.ident.to_string());
        quote!(#reads::read(params, #name)?)
    });
    let question = fallible.then(|| quote!(?));
    let made = quote!(#runtime::AnyBlock::new(<#self_ty>::new(#(#reads),*)#question));
    let made = match (block.items.is_empty(), generic) {
        (true, _) => made,
        (false, Some(generic)) => {
            let arms = block.items.iter().map(|(name, ty)| quote!(#name => { type #generic = #ty; #made }));
            quote! {
                match params.text("item") {
                    #(#arms)*
                    other => {
                        return ::std::result::Result::Err(::std::format!("there is no item type {other}").into());
                    }
                }
            }
        }
        (false, None) => {
            return Err(Error::new(self_ty.span(), "a block with items has a type parameter for them"));
        }
    };
    Ok(quote!(|params| { let _ = params; ::std::result::Result::Ok(#made) }))
}

/// What changes and tells the parameters of a block that runs: a list of their names, a typed name for each, and two methods.
fn live(arguments: &[Argument], fallible: bool, runtime: &syn::Path) -> Vec<TokenStream> {
    let are_live = || arguments.iter().filter(|argument| argument.is_live);
    let names = are_live().map(|argument| argument.ident.to_string());
    let typed = are_live().map(|argument| {
        let (name, ty) = (argument.ident.to_string(), &argument.ty);
        let constant = Ident::new(&name.to_uppercase(), argument.ident.span());
        let doc = format!("The parameter `{name}`, for `Handle::parameter`: {}", argument.doc);
        quote! {
            #[doc = #doc]
            pub const #constant: #runtime::Declared<Self, #ty> = #runtime::Declared::new(#name);
        }
    });
    let setters = are_live().map(|argument| {
        let (ident, name, reads) = (&argument.ident, argument.ident.to_string(), by(argument, runtime));
        let take = match (&argument.set, fallible) {
            (Some(set), _) => quote!(self.#set(changed)?),
            // The constructor knows which values fit each other.
            (None, true) => {
                let all = arguments.iter().map(|other| {
                    let ident = &other.ident;
                    if *ident == argument.ident {
                        quote!(changed)
                    } else {
                        quote!(::std::clone::Clone::clone(&self.#ident))
                    }
                });
                quote!(self.#ident = Self::new(#(#all),*)?.#ident)
            }
            (None, false) => match &argument.kind {
                Some(kind) => quote! {
                    #kind.check(#name, value)?;
                    self.#ident = changed
                },
                None => quote!(self.#ident = changed),
            },
        };
        quote! {
            #name => {
                let changed = #reads::change(#name, value)?;
                #take;
            }
        }
    });
    let getters = are_live().filter(|argument| !argument.is_untold).map(|argument| {
        let (ident, name, reads) = (&argument.ident, argument.ident.to_string(), by(argument, runtime));
        quote!(#name => ::std::option::Option::Some(#reads::say(&self.#ident)),)
    });
    let mut parts = vec![quote! {
        /// The names of the parameters that can be changed while the block runs.
        pub const DECLARED: &'static [&'static str] = &[#(#names),*];
    }];
    parts.extend(typed);
    parts.push(quote! {
        /// Changes a declared parameter.
        fn set_declared(
            &mut self,
            name: &str,
            value: &#runtime::Value,
        ) -> ::std::result::Result<(), #runtime::BlockError> {
            match name {
                #(#setters)*
                _ => return ::std::result::Result::Err(#runtime::no_parameter(name, Self::DECLARED)),
            }
            ::std::result::Result::Ok(())
        }
    });
    parts.push(quote! {
        /// The value of a declared parameter, where it is told.
        fn declared(&self, name: &str) -> ::std::option::Option<#runtime::Value> {
            match name {
                #(#getters)*
                _ => ::std::option::Option::None,
            }
        }
    });
    parts
}
